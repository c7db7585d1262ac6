//! A stream decoder for hosts that speak wasm: no imports, no allocation, numbers and addresses only.
//!
//! The host writes up to `input_capacity()` bytes at `input()`, tells `push` how many, and calls
//! `next_event` until it returns 0; then it writes the next bytes. `finish` at the end. `run.mjs` beside
//! this file does so for all test vectors.
#![no_std]

use core::cell::UnsafeCell;

use hrry::{
    BufferHandle, Error, ErrorKind, Event, Exact, InlineArena, Payload, Policy, StreamDecoder,
    Transport,
};

const CAPACITY: usize = 64 << 10;

type Decoder = StreamDecoder<[u8; 4096], Exact, InlineArena<1024>>;

/// Nothing more in the input.
const NONE: i32 = 0;
/// A descriptor: `rank`, `dimension`, `buffer_size` and so on tell of it until the next one.
const DESCRIPTOR: i32 = 1;
/// Bytes of a buffer: `payload`, `payload_len`, `payload_buffer`, `payload_offset`.
const PAYLOAD: i32 = 2;
/// The end of a tensor, or of a head before its members.
const TENSOR_END: i32 = 3;
/// An error: `error_rule`, `error_offset`, `error_missing`. Only `reset` goes on.
const ERROR: i32 = -1;

struct Machine {
    decoder: Decoder,
    /// The part of `input` that was pushed and not taken.
    start: usize,
    end: usize,
    payload: (usize, usize, u8, u64),
    error: Option<Error>,
}

struct Shared<T>(UnsafeCell<T>);

// SAFETY: the module has one thread
unsafe impl<T> Sync for Shared<T> {}

/// On its own, because it is all zeros and so takes no room in the module.
static INPUT: Shared<[u8; CAPACITY]> = Shared(UnsafeCell::new([0; CAPACITY]));

static MACHINE: Shared<Machine> = Shared(UnsafeCell::new(Machine {
    decoder: decoder(Policy::STRICT),
    start: 0,
    end: 0,
    payload: (0, 0, 0, 0),
    error: None,
}));

const fn decoder(policy: Policy) -> Decoder {
    StreamDecoder::with_parts([0; 4096], Exact, InlineArena::new(), policy)
}

/// The one borrow of an exported function, which calls no other.
fn machine() -> &'static mut Machine {
    // SAFETY: one thread, and no exported function calls another
    unsafe { &mut *MACHINE.0.get() }
}

/// Starts over at position `origin`; `cross_machine` is 1 for a stream from another machine.
#[unsafe(no_mangle)]
pub extern "C" fn reset(origin: u64, cross_machine: u32) {
    let mut policy = Policy::STRICT;
    if cross_machine == 1 {
        policy.transport = Transport::CrossMachine;
    }
    let machine = machine();
    machine.decoder = decoder(policy).with_origin(origin);
    (machine.start, machine.end) = (0, 0);
    machine.error = None;
}

#[unsafe(no_mangle)]
pub extern "C" fn input() -> *mut u8 {
    INPUT.0.get().cast()
}

#[unsafe(no_mangle)]
pub extern "C" fn input_capacity() -> usize {
    CAPACITY
}

/// Says that the first `len` bytes of the input are the next of the stream.
#[unsafe(no_mangle)]
pub extern "C" fn push(len: usize) {
    let machine = machine();
    (machine.start, machine.end) = (0, len.min(CAPACITY));
}

#[unsafe(no_mangle)]
pub extern "C" fn next_event() -> i32 {
    let Machine {
        decoder,
        start,
        end,
        payload,
        error,
    } = machine();
    // SAFETY: the host writes between calls only
    let input: &'static [u8; CAPACITY] = unsafe { &*INPUT.0.get() };
    let mut chunk = input.get(*start..*end).unwrap_or(&[]);
    let event = decoder.next_event(&mut chunk);
    let code = match event {
        Ok(None) => NONE,
        Ok(Some(Event::Descriptor(..))) => DESCRIPTOR,
        Ok(Some(Event::Payload(p))) => {
            *payload = place(&p);
            PAYLOAD
        }
        Ok(Some(_)) => TENSOR_END,
        Err(e) => {
            *error = Some(e);
            ERROR
        }
    };
    *start = end.saturating_sub(chunk.len());
    code
}

fn place(p: &Payload<'_>) -> (usize, usize, u8, u64) {
    (p.bytes.as_ptr().addr(), p.bytes.len(), p.buffer, p.offset)
}

/// 0 where the stream may end here, -1 otherwise.
#[unsafe(no_mangle)]
pub extern "C" fn finish() -> i32 {
    let machine = machine();
    match machine.decoder.finish() {
        Ok(()) => NONE,
        Err(e) => {
            machine.error = Some(e);
            ERROR
        }
    }
}

/// Position in the stream of the next byte.
#[unsafe(no_mangle)]
pub extern "C" fn offset() -> u64 {
    machine().decoder.offset()
}

macro_rules! of_descriptor {
    ($($name:ident($($argument:ident)?) -> $number:ty, $default:expr, $d:ident => $value:expr;)*) => {
        $(
            #[unsafe(no_mangle)]
            pub extern "C" fn $name($($argument: usize)?) -> $number {
                machine().decoder.current().map_or($default, |$d| $value)
            }
        )*
    };
}

of_descriptor! {
    rank() -> u32, 0, d => d.rank();
    dimension(axis) -> u64, 0, d => d.shape().get(axis).unwrap_or(0);
    element_type() -> u32, 0, d => d.element_type().0.into();
    layout_tag() -> u32, 0, d => d.layout_tag().0.into();
    buffer_count() -> usize, 0, d => d.buffer_count();
    buffer_size(buffer) -> u64, 0, d => d.buffer(buffer).map_or(0, |handle: BufferHandle| handle.byte_size);
}

#[unsafe(no_mangle)]
pub extern "C" fn payload() -> usize {
    machine().payload.0
}

#[unsafe(no_mangle)]
pub extern "C" fn payload_len() -> usize {
    machine().payload.1
}

#[unsafe(no_mangle)]
pub extern "C" fn payload_buffer() -> u32 {
    machine().payload.2.into()
}

#[unsafe(no_mangle)]
pub extern "C" fn payload_offset() -> u64 {
    machine().payload.3
}

/// The number of the broken rule, 100 for each family and the number in its ID; 0 for none.
#[unsafe(no_mangle)]
pub extern "C" fn error_rule() -> u32 {
    let rule = machine().error.and_then(|error| error.rule());
    rule.map_or(0, |rule| rule.number().into())
}

#[unsafe(no_mangle)]
pub extern "C" fn error_offset() -> u64 {
    machine().error.map_or(0, |error| error.offset())
}

/// Bytes that a truncated stream misses.
#[unsafe(no_mangle)]
pub extern "C" fn error_missing() -> u64 {
    match machine().error.map(|error| error.kind()) {
        Some(ErrorKind::Truncated { missing, .. }) => missing,
        _ => 0,
    }
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}
