//! Elements to numbers and back.
//!
//! The first contestant of each group is what a program would write itself: `half`, or a
//! plain loop over the elements. `copy` moves as many bytes as the
//! numbers take, which nothing can beat.

use half::slice::HalfFloatSliceExt;
use half::{bf16, f16};
use hrry::{ElementType, Scalar, element};

use crate::measure::{Group, Op};

/// Elements of a run: 64 KiB of float32, so that memory is not what is measured.
const COUNT: usize = 1 << 14;

/// One group for each conversion.
pub fn groups() -> Vec<Group> {
    vec![
        reading_16::<f16>("float16_to_f32", ElementType::Float16),
        reading_16::<bf16>("bfloat16_to_f32", ElementType::BFloat16),
        writing_16::<f16>("f32_to_float16", ElementType::Float16),
        writing_16::<bf16>("f32_to_bfloat16", ElementType::BFloat16),
        reading_nibbles(),
        reading_others::<f32>("to_f32"),
        reading_others::<i32>("to_i32"),
        writing_others(),
    ]
}

/// A float of 16 bits from `half`.
trait Peer: Copy + 'static {
    const ZERO: Self;
    fn from_pattern(bits: u16) -> Self;
    fn widen(peers: &[Self], out: &mut [f32]);
    fn narrow(numbers: &[f32], out: &mut [Self]);
}

macro_rules! peers {
    ($($peer:ident)*) => {
        $(
            impl Peer for $peer {
                const ZERO: Self = $peer::ZERO;

                fn from_pattern(bits: u16) -> Self {
                    $peer::from_bits(bits)
                }

                fn widen(peers: &[Self], out: &mut [f32]) {
                    peers.convert_to_f32_slice(out);
                }

                fn narrow(numbers: &[f32], out: &mut [Self]) {
                    out.convert_from_f32_slice(numbers);
                }
            }
        )*
    };
}

peers! { f16 bf16 }

/// Normal and some subnormal numbers, as weights of a model are.
fn patterns() -> Vec<u16> {
    let mut state = 0x2545_F491_4F6C_DD1Du64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 24) as u16
    };
    (0..COUNT).map(|_| next() & 0xBFFF).collect()
}

fn bytes() -> Vec<u8> {
    patterns()
        .iter()
        .flat_map(|bits| bits.to_le_bytes())
        .collect()
}

fn numbers() -> Vec<f32> {
    let mut numbers = vec![0.0; COUNT];
    element::decode(ElementType::Float16, &bytes(), 0, &mut numbers).expect("numbers");
    numbers
}

fn ours<T: Scalar + 'static>(name: &'static str, of: ElementType, bytes: Vec<u8>) -> Op {
    let mut out = vec![T::default(); COUNT];
    Op::new(name, move || {
        element::decode(of, &bytes, 0, &mut out).expect("numbers");
        out.as_ptr()
    })
    .per(COUNT)
}

fn copy(len: usize) -> Op {
    let (from, mut to) = (vec![1u8; len], vec![0u8; len]);
    Op::new("copy", move || {
        to.copy_from_slice(std::hint::black_box(&from));
        to.as_ptr()
    })
    .per(COUNT)
}

fn reading_16<P: Peer>(name: &str, of: ElementType) -> Group {
    let peers: Vec<P> = patterns().into_iter().map(P::from_pattern).collect();
    let mut out = vec![0.0; COUNT];
    let half = Op::new("half", move || {
        P::widen(&peers, &mut out);
        out.as_ptr()
    });
    group(
        name,
        vec![
            half.per(COUNT),
            ours::<f32>("hrry", of, bytes()),
            copy(4 * COUNT),
        ],
    )
}

fn writing_16<P: Peer>(name: &str, of: ElementType) -> Group {
    let from = numbers();
    let mut out = vec![P::ZERO; COUNT];
    let half = Op::new("half", move || {
        P::narrow(&from, &mut out);
        out.as_ptr()
    });
    group(
        name,
        vec![half.per(COUNT), written("hrry", of), copy(2 * COUNT)],
    )
}

fn written(name: &'static str, of: ElementType) -> Op {
    let from = numbers();
    let mut out = vec![0; 4 * COUNT];
    Op::new(name, move || {
        element::encode(of, &from, 0, &mut out).expect("codes");
        out.as_ptr()
    })
    .per(COUNT)
}

fn reading_nibbles() -> Group {
    let packed = bytes();
    let mut out = vec![0.0; COUNT];
    let naive = Op::new("loop", move || {
        for (k, slot) in out.iter_mut().enumerate() {
            let code = packed[k / 2] >> (k % 2 * 4) & 15;
            *slot = f32::from((code << 4) as i8 >> 4);
        }
        out.as_ptr()
    });
    let ours = ours::<f32>("hrry", ElementType::Int4, bytes());
    group("int4_to_f32", vec![naive.per(COUNT), ours, copy(4 * COUNT)])
}

/// Against copies alone.
fn reading_others<T: Scalar + 'static>(name: &str) -> Group {
    let types = [
        ("bool", ElementType::Bool),
        ("int2", ElementType::Int2),
        ("uint4", ElementType::UInt4),
        ("int8", ElementType::Int8),
        ("uint16", ElementType::UInt16),
        ("float4_e2m1", ElementType::Float4E2M1),
        ("float6_e2m3", ElementType::Float6E2M3),
        ("float8_e4m3", ElementType::Float8E4M3),
        ("float8_e5m2", ElementType::Float8E5M2),
        ("float8_e8m0", ElementType::Float8E8M0),
        ("float32", ElementType::Float32),
        ("float64", ElementType::Float64),
        ("float128", ElementType::Float128),
    ];
    let mut ops = vec![copy(4 * COUNT)];
    let len = 16 * COUNT;
    for (name, of) in types {
        // a pattern that is a number in every type
        let bytes = vec![0x31; len];
        if element::decode(of, &bytes, 0, &mut [T::default()]).is_ok() {
            ops.push(ours::<T>(name, of, bytes));
        }
    }
    group(name, ops)
}

fn writing_others() -> Group {
    let types = [
        ("float4_e2m1", ElementType::Float4E2M1),
        ("float6_e2m3", ElementType::Float6E2M3),
        ("float8_e4m3", ElementType::Float8E4M3),
        ("float8_e5m2", ElementType::Float8E5M2),
        ("float32", ElementType::Float32),
    ];
    let ours = types.map(|(name, of)| written(name, of));
    group(
        "from_f32",
        [copy(4 * COUNT)].into_iter().chain(ours).collect(),
    )
}

fn group(name: &str, ops: Vec<Op>) -> Group {
    Group {
        name: format!("elements/{name}"),
        unit: "element",
        ops,
    }
}
