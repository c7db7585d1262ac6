//! The functions as C calls them, also under an interpreter that knows what a pointer may do.

use std::ffi::CStr;
use std::mem::{MaybeUninit, zeroed};
use std::ptr;

use hrry::{Event, Field, FixedDecoder, Policy, Rule};
use hrry_c::*;

/// An overlay of two members; the second has 2 buffers.
const STREAM: &[u8] = include_bytes!("../../../tests/vectors/streams/s-ok-ov-spqr.bin");

/// A decoder in memory as C leaves it: anything but initialised.
struct Memory {
    handle: MaybeUninit<hrry_decoder>,
    frame: [MaybeUninit<u8>; 256],
    arena: [MaybeUninit<u64>; 64],
}

impl Memory {
    fn new() -> Box<Self> {
        Box::new(Memory {
            handle: MaybeUninit::zeroed(),
            frame: [const { MaybeUninit::uninit() }; 256],
            arena: [const { MaybeUninit::uninit() }; 64],
        })
    }

    fn init(&mut self, policy: *const hrry_policy) -> hrry_status {
        let (frame, arena) = (self.frame.as_mut_ptr(), self.arena.as_mut_ptr());
        let size = size_of::<hrry_decoder>();
        // SAFETY: the memory stays where it is, in a box, and is used for nothing else
        unsafe {
            hrry_decoder_init(
                self.handle.as_mut_ptr(),
                size,
                frame.cast(),
                256,
                arena.cast(),
                64,
                policy,
            )
        }
    }
}

/// The status of one call with all of `input`, and the event.
fn next(handle: *mut hrry_decoder, input: &mut &[u8]) -> (hrry_status, hrry_event) {
    let (mut start, mut length) = (input.as_ptr(), input.len());
    let mut event = MaybeUninit::uninit();
    // SAFETY: all pointers lead to what they say
    let status = unsafe { hrry_decoder_next(handle, &mut start, &mut length, event.as_mut_ptr()) };
    assert!(length <= input.len());
    *input = &input[input.len() - length..];
    assert_eq!(start, input.as_ptr());
    // SAFETY: it is written whatever was met
    (status, unsafe { event.assume_init() })
}

#[test]
fn events_are_those_of_the_codec() {
    for cut in [1, 7, STREAM.len()] {
        let mut memory = Memory::new();
        assert_eq!(memory.init(ptr::null()), HRRY_OK);
        let handle = memory.handle.as_mut_ptr();
        let mut decoder = FixedDecoder::<256, 64>::new(Policy::STRICT);
        for mut chunk in STREAM.chunks(cut) {
            let mut same = chunk;
            loop {
                let (status, event) = next(handle, &mut chunk);
                assert_eq!(status, HRRY_OK);
                match decoder.next_event(&mut same).unwrap() {
                    None => {
                        assert_eq!(event.kind, HRRY_EVENT_NEED_MORE);
                        break;
                    }
                    Some(Event::Descriptor(d, _)) => {
                        assert_eq!(event.kind, HRRY_EVENT_DESCRIPTOR);
                        let mut told = MaybeUninit::<hrry_descriptor>::uninit();
                        // SAFETY: the handle is in use, the descriptor is in its frame
                        let bytes = unsafe {
                            assert_eq!(hrry_decoder_descriptor(handle, told.as_mut_ptr()), HRRY_OK);
                            let told = told.assume_init();
                            std::slice::from_raw_parts(told.bytes, told.length)
                        };
                        assert_eq!(bytes, d.as_bytes());
                    }
                    Some(Event::Payload(p)) => {
                        assert_eq!(event.kind, HRRY_EVENT_PAYLOAD);
                        assert_eq!((event.buffer, event.offset), (p.buffer.into(), p.offset));
                        assert_eq!(
                            (event.bytes, event.length),
                            (p.bytes.as_ptr(), p.bytes.len())
                        );
                    }
                    Some(_) => assert_eq!(event.kind, HRRY_EVENT_TENSOR_END),
                }
            }
        }
        // SAFETY: the handle is in use
        assert_eq!(unsafe { hrry_decoder_finish(handle) }, HRRY_OK);
    }
}

#[test]
fn a_handle_that_was_moved_is_none() {
    let mut memory = Memory::new();
    assert_eq!(memory.init(ptr::null()), HRRY_OK);
    let mut elsewhere = Memory::new();
    // SAFETY: both are memory for a handle
    unsafe {
        let (from, to) = (memory.handle.as_ptr(), elsewhere.handle.as_mut_ptr());
        to.cast::<u8>().copy_from(from.cast(), hrry_decoder_size());
        assert_eq!(hrry_decoder_finish(to), HRRY_ERR_NO_HANDLE);
        assert_eq!(hrry_decoder_finish(memory.handle.as_mut_ptr()), HRRY_OK);
    }
}

