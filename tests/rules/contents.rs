//! One accepting and one rejecting tensor for each content rule, in a stream.
//!
//! Offsets are sums: header 20, shape 8 for each dimension, `byte_offset` 8, layout payload, `buffer_count` 1, 16 for each
//! handle, 4 and the scheme; then the buffers.

use hrry::{
    BlockPaged, BlockTableIndexType, Class, ElementType as T, ErrorKind, Field, KvRole, Policy,
    Quantization, Rule, Violation, encode,
};

use crate::support::contents::stream;
use crate::support::spec::{Kind, Plain, PlainLayout, PlainScheme};

pub(crate) struct Case {
    pub(crate) rule: &'static str,
    field: Field,
    index: u32,
    offset: usize,
    tensor: Plain,
    good: Vec<Vec<u8>>,
    /// The buffer that is another one, and its bytes.
    bad: (usize, Vec<u8>),
}

fn le(numbers: &[u64]) -> Vec<u8> {
    numbers.iter().flat_map(|n| n.to_le_bytes()).collect()
}

fn le32(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|n| n.to_le_bytes()).collect()
}

fn tensor(kind: T, shape: &[u64], layout: PlainLayout, good: &[Vec<u8>]) -> Plain {
    let sizes: Vec<u64> = good.iter().map(|buffer| buffer.len() as u64).collect();
    Plain::new(kind, shape, &sizes).with_layout(layout)
}

/// One buffer, row-major; its descriptor has 20 + 8 + 8 + 1 + 16 bytes.
fn packed(rule: &'static str, kind: T, count: u64, good: &[u8], bad: &[u8], index: u32) -> Case {
    let good = vec![good.to_vec()];
    let width = if bad.len() > 3 { 3 } else { 1 };
    Case {
        rule,
        field: Field::Data,
        index,
        offset: 53 + index as usize * width,
        tensor: tensor(kind, &[count], PlainLayout::RowMajor, &good),
        good,
        bad: (0, bad.to_vec()),
    }
}

/// COO of [5, 5]: 20 + 2 * 8 + 8 + 16 + 1 + 2 * 16 bytes, then `nnz` values.
fn coo(rule: &'static str, is_sorted: bool, good: &[u64], bad: &[u64], index: u32) -> Case {
    let nnz = good.len() as u64 / 2;
    let buffers = vec![vec![0; nnz as usize], le(good)];
    let layout = PlainLayout::Coo { nnz, is_sorted };
    Case {
        rule,
        field: Field::Indices,
        index,
        offset: 93 + nnz as usize + 8 * index as usize,
        tensor: tensor(T::UInt8, &[5, 5], layout, &buffers),
        good: buffers,
        bad: (1, le(bad)),
    }
}

/// CSR of [2, 3] with two elements: 20 + 2 * 8 + 8 + 16 + 1 + 3 * 16 bytes, two values, 16 bytes of indices.
fn csr(rule: &'static str, field: Field, index: u32, buffer: usize, bad: &[u64]) -> Case {
    let good = vec![vec![0; 2], le(&[0, 2]), le(&[0, 2, 2])];
    Case {
        rule,
        field,
        index,
        offset: 109 + 2 + 16 * (buffer - 1) + 8 * index as usize,
        tensor: tensor(T::UInt8, &[2, 3], PlainLayout::Csr(2), &good),
        good,
        bad: (buffer, le(bad)),
    }
}

/// CSF of [2, 2, 2]: 20 + 3 * 8 + 8 + 28 + 1 + 7 * 16 bytes.
fn csf(rule: &'static str, field: Field, at: (u32, usize), nnz: u64, bad: (usize, &[u64])) -> Case {
    let good: [&[u64]; 6] = match nnz {
        0 => [&[0, 0], &[], &[0], &[], &[0], &[]],
        _ => [&[0, 1], &[0], &[0, 1], &[0], &[0, 2], &[0, 1]],
    };
    let values = std::iter::once(vec![0; nnz as usize]);
    let good: Vec<Vec<u8>> = values.chain(good.iter().map(|n| le(n))).collect();
    let layout = PlainLayout::Csf {
        nnz,
        mode_order: vec![0, 1, 2],
    };
    let (index, before) = at;
    Case {
        rule,
        field,
        index,
        offset: 193 + before + 8 * index as usize,
        tensor: tensor(T::UInt8, &[2, 2, 2], layout, &good),
        good,
        bad: (bad.0, le(bad.1)),
    }
}

/// Two pages of one byte: 20 + 3 * 8 + 8 + 32 + 1 + 3 * 16 bytes.
fn paged() -> Case {
    let good = vec![vec![0; 2], le32(&[1]), le32(&[0, 1])];
    let layout = PlainLayout::BlockPaged(BlockPaged {
        page_size: 1,
        num_pages: 2,
        paged_axis: 0,
        num_seqs: 1,
        kv_role: KvRole::Key,
        layer_index: 0,
        block_table_index_type: BlockTableIndexType::U32,
    });
    Case {
        rule: "LAYOUT-46",
        field: Field::BlockTable,
        index: 0,
        offset: 133 + 2,
        tensor: tensor(T::Int8, &[1, 1, 1], layout, &good),
        good,
        bad: (1, le32(&[2])),
    }
}

