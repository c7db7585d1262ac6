//! Six descriptors that stand for all: small, quantized, data-less, every fixed section, many buffers,
//! the largest rank.

use hrry::{
    Array, BufferHandle, CombineOp, CompositeHead, CompositionRule, DescriptorSpec, ElementType,
    Layout, MemberRole, Policy, Quantization, Shard, encode,
};

/// A descriptor as values and as wire bytes.
pub struct Case {
    /// Its name in every table.
    pub name: &'static str,
    /// The values.
    pub spec: DescriptorSpec<'static>,
    /// The wire form.
    pub bytes: Vec<u8>,
    /// A bare stream that starts with it and is complete.
    pub stream: Vec<u8>,
}

impl Case {
    fn new(name: &'static str, len: usize, spec: DescriptorSpec<'static>) -> Self {
        let bytes = bytes_of(&spec);
        assert_eq!(bytes.len(), len, "{name}");
        let mut stream = bytes.clone();
        push_payload(&mut stream, &spec);
        Case {
            name,
            spec,
            bytes,
            stream,
        }
    }
}

/// The wire form of a valid specification.
pub fn bytes_of(spec: &DescriptorSpec<'_>) -> Vec<u8> {
    let mut bytes = vec![0; 2048];
    let len = encode(spec, &mut bytes, &Policy::STRICT).expect("a valid descriptor");
    bytes[..len].to_vec()
}

fn push_payload(stream: &mut Vec<u8>, spec: &DescriptorSpec<'_>) {
    for handle in spec.buffers {
        let size = usize::try_from(handle.byte_size).expect("a small buffer");
        stream.extend(std::iter::repeat_n(0x5A, size));
    }
}

const ONE: [BufferHandle; 1] = [BufferHandle::cpu(48, 64)];
const Q4: [BufferHandle; 2] = [BufferHandle::cpu(256, 64), BufferHandle::cpu(32, 64)];
const COO: [BufferHandle; 2] = [BufferHandle::cpu(16, 64), BufferHandle::cpu(64, 64)];
const CSF: [BufferHandle; 7] = [
    BufferHandle::cpu(16, 64),
    BufferHandle::cpu(16, 64),
    BufferHandle::cpu(16, 64),
    BufferHandle::cpu(24, 64),
    BufferHandle::cpu(24, 64),
    BufferHandle::cpu(32, 64),
    BufferHandle::cpu(32, 64),
];
const STRIDED: [BufferHandle; 1] = [BufferHandle::cpu(256, 64)];
const HALF: [BufferHandle; 1] = [BufferHandle::cpu(128, 64)];
const SHAPE_64: [u64; 64] = shape_64();
const STRIDES_64: [i64; 64] = strides_64();

/// 63 dimensions of 2 and one of 1: the element count fits 64 bits.
const fn shape_64() -> [u64; 64] {
    let mut shape = [2; 64];
    shape[0] = 1;
    shape
}

/// The last six dimensions are dense, the others repeat them: a broadcast view.
const fn strides_64() -> [i64; 64] {
    let mut strides = [0; 64];
    let mut k = 0;
    while k < 6 {
        strides[63 - k] = 1 << k;
        k += 1;
    }
    strides
}

/// The six cases.
pub fn all() -> Vec<Case> {
    let row_major = DescriptorSpec::new(ElementType::Float32, &[3, 4], Layout::RowMajor, &ONE);
    let quantized = DescriptorSpec {
        quantization: Some(Quantization::per_block(
            3,
            32,
            1,
            None,
            ElementType::Float16,
        )),
        ..DescriptorSpec::new(ElementType::Int4, &[2, 2, 4, 32], Layout::RowMajor, &Q4)
    };
    let head = Layout::Composite(CompositeHead {
        composition_rule: CompositionRule::Partition,
        combine_op: CombineOp::None,
        member_count: 2,
    });
    let head = DescriptorSpec::new(ElementType::Float32, &[8, 8], head, &[]);
    let coo = Layout::Coo {
        nnz: 4,
        is_sorted: true,
    };
    let correction = DescriptorSpec {
        shard: Some(Shard {
            parent_shape: Array::Native(&[16, 16]),
            shard_offset: Array::Native(&[8, 0]),
        }),
        member_role: Some(MemberRole::Correction),
        ..DescriptorSpec::new(ElementType::Float32, &[8, 16], coo, &COO)
    };
    let fibres = Layout::Csf {
        nnz: 4,
        mode_order: Array::Native(&[0, 1, 2]),
    };
    let csf = DescriptorSpec::new(ElementType::Float32, &[4, 5, 6], fibres, &CSF);
    let strided = Layout::Strided {
        strides: Array::Native(&STRIDES_64),
    };
    let strided = DescriptorSpec::new(ElementType::Float32, &SHAPE_64, strided, &STRIDED);
    let mut cases = vec![
        Case::new("rm_f32_3x4", 61, row_major),
        Case::new("q4_rank4", 121, quantized),
        Case::new("head_2d", 53, head),
        Case::new("coo_overlay", 141, correction),
        Case::new("csf3", 193, csf),
        Case::new("strided64", 1069, strided),
    ];
    // a head alone is no complete stream
    for offset in [[0, 0], [0, 4]] {
        let member = DescriptorSpec {
            shard: Some(Shard {
                parent_shape: Array::Native(&[8, 8]),
                shard_offset: Array::Native(&offset),
            }),
            ..DescriptorSpec::new(ElementType::Float32, &[8, 4], Layout::RowMajor, &HALF)
        };
        cases[2].stream.extend(bytes_of(&member));
        push_payload(&mut cases[2].stream, &member);
    }
    cases
}