/// At what the stream has, and one below: a descriptor of 153 bytes, a buffer of 128, two members.
#[test]
fn ceilings_hold() {
    let status = |change: fn(&mut hrry_policy, u32), amount: u32| {
        // SAFETY: all zeros are a policy
        let mut policy: hrry_policy = unsafe { zeroed() };
        change(&mut policy, amount);
        let mut memory = Memory::new();
        assert_eq!(memory.init(&policy), HRRY_OK);
        let handle = memory.handle.as_mut_ptr();
        let mut input = STREAM;
        loop {
            let (status, event) = next(handle, &mut input);
            if status != HRRY_OK || event.kind == HRRY_EVENT_NEED_MORE {
                break status;
            }
        }
    };
    let longest = |policy: &mut hrry_policy, most| policy.max_descriptor = most;
    let members = |policy: &mut hrry_policy, most| policy.max_members = most;
    let largest = |policy: &mut hrry_policy, most: u32| policy.max_buffer = most.into();
    assert_eq!(status(longest, 0), HRRY_OK);
    assert_eq!(status(longest, 152), HRRY_ERR_CAPACITY);
    assert_eq!(status(longest, 153), HRRY_OK);
    assert_eq!(status(members, 1), HRRY_ERR_CAPACITY);
    assert_eq!(status(members, 2), HRRY_OK);
    assert_eq!(status(largest, 127), HRRY_ERR_CAPACITY);
    assert_eq!(status(largest, 128), HRRY_OK);
}

#[test]
fn an_error_sticks_until_a_reset() {
    let mut memory = Memory::new();
    assert_eq!(memory.init(ptr::null()), HRRY_OK);
    let handle = memory.handle.as_mut_ptr();
    let mut error = MaybeUninit::<hrry_error>::uninit();
    for mut input in [b"HRRZ".as_slice(), b"", b"HRRY"] {
        assert_eq!(next(handle, &mut input).0, HRRY_ERR_INVALID_MAGIC);
    }
    // SAFETY: the handle is in use
    unsafe {
        assert_eq!(hrry_decoder_finish(handle), HRRY_ERR_INVALID_MAGIC);
        assert_eq!(hrry_decoder_error(handle, error.as_mut_ptr()), HRRY_OK);
        let error = error.assume_init();
        assert_eq!((error.rule, error.field, error.offset), (102, 0, 3));
        assert_eq!(hrry_decoder_reset(handle), HRRY_OK);
    }
    let mut input = STREAM;
    assert_eq!(next(handle, &mut input).0, HRRY_OK);
}

#[test]
fn rules_and_fields_have_their_texts() {
    let text = |text: *const std::ffi::c_char| {
        assert!(!text.is_null());
        // SAFETY: a string that stays
        unsafe { CStr::from_ptr(text) }.to_str().unwrap()
    };
    // the interpreter takes minutes for all of them
    let step = if cfg!(miri) { 50 } else { 1 };
    for rule in Rule::ALL.iter().step_by(step) {
        let number = rule.number().into();
        assert_eq!(text(hrry_rule_id(number)), rule.id());
        assert_eq!(text(hrry_rule_text(number)), rule.text());
    }
    for field in Field::ALL.iter().step_by(step) {
        assert_eq!(text(hrry_field_name(field.number().into())), field.name());
    }
    let beyond = u32::try_from(Field::ALL.len()).unwrap();
    assert!(hrry_field_name(beyond).is_null());
    assert!(hrry_rule_id(100).is_null());
}

/// The buffers and the shape of the descriptor that is written are read where they are, and nowhere else.
#[test]
fn a_descriptor_is_written_from_lent_arrays() {
    let shape = [3u64, 4];
    // SAFETY: all zeros are a value of both
    let (mut spec, mut buffer): (hrry_spec, hrry_buffer) = unsafe { (zeroed(), zeroed()) };
    (buffer.byte_size, buffer.alignment) = (48, 64);
    (spec.element_type, spec.layout) = (HRRY_TYPE_FLOAT32, HRRY_LAYOUT_ROW_MAJOR);
    (spec.rank, spec.shape) = (2, shape.as_ptr());
    (spec.buffer_count, spec.buffers) = (1, &raw const buffer);
    let mut out = [0; 61];
    let mut written = 0;
    let null = ptr::null_mut();
    // SAFETY: all pointers lead to what they say
    unsafe {
        let (spec, out) = (&raw const spec, out.as_mut_ptr());
        let short = hrry_encode(spec, ptr::null(), out, 60, &raw mut written, null);
        assert_eq!((short, written), (HRRY_ERR_BUFFER_TOO_SMALL, 61));
        let done = hrry_encode(spec, ptr::null(), out, 61, &raw mut written, null);
        assert_eq!((done, written), (HRRY_OK, 61));
    }
    assert_eq!(out[..10], *b"HRRY\x01\x00\x3d\x00\x00\x00");
    assert_eq!(
        out[20..36],
        [3, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0]
    );
}
