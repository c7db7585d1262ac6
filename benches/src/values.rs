//! Numbers: codes to float32, boxes of tensors, boxes of composites.
//!
//! The first contestant is the loop that one writes by hand for just that layout and scheme; `memcpy` copies
//! as many bytes as the numbers take.

use std::hint::black_box;

use hrry::{
    Array, BufferHandle, Canvas, CombineOp, CompositeHead, CompositionRule, DescriptorSpec,
    ElementType, Grid, InlineArena, Layout, MemberRole, Quantization, Shard, SubBox, read_values,
};

use crate::measure::{Group, Op};

/// Elements of a tensor of weights.
const SHAPE: [u64; 2] = [256, 4096];
const COUNT: usize = 256 * 4096;
const BLOCK: u32 = 128;

/// One group for each task.
pub fn groups() -> Vec<Group> {
    vec![
        int4_per_block(),
        int8_per_tensor(),
        fp4_mxfp(),
        float16_box(),
        partition("box", 64),
        partition("whole", 1000),
        overlay_add(),
    ]
}

fn bytes(len: usize) -> &'static [u8] {
    let mut state = 0x2545_F491_4F6C_DD1Du64;
    let next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as u8
    };
    Vec::leak(std::iter::repeat_with(next).take(len).collect())
}

fn handles(sizes: &[usize]) -> &'static [BufferHandle] {
    let handles = sizes.iter().map(|size| BufferHandle::cpu(*size as u64, 64));
    Vec::leak(handles.collect())
}

fn weights(
    element_type: ElementType,
    buffers: &[&'static [u8]],
    quantization: Quantization<'static>,
) -> DescriptorSpec<'static> {
    let sizes: Vec<usize> = buffers.iter().map(|buffer| buffer.len()).collect();
    DescriptorSpec {
        quantization: Some(quantization),
        ..DescriptorSpec::new(element_type, &SHAPE, Layout::RowMajor, handles(&sizes))
    }
}

/// A loop, all numbers of the library, and a copy of as many bytes.
fn against(
    name: &str,
    mut by_hand: impl FnMut(&mut [f32]) + 'static,
    spec: DescriptorSpec<'static>,
    buffers: Vec<&'static [u8]>,
) -> Group {
    let mut out = vec![0.0f32; COUNT];
    let mut ours = out.clone();
    by_hand(&mut out);
    let read = move |ours: &mut [f32]| {
        let whole = SubBox::whole(spec.shape);
        read_values(&spec, black_box(&buffers), whole, ours).expect("valid");
    };
    read(&mut ours);
    assert!(
        out.iter()
            .zip(&ours)
            .all(|(a, b)| a.to_bits() == b.to_bits())
    );
    let from = out.clone();
    let mut to = out.clone();
    Group {
        name: format!("values/{name}"),
        unit: "element",
        ops: vec![
            Op::new("by_hand", move || by_hand(black_box(&mut out))).per(COUNT),
            Op::new("hrry", move || read(black_box(&mut ours))).per(COUNT),
            Op::new("memcpy", move || {
                black_box(&mut to).copy_from_slice(black_box(&from));
            })
            .per(COUNT),
        ],
    }
}

/// A normal float16, the only ones that are stored here.
fn float16(bits: u16) -> f32 {
    let bits = u32::from(bits);
    f32::from_bits(((bits & 0x8000) << 16) | (((bits & 0x7FFF) << 13) + (112 << 23)))
}

fn int4_per_block() -> Group {
    let codes = bytes(COUNT / 2);
    let scales = bytes(COUNT / BLOCK as usize).iter();
    // around 1
    let scales: Vec<u8> = scales.flat_map(|byte| [*byte, 0x3C]).collect();
    let scales: &'static [u8] = scales.leak();
    let by_hand = move |out: &mut [f32]| {
        let (codes, scales) = (black_box(codes), black_box(scales));
        for (i, x) in out.iter_mut().enumerate() {
            let code = codes[i / 2] >> (i % 2 * 4) & 15;
            let block = i / BLOCK as usize;
            let scale = float16(u16::from_le_bytes([
                scales[2 * block],
                scales[2 * block + 1],
            ]));
            *x = scale * f32::from(((code << 4) as i8) >> 4);
        }
    };
    let quantization = Quantization::per_block(1, BLOCK, 1, None, ElementType::Float16);
    let buffers = vec![codes, scales];
    let spec = weights(ElementType::Int4, &buffers, quantization);
    against("int4_per_block_f16", by_hand, spec, buffers)
}

