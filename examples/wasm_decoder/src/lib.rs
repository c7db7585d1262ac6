//! A stream decoder for hosts that speak wasm: no imports, no allocation, numbers and addresses only.
//!
//! The host writes up to `input_capacity()` bytes at `input()`, tells `push` how many, and calls
//! `next_event` until it returns 0; then it writes the next bytes. `finish` at the end. `stream.mjs` beside
//! this crate's manifest does so, and `run.mjs` for all test vectors.
#![no_std]

use core::cell::UnsafeCell;

use hrry::{
    BufferHandle, Error, ErrorKind, Event, Exact, Field, Mode, Outcome, Payload, Policy,
    SliceArena, StreamDecoder, Transport,
};

const CAPACITY: usize = 64 << 10;
const FRAME_BYTES: usize = 4096;
const WORDS: usize = 1024;

type Decoder = StreamDecoder<&'static mut [u8; FRAME_BYTES], Exact, SliceArena<'static>>;

/// Nothing more in the input.
const NONE: i32 = 0;
/// A descriptor: `rank`, `dimension`, `buffer_size` and so on tell of it until its end.
const DESCRIPTOR: i32 = 1;
/// Bytes of a buffer: `payload`, `payload_len`, `payload_buffer`, `payload_offset`.
const PAYLOAD: i32 = 2;
/// The end of a tensor, or of a head before its members. As at a descriptor, `outcome` tells its place among
/// composites.
const TENSOR_END: i32 = 3;
/// An error: `error_rule`, `error_field`, `error_offset`, `error_missing`. Only `reset` goes on.
const ERROR: i32 = -1;

/// What `push` returns where it took nothing.
const REFUSED: i32 = -1;

struct Machine {
    decoder: Decoder,
    /// The part of `input` that was pushed and not taken.
    start: usize,
    end: usize,
    payload: (usize, usize, u8, u64),
    outcome: Outcome,
    error: Option<Error>,
}

struct Shared<T>(UnsafeCell<T>);

// SAFETY: the module has one thread
unsafe impl<T> Sync for Shared<T> {}

impl<T> Shared<T> {
    /// The one borrow that is in use.
    #[allow(clippy::mut_from_ref)] // what the cell is for
    const fn borrow(&self) -> &mut T {
        // SAFETY: one thread, and no exported function calls another. `MACHINE` is borrowed by each of them, once;
        // the others by its decoder, of which `reset` replaces the old one without looking at it.
        unsafe { &mut *self.0.get() }
    }
}

// Each on its own, because what is all zeros takes no room in the module. In `MACHINE` the policy is not.
static INPUT: Shared<[u8; CAPACITY]> = Shared(UnsafeCell::new([0; CAPACITY]));
static FRAME: Shared<[u8; FRAME_BYTES]> = Shared(UnsafeCell::new([0; FRAME_BYTES]));
static ARENA: Shared<[u64; WORDS]> = Shared(UnsafeCell::new([0; WORDS]));

static MACHINE: Shared<Machine> = Shared(UnsafeCell::new(Machine {
    decoder: decoder(Policy::STRICT),
    start: 0,
    end: 0,
    payload: (0, 0, 0, 0),
    outcome: Outcome::Plain,
    error: None,
}));

const fn decoder(policy: Policy) -> Decoder {
    let arena = SliceArena::new(ARENA.borrow());
    StreamDecoder::with_parts(FRAME.borrow(), Exact, arena, policy)
}

fn machine() -> &'static mut Machine {
    MACHINE.borrow()
}

/// For `reset`: the stream comes from another machine.
const CROSS_MACHINE: u32 = 1;
/// For `reset`: what permissive mode lets pass is passed; `outcome_rule` tells of composites that are not whole.
const PERMISSIVE: u32 = 2;

