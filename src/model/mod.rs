//! One logical descriptor, however it is stored.
//!
//! Depends on the wire level. [`Fields`] is what checks, encoders and validators ask; a borrowed view, a
//! plain specification and an owned descriptor answer. Nothing here judges a value.

mod array;
mod layout;
mod quantization;
mod sections;

pub use array::{Array, ArrayIter, I64s, U32s, U64s};
pub use layout::{BlockPaged, CompositeHead, Layout, Levels, Tiled, TiledLevel};
pub use quantization::{Parameters, Quantization};
pub use sections::{BufferHandle, ExtensionType, F32Bits, F64Bits, Shard, Statistics};

use crate::wire::tag::{ElementType, MemberRole};

/// One logical descriptor: what checks, encoders and validators ask for.
pub trait Fields {
    /// Type of the elements.
    fn element_type(&self) -> ElementType;
    /// The dimensions.
    fn shape(&self) -> U64s<'_>;
    /// Bytes from the start of buffer 0 to the first element.
    fn byte_offset(&self) -> u64;
    /// How elements are placed.
    fn layout(&self) -> Layout<'_>;
    /// How many buffers there are.
    fn buffer_count(&self) -> usize;
    /// The buffer at `index`, if it exists.
    fn buffer(&self, index: usize) -> Option<BufferHandle>;
    /// The quantization scheme, if there is one.
    fn quantization(&self) -> Option<Quantization<'_>>;
    /// The place in a larger tensor, if it has one.
    fn shard(&self) -> Option<Shard<'_>>;
    /// Facts about the values, if they are stated.
    fn statistics(&self) -> Option<Statistics>;
    /// What the private element type is, if it is one.
    fn extension_type(&self) -> Option<ExtensionType>;
    /// What the tensor is to its overlay, if it is a member of one.
    fn member_role(&self) -> Option<MemberRole>;
    /// Stream offset of byte 0, if it has one.
    fn origin(&self) -> u64 {
        0
    }
}

/// Bytes of all buffers; none where that does not fit 64 bits.
pub(crate) fn data_bytes<F: Fields + ?Sized>(d: &F) -> Option<u64> {
    let sizes = (0..).map_while(|k| d.buffer(k));
    let mut sizes = sizes.map(|handle| handle.byte_size);
    sizes.try_fold(0u64, u64::checked_add)
}

macro_rules! forward {
    ($($name:ident($($argument:ident: $type:ty)?) -> $result:ty;)*) => {
        impl<T: Fields + ?Sized> Fields for &T {
            $(
                #[inline]
                fn $name(&self, $($argument: $type)?) -> $result {
                    (**self).$name($($argument)?)
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
    origin() -> u64;
}
