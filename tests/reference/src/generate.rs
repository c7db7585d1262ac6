//! A random valid descriptor.

use hrry::{
    BufferHandle, DYNAMIC, DeviceTag, ElementType, ExtensionType, MemberRole, MemoryClass, SyncMode,
};

use crate::MEMORY_CLASSES;
use crate::choices::Choices;
use crate::layouts::{Kind, Limits, layout, needed};
use crate::plan::{LayoutPlan, Plan, SchemePlan};
use crate::sections::{Quantized, extension_type, quantized, shard, statistics};
use crate::sizes::width;

/// Numbers that a descriptor is built from.
pub const NUMBERS: usize = 500;

/// Any descriptor that both implementations support.
pub fn descriptor(c: &mut Choices<'_>, limits: Limits) -> Plan {
    let kind = c.pick(&Kind::ALL);
    let rank = kind.rank(c, limits);
    let shape = kind.shape(c, rank, limits);
    let payload = layout(c, kind, &shape, limits);
    let (element_type, extension) = any_type(c);
    let base = needed(&payload, &shape, width(ElementType::Float32, None))
        .1
        .len() as u32;
    let quantized = if c.one_in(3) {
        quantized(c, &payload, &shape, base)
    } else {
        None
    };
    let mut plan = assemble(
        c,
        payload,
        shape,
        (element_type, extension),
        quantized,
        limits,
    );
    decorate(c, &mut plan);
    plan
}

/// Any element type; a private one with its section.
pub fn any_type(c: &mut Choices<'_>) -> (ElementType, Option<ExtensionType>) {
    match c.below(ElementType::ASSIGNED.len() as u64 + 4) as usize {
        k if k < ElementType::ASSIGNED.len() => (ElementType::ASSIGNED[k], None),
        _ => {
            let tag = ElementType(0xF0 + c.below(15) as u8);
            (tag, Some(extension_type(c)))
        }
    }
}

/// A descriptor without shard, statistics and member section, with buffers that are large enough.
pub fn assemble(
    c: &mut Choices<'_>,
    layout: LayoutPlan,
    shape: Vec<u64>,
    element: (ElementType, Option<ExtensionType>),
    quantized: Option<Quantized>,
    limits: Limits,
) -> Plan {
    let (mut element_type, mut extension) = element;
    let (mut scheme, mut parameters) = (None, vec![]);
    if let Some(quantized) = quantized {
        (element_type, extension) = (quantized.element_type, None);
        (scheme, parameters) = (Some(quantized.scheme), quantized.parameters);
    }
    // only a private scheme leaves the count of its buffers open
    let (below, mut sizes) = needed(&layout, &shape, width(element_type, extension.as_ref()));
    let mut slack = || match c.below(4) {
        0 | 1 => 0,
        2 => c.below(100).min(limits.slack),
        _ => c.below(limits.slack),
    };
    let mut byte_offset = 0;
    for size in &mut sizes {
        *size += slack();
    }
    if matches!(layout, LayoutPlan::Private { .. }) && scheme.is_none() {
        let more = slack() % 4;
        sizes.extend((0..more).map(|_| slack()));
    }
    if is_dense(&layout) {
        byte_offset = below + slack();
        sizes[0] += byte_offset;
    }
    let mut handle = handles(c);
    Plan {
        byte_offset,
        extension_type: extension,
        quantization: scheme,
        ..Plan::new(
            element_type,
            shape,
            layout,
            sizes
                .into_iter()
                .chain(parameters)
                .map(&mut handle)
                .collect(),
        )
    }
}

fn is_dense(layout: &LayoutPlan) -> bool {
    use LayoutPlan as L;
    !matches!(
        layout,
        L::Coo { .. } | L::Csr(_) | L::Csc(_) | L::Csf { .. } | L::BlockPaged(_) | L::Composite(_)
    )
}

/// Handles of one descriptor: on one device, in one class.
fn handles<'a>(c: &'a mut Choices<'_>) -> impl FnMut(u64) -> BufferHandle + 'a {
    const SOME: [u8; 3] = [0, 1, 2];
    let (device, class) = match c.below(4) {
        0 | 1 => (0, c.pick(&SOME)),
        2 => {
            let device = 1 + c.below(8) as u8;
            let classes: &[u8] = match device {
                1 | 2 | 4 | 7 => &[0, 1, 2, 3],
                5 => &[0],
                _ => &SOME,
            };
            (device, c.pick(classes))
        }
        _ => {
            let private = c.pick(MEMORY_CLASSES);
            (0xF0 + c.below(15) as u8, c.pick(&[0, private]))
        }
    };
    move |byte_size| {
        let least = if byte_size > 0 { 6 } else { 0 };
        BufferHandle {
            byte_size,
            alignment: 1 << (least + c.below(32 - least)),
            device_tag: DeviceTag(device),
            sync_mode: SyncMode(if device == 0 { 0 } else { c.below(3) as u8 }),
            memory_class: MemoryClass(class),
        }
    }
}

/// Adds the sections that say nothing about layout or size.
fn decorate(c: &mut Choices<'_>, plan: &mut Plan) {
    let head = matches!(plan.layout, LayoutPlan::Composite(_));
    let unshardable = matches!(
        plan.layout,
        LayoutPlan::Csf { .. } | LayoutPlan::BlockPaged(_)
    );
    if c.one_in(3) && !unshardable && !plan.shape.contains(&DYNAMIC) {
        plan.shard = Some(shard(c, &plan.shape));
    }
    if c.one_in(3) {
        plan.statistics = Some(statistics(c, stored(&plan.layout)));
    }
    if c.one_in(4) && !head {
        plan.member_role = Some(MemberRole(c.below(2) as u8));
    }
    if c.one_in(10) {
        plan.version_minor = 1 + c.below(255) as u8;
    }
    let known = !matches!(plan.quantization, None | Some(SchemePlan::Private(_)));
    if known && c.one_in(6) {
        plan.padding = (0..1 + c.below(12)).map(|_| c.byte()).collect();
    }
}

fn stored(layout: &LayoutPlan) -> Option<u64> {
    match layout {
        LayoutPlan::Coo { nnz, .. }
        | LayoutPlan::Csr(nnz)
        | LayoutPlan::Csc(nnz)
        | LayoutPlan::Csf { nnz, .. } => Some(*nnz),
        _ => None,
    }
}
