//! The decoder, in memory of the caller.

use core::ptr;

use hrry::{Error, Exact, SliceArena, StreamDecoder};

use crate::error::hrry_error;
use crate::event::hrry_event;
use crate::pointer::{self, Region};
use crate::policy::{self, hrry_policy};
use crate::status::{
    self, Checked, HRRY_ERR_BUFFER_TOO_SMALL, HRRY_ERR_NO_HANDLE, HRRY_OK, answer, hrry_status,
};

/// 64-bit words of a handle.
#[cfg(target_pointer_width = "64")]
pub const HRRY_DECODER_WORDS: usize = 72;
/// 64-bit words of a handle.
#[cfg(target_pointer_width = "32")]
pub const HRRY_DECODER_WORDS: usize = 64;

/// Bytes that are enough for a handle. `hrry_decoder_size` says how many the library that is linked takes.
pub const HRRY_DECODER_SIZE: usize = HRRY_DECODER_WORDS * 8;
/// An alignment that is enough for a handle.
pub const HRRY_DECODER_ALIGN: usize = 8;

/// A decoder of one stream, and of the composites in it. The caller provides the memory and calls `hrry_decoder_init`; to
/// give it up, it calls `hrry_decoder_close` or nothing at all.
///
/// A decoder is used by one thread at a time, and where it was initialised: a copy elsewhere is no decoder.
#[repr(C)]
#[derive(Debug)]
pub struct hrry_decoder {
    /// Nothing that a caller looks at.
    pub opaque: [u64; HRRY_DECODER_WORDS],
}

pub(crate) type Decoder = StreamDecoder<&'static mut [u8], Exact, SliceArena<'static>>;

/// What a handle holds.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct Slot {
    /// [`seal`] of this very place.
    seal: u64,
    pub(crate) decoder: Decoder,
    error: Option<Error>,
    /// The handle itself, the frame and the arena.
    own: [Region; 3],
}

// the rest is room for later versions of the library
const _: () = assert!(size_of::<Slot>() <= HRRY_DECODER_SIZE);
const _: () = assert!(align_of::<Slot>() <= HRRY_DECODER_ALIGN);

/// What the first word of a handle in use is: nothing that memory holds by chance, and different everywhere.
fn seal(handle: *const hrry_decoder) -> u64 {
    let place = u64::try_from(handle.addr()).unwrap_or(0);
    place ^ 0x9C5E_4852_5259_DEC0
}

/// # Safety
///
/// Where it is neither null nor misaligned, `size_of::<Slot>()` bytes are there.
unsafe fn is_sealed(handle: *const hrry_decoder) -> Checked<()> {
    pointer::check(handle.cast::<Slot>())?;
    // volatile, because the caller may not have written there yet
    // SAFETY: as above; any eight bytes are a number
    let found = unsafe { handle.cast::<u64>().read_volatile() };
    if found != seal(handle) {
        return Err(HRRY_ERR_NO_HANDLE);
    }
    Ok(())
}

/// # Safety
///
/// As [`is_sealed`], and nothing else uses the handle as long as the slot is used.
pub(crate) unsafe fn open<'a>(handle: *const hrry_decoder) -> Checked<&'a Slot> {
    // SAFETY: as above
    unsafe { is_sealed(handle) }?;
    // SAFETY: aligned, and sealed by `hrry_decoder_init`, which put a slot there
    Ok(unsafe { &*handle.cast::<Slot>() })
}

/// # Safety
///
/// As [`open`].
unsafe fn open_mut<'a>(handle: *mut hrry_decoder) -> Checked<&'a mut Slot> {
    // SAFETY: as above
    unsafe { is_sealed(handle) }?;
    // SAFETY: aligned, and sealed by `hrry_decoder_init`, which put a slot there
    Ok(unsafe { &mut *handle.cast::<Slot>() })
}

impl Slot {
    fn note(&mut self, error: Error) -> hrry_status {
        self.error = Some(error);
        status::of(&error.kind())
    }

    /// Refuses memory that is written and overlaps what is read, or any that the decoder works in.
    fn foreign(&self, written: &[Region], read: &[Region]) -> Checked<()> {
        pointer::apart(written, read)?;
        // handle, frame and arena are apart since they were lent
        for own in &self.own {
            pointer::apart(&[*own], written)?;
            pointer::apart(&[*own], read)?;
        }
        Ok(())
    }
}