/// A scheme of `len` bytes with buffers behind `count` bytes of data: 20 + 8 + 8 + 1 + 16 for each buffer + 4 + len.
fn scheme(
    rule: &'static str,
    at: (Field, u32, usize),
    kind: T,
    scheme: (Quantization<'static>, usize),
    good: &[Vec<u8>],
    bad: (usize, Vec<u8>),
) -> Case {
    let (field, index, before) = at;
    let count = good[0].len() as u64;
    let mut tensor = tensor(kind, &[count], PlainLayout::RowMajor, good);
    tensor.quantization = Some(PlainScheme::Known(scheme.0));
    Case {
        rule,
        field,
        index,
        offset: 37 + 16 * good.len() + 4 + scheme.1 + before,
        tensor,
        good: good.to_vec(),
        bad,
    }
}

#[rustfmt::skip]
pub(crate) fn cases() -> Vec<Case> {
    let channels = (Quantization::per_channel(0, 1, Some(2)), 20);
    let one = 0x3F80_0000;
    let data = vec![vec![0; 2], le32(&[one, one]), le32(&[0, 0])];
    let blocks = vec![vec![0; 16], vec![127]];
    vec![
        packed("TYPE-07", T::Bool, 3, &[0b0111], &[0b1000], 0),
        packed("TYPE-08", T::Int4, 3, &[0xFF, 0x0F], &[0xFF, 0x10], 1),
        packed("TYPE-09", T::UInt2, 3, &[0x3F], &[0x40], 0),
        packed("TYPE-10", T::Float6E2M3, 5, &[0xFF, 0xFF, 0xFF, 0x3F, 0, 0], &[0, 0, 0, 0, 0x10, 0], 1),
        packed("TYPE-11", T::Float8E8M0, 2, &[1, 0xFE], &[1, 0xFF], 1),
        coo("LAYOUT-26", false, &[4, 4], &[4, 5], 1),
        coo("LAYOUT-27", false, &[4, 4, 0, 1, 4, 0], &[4, 4, 0, 1, 4, 4], 4),
        coo("LAYOUT-27", true, &[0, 4, 1, 0], &[0, 4, 0, 4], 2),
        coo("LAYOUT-28", true, &[0, 4, 1, 0], &[0, 4, 0, 3], 2),
        csr("LAYOUT-31", Field::RowPtr, 2, 2, &[0, 2, 1]),
        csr("LAYOUT-32", Field::ColIndices, 1, 1, &[0, 3]),
        csr("LAYOUT-32", Field::ColIndices, 1, 1, &[2, 2]),
        // behind the values, and for crd_2 behind pos and crd of two levels and pos_2
        csf("LAYOUT-36", Field::Pos, (1, 2), 2, (1, &[0, 2])),
        csf("LAYOUT-37", Field::Crd, (1, 2 + 16 + 8 + 16 + 8 + 16), 2, (6, &[1, 1])),
        csf("LAYOUT-38", Field::Pos, (1, 0), 0, (1, &[0, 1])),
        paged(),
        scheme("QUANT-28", (Field::Scales, 1, 2 + 4), T::Int8, channels, &data, (1, le32(&[one, 1 << 31]))),
        scheme("QUANT-29", (Field::ZeroPoints, 1, 2 + 8 + 4), T::Int8, channels, &data, (2, le32(&[127, 128]))),
        scheme("QUANT-30", (Field::Scales, 0, 16), T::Int8, (Quantization::mxfp(0, 16, 1), 16), &blocks, (1, vec![0xFF])),
    ]
}

impl Case {
    fn bytes(&self, buffers: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = vec![0; 512];
        let len = self.tensor.lend(Kind::Native, |spec| {
            encode(spec, &mut bytes, &Policy::STRICT)
        });
        bytes.truncate(len.expect("the descriptor is fine"));
        [bytes, buffers.concat()].concat()
    }

    fn rule(&self) -> Rule {
        Rule::from_id(self.rule).expect("it is in the table")
    }
}

#[test]
fn every_content_rule_is_placed() {
    for case in cases() {
        let rule = case.rule();
        assert_eq!(rule.class(), Class::Content);
        let good = case.bytes(&case.good);
        let mut buffers = case.good.clone();
        let (buffer, bytes) = &case.bad;
        assert_eq!(buffers[*buffer].len(), bytes.len());
        buffers[*buffer].clone_from(bytes);
        let bad = case.bytes(&buffers);
        for origin in [0, 1 << 40] {
            for policy in [Policy::STRICT, Policy::PERMISSIVE] {
                assert_eq!(stream(&good, policy, origin), Ok(vec![]), "{}", case.rule);
            }
            let error = stream(&bad, Policy::STRICT, origin).unwrap_err();
            let violation = Violation {
                rule,
                field: case.field,
                index: case.index,
            };
            let kind = ErrorKind::Rule(violation);
            let place = (kind, origin + case.offset as u64);
            assert_eq!((error.kind(), error.offset()), place);
            let permissive = stream(&bad, Policy::PERMISSIVE, origin);
            if rule.relaxed() {
                assert_eq!(permissive, Ok(vec![rule]));
            } else {
                assert_eq!(permissive, Err(error));
            }
        }
    }
}
