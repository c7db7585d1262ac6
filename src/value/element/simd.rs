//! The loops over runs once more, with instructions that the processor turns out to have at run time.
//!
//! All of them are compiled for AVX2 as well, from the same source, and float16 has instructions of its
//! own. These round as IEEE 754 does, ties to even whatever the processor's modes are, and make a NaN
//! quiet that keeps its sign and the leading bits of its payload: results are the same bit for bit.

// code that needs instructions is not safe to call where they may be missing
#![allow(unsafe_code)]

use core::arch::x86_64::{
    __m128i, __m256, _MM_FROUND_TO_NEAREST_INT, _mm256_cvtph_ps, _mm256_cvtps_ph,
};
use std::arch::is_x86_feature_detected;

use bytemuck::cast;

use super::cast::Code;
use super::format::Format;
use super::lanes::{Lanes, offset};
use crate::wire::length;

/// Runs that are shorter gain less than it costs to ask.
const LEAST: usize = 16;

/// Says that the processor has the instructions.
#[derive(Clone, Copy)]
pub(super) struct Wide(());

impl Wide {
    /// For so many elements that stand one behind the other.
    #[inline]
    pub(super) fn for_run(count: usize) -> Option<Wide> {
        let there =
            count >= LEAST && is_x86_feature_detected!("avx2") && is_x86_feature_detected!("f16c");
        there.then_some(Wide(()))
    }

    /// [`Lanes::read`].
    #[inline]
    pub(super) fn read<L: Lanes, T>(
        self,
        bytes: &[u8],
        first: u64,
        out: &mut [T],
        convert: impl FnMut(L::Code) -> T,
    ) {
        // SAFETY: there is no `Wide` where the instructions are missing.
        unsafe { read::<L, T>(bytes, first, out, convert) }
    }

    /// [`Lanes::write`].
    #[inline]
    pub(super) fn write<L: Lanes, T: Copy>(
        self,
        bytes: &mut [u8],
        first: u64,
        values: &[T],
        convert: impl FnMut(T) -> L::Code,
    ) {
        // SAFETY: there is no `Wide` where the instructions are missing.
        unsafe { write::<L, T>(bytes, first, values, convert) }
    }

    /// Converts float16, eight at once.
    #[inline]
    fn widen<T>(self, codes: &[[u8; 16]], out: &mut [[T; 8]], convert: impl FnMut(f32) -> T) {
        // SAFETY: there is no `Wide` where the instructions are missing.
        unsafe { widen(codes, out, convert) }
    }

    /// The reverse.
    #[inline]
    fn narrow<T: Copy>(
        self,
        values: &[[T; 8]],
        codes: &mut [[u8; 16]],
        convert: impl FnMut(T) -> f32,
    ) {
        // SAFETY: there is no `Wide` where the instructions are missing.
        unsafe { narrow(values, codes, convert) }
    }
}

#[target_feature(enable = "avx2,f16c")]
fn read<L: Lanes, T>(bytes: &[u8], first: u64, out: &mut [T], convert: impl FnMut(L::Code) -> T) {
    L::read(bytes, first, out, convert);
}

#[target_feature(enable = "avx2,f16c")]
fn write<L: Lanes, T: Copy>(
    bytes: &mut [u8],
    first: u64,
    values: &[T],
    convert: impl FnMut(T) -> L::Code,
) {
    L::write(bytes, first, values, convert);
}

/// Elements of float16, with the same numbers as float32 for codes.
pub(super) struct Halves;

impl Lanes for Halves {
    type Code = f32;

    fn room(len: usize) -> u64 {
        u16::room(len)
    }

    #[inline]
    fn get(bytes: &[u8], position: u64) -> Option<f32> {
        u16::get(bytes, position).map(number)
    }

    #[inline]
    fn set(bytes: &mut [u8], position: u64, number: f32) -> Option<()> {
        u16::set(bytes, position, code(number))
    }

    #[inline]
    fn read<T>(bytes: &[u8], first: u64, out: &mut [T], mut convert: impl FnMut(f32) -> T) {
        let Some(wide) = Wide::for_run(out.len()) else {
            return u16::read(bytes, first, out, |code| convert(number(code)));
        };
        let (eights, tail) = out.as_chunks_mut();
        let behind = behind(first, eights.len());
        u16::read(bytes, behind, tail, |code| convert(number(code)));
        let bytes = offset(first, 2).and_then(|at| bytes.get(at..));
        wide.widen(bytes.unwrap_or(&[]).as_chunks().0, eights, convert);
    }

    #[inline]
    fn write<T: Copy>(
        bytes: &mut [u8],
        first: u64,
        values: &[T],
        mut convert: impl FnMut(T) -> f32,
    ) {
        let Some(wide) = Wide::for_run(values.len()) else {
            return u16::write(bytes, first, values, |value| code(convert(value)));
        };
        let (eights, tail) = values.as_chunks();
        let behind = behind(first, eights.len());
        u16::write(bytes, behind, tail, |value| code(convert(value)));
        let bytes = offset(first, 2).and_then(|at| bytes.get_mut(at..));
        wide.narrow(eights, bytes.unwrap_or(&mut []).as_chunks_mut().0, convert);
    }
}

/// One element, without instructions of its own.
#[inline(always)]
fn number(code: u16) -> f32 {
    f32::from_bits(Format::FLOAT16.widen(code.widen()))
}

#[inline(always)]
fn code(number: f32) -> u16 {
    u16::low(Format::FLOAT16.narrow(number.to_bits()))
}

/// The position behind so many eights.
fn behind(first: u64, eights: usize) -> u64 {
    first.wrapping_add(length(eights).wrapping_mul(8))
}

#[target_feature(enable = "avx2,f16c")]
fn widen<T>(codes: &[[u8; 16]], out: &mut [[T; 8]], mut convert: impl FnMut(f32) -> T) {
    for (out, codes) in out.iter_mut().zip(codes) {
        let numbers: [f32; 8] = cast(_mm256_cvtph_ps(cast::<_, __m128i>(*codes)));
        *out = numbers.map(&mut convert);
    }
}

#[target_feature(enable = "avx2,f16c")]
fn narrow<T: Copy>(values: &[[T; 8]], codes: &mut [[u8; 16]], mut convert: impl FnMut(T) -> f32) {
    for (codes, values) in codes.iter_mut().zip(values) {
        let numbers = cast::<[f32; 8], __m256>(values.map(&mut convert));
        *codes = cast(_mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(numbers));
    }
}
