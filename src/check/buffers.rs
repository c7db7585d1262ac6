//! Rules of the buffer table.

use super::judge::{Breach, Checked, Judge};
use super::layout::base_buffers;
use super::quantization::parameter_buffers;
use super::{Subject, Table};
use crate::error::Field;
use crate::model::{BufferHandle, Layout, Quantization};
use crate::policy::{Transport, agreed};
use crate::rule::Rule;
use crate::wire::descriptor::MIN_BUFFER_ALIGNMENT;
use crate::wire::handle::RawHandle;
use crate::wire::tag::{DeviceTag, LayoutTag, SyncMode};

impl From<BufferHandle> for RawHandle {
    #[inline]
    fn from(handle: BufferHandle) -> Self {
        RawHandle::new(
            handle.byte_size,
            handle.alignment,
            handle.device_tag,
            handle.sync_mode,
            handle.memory_class,
        )
    }
}

#[inline(always)]
pub(crate) fn table<T: Table, J: Judge>(
    d: Subject<'_, T>,
    layout: &Layout<'_>,
    quantization: Option<Quantization<'_>>,
    judge: &mut J,
) -> Checked {
    let count = d.buffer_count;
    let byte_offset = d.byte_offset;
    let few = count <= u32::from(u8::MAX);
    judge.require(few, Rule::BufferLimit, Field::BufferCount, 0)?;
    if let Layout::Composite(_) = layout {
        judge.require(count == 0, Rule::HeadBuffers, Field::BufferCount, 0)?;
        judge.require(byte_offset == 0, Rule::HeadByteOffset, Field::ByteOffset, 0)?;
        judge.require(
            quantization.is_none(),
            Rule::HeadQuantization,
            Field::Flags,
            0,
        )?;
        return Ok(());
    }
    judge.require(count > 0, Rule::BufferPresence, Field::BufferCount, 0)?;
    let needed = base_buffers(layout, d.rank);
    match (needed, quantization) {
        (Some(base), None) if count != base => {
            excess(
                count > base,
                Rule::BufferCount,
                Field::BufferCount,
                0,
                judge,
            )?;
        }
        (Some(base), Some(quantization)) => {
            let needed = parameter_buffers(quantization).map(|more| base.wrapping_add(more));
            if needed.is_some_and(|needed| count != needed) {
                let more = Some(count) > needed;
                excess(
                    more,
                    Rule::QuantizedBufferCount,
                    Field::BufferCount,
                    0,
                    judge,
                )?;
            }
        }
        _ => {}
    }
    let first = d.table.handle(0);
    let mut plain = None;
    for k in 0..count {
        let Some(handle) = d.table.handle(k) else {
            break;
        };
        // what was found plain once is plain again
        if plain == Some(handle.rest) {
            continue;
        }
        if is_plain(handle) && first.is_none_or(is_plain) {
            plain = Some(handle.rest);
            continue;
        }
        self::handle(handle, k, judge)?;
        let ((device, _, class), (first_device, _, first_class)) =
            (handle.tags(), first.unwrap_or(handle).tags());
        let mut same = |same, field| judge.require(same, Rule::Colocation, field, k);
        same(device == first_device, Field::DeviceTag)?;
        same(class == first_class, Field::MemoryClass)?;
    }
    let size = first.map_or(0, |handle| handle.byte_size);
    judge.require(
        byte_offset <= size,
        Rule::ByteOffsetRange,
        Field::ByteOffset,
        0,
    )?;
    let stored = matches!(layout.tag(), LayoutTag(0x06..=0x0A));
    judge.require(
        !stored || byte_offset == 0,
        Rule::ByteOffsetZero,
        Field::ByteOffset,
        0,
    )?;
    Ok(())
}

/// A number that must be exact. Permissive mode takes more than needed, and nobody takes less, since
/// then something cannot be read.
#[inline(always)]
pub(crate) fn excess(
    more: bool,
    rule: Rule,
    field: Field,
    index: u32,
    judge: &mut impl Judge,
) -> Checked {
    if more {
        judge.relax(rule, field, index)
    } else {
        Err(Breach::new(rule, field, index))
    }
}

/// Sees at a glance that a handle breaks nothing, whatever its size: aligned and in host memory.
#[inline(always)]
pub(super) fn is_plain(handle: RawHandle) -> bool {
    let rest = handle.rest;
    rest <= u32::MAX.into() && rest >= MIN_BUFFER_ALIGNMENT.into() && rest.is_power_of_two()
}

#[inline]
fn handle<J: Judge>(handle: RawHandle, k: u32, judge: &mut J) -> Checked {
    let alignment = handle.alignment();
    judge.require(
        alignment.is_power_of_two(),
        Rule::AlignmentPower,
        Field::Alignment,
        k,
    )?;
    let enough = alignment >= MIN_BUFFER_ALIGNMENT || handle.byte_size == 0;
    judge.require(enough, Rule::AlignmentMinimum, Field::Alignment, k)?;
    let (device, sync, class) = handle.tags();
    judge.require(
        device.is_assigned() || device.is_private(),
        Rule::DeviceTag,
        Field::DeviceTag,
        k,
    )?;
    judge.require(sync.is_assigned(), Rule::SyncMode, Field::SyncMode, k)?;
    let synced = sync == SyncMode::ProducerSynced;
    judge.require(
        synced || device != DeviceTag::Cpu,
        Rule::CpuSync,
        Field::SyncMode,
        k,
    )?;
    judge.require(
        class.is_assigned() || class.is_private(),
        Rule::MemoryClass,
        Field::MemoryClass,
        k,
    )?;
    judge.require(
        device.has_class(class),
        Rule::DeviceClass,
        Field::MemoryClass,
        k,
    )?;
    let classes = judge.policy().agreements.memory_classes;
    let known = !class.is_private() || agreed(classes, &class.0);
    judge.require(known, Rule::PrivateClass, Field::MemoryClass, k)?;
    let local = judge.policy().transport == Transport::Local;
    judge.require(synced || local, Rule::CrossMachineSync, Field::SyncMode, k)
}
