//! A container in place: the host puts the file, words and names behind `__heap_base`, and gets addresses.
#![no_std]
#![allow(clippy::missing_safety_doc)] // no Rust calls these functions

use core::slice::{from_raw_parts, from_raw_parts_mut};

use hrry::{FileIndex, FileView, Policy};

static mut OPENED: Option<(FileView<'static>, FileIndex<'static, 'static>)> = None;

/// Returns 0, the number of the broken rule, or -1 for too few words.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn open(file: *const u8, len: usize, words: *mut u64, count: usize) -> i32 {
    // SAFETY: the host leaves both alone until it opens another file
    let (file, words) = unsafe { (from_raw_parts(file, len), from_raw_parts_mut(words, count)) };
    let opened = FileView::open_with_scratch(file, &Policy::STRICT, words);
    let rule = opened.as_ref().err().map(|error| error.rule());
    // SAFETY: the module has one thread
    unsafe { OPENED = opened.ok() };
    rule.map_or(0, |rule| rule.map_or(-1, |rule| rule.number().into()))
}

/// Address of a buffer of a tensor, and its length in the upper half; 0 where there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn find(name: *const u8, len: usize, buffer: usize) -> u64 {
    // SAFETY: the host leaves the name alone meanwhile; the module has one thread
    let (opened, name) = unsafe { (OPENED, from_raw_parts(name, len)) };
    let bytes = opened.and_then(|(file, index)| {
        let entry = index.find(core::str::from_utf8(name).ok()?)?;
        file.tensor(&entry, &Policy::STRICT).ok()?.buffer(buffer)
    });
    bytes.map_or(0, |bytes| {
        (bytes.len() as u64) << 32 | bytes.as_ptr().addr() as u64
    })
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}
