//! A descriptor that owns its bytes.

use alloc::vec::Vec;
use core::fmt;

pub use super::builder::TensorDescriptorBuilder;
use super::layout::LayoutDescriptor;
use super::{Error, QuantizationDescriptor, Shape, ShardDescriptor, probe};
use crate::descriptor::decode::facts;
use crate::descriptor::{DescriptorSpec, DescriptorView, Prepared, encode_to};
use crate::error::Field;
use crate::model::{
    BufferHandle, ExtensionType, Fields, Layout, Quantization, Shard, Statistics, U64s,
};
use crate::policy::Policy;
use crate::wire::descriptor::{Facts, VERSION_MAJOR, VERSION_MINOR, offset};
use crate::wire::tag::ElementType;
pub use crate::wire::tag::MemberRole;

/// A checked descriptor of a tensor or of the head of a composite.
///
/// It holds the bytes of one that a reader accepts, and nothing else can be made: every constructor asks
/// the core's checks. Two are equal when they say the same; the version that they state, and what a later
/// minor version added, are not compared, since a writer states its own.
///
/// ```
/// use hrry::owned::descriptor::TensorDescriptor;
/// use hrry::owned::layout::LayoutDescriptor;
/// use hrry::owned::{BufferHandle, ElementType, Shape};
/// use hrry::Policy;
///
/// let shape = Shape::new(vec![3, 4])?;
/// let tensor = TensorDescriptor::builder(ElementType::Float32, shape.clone())
///     .buffer(BufferHandle::cpu(48, 64))
///     .build()?;
/// let bytes = tensor.encode_to_vec()?;
/// let (read, rest) = TensorDescriptor::decode(&bytes, &Policy::STRICT)?;
/// assert_eq!((read, rest.len()), (tensor, 0));
///
/// // twelve float32 need 48 bytes
/// let short = TensorDescriptor::builder(ElementType::Float32, shape)
///     .buffer(BufferHandle::cpu(40, 64))
///     .build();
/// assert_eq!(short.unwrap_err().rule().unwrap().id(), "LAYOUT-05");
/// # Ok::<(), hrry::owned::Error>(())
/// ```
#[derive(Clone)]
pub struct TensorDescriptor {
    bytes: Vec<u8>,
    facts: Facts,
}

/// The composite member section: what a tensor is to the overlay that it is a member of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CompositeMemberDescriptor {
    member_role: MemberRole,
}

impl CompositeMemberDescriptor {
    /// That role.
    #[must_use]
    pub const fn new(member_role: MemberRole) -> Self {
        CompositeMemberDescriptor { member_role }
    }

    /// The role.
    #[must_use]
    pub const fn member_role(&self) -> MemberRole {
        self.member_role
    }
}

impl TensorDescriptor {
    /// A descriptor with the fixed fields and the optional sections in the order of their flags, but for
    /// the composite member section. [`builder`](Self::builder) does the same in named steps.
    ///
    /// `quantization` holds the section behind its length, as
    /// [`QuantizationDescriptor::encode_to_vec`] makes it.
    ///
    /// # Errors
    ///
    /// Everything that [`check::descriptor`](crate::check::descriptor) refuses, VER-01 and VER-02 of the
    /// version, and what [`QuantizationDescriptor::decode`] refuses.
    #[allow(clippy::too_many_arguments)] // the signature of the API that this one follows
    pub fn new(
        version_major: u8,
        version_minor: u8,
        element_type: ElementType,
        shape: Shape,
        byte_offset: u64,
        layout: LayoutDescriptor,
        buffers: Vec<BufferHandle>,
        quantization: Option<Vec<u8>>,
        shard: Option<ShardDescriptor>,
        statistics: Option<Statistics>,
        extension_type: Option<ExtensionType>,
    ) -> Result<Self, Error> {
        let quantization = match &quantization {
            Some(bytes) => Some(QuantizationDescriptor::decode(bytes)?),
            None => None,
        };
        let builder = TensorDescriptorBuilder {
            version: (version_major, version_minor),
            element_type,
            shape,
            byte_offset,
            layout,
            buffers,
            quantization,
            shard,
            statistics,
            extension_type,
            member_role: None,
        };
        builder.build()
    }

