//! Descriptors written.

use hrry::{
    BufferHandle, CombineOp, CompositeHead, CompositionRule, DeviceTag, ElementType, ErrorKind,
    ExtensionType, Field, Fields, Layout, LayoutTag, MAX_BUFFERS, MAX_RANK, MemberRole,
    MemoryClass, NoSpace, Parameters, Quantization, Rule, Scheme, Shard, Statistics, SyncMode,
    U64s, Violation, WriteError,
};

use crate::descriptor::{hrry_buffer, hrry_composite, hrry_quantization};
use crate::error::hrry_error;
use crate::pointer::{self, Region};
use crate::policy::{self, hrry_policy};
use crate::status::{
    Checked, HRRY_ERR_BUFFER_TOO_SMALL, HRRY_ERR_INVALID_ARGUMENT, HRRY_ERR_OVERLAP, answer,
    hrry_status,
};

/// A descriptor to write. All zeros, but for an element type and a layout, is a scalar without buffers.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hrry_spec {
    /// HRRY_TYPE_.
    pub element_type: u8,
    /// HRRY_LAYOUT_ROW_MAJOR, HRRY_LAYOUT_COL_MAJOR, HRRY_LAYOUT_STRIDED or HRRY_LAYOUT_COMPOSITE.
    pub layout: u8,
    /// HRRY_ROLE_, where `has_member_role` is 1.
    pub member_role: u8,
    /// 1 for a member of an overlay, or 0.
    pub has_member_role: u8,
    /// Number of dimensions, at most 64: of entries of all four arrays that follow.
    pub rank: u32,
    /// The dimensions; HRRY_DYNAMIC for one that is not known yet.
    pub shape: *const u64,
    /// Elements from one index to the next; null unless the layout is strided.
    pub strides: *const i64,
    /// Shape of a larger tensor that this one is part of, or null.
    pub parent_shape: *const u64,
    /// First index of this tensor in the larger one; null exactly if `parent_shape` is, or if rank is 0.
    pub shard_offset: *const u64,
    /// The buffer table.
    pub buffers: *const hrry_buffer,
    /// Number of its entries, at most 255.
    pub buffer_count: u32,
    /// Bytes from the start of buffer 0 to the first element.
    pub byte_offset: u64,
    /// The quantization scheme, or null. Private schemes cannot be written.
    pub quantization: *const hrry_quantization,
    /// What the head of a composite adds; null unless the layout is composite.
    pub composite: *const hrry_composite,
}

/// A specification whose pointers were followed.
struct Lent<'a> {
    element_type: ElementType,
    shape: &'a [u64],
    byte_offset: u64,
    layout: Layout<'a>,
    buffers: &'a [hrry_buffer],
    quantization: Option<Quantization<'a>>,
    shard: Option<Shard<'a>>,
    member_role: Option<MemberRole>,
}

impl Fields for Lent<'_> {
    fn element_type(&self) -> ElementType {
        self.element_type
    }

    fn shape(&self) -> U64s<'_> {
        self.shape.into()
    }

    fn byte_offset(&self) -> u64 {
        self.byte_offset
    }

    fn layout(&self) -> Layout<'_> {
        self.layout
    }

    fn buffer_count(&self) -> usize {
        self.buffers.len()
    }

    fn buffer(&self, index: usize) -> Option<BufferHandle> {
        let given = self.buffers.get(index)?;
        Some(BufferHandle {
            byte_size: given.byte_size,
            alignment: given.alignment,
            device_tag: DeviceTag(given.device_tag),
            sync_mode: SyncMode(given.sync_mode),
            memory_class: MemoryClass(given.memory_class),
        })
    }

    fn quantization(&self) -> Option<Quantization<'_>> {
        self.quantization
    }

    fn shard(&self) -> Option<Shard<'_>> {
        self.shard
    }

    fn statistics(&self) -> Option<Statistics> {
        None
    }

    fn extension_type(&self) -> Option<ExtensionType> {
        None
    }

    fn member_role(&self) -> Option<MemberRole> {
        self.member_role
    }
}

/// Why nothing was written.
enum Refusal {
    Status(hrry_status),
    /// HRRY_ERR_INVALID_ARGUMENT, for what the specification gives for this field.
    Argument(Field, u32),
    Kind(ErrorKind),
    NoSpace(NoSpace),
}

impl From<hrry_status> for Refusal {
    fn from(status: hrry_status) -> Self {
        Refusal::Status(status)
    }
}

