//! Streams that the receiver is sent, and what happens to them on the way.

use hrry::{BufferHandle, DescriptorSpec, ElementType, Layout, Policy, encode};

/// A name and bytes.
pub type Case = (String, Vec<u8>);

macro_rules! vectors {
    ($($name:literal)*) => {
        [$((
            $name,
            &include_bytes!(concat!("../../../../tests/vectors/streams/", $name, ".bin"))[..],
        )),*]
    };
}

/// A row-major float32 tensor of 3 x 4.
const ONE: &[u8] = include_bytes!("../../../../tests/vectors/streams/s-ok-one.bin");

/// Whole streams, good and bad.
pub fn streams() -> impl Iterator<Item = Case> {
    let vectors = vectors! {
        "s-ok-one" "s-ok-two" "s-ok-csr" "s-ok-hrry-magic-in-data" "s-ok-part-2d-pinwheel" "s-ok-part-nested-2"
        "s-ok-ov-spqr" "s-ok-group-depth-8" "s-ok-group-of-groups" "s-ok-sequence"
        "s-bad-gap-hole" "s-bad-overlap-volume-equal" "s-bad-ov-two-bases" "s-bad-head-reserved"
        "s-bad-member-version" "s-bad-depth-group-9" "s-bad-no-shard-first" "s-bad-torn-group-after-2"
    };
    vectors
        .into_iter()
        .map(|(name, bytes)| (name.to_owned(), bytes.to_vec()))
}

/// One tensor, with a byte lost, doubled, added or changed, or with its end missing, at places all over it.
pub fn bytes() -> impl Iterator<Item = Case> {
    let places = (0..ONE.len()).filter(|at| *at < 24 || at % 5 == 0);
    let kinds = ["lost", "doubled", "added", "changed", "cut"];
    kinds.into_iter().enumerate().flat_map(move |(k, kind)| {
        let places = places.clone().skip(k % 4).step_by(4);
        places.map(move |at| {
            let mut bytes = ONE.to_vec();
            match kind {
                "lost" => drop(bytes.remove(at)),
                "doubled" => bytes.insert(at, ONE[at]),
                "added" => bytes.insert(at, b'H'),
                "changed" => bytes[at] ^= 0x11,
                _ => bytes.truncate(at),
            }
            (format!("{kind} at {at}"), bytes)
        })
    })
}

/// Noise, a part of it starts of descriptors.
pub fn noise() -> impl Iterator<Item = Case> {
    let mut state = 0x2545_F491_4F6C_DD1D_u64;
    let mut random = move |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 16) % below
    };
    (0..12).map(move |k| {
        let len = random(200) as usize;
        let mut bytes: Vec<u8> = (0..len).map(|_| random(256) as u8).collect();
        let from = random(ONE.len() as u64) as usize;
        bytes.extend_from_slice(&ONE[..from]);
        (format!("noise {k}"), bytes)
    })
}

/// Small tensors, of 55 bytes each: enough of them that after any damage the last one is accepted.
pub fn recovery() -> Vec<u8> {
    let buffers = [BufferHandle::cpu(2, 64)];
    let spec = DescriptorSpec::new(ElementType::UInt8, &[2], Layout::RowMajor, &buffers);
    let mut tensor = [7; 53 + 2];
    encode(&spec, &mut tensor, &Policy::STRICT).expect("a tensor of two bytes");
    tensor.repeat(7)
}
