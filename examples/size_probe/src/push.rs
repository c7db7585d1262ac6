//! Bytes pushed in pieces: the bare parser, and decoders with either cover method.

use core::mem::MaybeUninit;

#[cfg(feature = "exact")]
use hrry::Exact;
#[cfg(feature = "parser")]
use hrry::FixedStream;
use hrry::Policy;
#[cfg(any(feature = "keyed", feature = "exact"))]
use hrry::{InlineArena, StreamDecoder};
#[cfg(feature = "keyed")]
use hrry::{Key, Keyed};

use crate::fold::Fold;

macro_rules! push {
    ($new:ident $push:ident $machine:ty, ($($key:ident)?) $value:expr) => {
        #[unsafe(no_mangle)]
        pub extern "C" fn $new(out: &mut MaybeUninit<$machine>, $($key: &[u64; 2])?) {
            out.write($value);
        }

        /// # Safety
        ///
        /// `data` points to `len` bytes.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $push(machine: &mut $machine, data: *const u8, len: usize) -> u64 {
            let mut fold = Fold(0);
            // SAFETY: as above
            let mut chunk = unsafe { crate::chunk(data, len) };
            loop {
                match machine.next_event(&mut chunk) {
                    Ok(Some(event)) => fold.event(event),
                    Ok(None) => break,
                    Err(error) => {
                        fold.error(&error);
                        break;
                    }
                }
            }
            if let Err(error) = machine.finish() {
                fold.error(&error);
            }
            fold.0
        }
    };
}

#[cfg(feature = "parser")]
push!(probe_parser_new probe_parser FixedStream<256>, () FixedStream::new(Policy::STRICT));

#[cfg(feature = "keyed")]
push!(probe_keyed_new probe_keyed StreamDecoder<[u8; 256], Keyed, InlineArena<64>>,
    (key) StreamDecoder::with_parts([0; 256], Keyed(Key(*key)), InlineArena::new(), Policy::STRICT));

#[cfg(feature = "exact")]
push!(probe_exact_new probe_exact StreamDecoder<[u8; 256], Exact, InlineArena<64>>,
    () StreamDecoder::with_parts([0; 256], Exact, InlineArena::new(), Policy::STRICT));