impl From<WriteError<NoSpace>> for Refusal {
    fn from(error: WriteError<NoSpace>) -> Self {
        match error {
            WriteError::Refused(kind) => Refusal::Kind(kind),
            WriteError::Sink(short) => Refusal::NoSpace(short),
            // only writers of streams are called out of order
            _ => Refusal::Status(HRRY_ERR_INVALID_ARGUMENT),
        }
    }
}

/// Writes a descriptor to the front of `out` and its length to `*written`.
///
/// What a reader would refuse is refused, and told in `*error` where that is not null. `out` may be null with a length of
/// 0. With HRRY_ERR_BUFFER_TOO_SMALL, `*written` is the length that is needed; with any other status but HRRY_OK it is
/// 0. A null `policy` means strict.
///
/// `out`, `*written` and `*error` are apart from each other and from all that is read, the specification and what it
/// points to included. With HRRY_ERR_OVERLAP, and where one of the six arguments is itself refused, nothing is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_encode(
    spec: *const hrry_spec,
    policy: *const hrry_policy,
    out: *mut u8,
    out_length: usize,
    written: *mut usize,
    error: *mut hrry_error,
) -> hrry_status {
    let ready = || {
        pointer::check(spec)?;
        pointer::check(written)?;
        if !error.is_null() {
            pointer::check(error)?;
        }
        if !policy.is_null() {
            pointer::check(policy)?;
        }
        if out_length > 0 {
            pointer::check(out)?;
        }
        let targets = [
            Region::new(out, out_length)?,
            Region::of(written)?,
            Region::of(error)?,
        ];
        pointer::apart(&targets, &[Region::of(spec)?, Region::of(policy)?])?;
        Ok(targets)
    };
    let targets = match ready() {
        Ok(targets) => targets,
        Err(status) => return status,
    };
    // SAFETY: the caller's promise
    let encoded = unsafe { encode(spec, policy, (out, out_length), &targets) };
    let (length, told) = match encoded {
        Ok(length) => (length, hrry_error::NONE),
        // a length or an error would be written over an array
        Err(Refusal::Status(HRRY_ERR_OVERLAP)) => return HRRY_ERR_OVERLAP,
        Err(Refusal::Status(status)) => (0, bare(status)),
        Err(Refusal::Argument(field, index)) => {
            let told = hrry_error {
                field: field.number().into(),
                index,
                ..bare(HRRY_ERR_INVALID_ARGUMENT)
            };
            (0, told)
        }
        Err(Refusal::Kind(kind)) => (0, hrry_error::unplaced(&kind)),
        Err(Refusal::NoSpace(NoSpace { needed })) => (
            usize::try_from(needed).unwrap_or(usize::MAX),
            bare(HRRY_ERR_BUFFER_TOO_SMALL),
        ),
    };
    let tell = || {
        // SAFETY: checked above, and the caller's promise
        unsafe { pointer::write(written, length) }?;
        if !error.is_null() {
            // SAFETY: checked above, and the caller's promise
            unsafe { pointer::write(error, told) }?;
        }
        Err(told.status)
    };
    answer(tell())
}

/// An error that is about the call.
fn bare(status: hrry_status) -> hrry_error {
    hrry_error {
        status,
        ..hrry_error::NONE
    }
}

/// # Safety
///
/// `spec` and what it points to, `policy` and `out` are what their types say, and nothing else writes to them.
unsafe fn encode(
    spec: *const hrry_spec,
    policy: *const hrry_policy,
    (out, out_length): (*mut u8, usize),
    targets: &[Region],
) -> Result<usize, Refusal> {
    // SAFETY: as above
    let (spec, policy) = unsafe { (pointer::read(spec)?, policy::read(policy)?) };
    // SAFETY: as above
    let lent = unsafe { follow(&spec, targets) }?;
    // SAFETY: as above; what `lent` borrows is apart from it
    let out = unsafe { pointer::slice_mut(out, out_length) }?;
    Ok(hrry::encode(&lent, out, &policy)?)
}

