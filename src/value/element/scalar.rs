//! Which numbers go with which element types.

use super::cast::{
    Code, FromIntegers, double, join_64, join_128, parts_64, parts_128, single, single_odd,
};
use super::format::{Format, power};
use super::lanes::Packed;
use super::quad::{self, Rounding};
#[cfg(all(feature = "simd", target_arch = "x86_64"))]
use super::simd::Halves;
use super::source::{Place, Source};
use super::{ElementError, integer};
use crate::wire::tag::ElementType;

/// Numbers that elements are read into and written from.
///
/// * `f32` and `f64` take every real type, the nearest number where they have not the same.
/// * `i8` to `i64` and `u8` to `u64` take the integer types and bool whose every value they hold.
/// * `bool` takes bool.
/// * `[f32; 2]` and `[f64; 2]`, a real and an imaginary part, take the complex types.
///
/// Elements of the same types are written from them: floats from `f32` and `f64`; integers and bool
/// from integers in their range; bool from `bool`; complex numbers from parts.
///
/// ```
/// use hrry::{ElementType, Scalar, element};
///
/// fn total<T: Scalar + Into<f64>>(of: ElementType, bytes: &[u8]) -> f64 {
///     let mut numbers = [T::default(); 3];
///     element::decode(of, bytes, 0, &mut numbers).unwrap();
///     numbers.map(Into::into).iter().sum()
/// }
/// assert_eq!(total::<f32>(ElementType::UInt4, &[0xC5, 0x03]), 20.0);
/// ```
pub trait Scalar: Copy + Default + sealed::Sealed {}

mod sealed {
    use super::{ElementError, ElementType, Place, Source};

    pub trait Sealed: Sized {
        #[doc(hidden)]
        fn read(of: ElementType, from: Source<'_>, out: &mut [Self]) -> Result<(), ElementError>;
        #[doc(hidden)]
        fn write(of: ElementType, values: &[Self], to: Place<'_>) -> Result<(), ElementError>;
        /// The number itself, of a quantized tensor.
        #[doc(hidden)]
        fn number(_: f32) -> Option<Self> {
            None
        }
        /// The memory that numbers of a quantized tensor can go to at once.
        #[doc(hidden)]
        fn singles(_: &mut [Self]) -> Option<&mut [f32]> {
            None
        }
    }
}

use sealed::Sealed;

type Done = Result<(), ElementError>;

/// What cannot be read or written at all.
fn refused(of: ElementType, known: ElementError) -> ElementError {
    if of.is_assigned() {
        known
    } else {
        ElementError::NoNumbers(of)
    }
}

/// `f32` and `f64`.
trait Real: FromIntegers + Copy {
    fn from_single(x: f32) -> Self;
    fn from_double(x: f64) -> Self;
    fn from_quad(bits: u128) -> Self;
    fn to_single(self) -> f32;
    fn to_double(self) -> f64;
    /// For one rounding more.
    fn to_single_odd(self) -> f32;
    fn as_singles(_: &mut [Self]) -> Option<&mut [f32]> {
        None
    }

    #[inline(always)]
    fn from_small<C: Code>(format: Format, code: C) -> Self {
        Self::from_single(f32::from_bits(format.widen(code.widen())))
    }

    #[inline(always)]
    fn to_small<C: Code>(self, format: Format) -> C {
        C::low(format.narrow(self.to_single_odd().to_bits()))
    }
}

impl Real for f32 {
    #[inline(always)]
    fn from_single(x: f32) -> f32 {
        x
    }

    #[inline(always)]
    fn from_double(x: f64) -> f32 {
        single(x)
    }

    fn from_quad(bits: u128) -> f32 {
        single(quad::to_double(bits, Rounding::Odd))
    }

    #[inline(always)]
    fn to_single(self) -> f32 {
        self
    }

    #[inline(always)]
    fn to_double(self) -> f64 {
        double(self)
    }

    #[inline(always)]
    fn to_single_odd(self) -> f32 {
        self
    }