    /// A row-major tensor without buffers, to go on with in named steps.
    pub const fn builder(element_type: ElementType, shape: Shape) -> TensorDescriptorBuilder {
        TensorDescriptorBuilder {
            version: (VERSION_MAJOR, VERSION_MINOR),
            element_type,
            shape,
            byte_offset: 0,
            layout: LayoutDescriptor::RowMajor,
            buffers: Vec::new(),
            quantization: None,
            shard: None,
            statistics: None,
            extension_type: None,
            member_role: None,
        }
    }

    /// An owned descriptor that says what another one does.
    ///
    /// # Errors
    ///
    /// Everything that [`encode_to`] refuses.
    pub fn from_fields<F: Fields + ?Sized>(d: &F, policy: &Policy) -> Result<Self, Error> {
        let mut bytes = Vec::new();
        encode_to(d, &mut bytes, policy)?;
        let facts = facts(&bytes);
        Ok(TensorDescriptor { bytes, facts })
    }

    /// A copy of a view, which was checked when it was made.
    ///
    /// # Errors
    ///
    /// Where there is no memory for it.
    pub fn from_view(view: DescriptorView<'_>) -> Result<Self, Error> {
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(view.as_bytes().len())?;
        bytes.extend_from_slice(view.as_bytes());
        let facts = view.facts();
        Ok(TensorDescriptor { bytes, facts })
    }

    /// Reads one descriptor from the front of `bytes` and returns what follows it.
    ///
    /// # Errors
    ///
    /// As [`DescriptorView::parse`]; where there is no memory for it.
    pub fn decode<'a>(bytes: &'a [u8], policy: &Policy) -> Result<(Self, &'a [u8]), Error> {
        let (view, rest) = DescriptorView::parse(bytes, policy)?;
        Ok((TensorDescriptor::from_view(view)?, rest))
    }

    /// The bytes that a writer of this version makes of it.
    ///
    /// # Errors
    ///
    /// What a strict reader refuses in a descriptor that was read in permissive mode or under agreements;
    /// [`encode_to`] takes a policy.
    pub fn encode_to_vec(&self) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::new();
        encode_to(self, &mut bytes, &Policy::STRICT)?;
        Ok(bytes)
    }

    /// The same descriptor with a composite member section.
    ///
    /// The format has none for the head of a composite (COMP-04) and no other role than those that have a
    /// name (MEMBER-01): then the descriptor stays as it is, and an overlay refuses it as it would have.
    /// [`try_with_composite_member`](Self::try_with_composite_member) says so at once.
    #[must_use]
    pub fn with_composite_member(self, member: CompositeMemberDescriptor) -> Self {
        match self.try_with_composite_member(member) {
            Ok(changed) => changed,
            Err(_) => self,
        }
    }

    /// The same descriptor with a composite member section.
    ///
    /// # Errors
    ///
    /// COMP-04 on the head of a composite, MEMBER-01 of the role; LAYOUT-02 where sections cannot be found;
    /// DESC-21.
    pub fn try_with_composite_member(
        &self,
        member: CompositeMemberDescriptor,
    ) -> Result<Self, Error> {
        let member_role = member.member_role;
        if self.view().is_opaque() {
            return TensorDescriptor::from_fields(self, &Policy::STRICT);
        }
        probe::member(self.is_head(), member_role)?;
        let buffers: Vec<BufferHandle> = self.buffers().collect();
        let spec = DescriptorSpec {
            element_type: self.element_type(),
            shape: self.shape(),
            byte_offset: self.byte_offset(),
            layout: self.layout(),
            buffers: &buffers,
            quantization: self.quantization(),
            shard: self.shard(),
            statistics: self.statistics(),
            extension_type: self.extension_type(),
            member_role: Some(member_role),
        };
        let mut bytes = Vec::new();
        Prepared::measured(&spec)?.encode_to(&mut bytes)?;
        let facts = facts(&bytes);
        let mut changed = TensorDescriptor { bytes, facts };
        changed.set_version(self.version());
        Ok(changed)
    }

    /// A builder with everything that the descriptor says, to change some of it.
    pub fn to_builder(&self) -> TensorDescriptorBuilder {
        TensorDescriptorBuilder {
            version: self.version(),
            element_type: self.element_type(),
            shape: self.shape().into(),
            byte_offset: self.byte_offset(),
            layout: self.layout().into(),
            buffers: self.buffers().collect(),
            quantization: self.quantization().map(QuantizationDescriptor::from),
            shard: self.shard().map(ShardDescriptor::from),
            statistics: self.statistics(),
            extension_type: self.extension_type(),
            member_role: self.member_role(),
        }
    }

    /// The descriptor as a view of its bytes.
    #[must_use]
    pub fn view(&self) -> DescriptorView<'_> {
        DescriptorView::new(&self.bytes, self.facts, 0)
    }

    /// `version_major` and `version_minor` as it was made or read with.
    #[must_use]
    pub fn version(&self) -> (u8, u8) {
        let at = |field| self.bytes.get(offset(field)).copied().unwrap_or(0);
        (at(Field::VersionMajor), at(Field::VersionMinor))
    }

    /// The handles of the buffers, in table order.
    pub fn buffers(&self) -> impl ExactSizeIterator<Item = BufferHandle> + '_ {
        let empty = BufferHandle::cpu(0, 1);
        // each of them is there
        (0..self.buffer_count()).map(move |k| self.buffer(k).unwrap_or(empty))
    }

    /// Whether it is the head of a composite.
    #[must_use]
    pub fn is_head(&self) -> bool {
        matches!(self.layout(), Layout::Composite(_))
    }

    /// States another version; VER-01 and VER-02 judge it.
    pub(super) fn state_version(
        &mut self,
        version: (u8, u8),
        policy: &Policy,
    ) -> Result<(), Error> {
        self.set_version(version);
        Ok(self.view().check(policy)?)
    }

    fn set_version(&mut self, (major, minor): (u8, u8)) {
        for (field, number) in [(Field::VersionMajor, major), (Field::VersionMinor, minor)] {
            if let Some(byte) = self.bytes.get_mut(offset(field)) {
                *byte = number;
            }
        }
    }
}

