//! Prints what decoders take of memory on a 32-bit target: their size, and the deepest stack of decoding
//! a partition of rank 8, measured by painting.
#![no_std]
#![no_main]

use core::hint::black_box;
use core::mem::size_of;

use cortex_m_rt::entry;
use cortex_m_semihosting::{debug, hprintln};
use hrry::{
    Arena, Cover, DescriptorView, Exact, FixedStream, InlineArena, Key, Keyed, Policy,
    StreamDecoder,
};
use panic_semihosting as _;

const STREAM: &[u8] = include_bytes!("../../../../vectors/streams/s-ok-part-rank8.bin");

type Decoder<C> = StreamDecoder<[u8; 256], C, InlineArena<64>>;

#[entry]
fn main() -> ! {
    hprintln!("size DescriptorView {}", size_of::<DescriptorView>());
    hprintln!("size FixedStream<256> {}", size_of::<FixedStream<256>>());
    hprintln!("size Decoder<Keyed> {}", size_of::<Decoder<Keyed>>());
    hprintln!("size Decoder<Exact> {}", size_of::<Decoder<Exact>>());
    let (empty, ()) = measure(|| ());
    let (control, sum) = measure(kilobyte);
    // the method works: a kilobyte is a kilobyte, nothing is nothing
    assert!(empty < 64 && (1024..1024 + 128).contains(&control) && sum == 1024);
    hprintln!("stack view {}", measure(view).0);
    let mut decoder = Decoder::with_parts(
        [0; 256],
        Keyed(Key([3, 5])),
        InlineArena::new(),
        Policy::STRICT,
    );
    let (stack, events) = measure(|| decode(&mut decoder));
    hprintln!("stack Decoder<Keyed> {}", stack);
    let mut decoder = Decoder::with_parts([0; 256], Exact, InlineArena::new(), Policy::STRICT);
    let (stack, same) = measure(|| decode(&mut decoder));
    hprintln!("stack Decoder<Exact> {}", stack);
    assert!(events > 2 && events == same);
    debug::exit(debug::EXIT_SUCCESS);
    loop {
        cortex_m::asm::wfi();
    }
}

#[inline(never)]
fn view() {
    let view = DescriptorView::parse(black_box(STREAM), &Policy::STRICT);
    assert!(black_box(view).is_ok());
}

/// Pushes the stream in pieces and counts events; all of it must be accepted.
#[inline(never)]
fn decode<C: Cover, A: Arena>(decoder: &mut StreamDecoder<[u8; 256], C, A>) -> u32 {
    let mut events = 0;
    for mut chunk in black_box(STREAM).chunks(50) {
        while let Some(event) = decoder.next_event(&mut chunk).unwrap() {
            black_box(event);
            events += 1;
        }
    }
    decoder.finish().unwrap();
    events
}

#[inline(never)]
fn kilobyte() -> u32 {
    let mut bytes = [1u8; 1024];
    black_box(&mut bytes);
    bytes.iter().map(|byte| u32::from(*byte)).sum()
}

unsafe extern "C" {
    /// The lowest word that the stack may reach, from the linker script.
    static mut _stack_end: u32;
}

const PAINT: u32 = 0xCCCC_CCCC;

/// Bytes of stack below here that a call writes to.
#[inline(never)]
fn measure<R>(call: impl FnOnce() -> R) -> (usize, R) {
    let lowest = &raw mut _stack_end;
    let pointer: usize;
    // SAFETY: only reads a register
    unsafe { core::arch::asm!("mov {}, sp", out(reg) pointer) };
    let words = (pointer - lowest as usize) / 4;
    for k in 0..words {
        // SAFETY: between the end of the stack and its pointer nothing is alive
        unsafe { lowest.add(k).write_volatile(PAINT) };
    }
    let result = call();
    // SAFETY: as above
    let painted = (0..words).take_while(|k| unsafe { lowest.add(*k).read_volatile() } == PAINT);
    (4 * (words - painted.count()), result)
}
