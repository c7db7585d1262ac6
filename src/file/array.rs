//! Arrays of the key-value section, read or lent.

use core::fmt;

use super::kv::{KvSection, KvValue};
use crate::model::F64Bits;
use crate::wire::container::kv_tag;
use crate::wire::{index, length32};

/// An array of the key-value section: as it stands in a file, or lent as a slice.
///
/// ```
/// use hrry::{KvArray, KvValue};
/// let merges = KvArray::from(&["t h", "th e"]);
/// assert_eq!((merges.element_tag(), merges.len()), (1, 2));
/// assert_eq!(merges.iter().last(), Some(KvValue::String("th e")));
/// ```
#[derive(Clone, Copy)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct KvArray<'a>(Elements<'a>);

#[derive(Clone, Copy)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
enum Elements<'a> {
    /// As they stand in a file, and checked.
    Encoded {
        tag: u8,
        count: u32,
        bytes: &'a [u8],
    },
    String(&'a [&'a str]),
    Int64(&'a [i64]),
    Uint64(&'a [u64]),
    Float64(&'a [F64Bits]),
    Bool(&'a [bool]),
    Bytes(&'a [&'a [u8]]),
}

macro_rules! lent {
    ($($variant:ident $tag:ident $type:ty;)*) => {
        impl<'a> KvArray<'a> {
            /// The type of all elements: 1 string, 2 int64, 3 uint64, 4 float64, 5 bool, 6 bytes.
            #[must_use]
            pub const fn element_tag(&self) -> u8 {
                match self.0 {
                    Elements::Encoded { tag, .. } => tag,
                    $(Elements::$variant(_) => kv_tag::$tag,)*
                }
            }

            /// How many elements there are; it saturates.
            #[must_use]
            pub fn len(&self) -> u32 {
                match self.0 {
                    Elements::Encoded { count, .. } => count,
                    $(Elements::$variant(elements) => length32(elements.len()),)*
                }
            }

            /// The elements, in order.
            pub fn iter(&self) -> impl Iterator<Item = KvValue<'a>> + use<'a> {
                let elements = self.0;
                let mut section = match elements {
                    Elements::Encoded { bytes, .. } => KvSection::new(bytes, 0),
                    _ => KvSection::new(&[], 0),
                };
                (0..self.len()).map_while(move |k| match elements {
                    Elements::Encoded { tag, .. } => section.scalar(tag).ok(),
                    $(Elements::$variant(elements) => {
                        elements.get(index(k)).copied().map(KvValue::$variant)
                    })*
                })
            }
        }

        $(
            impl<'a> From<&'a [$type]> for KvArray<'a> {
                fn from(elements: &'a [$type]) -> Self {
                    KvArray(Elements::$variant(elements))
                }
            }

            impl<'a, const N: usize> From<&'a [$type; N]> for KvArray<'a> {
                fn from(elements: &'a [$type; N]) -> Self {
                    KvArray(Elements::$variant(elements))
                }
            }
        )*
    };
}

lent! {
    String STRING &'a str;
    Int64 INT64 i64;
    Uint64 UINT64 u64;
    Float64 FLOAT64 F64Bits;
    Bool BOOL bool;
    Bytes BYTES &'a [u8];
}

impl<'a> KvArray<'a> {
    pub(super) const fn encoded(tag: u8, count: u32, bytes: &'a [u8]) -> Self {
        KvArray(Elements::Encoded { tag, count, bytes })
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl fmt::Debug for KvArray<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl PartialEq for KvArray<'_> {
    fn eq(&self, other: &Self) -> bool {
        // no element tells what an empty array is one of
        self.element_tag() == other.element_tag() && self.iter().eq(other.iter())
    }
}

impl Eq for KvArray<'_> {}