/// Bytes that `hrry_decoder_init` asks for.
#[unsafe(no_mangle)]
pub extern "C" fn hrry_decoder_size() -> usize {
    size_of::<Slot>()
}

/// The alignment that `hrry_decoder_init` asks for.
#[unsafe(no_mangle)]
pub extern "C" fn hrry_decoder_align() -> usize {
    align_of::<Slot>()
}

/// Makes `size` bytes at `handle` a decoder at the start of a stream.
///
/// `frame` holds one descriptor at a time, `arena` open partitions and overlays; a longer descriptor or more members than fit
/// is HRRY_ERR_CAPACITY. 256 bytes and 64 words are enough for nearly every descriptor of rank 8. `arena` may be null
/// with no words. Both belong to the decoder until it is closed, and are filled with zeros now. A null `policy` means
/// strict.
///
/// HRRY_ERR_BUFFER_TOO_SMALL where `size` is less than `hrry_decoder_size()`; HRRY_ERR_OVERLAP where the `size` bytes
/// of the handle, frame, arena and policy are not apart. Nothing is written then.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_decoder_init(
    handle: *mut hrry_decoder,
    size: usize,
    frame: *mut u8,
    frame_length: usize,
    arena: *mut u64,
    arena_words: usize,
    policy: *const hrry_policy,
) -> hrry_status {
    let slot = handle.cast::<Slot>();
    let ready = || {
        pointer::check(slot)?;
        pointer::check(frame)?;
        if arena_words > 0 {
            pointer::check(arena)?;
        }
        if size < size_of::<Slot>() {
            return Err(HRRY_ERR_BUFFER_TOO_SMALL);
        }
        let own = [
            Region::new(handle.cast::<u8>(), size)?,
            Region::new(frame, frame_length)?,
            Region::new(arena, arena_words)?,
        ];
        pointer::apart(&own, &[Region::of(policy)?])?;
        // SAFETY: the caller's promise
        let policy = unsafe { policy::read(policy) }?;
        // what C left uninitialised is no memory that slices can be made of
        // SAFETY: checked above, and the caller's promise
        unsafe { frame.write_bytes(0, frame_length) };
        if arena_words > 0 {
            // SAFETY: checked above, and the caller's promise
            unsafe { arena.write_bytes(0, arena_words) };
        }
        // SAFETY: the caller's promise, until the decoder is closed; the memory is apart
        let (frame, arena) = unsafe {
            (
                pointer::slice_mut(frame, frame_length)?,
                pointer::slice_mut(arena, arena_words)?,
            )
        };
        Ok(Slot {
            seal: seal(handle),
            decoder: StreamDecoder::with_parts(frame, Exact, SliceArena::new(arena), policy),
            error: None,
            own,
        })
    };
    match ready() {
        Ok(value) => {
            // SAFETY: neither null nor misaligned, and large enough, says the caller
            unsafe { slot.write(value) };
            HRRY_OK
        }
        Err(status) => status,
    }
}

/// Takes what it can of `*length` bytes at `*input`, moves both behind that, and says what it met. Call it until it says
/// HRRY_EVENT_NEED_MORE; then nothing is left of the input.
///
/// `*input` may be null with a length of 0. After a status that says that the bytes are wrong, the event is
/// HRRY_EVENT_NEED_MORE, `hrry_decoder_error` knows more, and every later call returns the same, until
/// `hrry_decoder_reset`. After any other status nothing has changed; HRRY_ERR_OVERLAP is that of an event, `input`,
/// `length`, the input or memory of the decoder that are not apart.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_decoder_next(
    handle: *mut hrry_decoder,
    input: *mut *const u8,
    length: *mut usize,
    event: *mut hrry_event,
) -> hrry_status {
    let next = || {
        // SAFETY: the caller's promise
        let slot = unsafe { open(handle) }?;
        pointer::check(event)?;
        // SAFETY: the caller's promise
        let (start, len) = unsafe { (pointer::read(input)?, pointer::read(length)?) };
        let written = [Region::of(event)?, Region::of(input)?, Region::of(length)?];
        slot.foreign(&written, &[Region::new(start, len)?])?;
        // SAFETY: the caller's promise; nothing else leads to the handle, as far as can be told
        let slot = unsafe { open_mut(handle) }?;
        // SAFETY: the caller's promise; nothing is written to these bytes before the event is out
        let mut rest: &[u8] = unsafe { pointer::slice(start, len) }?;
        let (met, result) = match slot.decoder.next_event(&mut rest) {
            Ok(event) => (hrry_event::from(event), Ok(())),
            Err(error) => (hrry_event::from(None), Err(error)),
        };
        let taken = len.saturating_sub(rest.len());
        // an offset of 0 is all that null can be moved by
        let rest = start.wrapping_add(taken);
        let left = len.saturating_sub(taken);
        let done = result.map_err(|error| slot.note(error));
        // SAFETY: checked above, and the caller's promise
        unsafe {
            pointer::write(event, met)?;
            pointer::write(input, rest)?;
            pointer::write(length, left)?;
        }
        done
    };
    answer(next())
}