    fn as_singles(numbers: &mut [f32]) -> Option<&mut [f32]> {
        Some(numbers)
    }
}

impl Real for f64 {
    #[inline(always)]
    fn from_single(x: f32) -> f64 {
        double(x)
    }

    #[inline(always)]
    fn from_double(x: f64) -> f64 {
        x
    }

    fn from_quad(bits: u128) -> f64 {
        quad::to_double(bits, Rounding::Nearest)
    }

    #[inline(always)]
    fn to_single(self) -> f32 {
        single(self)
    }

    #[inline(always)]
    fn to_double(self) -> f64 {
        self
    }

    #[inline(always)]
    fn to_single_odd(self) -> f32 {
        single_odd(self)
    }
}

macro_rules! small_floats {
    ($each:ident) => {
        $each! {
            Float16 FLOAT16 u16,
            BFloat16 BFLOAT16 u16,
            Float8E4M3 E4M3 u8,
            Float8E5M2 E5M2 u8,
            Float4E2M1 E2M1 Packed<4>,
            Float6E2M3 E2M3 Packed<6>,
            Float6E3M2 E3M2 Packed<6>,
        }
    };
}

fn read_real<T: Real + integer::Holds>(of: ElementType, from: Source<'_>, out: &mut [T]) -> Done {
    #[cfg(all(feature = "simd", target_arch = "x86_64"))]
    if of == ElementType::Float16 {
        return from.read::<Halves, T>(out, T::from_single);
    }
    macro_rules! read {
        ($($name:ident $format:ident $lanes:ty,)*) => {
            match of {
                $(ElementType::$name => {
                    from.read::<$lanes, T>(out, |code| T::from_small(Format::$format, code))
                })*
                ElementType::Float32 => {
                    from.read::<u32, T>(out, |bits| T::from_single(f32::from_bits(bits)))
                }
                ElementType::Float64 => {
                    from.read::<u64, T>(out, |bits| T::from_double(f64::from_bits(bits)))
                }
                ElementType::Float128 => from.read::<u128, T>(out, T::from_quad),
                ElementType::Float8E8M0 => read_powers(from, out),
                _ => integer::read(of, from, out)
                    .unwrap_or(Err(refused(of, ElementError::Lossy { from: of }))),
            }
        };
    }
    small_floats!(read)
}

fn read_powers<T: Real>(from: Source<'_>, out: &mut [T]) -> Done {
    let count = out.len();
    let mut all = true;
    from.read::<u8, T>(out, |code| {
        all &= power::is_value(code);
        T::from_single(f32::from_bits(power::widen(code)))
    })?;
    if all {
        return Ok(());
    }
    let index = from
        .find::<u8>(count, |code| !power::is_value(code))
        .unwrap_or(0);
    Err(ElementError::NoSuchValue { index })
}

fn write_real<T: Real>(of: ElementType, values: &[T], to: Place<'_>) -> Done {
    let any = |_: T| true;
    #[cfg(all(feature = "simd", target_arch = "x86_64"))]
    if of == ElementType::Float16 {
        return to.write::<Halves, T>(values, any, T::to_single_odd);
    }
    macro_rules! write {
        ($($name:ident $format:ident $lanes:ty,)*) => {
            match of {
                $(ElementType::$name => to.write::<$lanes, T>(
                    values,
                    |x| Format::$format.has(x.to_single_odd()),
                    |x| x.to_small(Format::$format),
                ),)*
                ElementType::Float32 => to.write::<u32, T>(values, any, |x| x.to_single().to_bits()),
                ElementType::Float64 => to.write::<u64, T>(values, any, |x| x.to_double().to_bits()),
                ElementType::Float128 => {
                    to.write::<u128, T>(values, any, |x| quad::from_double(x.to_double()))
                }
                ElementType::Float8E8M0 => to.write::<u8, T>(
                    values,
                    |x| power::has(x.to_single_odd()),
                    |x| u8::low(power::narrow(x.to_single_odd().to_bits())),
                ),
                _ => Err(refused(of, ElementError::Mismatch(of))),
            }
        };
    }
    small_floats!(write)
}

macro_rules! real_scalars {
    ($($real:ident)*) => {
        $(
            impl integer::Holds for $real {
                #[inline(always)]
                fn holds(_: i128, _: i128) -> bool {
                    true
                }
            }

            impl Scalar for $real {}
            impl Sealed for $real {
                fn read(of: ElementType, from: Source<'_>, out: &mut [$real]) -> Done {
                    read_real(of, from, out)
                }

                fn write(of: ElementType, values: &[$real], to: Place<'_>) -> Done {
                    write_real(of, values, to)
                }

                fn number(x: f32) -> Option<$real> {
                    Some(<$real>::from_single(x))
                }

                fn singles(numbers: &mut [$real]) -> Option<&mut [f32]> {
                    <$real>::as_singles(numbers)
                }
            }

            impl Scalar for [$real; 2] {}
            impl Sealed for [$real; 2] {
                fn read(of: ElementType, from: Source<'_>, out: &mut [[$real; 2]]) -> Done {
                    read_complex(of, from, out)
                }

                fn write(of: ElementType, values: &[[$real; 2]], to: Place<'_>) -> Done {
                    write_complex(of, values, to)
                }
            }
        )*
    };
}

real_scalars! { f32 f64 }

/// The low and the high half of a pattern: the real and the imaginary part.
fn read_complex<T: Real>(of: ElementType, from: Source<'_>, out: &mut [[T; 2]]) -> Done {
    match of {
        ElementType::Complex64 => from.read::<u64, _>(out, |bits| {
            parts_64(bits).map(|bits| T::from_single(f32::from_bits(bits)))
        }),
        ElementType::Complex128 => from.read::<u128, _>(out, |bits| {
            parts_128(bits).map(|bits| T::from_double(f64::from_bits(bits)))
        }),
        _ => Err(refused(of, ElementError::Mismatch(of))),
    }
}

fn write_complex<T: Real>(of: ElementType, values: &[[T; 2]], to: Place<'_>) -> Done {
    match of {
        ElementType::Complex64 => to.write::<u64, _>(
            values,
            |_| true,
            |parts| join_64(parts.map(|x| x.to_single().to_bits())),
        ),
        ElementType::Complex128 => to.write::<u128, _>(
            values,
            |_| true,
            |parts| join_128(parts.map(|x| x.to_double().to_bits())),
        ),
        _ => Err(refused(of, ElementError::Mismatch(of))),
    }
}

macro_rules! integer_scalars {
    ($($integer:ident)*) => {
        $(
            impl Scalar for $integer {}
            impl Sealed for $integer {
                fn read(of: ElementType, from: Source<'_>, out: &mut [$integer]) -> Done {
                    integer::read(of, from, out)
                        .unwrap_or(Err(refused(of, ElementError::Lossy { from: of })))
                }

                fn write(of: ElementType, values: &[$integer], to: Place<'_>) -> Done {
                    integer::write(of, values, to)
                        .unwrap_or(Err(refused(of, ElementError::Mismatch(of))))
                }
            }
        )*
    };
}

integer_scalars! { i8 u8 i16 u16 i32 u32 i64 u64 }

impl Scalar for bool {}
impl Sealed for bool {
    fn read(of: ElementType, from: Source<'_>, out: &mut [bool]) -> Done {
        if of == ElementType::Bool {
            return from.read::<Packed<1>, bool>(out, |code| code == 1);
        }
        Err(refused(of, ElementError::Lossy { from: of }))
    }

    fn write(of: ElementType, values: &[bool], to: Place<'_>) -> Done {
        if of == ElementType::Bool {
            return to.write::<Packed<1>, bool>(values, |_| true, u8::from);
        }
        Err(refused(of, ElementError::Mismatch(of)))
    }
}