/// # Safety
///
/// As [`encode`].
unsafe fn follow<'a>(spec: &hrry_spec, targets: &[Region]) -> Result<Lent<'a>, Refusal> {
    let most = usize::try_from(MAX_RANK).unwrap_or(0);
    let rank = bounded(spec.rank, most, Rule::RankLimit, Field::Rank)?;
    let (rule, field) = (Rule::BufferLimit, Field::BufferCount);
    let buffer_count = bounded(spec.buffer_count, MAX_BUFFERS, rule, field)?;
    let read = [
        Region::new(spec.shape, rank)?,
        Region::new(spec.strides, rank)?,
        Region::new(spec.parent_shape, rank)?,
        Region::new(spec.shard_offset, rank)?,
        Region::new(spec.buffers, buffer_count)?,
        Region::of(spec.quantization)?,
        Region::of(spec.composite)?,
    ];
    pointer::apart(targets, &read)?;
    // SAFETY: as above
    let (shape, buffers) = unsafe {
        (
            pointer::slice(spec.shape, rank)?,
            pointer::slice(spec.buffers, buffer_count)?,
        )
    };
    if let Some(index) = buffers.iter().position(|buffer| buffer.reserved != 0) {
        let index = u32::try_from(index).unwrap_or(u32::MAX);
        return Err(Refusal::Argument(Field::HandleReserved, index));
    }
    // SAFETY: as above
    let quantization = unsafe { pointer::read_if(spec.quantization) }?;
    Ok(Lent {
        element_type: ElementType(spec.element_type),
        shape,
        byte_offset: spec.byte_offset,
        // SAFETY: as above
        layout: unsafe { layout(spec, rank) }?,
        buffers,
        quantization: quantization.map(known_scheme).transpose()?,
        // SAFETY: as above
        shard: unsafe { shard(spec, rank) }?,
        member_role: match spec.has_member_role {
            0 => None,
            1 => Some(MemberRole(spec.member_role)),
            _ => return Err(Refusal::Argument(Field::MemberRole, 0)),
        },
    })
}

/// A count that is a limit of the format at most: no more is read.
fn bounded(count: u32, most: usize, rule: Rule, field: Field) -> Result<usize, Refusal> {
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    if count > most {
        let index = 0;
        let violation = Violation { rule, field, index };
        return Err(Refusal::Kind(violation.into()));
    }
    Ok(count)
}

/// # Safety
///
/// As [`encode`].
unsafe fn layout<'a>(spec: &hrry_spec, rank: usize) -> Result<Layout<'a>, Refusal> {
    let tag = LayoutTag(spec.layout);
    let layout = match tag {
        LayoutTag::RowMajor => Layout::RowMajor,
        LayoutTag::ColumnMajor => Layout::ColumnMajor,
        LayoutTag::Strided => {
            // SAFETY: as above
            let strides = unsafe { pointer::slice(spec.strides, rank) }?;
            Layout::Strided {
                strides: strides.into(),
            }
        }
        LayoutTag::Composite => {
            // SAFETY: as above
            let head = unsafe { pointer::read(spec.composite) }?;
            if head.reserved != [0; 2] {
                return Err(Refusal::Argument(Field::HeadReserved, 0));
            }
            Layout::Composite(CompositeHead {
                composition_rule: CompositionRule(head.composition_rule),
                combine_op: CombineOp(head.combine_op),
                member_count: head.member_count,
            })
        }
        _ => return Err(Refusal::Argument(Field::LayoutTag, 0)),
    };
    if !spec.strides.is_null() && tag != LayoutTag::Strided {
        return Err(Refusal::Argument(Field::Strides, 0));
    }
    if !spec.composite.is_null() && tag != LayoutTag::Composite {
        return Err(Refusal::Argument(Field::CompositionRule, 0));
    }
    Ok(layout)
}

/// # Safety
///
/// As [`encode`].
unsafe fn shard<'a>(spec: &hrry_spec, rank: usize) -> Checked<Option<Shard<'a>>> {
    if spec.parent_shape.is_null() && spec.shard_offset.is_null() {
        return Ok(None);
    }
    // SAFETY: as above
    let (parent_shape, shard_offset) = unsafe {
        (
            pointer::slice(spec.parent_shape, rank)?,
            pointer::slice(spec.shard_offset, rank)?,
        )
    };
    Ok(Some(Shard {
        parent_shape: parent_shape.into(),
        shard_offset: shard_offset.into(),
    }))
}

fn known_scheme(given: hrry_quantization) -> Result<Quantization<'static>, Refusal> {
    let scheme = Scheme(given.scheme);
    if !scheme.is_assigned() {
        return Err(Refusal::Argument(Field::SchemeTag, 0));
    }
    if scheme == Scheme::PerTensorAffine {
        return Ok(Quantization::PerTensor {
            flags: given.flags,
            scale: given.scale.into(),
            zero_point: given.zero_point,
        });
    }
    Ok(Quantization::Buffers(Parameters {
        scheme,
        flags: given.flags,
        axis: given.axis,
        block_size: given.block_size,
        scale_buffer_index: given.scale_buffer_index,
        zero_point_buffer_index: given.zero_point_buffer_index,
        scale_type: ElementType(given.scale_type),
    }))
}