/// Tells whether the input may end here: HRRY_ERR_TRUNCATED inside a descriptor or buffer, or where events were not taken,
/// HRRY_ERR_TORN inside a composite, or the error that stopped the decoder.
///
/// The first two do not stop it: `hrry_decoder_next` goes on with more input, and `hrry_decoder_error` tells them until
/// there is another error or a reset.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_decoder_finish(handle: *mut hrry_decoder) -> hrry_status {
    let finish = || {
        // SAFETY: the caller's promise
        let slot = unsafe { open_mut(handle) }?;
        slot.decoder.finish().map_err(|error| slot.note(error))
    };
    answer(finish())
}

/// Forgets everything but the policy and the position: the next byte starts a descriptor outside any composite.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_decoder_reset(handle: *mut hrry_decoder) -> hrry_status {
    // SAFETY: the caller's promise
    let slot = unsafe { open_mut(handle) };
    answer(slot.map(|slot| {
        slot.decoder.reset();
        slot.error = None;
    }))
}

/// Gives up the decoder: frame and arena are the caller's again, and the handle is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_decoder_close(handle: *mut hrry_decoder) -> hrry_status {
    // SAFETY: the caller's promise
    let sealed = unsafe { is_sealed(handle) };
    answer(sealed.map(|()| {
        // SAFETY: aligned, and the first word of a slot; the slot is not used any more
        unsafe { ptr::write_volatile(handle.cast::<u64>(), 0) };
    }))
}

/// Bytes that would reach the next decision; 0 when an event is ready, and after an error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_decoder_wanted(
    handle: *const hrry_decoder,
    out: *mut usize,
) -> hrry_status {
    // SAFETY: the caller's promise
    unsafe { tell(handle, out, |slot| slot.decoder.wanted()) }
}

/// Offset of the next byte in the stream.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_decoder_offset(
    handle: *const hrry_decoder,
    out: *mut u64,
) -> hrry_status {
    // SAFETY: the caller's promise
    unsafe { tell(handle, out, |slot| slot.decoder.offset()) }
}

/// How many composites are open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_decoder_depth(
    handle: *const hrry_decoder,
    out: *mut u32,
) -> hrry_status {
    // SAFETY: the caller's promise
    unsafe { tell(handle, out, |slot| slot.decoder.depth().into()) }
}

/// What is wrong, after a call of `hrry_decoder_next` or `hrry_decoder_finish` said so; HRRY_ERROR_NONE before that and
/// after a reset.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hrry_decoder_error(
    handle: *const hrry_decoder,
    out: *mut hrry_error,
) -> hrry_status {
    let error = |slot: &Slot| {
        slot.error
            .as_ref()
            .map_or(hrry_error::NONE, hrry_error::read)
    };
    // SAFETY: the caller's promise
    unsafe { tell(handle, out, error) }
}

/// # Safety
///
/// As [`open`], and memory for a value can be written where `out` is neither null nor misaligned.
unsafe fn tell<T: Copy>(
    handle: *const hrry_decoder,
    out: *mut T,
    value: impl FnOnce(&Slot) -> T,
) -> hrry_status {
    // SAFETY: as above
    let told = unsafe { answer_with(handle, out, |slot| Ok(value(slot))) };
    answer(told)
}

/// Writes what `value` says of a decoder.
///
/// # Safety
///
/// As [`tell`].
pub(crate) unsafe fn answer_with<T: Copy>(
    handle: *const hrry_decoder,
    out: *mut T,
    value: impl FnOnce(&Slot) -> Checked<T>,
) -> Checked<()> {
    pointer::check(out)?;
    // SAFETY: as above
    let slot = unsafe { open(handle) }?;
    slot.foreign(&[Region::of(out)?], &[])?;
    let value = value(slot)?;
    // SAFETY: checked above
    unsafe { pointer::write(out, value) }
}