fn int8_per_tensor() -> Group {
    let codes = bytes(COUNT);
    let by_hand = move |out: &mut [f32]| {
        let (scale, zero) = black_box((0.02f32, 3i32));
        for (x, code) in out.iter_mut().zip(black_box(codes)) {
            *x = scale * (i32::from(*code as i8) - zero) as f32;
        }
    };
    let spec = weights(
        ElementType::Int8,
        &[codes],
        Quantization::per_tensor(0.02f32.into(), 3),
    );
    against("int8_per_tensor", by_hand, spec, vec![codes])
}

fn fp4_mxfp() -> Group {
    const FP4: [f32; 8] = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0];
    let codes = bytes(COUNT / 2);
    let scales = bytes(COUNT / 32).iter().map(|byte| 120 + byte % 16);
    let scales: &'static [u8] = scales.collect::<Vec<u8>>().leak();
    let by_hand = move |out: &mut [f32]| {
        let (codes, scales) = (black_box(codes), black_box(scales));
        for (i, x) in out.iter_mut().enumerate() {
            let code = codes[i / 2] >> (i % 2 * 4) & 15;
            let magnitude = FP4[usize::from(code & 7)];
            let number = if code & 8 == 0 { magnitude } else { -magnitude };
            *x = f32::from_bits(u32::from(scales[i / 32]) << 23) * number;
        }
    };
    let buffers = vec![codes, scales];
    let spec = weights(
        ElementType::Float4E2M1,
        &buffers,
        Quantization::mxfp(1, 32, 1),
    );
    against("fp4_mxfp", by_hand, spec, buffers)
}

/// The left half of a row-major matrix.
fn float16_box() -> Group {
    let mut stored = bytes(2 * COUNT).to_vec();
    // no number that takes more than moving its bits
    stored
        .iter_mut()
        .skip(1)
        .step_by(2)
        .for_each(|byte| *byte = *byte & 0x83 | 0x38);
    let stored: &'static [u8] = stored.leak();
    let half = SHAPE[1] as usize / 2;
    let spec = DescriptorSpec::new(
        ElementType::Float16,
        &SHAPE,
        Layout::RowMajor,
        handles(&[stored.len()]),
    );
    let by_hand = move |out: &mut [f32]| {
        let rows = black_box(stored).chunks(SHAPE[1] as usize * 2);
        for (out, row) in out.chunks_mut(half).zip(rows) {
            for (x, bits) in out.iter_mut().zip(row.chunks(2)) {
                *x = float16(u16::from_le_bytes([bits[0], bits[1]]));
            }
        }
    };
    let mut out = vec![0.0f32; COUNT / 2];
    let mut ours = out.clone();
    let read = move |ours: &mut [f32]| {
        let part = SubBox {
            offset: Array::Native(&[0, 0]),
            shape: Array::Native(&[SHAPE[0], SHAPE[1] / 2]),
        };
        read_values(&spec, &[black_box(stored)], part, ours).expect("valid");
    };
    by_hand(&mut out);
    read(&mut ours);
    assert_eq!(out, ours);
    Group {
        name: "values/float16_box".to_owned(),
        unit: "element",
        ops: vec![
            Op::new("by_hand", move || by_hand(black_box(&mut out))).per(COUNT / 2),
            Op::new("hrry", move || read(black_box(&mut ours))).per(COUNT / 2),
        ],
    }
}

/// Rows of a matrix of float32, cut into so many members.
struct Tiles {
    head: DescriptorSpec<'static>,
    members: Vec<DescriptorSpec<'static>>,
    data: Vec<&'static [u8]>,
    grid: Grid,
}

const ROWS: u64 = 1000;
const COLUMNS: u64 = 256;

impl Tiles {
    fn new(count: u64) -> Self {
        let head = Layout::Composite(CompositeHead {
            composition_rule: CompositionRule::Partition,
            combine_op: CombineOp::None,
            member_count: count as u32,
        });
        let rows = ROWS / count;
        let len = (rows * COLUMNS * 4) as usize;
        let member = |k: u64| DescriptorSpec {
            shard: Some(Shard {
                parent_shape: Array::Native(&[ROWS, COLUMNS]),
                shard_offset: Array::Native(vec![k * rows, 0].leak()),
            }),
            ..DescriptorSpec::new(
                ElementType::Float32,
                vec![rows, COLUMNS].leak(),
                Layout::RowMajor,
                handles(&[len]),
            )
        };
        let members: Vec<DescriptorSpec<'static>> = (0..count).map(member).collect();
        Tiles {
            head: DescriptorSpec::new(ElementType::Float32, &[ROWS, COLUMNS], head, &[]),
            data: (0..count).map(|_| bytes(len)).collect(),
            grid: Grid::of(members.len(), |k| members.get(k)).expect("a grid"),
            members,
        }
    }

