//! Random numbers, boxes, and a run of the validator over them.

use hrry::{
    Arena, BufferHandle, CombineOp, CompositeHead, CompositeValidator, CompositionRule, Cover,
    DescriptorSpec, ElementType, Layout, Outcome, SetError, Shard,
};

/// How many times the plain number of cases is run: `HRRY_TEST_SCALE`, 1 where it is not set.
pub fn scale() -> u64 {
    match std::env::var("HRRY_TEST_SCALE") {
        Ok(text) => text.parse().expect("HRRY_TEST_SCALE is a whole number"),
        Err(_) => 1,
    }
}

/// SplitMix64.
pub struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `n`, which is not 0.
    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last as u64 + 1) as usize);
        }
    }
}

/// The box of a member.
#[derive(Clone, Debug, PartialEq)]
pub struct Tile {
    pub offset: Vec<u64>,
    pub shape: Vec<u64>,
}

pub fn tile<const R: usize>(offset: [u64; R], shape: [u64; R]) -> Tile {
    Tile {
        offset: offset.into(),
        shape: shape.into(),
    }
}

pub fn head(shape: &[u64], rule: CompositionRule, member_count: u32) -> DescriptorSpec<'_> {
    let combine_op = match rule {
        CompositionRule::Overlay => CombineOp::Replace,
        _ => CombineOp::None,
    };
    let layout = Layout::Composite(CompositeHead {
        composition_rule: rule,
        combine_op,
        member_count,
    });
    DescriptorSpec::new(ElementType::Float32, shape, layout, &[])
}

/// Buffers are not the validator's matter.
const BUFFERS: [BufferHandle; 1] = [BufferHandle::cpu(64, 64)];

pub fn plain(shape: &[u64]) -> DescriptorSpec<'_> {
    DescriptorSpec::new(ElementType::Float32, shape, Layout::RowMajor, &BUFFERS)
}

pub fn member<'a>(parent: &'a [u64], tile: &'a Tile) -> DescriptorSpec<'a> {
    DescriptorSpec {
        shard: Some(Shard {
            parent_shape: parent.into(),
            shard_offset: tile.offset.as_slice().into(),
        }),
        ..plain(&tile.shape)
    }
}

/// Feeds a partition; what its last `end` says, or the first error.
pub fn partition<C: Cover, A: Arena>(
    validator: &mut CompositeValidator<C, A>,
    shape: &[u64],
    tiles: &[Tile],
) -> Result<Outcome, SetError> {
    validator.begin(&head(shape, CompositionRule::Partition, tiles.len() as u32))?;
    let mut last = validator.end()?;
    for tile in tiles {
        validator.begin(&member(shape, tile))?;
        last = validator.end()?;
    }
    Ok(last)
}
