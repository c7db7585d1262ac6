//! What the gates must find: a panic, formatting, a floating-point operation, an allocator, an import.

#[cfg(feature = "control_panic")]
#[unsafe(no_mangle)]
pub extern "C" fn probe_control_panic(numbers: &[u64; 8], at: usize) -> u64 {
    numbers[at]
}

#[cfg(feature = "control_format")]
#[unsafe(no_mangle)]
pub extern "C" fn probe_control_format(number: u32, digits: &mut usize) {
    struct Count<'a>(&'a mut usize);
    impl core::fmt::Write for Count<'_> {
        fn write_str(&mut self, text: &str) -> core::fmt::Result {
            *self.0 = text.len();
            Ok(())
        }
    }
    // it cannot fail
    let _ = core::fmt::write(&mut Count(digits), format_args!("{number}"));
}

#[cfg(feature = "control_float")]
#[unsafe(no_mangle)]
pub extern "C" fn probe_control_float(a: &f64, b: &f64, sum: &mut f64) {
    *sum = *a + *b;
}

#[cfg(feature = "control_alloc")]
mod alloc_control {
    extern crate alloc;

    use core::alloc::{GlobalAlloc, Layout};

    struct None;

    // SAFETY: it never hands out memory
    unsafe impl GlobalAlloc for None {
        unsafe fn alloc(&self, _: Layout) -> *mut u8 {
            core::ptr::null_mut()
        }
        unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
    }

    #[global_allocator]
    static NONE: None = None;

    #[unsafe(no_mangle)]
    pub extern "C" fn probe_control_alloc(len: usize, first: &mut u64) {
        let mut numbers = alloc::vec::Vec::new();
        if numbers.try_reserve(len).is_ok() {
            numbers.push(len as u64);
            *first = numbers[0];
            core::mem::forget(numbers);
        }
    }
}

#[cfg(feature = "control_import")]
mod import_control {
    unsafe extern "C" {
        safe fn outside() -> u64;
    }

    #[unsafe(no_mangle)]
    pub extern "C" fn probe_control_import() -> u64 {
        outside()
    }
}
