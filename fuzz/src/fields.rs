//! Equality of descriptors, field by field.

use hrry::{ExtensionType, Fields};

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
    assert_eq!(a.quantization(), b.quantization());
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
