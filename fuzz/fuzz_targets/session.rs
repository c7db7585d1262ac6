#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| hrry_fuzz::session(data));

#[cfg(not(fuzzing))]
fn main() {}
