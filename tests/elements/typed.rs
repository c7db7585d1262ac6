//! Slices without a copy.

use hrry::ElementType;
use hrry::element::{Typed, TypedError, typed};

#[repr(align(16))]
struct Aligned([u8; 33]);

#[cfg(target_endian = "little")]
#[test]
fn elements_where_they_lie() {
    let mut bytes = Aligned([0; 33]);
    bytes.0[..8].copy_from_slice(&[0x00, 0x00, 0x80, 0x3F, 0x00, 0x00, 0x00, 0xC0]);
    let eight = &bytes.0[..8];
    assert_eq!(
        typed::<f32>(ElementType::Float32, eight),
        Ok(&[1.0, -2.0][..])
    );
    assert_eq!(
        typed::<[f32; 2]>(ElementType::Complex64, eight),
        Ok(&[[1.0, -2.0]][..])
    );
    assert_eq!(
        typed::<u16>(ElementType::BFloat16, eight),
        Ok(&[0, 0x3F80, 0, 0xC000][..])
    );
    assert_eq!(
        typed::<i64>(ElementType::Int64, eight),
        Ok(&[-0x3FFF_FFFF_C080_0000][..])
    );
    assert_eq!(
        typed::<u8>(ElementType::Float8E4M3, &bytes.0).map(<[u8]>::len),
        Ok(33)
    );
    assert_eq!(
        typed::<u128>(ElementType::Float128, &bytes.0[..32]).map(<[u128]>::len),
        Ok(2)
    );
    assert_eq!(typed::<f64>(ElementType::Float64, &[]), Ok(&[][..]));
    assert_eq!(
        typed::<i32>(ElementType::Int32, &bytes.0[1..9]),
        Err(TypedError::Misaligned)
    );
    assert_eq!(
        typed::<i32>(ElementType::Int32, &bytes.0[..9]),
        Err(TypedError::PartElement)
    );
    assert_eq!(
        typed::<[f64; 2]>(ElementType::Complex128, eight),
        Err(TypedError::PartElement)
    );
}

#[cfg(target_endian = "big")]
#[test]
fn numbers_of_more_than_a_byte_are_not_there() {
    let bytes = Aligned([0; 33]);
    assert_eq!(
        typed::<f32>(ElementType::Float32, &bytes.0[..32]),
        Err(TypedError::ByteOrder)
    );
    assert_eq!(
        typed::<u8>(ElementType::UInt8, &bytes.0[..2]),
        Ok(&[0, 0][..])
    );
}

#[test]
fn other_types_are_refused() {
    fn refuses<T: Typed>(of: ElementType) {
        let refused = typed::<T>(of, &[0; 16]).map(<[T]>::len);
        assert_eq!(refused, Err(TypedError::Mismatch(of)));
    }
    refuses::<u32>(ElementType::Int32);
    refuses::<f32>(ElementType::UInt32);
    refuses::<u8>(ElementType::UInt4);
    refuses::<u8>(ElementType::Bool);
    refuses::<f64>(ElementType::Complex64);
    refuses::<u8>(ElementType(0xF0));
}
