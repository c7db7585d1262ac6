//! Counts the instructions of decoding on mps2-an386, under `-icount shift=6`. `examples/firmware/measure.sh`
//! runs it.
#![no_std]
#![no_main]

use core::hint::black_box;

use cortex_m_rt::entry;
use hrry::{DescriptorView, FixedDecoder, FixedStream, Policy};
use hrry_firmware::board::semihosting::{exit, print_number};
use hrry_firmware::board::timer::{instructions, start};

/// A row-major float32 tensor of 3 x 4: a descriptor of 61 bytes and a buffer of 48.
const STREAM: &[u8] = include_bytes!("../../../../../tests/vectors/streams/s-ok-one.bin");
const DESCRIPTOR: usize = 61;

type Decoder = FixedDecoder<256, 64>;

#[entry]
fn main() -> ! {
    start();
    let nothing = instructions(|| {});
    let (descriptor, payload) = STREAM.split_at_checked(DESCRIPTOR).unwrap_or_default();
    let mut accepted = true;
    let mut count = |name: &str, of: u32, call: &mut dyn FnMut() -> bool| {
        let taken = instructions(|| accepted &= call()).saturating_sub(nothing);
        print_number(name, taken.div_ceil(of));
    };

    count("one-shot", 1, &mut || {
        DescriptorView::parse(black_box(descriptor), &Policy::STRICT).is_ok()
    });
    let mut stream = FixedStream::<256>::new(Policy::STRICT);
    count("parser", 1, &mut || {
        matches!(stream.next_event(&mut black_box(descriptor)), Ok(Some(_)))
    });
    let mut decoder = Decoder::new(Policy::STRICT);
    count("decoder", 1, &mut || {
        matches!(decoder.next_event(&mut black_box(descriptor)), Ok(Some(_)))
    });
    count("payload", 1, &mut || {
        matches!(decoder.next_event(&mut black_box(payload)), Ok(Some(_)))
    });
    let mut decoder = Decoder::new(Policy::STRICT);
    count("descriptor-byte", 61, &mut || {
        feed(&mut decoder, descriptor) == 1
    });
    count("payload-byte", 48, &mut || {
        feed(&mut decoder, payload) == 49
    });
    exit(accepted)
}

/// Feeds single bytes and counts events.
fn feed(decoder: &mut Decoder, bytes: &[u8]) -> u32 {
    let mut events = 0;
    for mut byte in black_box(bytes).chunks(1) {
        while let Ok(Some(_)) = decoder.next_event(&mut byte) {
            events += 1;
        }
    }
    events
}
