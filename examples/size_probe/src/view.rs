//! One descriptor from a slice, every field read.

use hrry::{DescriptorView, Policy};

use crate::fold::Fold;

/// # Safety
///
/// `data` points to `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn probe_view(data: *const u8, len: usize) -> u64 {
    let mut fold = Fold(0);
    // SAFETY: as above
    match DescriptorView::parse(unsafe { crate::chunk(data, len) }, &Policy::STRICT) {
        Ok((view, rest)) => {
            fold.descriptor(&view);
            fold.number(rest.is_empty());
        }
        Err(error) => fold.error(&error),
    }
    fold.0
}