    /// Paints so many rows from the middle on.
    fn paint(&self, rows: u64, out: &mut [u8]) {
        let offset = [(ROWS - rows) / 2, 0];
        let shape = [rows, COLUMNS];
        let part = SubBox {
            offset: Array::Native(&offset),
            shape: Array::Native(&shape),
        };
        let arena = InlineArena::<2>::new();
        let mut canvas = Canvas::new(&self.head, part, out, arena).expect("valid");
        let mut next = 0;
        let member = |k: usize| self.members.get(k);
        let painted = self.grid.each_in(member, part.offset, part.shape, |k| {
            canvas.skip((k - next) as u32)?;
            next = k + 1;
            canvas.item(&self.members[k], &[self.data[k]])
        });
        painted.expect("valid");
        canvas
            .skip((self.members.len() - next) as u32)
            .expect("valid");
        canvas.finish().expect("valid");
    }
}

/// So many rows of a partition of 10 members and of one of 1,000.
fn partition(name: &str, rows: u64) -> Group {
    let len = (rows * COLUMNS * 4) as usize;
    let op = |name, count| {
        let tiles = Tiles::new(count);
        let mut out = vec![0; len];
        Op::new(name, move || tiles.paint(rows, black_box(&mut out))).per(len / 4)
    };
    let (from, mut to) = (vec![1u8; len], vec![0u8; len]);
    Group {
        name: format!("values/partition_{name}"),
        unit: "element",
        ops: vec![
            op("of_10", 10),
            op("of_1000", 1000),
            Op::new("memcpy", move || {
                black_box(&mut to).copy_from_slice(black_box(&from))
            })
            .per(len / 4),
        ],
    }
}

/// A dense correction of float32 added to all of a base.
fn overlay_add() -> Group {
    let head = Layout::Composite(CompositeHead {
        composition_rule: CompositionRule::Overlay,
        combine_op: CombineOp::Add,
        member_count: 2,
    });
    let head = DescriptorSpec::new(ElementType::Float32, &SHAPE, head, &[]);
    // numbers around 1
    let numbers = |seed: u32| -> &'static [u8] {
        let one = |k| 1.0 + (k as u32 ^ seed) as f32 / COUNT as f32;
        let bytes: Vec<u8> = (0..COUNT).flat_map(|k| f32::to_le_bytes(one(k))).collect();
        bytes.leak()
    };
    let member = |role| DescriptorSpec {
        shard: Some(Shard {
            parent_shape: Array::Native(&SHAPE),
            shard_offset: Array::Native(&[0, 0]),
        }),
        member_role: Some(role),
        ..DescriptorSpec::new(
            ElementType::Float32,
            &SHAPE,
            Layout::RowMajor,
            handles(&[COUNT * 4]),
        )
    };
    let (base, correction) = (member(MemberRole::Base), member(MemberRole::Correction));
    let (a, b) = (numbers(0), numbers(77));
    let mut out = vec![0u8; COUNT * 4];
    let mut ours = out.clone();
    let by_hand = move |out: &mut [u8]| {
        let pairs = black_box(a)
            .chunks_exact(4)
            .zip(black_box(b).chunks_exact(4));
        for (out, (a, b)) in out.chunks_exact_mut(4).zip(pairs) {
            let number =
                |bytes: &[u8]| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
            out.copy_from_slice(&(number(a) + number(b)).to_le_bytes());
        }
    };
    let paint = move |out: &mut [u8]| {
        let arena = InlineArena::<2>::new();
        let whole = SubBox::whole(head.shape);
        let mut canvas = Canvas::new(&head, whole, out, arena).expect("valid");
        canvas.item(&base, &[black_box(a)]).expect("valid");
        canvas.item(&correction, &[black_box(b)]).expect("valid");
        canvas.finish().expect("valid");
    };
    by_hand(&mut out);
    paint(&mut ours);
    assert!(out == ours);
    Group {
        name: "values/overlay_add_f32".to_owned(),
        unit: "element",
        ops: vec![
            Op::new("by_hand", move || by_hand(black_box(&mut out))).per(COUNT),
            Op::new("hrry", move || paint(black_box(&mut ours))).per(COUNT),
        ],
    }
}
