//! A self-test: reads streams that are part of the image, cut in several ways, prints every verdict on the
//! console of the emulator, and ends with an exit status that says whether all were right.
//!
//! `examples/firmware/run.sh selftest` runs it.
#![no_std]
#![no_main]

use cortex_m_rt::entry;
use hrry::{Error, FixedDecoder, Policy, Rule};
use hrry_firmware::board::semihosting::{exit, print};

/// Descriptors of up to 256 bytes; 64 words for open composites.
type Decoder = FixedDecoder<256, 64>;

/// Name, bytes, and the rule that refuses it.
type Vector = (&'static str, &'static [u8], Option<&'static str>);

macro_rules! vectors {
    ($($name:literal $rule:expr;)*) => {
        [$((
            $name,
            include_bytes!(concat!("../../../../../tests/vectors/streams/", $name, ".bin")),
            $rule,
        )),*]
    };
}

const VECTORS: [Vector; 14] = vectors! {
    "s-ok-one" None;
    "s-ok-csf-permuted" None;
    "s-ok-hrry-magic-in-data" None;
    "s-ok-part-2d-pinwheel" None;
    "s-ok-ov-spqr" None;
    "s-ok-group-depth-8" None;
    "s-bad-cut-tensor-62" Some("STREAM-04");
    "s-bad-torn-group-after-2" Some("COMP-48");
    "s-bad-gap-hole" Some("COMP-43");
    "s-bad-overlap-volume-equal" Some("COMP-42");
    "s-bad-ov-two-bases" Some("COMP-34");
    "s-bad-head-reserved" Some("COMP-10");
    "s-bad-member-version" Some("VER-01");
    "s-bad-depth-group-9" Some("COMP-20");
};

#[entry]
fn main() -> ! {
    let mut passed = true;
    for (name, bytes, expected) in VECTORS {
        for len in [1, 7, bytes.len()] {
            let verdict = read(bytes, len).err();
            // an error that is about no rule is none of these
            let rule = verdict.map(|error| error.rule().map_or("?", Rule::id));
            if rule != expected {
                print(&["WRONG "]);
                passed = false;
            }
            print(&[rule.unwrap_or("accepted"), " ", name, "\n"]);
        }
    }
    print(&[if passed {
        "selftest passed\n"
    } else {
        "selftest FAILED\n"
    }]);
    exit(passed)
}

/// Reads a stream in pieces of a length.
fn read(bytes: &[u8], len: usize) -> Result<(), Error> {
    let mut decoder = Decoder::new(Policy::STRICT);
    for mut piece in bytes.chunks(len.max(1)) {
        while decoder.next_event(&mut piece)?.is_some() {}
    }
    decoder.finish()
}
