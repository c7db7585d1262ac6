//! A tensor with its data, and what every way of judging it says.

use hrry::{
    ContentError, ContentScan, DescriptorSpec, ErrorKind, Field, Policy, Quantization, Rule, check,
    check_content,
};

use crate::support::scale::Rng;
use crate::support::spec::{Kind, Plain, PlainLayout, PlainScheme};

#[derive(Clone, Debug)]
pub struct Tensor {
    pub plain: Plain,
    pub buffers: Vec<Vec<u8>>,
}

impl Tensor {
    /// Buffers are as large as the data.
    pub fn new(
        element_type: hrry::ElementType,
        shape: &[u64],
        layout: PlainLayout,
        buffers: Vec<Vec<u8>>,
    ) -> Self {
        let sizes: Vec<u64> = buffers.iter().map(|buffer| buffer.len() as u64).collect();
        Tensor {
            plain: Plain::new(element_type, shape, &sizes).with_layout(layout),
            buffers,
        }
    }

    pub fn quantized(mut self, scheme: Quantization<'static>) -> Self {
        self.plain.quantization = Some(PlainScheme::Known(scheme));
        self
    }

    /// With other data of the same length in a buffer.
    pub fn with(&self, buffer: usize, bytes: Vec<u8>) -> Self {
        let mut other = self.clone();
        assert_eq!(other.buffers[buffer].len(), bytes.len());
        other.buffers[buffer] = bytes;
        other
    }
}

/// Little-endian.
pub fn le(numbers: &[u64]) -> Vec<u8> {
    numbers.iter().flat_map(|n| n.to_le_bytes()).collect()
}

/// Little-endian.
pub fn le32(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|n| n.to_le_bytes()).collect()
}

/// Rule, field, buffer, entry, and offset in the buffer.
pub type Place = (&'static str, Field, u8, u64, u64);

fn place(error: ContentError) -> Place {
    let ErrorKind::Rule(violation) = error.kind else {
        panic!("{error}");
    };
    assert_eq!(u64::from(violation.index), error.index);
    let id = violation.rule.id();
    (id, violation.field, error.buffer, error.index, error.offset)
}

/// The verdict under a policy: the rules that were let pass, or the place of the first breach. All ways agree.
pub fn judged(tensor: &Tensor, policy: &Policy) -> Result<Vec<&'static str>, Place> {
    let [native, le] = [Kind::Native, Kind::Le].map(|kind| {
        tensor.plain.lend(kind, |spec| {
            check::descriptor(spec, policy).expect("the descriptor is fine");
            every_way(spec, tensor, policy)
        })
    });
    assert_eq!(native, le);
    native.map_err(place)
}

type Verdict = Result<Vec<&'static str>, ContentError>;

fn every_way(spec: &DescriptorSpec<'_>, tensor: &Tensor, policy: &Policy) -> Verdict {
    let mut scratch = scratch(spec, policy);
    let mut scan = ContentScan::new(spec, policy);
    let whole = scan.buffers(spec, &tensor.buffers, &mut scratch);
    assert_eq!(
        check_content(spec, &tensor.buffers, &mut scratch, policy),
        whole
    );
    let whole = whole.map(|()| ids(&scan));
    let mut rng = Rng(7);
    assert_eq!(pieces(spec, tensor, policy, |len| len), whole);
    assert_eq!(pieces(spec, tensor, policy, |_| 1), whole, "single bytes");
    for most in [3, 9, 20] {
        let cut = pieces(spec, tensor, policy, |_| 1 + rng.below(most));
        assert_eq!(cut, whole, "pieces of up to {most}");
    }
    whole
}

fn scratch(spec: &DescriptorSpec<'_>, policy: &Policy) -> Vec<u64> {
    vec![7; ContentScan::new(spec, policy).scratch_words() as usize]
}

/// In pieces, with those buffers at hand that must be and no others.
fn pieces(
    spec: &DescriptorSpec<'_>,
    tensor: &Tensor,
    policy: &Policy,
    mut next: impl FnMut(usize) -> usize,
) -> Verdict {
    let mut scan = ContentScan::new(spec, policy);
    let mut kept = vec![Vec::new(); tensor.buffers.len()];
    for (buffer, bytes) in tensor.buffers.iter().enumerate() {
        let mut at = 0;
        while at < bytes.len() {
            let end = bytes.len().min(at + next(bytes.len()));
            if scan.keeps(buffer) {
                kept[buffer].extend_from_slice(&bytes[at..end]);
            }
            scan.payload(spec, buffer as u8, at as u64, &bytes[at..end], &kept)?;
            at = end;
        }
    }
    scan.finish(spec, &kept, &mut scratch(spec, policy))?;
    Ok(ids(&scan))
}

fn ids(scan: &ContentScan) -> Vec<&'static str> {
    scan.relaxed().map(Rule::id).collect()
}

/// Nothing is wrong with it, in either mode.
#[track_caller]
pub fn accepted(tensor: &Tensor) {
    assert_eq!(judged(tensor, &Policy::STRICT), Ok(vec![]));
    assert_eq!(judged(tensor, &Policy::PERMISSIVE), Ok(vec![]));
}

/// Strict mode refuses it there, and permissive mode lets it pass with that flag.
#[track_caller]
pub fn refused(tensor: &Tensor, at: Place) {
    assert_eq!(judged(tensor, &Policy::STRICT), Err(at));
    let flags = judged(tensor, &Policy::PERMISSIVE).expect("permissive mode relaxes it");
    assert!(flags.contains(&at.0), "{flags:?}");
}
