//! Equality of descriptors, field by field.

use hrry::{ElementType, ExtensionType, Fields, NO_BUFFER, Quantization, Scheme};

/// Panics where two descriptors say different things.
pub fn assert_same(a: &impl Fields, b: &impl Fields) {
    assert_eq!(a.element_type(), b.element_type());
    assert_eq!(a.shape(), b.shape());
    assert_eq!(a.byte_offset(), b.byte_offset());
    assert_eq!(a.layout(), b.layout());
    assert_eq!(a.buffer_count(), b.buffer_count());
    for k in 0..a.buffer_count() {
        assert_eq!(a.buffer(k), b.buffer(k));
    }
    assert_eq!(a.quantization().map(stated), b.quantization().map(stated));
    assert_eq!(a.shard(), b.shard());
    assert_eq!(a.statistics(), b.statistics());
    assert_eq!(
        a.extension_type().map(written),
        b.extension_type().map(written)
    );
    assert_eq!(a.member_role(), b.member_role());
}

/// A reader ignores `has_nan` and `has_inf` of integers, and a writer leaves them out.
fn written(mut extension: ExtensionType) -> ExtensionType {
    if extension.is_float == 0 {
        extension.has_nan = 0;
        extension.has_inf = 0;
    }
    extension
}

/// Of the parameters, schemes state what they have; the others have one value only.
fn stated(mut quantization: Quantization<'_>) -> Quantization<'_> {
    if let Quantization::Buffers(p) = &mut quantization {
        if matches!(p.scheme, Scheme::Nf4 | Scheme::Mxfp) {
            p.zero_point_buffer_index = NO_BUFFER;
            p.scale_type = ElementType::Float32;
        }
        if p.scheme == Scheme::PerChannelAffine {
            p.block_size = 0;
        }
    }
    quantization
}
