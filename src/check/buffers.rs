//! Rules of the buffer table.

use super::Subject;
use super::layout::base_buffers;
use super::quantization::parameter_buffers;
use crate::error::{Field, Violation};
use crate::model::{BufferHandle, Fields, Layout, Quantization};
use crate::policy::{Judge, Transport};
use crate::rule::Rule;
use crate::wire::descriptor::MIN_BUFFER_ALIGNMENT;
use crate::wire::index;
use crate::wire::tag::{DeviceTag, SyncMode};

type Checked = Result<(), Violation>;

#[inline]
pub(crate) fn table<F: Fields + ?Sized>(
    d: &Subject<'_, F>,
    layout: &Layout<'_>,
    quantization: Option<&Quantization<'_>>,
    judge: &mut Judge<'_>,
) -> Checked {
    let count = d.buffer_count;
    judge.require(
        count <= u32::from(u8::MAX),
        Rule::BufferLimit,
        Field::BufferCount,
        0,
    )?;
    if matches!(layout, Layout::Composite(_)) {
        return head(d, quantization, judge);
    }
    judge.require(count > 0, Rule::BufferPresence, Field::BufferCount, 0)?;
    if let Some(base) = base_buffers(layout, d.rank) {
        match quantization {
            None => exactly(base, Rule::BufferCount, count, judge)?,
            Some(quantization) => {
                if let Some(parameters) = parameter_buffers(quantization) {
                    let needed = base.wrapping_add(parameters);
                    exactly(needed, Rule::QuantizedBufferCount, count, judge)?;
                }
            }
        }
    }
    let mut first = None;
    for k in 0..count {
        let Some(handle) = d.fields.buffer(index(k)) else {
            break;
        };
        self::handle(&handle, k, judge)?;
        let BufferHandle {
            device_tag,
            memory_class,
            ..
        } = *first.get_or_insert(handle);
        let colocated = (handle.device_tag, handle.memory_class) == (device_tag, memory_class);
        judge.require(colocated, Rule::Colocation, Field::DeviceTag, k)?;
    }
    let byte_offset = d.fields.byte_offset();
    let size = first.map_or(0, |handle| handle.byte_size);
    judge.require(
        byte_offset <= size,
        Rule::ByteOffsetRange,
        Field::ByteOffset,
        0,
    )?;
    let dense = !matches!(
        layout,
        Layout::Coo { .. }
            | Layout::Csr { .. }
            | Layout::Csc { .. }
            | Layout::Csf { .. }
            | Layout::BlockPaged(_)
    );
    judge.require(
        dense || byte_offset == 0,
        Rule::ByteOffsetZero,
        Field::ByteOffset,
        0,
    )
}

/// A composite head has no data and nothing that speaks of it.
fn head<F: Fields + ?Sized>(
    d: &Subject<'_, F>,
    quantization: Option<&Quantization<'_>>,
    judge: &mut Judge<'_>,
) -> Checked {
    judge.require(
        d.buffer_count == 0,
        Rule::HeadBuffers,
        Field::BufferCount,
        0,
    )?;
    let offset = d.fields.byte_offset();
    judge.require(offset == 0, Rule::HeadByteOffset, Field::ByteOffset, 0)?;
    judge.require(
        quantization.is_none(),
        Rule::HeadQuantization,
        Field::Flags,
        0,
    )
}

/// Permissive mode allows more buffers than needed, never fewer: without them nothing can be read.
fn exactly(needed: u32, rule: Rule, count: u32, judge: &mut Judge<'_>) -> Checked {
    let violation = Violation {
        rule,
        field: Field::BufferCount,
        index: 0,
    };
    if count < needed {
        return Err(violation);
    }
    if count > needed {
        judge.relax(violation)
    } else {
        Ok(())
    }
}

#[inline]
fn handle(handle: &BufferHandle, k: u32, judge: &mut Judge<'_>) -> Checked {
    let alignment = handle.alignment;
    judge.require(
        alignment.is_power_of_two(),
        Rule::AlignmentPower,
        Field::Alignment,
        k,
    )?;
    let enough = alignment >= MIN_BUFFER_ALIGNMENT || handle.byte_size == 0;
    judge.require(enough, Rule::AlignmentMinimum, Field::Alignment, k)?;
    let (device, sync, class) = (handle.device_tag, handle.sync_mode, handle.memory_class);
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
    if class.is_private() {
        let agreed = judge.policy.agreements.memory_classes.contains(&class.0);
        judge.require(agreed, Rule::PrivateClass, Field::MemoryClass, k)?;
    }
    let local = judge.policy.transport == Transport::Local;
    judge.require(synced || local, Rule::CrossMachineSync, Field::SyncMode, k)
}
