//! Tensors with all their bytes, and what their elements are, worked out one by one from the formulas of the
//! format.

mod numbers;
mod places;
mod schemes;
mod sparse;

use hrry::{BufferHandle, DescriptorSpec, ElementType, SubBox, U64s};

use super::support::scale::Rng;
use super::support::spec::{Kind, Plain};

pub use numbers::{bits_of, put_bits, small_float, value};
pub use places::{LAYOUTS, packed};
pub use schemes::{SCHEMES, scheme_of, storage, whole_range};
pub use sparse::{SPARSE, sparse};

/// A tensor: its descriptor, its buffers, and where each of its elements is.
#[derive(Clone, Debug)]
pub struct Case {
    pub plain: Plain,
    pub buffers: Vec<Vec<u8>>,
    /// Elements from the first one to each, in logical order; none where none is stored.
    pub places: Vec<Option<i64>>,
}

impl Case {
    /// The pattern of an element by its place in logical order; 0 where it is not stored.
    pub fn bits(&self, at: usize) -> u128 {
        self.places[at].map_or(0, |place| {
            bits_of(
                &self.buffers[0],
                self.plain.byte_offset,
                place,
                self.width(),
            )
        })
    }

    /// The number of a quantized element.
    pub fn number(&self, at: usize) -> f32 {
        if self.places[at].is_none() {
            return 0.0;
        }
        schemes::number(self, at)
    }

    /// Scale and zero point of an element.
    pub fn parameter(&self, at: usize) -> (f32, i32) {
        let (scale, zero_point, _) = schemes::parameter(self, at);
        (scale, zero_point)
    }

    /// Whether the scheme has no zero points.
    pub fn is_symmetric(&self) -> bool {
        schemes::buffers(self).is_some_and(|p| p.zero_point_buffer_index == u32::MAX)
    }

    pub fn scale_type(&self) -> ElementType {
        schemes::buffers(self).map_or(ElementType::Float32, |p| p.scale_type)
    }

    /// Which parameter each element has.
    pub fn entries(&self) -> Vec<u64> {
        let p = schemes::buffers(self).expect("a scheme with blocks");
        let all = 0..self.places.len();
        all.map(|at| schemes::entry(self, &p, at)).collect()
    }

    pub fn element_type(&self) -> ElementType {
        ElementType(self.plain.element_type)
    }

    pub fn width(&self) -> u32 {
        self.element_type().bits()
    }

    pub fn slices(&self) -> Vec<&[u8]> {
        self.buffers.iter().map(|buffer| &buffer[..]).collect()
    }

    /// Gives the handles the sizes of the buffers.
    pub fn sized(mut self) -> Case {
        let handles = self.buffers.iter();
        self.plain.buffers = handles
            .map(|buffer| BufferHandle::cpu(buffer.len() as u64, 64))
            .collect();
        self
    }

    pub fn lend<R>(&self, f: impl FnOnce(&DescriptorSpec<'_>) -> R) -> R {
        self.plain.lend(Kind::Le, f)
    }
}

/// A tensor of one of the dense layouts.
pub fn dense(layout: usize, element_type: ElementType, shape: &[u64], rng: &mut Rng) -> Case {
    places::dense(layout, element_type, shape, rng)
}

/// Every index of a shape, last dimension fastest.
pub fn indices(shape: &[u64]) -> Vec<Vec<u64>> {
    let mut all = vec![vec![]];
    for size in shape {
        let longer = |index: &Vec<u64>| {
            let index = index.clone();
            (0..*size).map(move |at| [&index[..], &[at]].concat())
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

/// The index at a place in logical order.
pub fn unravel(shape: &[u64], mut at: usize) -> Vec<u64> {
    let mut index = vec![0; shape.len()];
    for (slot, size) in index.iter_mut().zip(shape).rev() {
        *slot = at as u64 % size;
        at /= *size as usize;
    }
    index
}

/// The place of an index in logical order.
pub fn order(shape: &[u64], index: &[u64]) -> usize {
    let pairs = shape.iter().zip(index);
    pairs.fold(0, |at, (size, index)| at * *size as usize + *index as usize)
}

/// Offsets and sizes of every box inside a shape, empty ones included.
pub fn boxes(shape: &[u64]) -> Vec<[Vec<u64>; 2]> {
    let mut all = vec![[vec![], vec![]]];
    for size in shape {
        let mut longer = Vec::new();
        for [offset, sizes] in &all {
            for start in 0..=*size {
                for len in 0..=size - start {
                    longer.push([
                        [&offset[..], &[start]].concat(),
                        [&sizes[..], &[len]].concat(),
                    ]);
                }
            }
        }
        all = longer;
    }
    all
}

/// Offset and size of some box inside a shape.
pub fn some_box(shape: &[u64], rng: &mut Rng) -> [Vec<u64>; 2] {
    let offset: Vec<u64> = shape
        .iter()
        .map(|size| rng.below(*size as usize + 1) as u64)
        .collect();
    let sizes = shape.iter().zip(&offset);
    let sizes = sizes
        .map(|(size, offset)| rng.below((size - offset) as usize + 1) as u64)
        .collect();
    [offset, sizes]
}

/// The places in logical order of the elements of a box.
pub fn inside(shape: &[u64], [offset, sizes]: &[Vec<u64>; 2]) -> Vec<usize> {
    let moved = |index: Vec<u64>| {
        let index: Vec<u64> = index.iter().zip(offset).map(|(a, b)| a + b).collect();
        order(shape, &index)
    };
    indices(sizes).into_iter().map(moved).collect()
}

pub fn part(of: &[Vec<u64>; 2]) -> SubBox<'_> {
    SubBox {
        offset: U64s::from(&of[0][..]),
        shape: U64s::from(&of[1][..]),
    }
}

/// A shape of few elements.
pub fn small_shape(rank: usize, rng: &mut Rng) -> Vec<u64> {
    (0..rank).map(|_| 1 + rng.below(4) as u64).collect()
}
