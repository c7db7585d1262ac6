//! Rules of the buffer table.

use super::Subject;
use super::judge::{Breach, Checked, Judge};
use super::quantization::parameter_buffers;
use crate::error::Field;
use crate::model::{BufferHandle, Quantization};
use crate::policy::{Transport, agreed};
use crate::rule::Rule;
use crate::wire::descriptor::MIN_BUFFER_ALIGNMENT;
use crate::wire::handle::RawHandle;
use crate::wire::length32;
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

/// `own` counts the buffers that the layout itself needs, if it says so.
#[inline(always)]
pub(crate) fn table<S: Subject, J: Judge>(
    d: S,
    layout: LayoutTag,
    own: Option<u32>,
    quantization: Option<&Quantization<'_>>,
    judge: &mut J,
) -> Checked {
    let (count, byte_offset) = (length32(d.buffer_count()), d.byte_offset());
    let few = count <= u32::from(u8::MAX);
    judge.require(few, Rule::BufferLimit, Field::BufferCount, 0)?;
    if layout == LayoutTag::Composite {
        judge.require(count == 0, Rule::HeadBuffers, Field::BufferCount, 0)?;
        judge.require(byte_offset == 0, Rule::HeadByteOffset, Field::ByteOffset, 0)?;
        let bare = quantization.is_none();
        return judge.require(bare, Rule::HeadQuantization, Field::Flags, 0);
    }
    judge.require(count > 0, Rule::BufferPresence, Field::BufferCount, 0)?;
    if let Some(own) = own {
        let (rule, needed) = match quantization {
            None => (Rule::BufferCount, Some(own)),
            Some(quantization) => {
                let more = parameter_buffers(quantization);
                let needed = more.map(|more| own.wrapping_add(more));
                (Rule::QuantizedBufferCount, needed)
            }
        };
        if needed.is_some_and(|needed| count != needed) {
            excess(Some(count) > needed, rule, Field::BufferCount, 0, judge)?;
        }
    }
    if !d.is_hosted() {
        handles(d, count, judge)?;
    }
    let inside = byte_offset <= d.byte_size(0);
    judge.require(inside, Rule::ByteOffsetRange, Field::ByteOffset, 0)?;
    let stored = layout.is_sparse() || layout == LayoutTag::BlockPaged;
    let placed = byte_offset == 0 || !stored;
    judge.require(placed, Rule::ByteOffsetZero, Field::ByteOffset, 0)
}

/// Sees at a glance that no handle breaks a rule, whatever its size: all are aligned in the same way, in
/// host memory and synchronised.
#[inline(always)]
pub(crate) fn are_hosted(mut handles: impl Iterator<Item = RawHandle>) -> bool {
    let Some(RawHandle { rest, .. }) = handles.next() else {
        return true;
    };
    let hosted =
        rest <= u32::MAX.into() && rest >= MIN_BUFFER_ALIGNMENT.into() && rest.is_power_of_two();
    hosted && handles.all(|handle| handle.rest == rest)
}

#[inline(never)]
fn handles<S: Subject, J: Judge>(d: S, count: u32, judge: &mut J) -> Checked {
    let Some(first) = d.handle(0) else {
        return Ok(());
    };
    for k in 0..count {
        handle(d.handle(k).unwrap_or(first), k, first, judge)?;
    }
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

fn handle<J: Judge>(handle: RawHandle, k: u32, first: RawHandle, judge: &mut J) -> Checked {
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
    judge.require(synced || local, Rule::CrossMachineSync, Field::SyncMode, k)?;
    let (first_device, _, first_class) = first.tags();
    let mut same = |same, field| judge.require(same, Rule::Colocation, field, k);
    same(device == first_device, Field::DeviceTag)?;
    same(class == first_class, Field::MemoryClass)
}
