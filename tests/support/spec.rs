//! Descriptors as plain owned values, lent as specifications with either kind of array.

use hrry::{
    Array, BlockPaged, BufferHandle, CompositeHead, DescriptorSpec, ElementType, ExtensionType,
    Fields, Layout, LayoutTag, MemberRole, Number, Quantization, Scheme, Shard, Statistics, Tiled,
    TiledLevel,
};

#[derive(Clone, Debug, PartialEq)]
pub struct Plain {
    pub element_type: u8,
    pub shape: Vec<u64>,
    pub byte_offset: u64,
    pub layout: PlainLayout,
    pub buffers: Vec<BufferHandle>,
    pub quantization: Option<PlainScheme>,
    /// Parent shape and offset.
    pub shard: Option<[Vec<u64>; 2]>,
    pub statistics: Option<Statistics>,
    pub extension_type: Option<ExtensionType>,
    pub member_role: Option<u8>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum PlainLayout {
    RowMajor,
    ColumnMajor,
    Strided(Vec<i64>),
    Tiled(Vec<PlainLevel>),
    Morton(Vec<u32>),
    Coo { nnz: u64, is_sorted: bool },
    Csr(u64),
    Csc(u64),
    Csf { nnz: u64, mode_order: Vec<u32> },
    BlockPaged(BlockPaged),
    Composite(CompositeHead),
    Hilbert { order: u32, rank: u32 },
    Private { tag: u8, id: u64, data: Vec<u8> },
}

#[derive(Clone, Debug, PartialEq)]
pub struct PlainLevel {
    pub tile_shape: Vec<u64>,
    pub outer_layout: u8,
    pub inner_layout: u8,
    pub outer_strides: Vec<i64>,
    pub inner_strides: Vec<i64>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum PlainScheme {
    Known(Quantization<'static>),
    /// Everything behind `quantization_length`.
    Other(Vec<u8>),
}

/// How arrays are lent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    Native,
    Le,
}

impl Plain {
    /// A tensor without optional sections.
    pub fn new(element_type: ElementType, shape: &[u64], sizes: &[u64]) -> Self {
        let buffers = sizes.iter().map(|size| BufferHandle::cpu(*size, 64));
        Plain {
            element_type: element_type.0,
            shape: shape.to_vec(),
            byte_offset: 0,
            layout: PlainLayout::RowMajor,
            buffers: buffers.collect(),
            quantization: None,
            shard: None,
            statistics: None,
            extension_type: None,
            member_role: None,
        }
    }

    /// The head of a composite.
    pub fn head(element_type: ElementType, shape: &[u64], head: CompositeHead) -> Self {
        Plain::new(element_type, shape, &[]).with_layout(PlainLayout::Composite(head))
    }

    pub fn with_layout(mut self, layout: PlainLayout) -> Self {
        self.layout = layout;
        self
    }

    pub fn with_shard(mut self, parent_shape: &[u64], shard_offset: &[u64]) -> Self {
        self.shard = Some([parent_shape.to_vec(), shard_offset.to_vec()]);
        self
    }

    /// Lends the values to `f`.
    pub fn lend<R>(&self, kind: Kind, f: impl FnOnce(&DescriptorSpec<'_>) -> R) -> R {
        let le = self.arrays();
        let mut lender = Lender {
            kind,
            le: le.iter(),
        };
        let shape = lender.array(&self.shape);
        let shard = self.shard.as_ref().map(|[parent, offset]| Shard {
            parent_shape: lender.array(parent),
            shard_offset: lender.array(offset),
        });
        let levels: Vec<TiledLevel<'_>> = match &self.layout {
            PlainLayout::Tiled(levels) => levels.iter().map(|level| lender.level(level)).collect(),
            _ => Vec::new(),
        };
        let layout = match &self.layout {
            PlainLayout::RowMajor => Layout::RowMajor,
            PlainLayout::ColumnMajor => Layout::ColumnMajor,
            PlainLayout::Strided(strides) => Layout::Strided {
                strides: lender.array(strides),
            },
            PlainLayout::Tiled(_) => Layout::Tiled(Tiled::Native(&levels)),
            PlainLayout::Morton(bits) => Layout::Morton {
                morton_bits: lender.array(bits),
            },
            PlainLayout::Coo { nnz, is_sorted } => Layout::Coo {
                nnz: *nnz,
                is_sorted: *is_sorted,
            },
            PlainLayout::Csr(nnz) => Layout::Csr { nnz: *nnz },
            PlainLayout::Csc(nnz) => Layout::Csc { nnz: *nnz },
            PlainLayout::Csf { nnz, mode_order } => Layout::Csf {
                nnz: *nnz,
                mode_order: lender.array(mode_order),
            },
            PlainLayout::BlockPaged(paged) => Layout::BlockPaged(*paged),
            PlainLayout::Composite(head) => Layout::Composite(*head),
            PlainLayout::Hilbert { order, rank } => Layout::Hilbert {
                hilbert_order: *order,
                hilbert_rank: *rank,
            },
            PlainLayout::Private { tag, id, data } => Layout::Private {
                tag: LayoutTag(*tag),
                extension_layout_id: *id,
                extension_data: data,
            },
        };
        f(&DescriptorSpec {
            element_type: ElementType(self.element_type),
            shape,
            byte_offset: self.byte_offset,
            layout,
            buffers: &self.buffers,
            quantization: self.quantization.as_ref().map(|scheme| match scheme {
                PlainScheme::Known(known) => *known,
                PlainScheme::Other(bytes) => Quantization::Other {
                    scheme: Scheme(bytes[0]),
                    bytes,
                },
            }),
            shard,
            statistics: self.statistics,
            extension_type: self.extension_type,
            member_role: self.member_role.map(MemberRole),
        })
    }