/// Starts over at position `origin`; `flags` is 0, or `CROSS_MACHINE`, `PERMISSIVE` or both.
#[unsafe(no_mangle)]
pub extern "C" fn reset(origin: u64, flags: u32) {
    let mut policy = Policy::STRICT;
    if flags & CROSS_MACHINE != 0 {
        policy.transport = Transport::CrossMachine;
    }
    if flags & PERMISSIVE != 0 {
        policy.mode = Mode::Permissive;
    }
    let machine = machine();
    machine.decoder = decoder(policy).with_origin(origin);
    (machine.start, machine.end) = (0, 0);
    machine.outcome = Outcome::Plain;
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

/// Says that the first `len` bytes of the input are the next of the stream. Returns 0, or -1 for more bytes than
/// there is room for, and while `next_event` has not taken all of those before; then nothing changes.
#[unsafe(no_mangle)]
pub extern "C" fn push(len: usize) -> i32 {
    let machine = machine();
    if machine.start < machine.end || len > CAPACITY {
        return REFUSED;
    }
    (machine.start, machine.end) = (0, len);
    NONE
}

#[unsafe(no_mangle)]
pub extern "C" fn next_event() -> i32 {
    let Machine {
        decoder,
        start,
        end,
        payload,
        outcome,
        error,
    } = machine();
    // SAFETY: the host writes between calls only
    let input: &'static [u8; CAPACITY] = unsafe { &*INPUT.0.get() };
    let mut chunk = input.get(*start..*end).unwrap_or(&[]);
    let event = decoder.next_event(&mut chunk);
    let code = match event {
        Ok(None) => NONE,
        Ok(Some(Event::Descriptor(_, begins))) => {
            *outcome = begins;
            DESCRIPTOR
        }
        Ok(Some(Event::Payload(p))) => {
            *payload = place(&p);
            PAYLOAD
        }
        Ok(Some(Event::TensorEnd(ends))) => {
            *outcome = ends;
            TENSOR_END
        }
        // there are no others
        Ok(Some(_)) => NONE,
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

/// The place among composites that the last descriptor or end was at: 0 outside of all; 1 for a head whose members
/// follow; 2 for a member of a composite that goes on; 3 for the last member of one, or of some in each other.
#[unsafe(no_mangle)]
pub extern "C" fn outcome() -> u32 {
    match machine().outcome {
        Outcome::Opened { .. } => 1,
        Outcome::Member { .. } => 2,
        Outcome::Closed { .. } => 3,
        // there are no others
        _ => 0,
    }
}

/// How many composites are open, a head's own included; how many close, where one does.
#[unsafe(no_mangle)]
pub extern "C" fn outcome_levels() -> u32 {
    match machine().outcome {
        Outcome::Opened { depth, .. } | Outcome::Member { depth, .. } => depth.into(),
        Outcome::Closed { levels, .. } => levels.into(),
        _ => 0,
    }
}

/// How many items follow a head and belong to it.
#[unsafe(no_mangle)]
pub extern "C" fn outcome_members() -> u32 {
    match machine().outcome {
        Outcome::Opened { members, .. } => members,
        _ => 0,
    }
}

/// Which member of the composite around it a head or a tensor is, from 0; -1 where there is none or one closes.
#[unsafe(no_mangle)]
pub extern "C" fn outcome_index() -> i64 {
    match machine().outcome {
        Outcome::Opened { index, .. } => index.map_or(-1, i64::from),
        Outcome::Member { index, .. } => index.into(),
        _ => -1,
    }
}

/// The number of the rule that keeps what closes from being whole, as in `error_rule`; 0 where it is whole, which
/// it always is in strict mode.
#[unsafe(no_mangle)]
pub extern "C" fn outcome_rule() -> u32 {
    match machine().outcome {
        Outcome::Closed {
            complete: Err(rule),
            ..
        } => rule.number().into(),
        _ => 0,
    }
}

/// The number of the broken rule, 100 for each family and the number in its ID; 0 for none.
#[unsafe(no_mangle)]
pub extern "C" fn error_rule() -> u32 {
    let rule = machine().error.and_then(|error| error.rule());
    rule.map_or(0, |rule| rule.number().into())
}

/// Address of the name of the field at fault, in ASCII; `error_field_len` is 0 where none is known.
#[unsafe(no_mangle)]
pub extern "C" fn error_field() -> *const u8 {
    field_name().as_ptr()
}

#[unsafe(no_mangle)]
pub extern "C" fn error_field_len() -> usize {
    field_name().len()
}

fn field_name() -> &'static str {
    let field = machine().error.and_then(|error| error.kind().field());
    field.map_or("", Field::name)
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
