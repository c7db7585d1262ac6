//! Runs the checks under an allocator that ends the process while they run.
//!
//! `no_alloc` must succeed; `no_alloc control` allocates once and must not.

use std::alloc::{GlobalAlloc, Layout, System};
use std::process::{ExitCode, abort};
use std::sync::atomic::{AtomicBool, Ordering};

struct Watched;

static ARMED: AtomicBool = AtomicBool::new(false);

// SAFETY: everything goes on to the system's allocator
unsafe impl GlobalAlloc for Watched {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if ARMED.load(Ordering::SeqCst) {
            abort();
        }
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        if ARMED.load(Ordering::SeqCst) {
            abort();
        }
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static WATCHED: Watched = Watched;

fn main() -> ExitCode {
    let control = std::env::args().any(|argument| argument == "control");
    let mut failed = Vec::with_capacity(64);
    let mut passed = 0;
    ARMED.store(true, Ordering::SeqCst);
    bare::run(&mut |name, held| {
        if held {
            passed += 1;
        } else if failed.len() < failed.capacity() {
            failed.push(name);
        }
    });
    if control {
        std::hint::black_box(Box::new(passed));
    }
    ARMED.store(false, Ordering::SeqCst);
    for name in &failed {
        println!("failed: {name}");
    }
    println!("{passed} passed, {} failed", failed.len());
    ExitCode::from(u8::from(!failed.is_empty()))
}