    /// All arrays in little-endian bytes, in the order in which they are lent.
    fn arrays(&self) -> Vec<Vec<u8>> {
        let mut arrays = vec![le(&self.shape, |n| n.to_le_bytes())];
        for array in self.shard.iter().flatten() {
            arrays.push(le(array, |n| n.to_le_bytes()));
        }
        match &self.layout {
            PlainLayout::Strided(strides) => arrays.push(le(strides, |n| n.to_le_bytes())),
            PlainLayout::Tiled(levels) => {
                for level in levels {
                    arrays.push(le(&level.tile_shape, |n| n.to_le_bytes()));
                    arrays.push(le(&level.outer_strides, |n| n.to_le_bytes()));
                    arrays.push(le(&level.inner_strides, |n| n.to_le_bytes()));
                }
            }
            PlainLayout::Morton(numbers)
            | PlainLayout::Csf {
                mode_order: numbers,
                ..
            } => arrays.push(le(numbers, |n| n.to_le_bytes())),
            _ => {}
        }
        arrays
    }
}

fn le<T: Copy, const N: usize>(numbers: &[T], bytes: impl Fn(T) -> [u8; N]) -> Vec<u8> {
    numbers.iter().flat_map(|number| bytes(*number)).collect()
}

struct Lender<'a> {
    kind: Kind,
    le: std::slice::Iter<'a, Vec<u8>>,
}

impl<'a> Lender<'a> {
    fn array<T: Number>(&mut self, native: &'a [T]) -> Array<'a, T> {
        let le = self.le.next().expect("as many arrays as are lent");
        match self.kind {
            Kind::Native => Array::Native(native),
            Kind::Le => Array::Le(le),
        }
    }

    fn level(&mut self, level: &'a PlainLevel) -> TiledLevel<'a> {
        TiledLevel {
            tile_shape: self.array(&level.tile_shape),
            outer_layout: LayoutTag(level.outer_layout),
            inner_layout: LayoutTag(level.inner_layout),
            outer_strides: self.array(&level.outer_strides),
            inner_strides: self.array(&level.inner_strides),
        }
    }
}

/// Compares all fields of two descriptors.
pub fn assert_same_fields(a: &dyn Fields, b: &dyn Fields, name: &str) {
    assert_eq!(a.element_type(), b.element_type(), "{name}");
    assert_eq!(a.shape(), b.shape(), "{name}");
    assert_eq!(a.byte_offset(), b.byte_offset(), "{name}");
    assert_eq!(a.layout(), b.layout(), "{name}");
    assert_eq!(a.buffer_count(), b.buffer_count(), "{name}");
    for k in 0..=a.buffer_count() {
        assert_eq!(a.buffer(k), b.buffer(k), "{name}: buffer {k}");
    }
    assert_eq!(a.quantization(), b.quantization(), "{name}");
    assert_eq!(a.shard(), b.shard(), "{name}");
    assert_eq!(a.statistics(), b.statistics(), "{name}");
    // an integer has neither NaN nor infinities, whatever the bytes say
    let extension = |fields: &dyn Fields| {
        let mut extension = fields.extension_type()?;
        if extension.is_float == 0 {
            (extension.has_nan, extension.has_inf) = (0, 0);
        }
        Some(extension)
    };
    assert_eq!(extension(a), extension(b), "{name}");
    assert_eq!(a.member_role(), b.member_role(), "{name}");
}
