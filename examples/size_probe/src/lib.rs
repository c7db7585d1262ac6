//! Entry points that a linker keeps, one module for each way of using the codec.
//!
//! Everything goes in and out through pointers of the caller, so that no result can be worked out at
//! compile time and the image holds no static memory but the codec's own (there is none). What an entry
//! reads it folds into its result, so that no accessor is dropped.
#![no_std]

#[cfg(any(
    feature = "control_panic",
    feature = "control_format",
    feature = "control_float",
    feature = "control_alloc",
    feature = "control_import"
))]
mod control;
#[cfg(feature = "encoder")]
mod encoder;
#[cfg(any(
    feature = "file_view",
    feature = "file_scratch",
    feature = "file_parser"
))]
mod file;
#[cfg(feature = "file_writer")]
mod file_writer;
#[cfg(any(
    feature = "view",
    feature = "parser",
    feature = "keyed",
    feature = "exact",
    feature = "file_view",
    feature = "file_scratch",
    feature = "file_parser",
    feature = "content",
    feature = "locate",
    feature = "values",
    feature = "canvas",
    feature = "quantize",
    feature = "messages",
    feature = "session",
    feature = "links"
))]
mod fold;
#[cfg(feature = "links")]
mod links;
#[cfg(any(feature = "messages", feature = "session"))]
mod messages;
#[cfg(any(feature = "parser", feature = "keyed", feature = "exact"))]
mod push;
#[cfg(any(
    feature = "content",
    feature = "locate",
    feature = "values",
    feature = "canvas",
    feature = "quantize"
))]
mod values;
#[cfg(feature = "view")]
mod view;

/// A chunk that C code hands over.
///
/// # Safety
///
/// `data` points to `len` bytes that live as long as the slice is used.
#[cfg(any(
    feature = "view",
    feature = "parser",
    feature = "keyed",
    feature = "exact",
    feature = "file_view",
    feature = "file_scratch",
    feature = "file_parser",
    feature = "messages",
    feature = "session",
    feature = "resync",
    feature = "line_writer"
))]
unsafe fn chunk<'a>(data: *const u8, len: usize) -> &'a [u8] {
    // SAFETY: as above
    unsafe { core::slice::from_raw_parts(data, len) }
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}