macro_rules! forward {
    ($($name:ident($($argument:ident: $type:ty)?) -> $result:ty;)*) => {
        impl Fields for TensorDescriptor {
            $(
                fn $name(&self, $($argument: $type)?) -> $result {
                    self.view().$name($($argument)?)
                }
            )*
        }
    };
}

forward! {
    element_type() -> ElementType;
    shape() -> U64s<'_>;
    byte_offset() -> u64;
    layout() -> Layout<'_>;
    buffer_count() -> usize;
    buffer(index: usize) -> Option<BufferHandle>;
    quantization() -> Option<Quantization<'_>>;
    shard() -> Option<Shard<'_>>;
    statistics() -> Option<Statistics>;
    extension_type() -> Option<ExtensionType>;
    member_role() -> Option<MemberRole>;
}

impl PartialEq for TensorDescriptor {
    fn eq(&self, other: &Self) -> bool {
        self.element_type() == other.element_type()
            && self.shape() == other.shape()
            && self.byte_offset() == other.byte_offset()
            && self.layout() == other.layout()
            && self.buffers().eq(other.buffers())
            && self.quantization() == other.quantization()
            && self.shard() == other.shard()
            && self.statistics() == other.statistics()
            && stated(self.extension_type()) == stated(other.extension_type())
            && self.member_role() == other.member_role()
    }
}

impl Eq for TensorDescriptor {}

/// Without what an integer type does not have (EXT-09): the encoder leaves it 0.
fn stated(extension: Option<ExtensionType>) -> Option<ExtensionType> {
    extension.map(|extension| match extension.is_float {
        0 => ExtensionType {
            has_nan: 0,
            has_inf: 0,
            ..extension
        },
        _ => extension,
    })
}

impl fmt::Debug for TensorDescriptor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TensorDescriptor")
            .field("element_type", &self.element_type())
            .field("shape", &Shape::from(self.shape()).as_slice())
            .field("byte_offset", &self.byte_offset())
            .field("layout", &LayoutDescriptor::from(self.layout()))
            .field("buffers", &self.buffers().collect::<Vec<_>>())
            .field("quantization", &self.quantization())
            .field("shard", &self.shard().map(ShardDescriptor::from))
            .field("statistics", &self.statistics())
            .field("extension_type", &self.extension_type())
            .field("member_role", &self.member_role())
            .finish()
    }
}
