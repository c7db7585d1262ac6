//! What the emulated sensor sends (every run of it is compared with this capture), read by the reference.

use hrry::Policy;
use hrry_reference_tests::streams::{same_items, they_read, we_read};

const CAPTURE: &[u8] = include_bytes!("../../../examples/firmware/captures/sensor.bin");

#[test]
fn the_reference_reads_every_byte_of_the_sensor() {
    let theirs = they_read(CAPTURE).unwrap();
    let ours = we_read(CAPTURE, 100, Policy::STRICT).unwrap();
    same_items(&ours, &theirs, &Policy::STRICT).unwrap();
    // eight groups of three channels
    assert_eq!(theirs.len(), 8 * (1 + 3));
    let mut again = Vec::new();
    for (level, descriptor, buffers) in &theirs {
        let sizes: Vec<_> = buffers.iter().map(Vec::len).collect();
        assert_eq!(sizes, [64].repeat((*level).into()));
        again.extend(descriptor.encode().unwrap());
        again.extend(buffers.concat());
    }
    assert!(again == CAPTURE);
}
