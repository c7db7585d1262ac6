//! Pumps and writers over `embedded-io` and `embedded-io-async`: the decoder's and the writer's own answers,
//! whatever the drivers do and wherever futures are dropped.
#![cfg(not(miri))]

mod support;

mod io_embedded {
    mod cancelled;
    mod drivers;
    mod items;
    mod reading;
    mod writing;

    use hrry::Policy;

    use crate::support::vectors::{permissive, streams};

    /// Streams of any verdict with their policies, in permissive mode too; long ones would only take time.
    fn inputs() -> Vec<(String, Vec<u8>, Policy)> {
        let short = streams().into_iter().filter(|v| v.bytes.len() < 10_000);
        let inputs = short.flat_map(|v| {
            let relaxed = permissive(&v.policy);
            let again = (v.id.clone(), v.bytes.clone(), relaxed);
            [(v.id, v.bytes, v.policy), again]
        });
        inputs.collect()
    }
}
