//! Inputs that end the process that reads them with the reference, and that we refuse.

use std::any::Any;
use std::panic::catch_unwind;
use std::process::Command;

use hrry::crc32c;
use hrry_reference_tests::files::container::Container;
use hrry_reference_tests::files::here::view;
use hrry_reference_tests::files::there;
use hrry_reference_tests::policy;
use hrry_reference_tests::streams::{they_read, we_read};
use hrry_reference_tests::wire::{Wire, halves};

/// Told to the child process.
const CHILD: &str = "HRRY_REFERENCE_CHILD";

/// A group of 0xFFFFFFFE members, and nothing else: 45 bytes.
fn endless_group() -> Vec<u8> {
    let payload = [vec![3, 0, 0, 0], halves(&[0xFFFF_FFFE])].concat();
    Wire::new(0x03, 0x0B, &[4], payload, &[]).bytes()
}

#[test]
fn a_group_of_45_bytes_reserves_a_terabyte() {
    let stream = endless_group();
    assert_eq!(stream.len(), 45);
    let error = we_read(&stream, 45, policy()).unwrap_err();
    assert_eq!(error.rule().map(|rule| rule.id()), Some("COMP-48"));

    // so much address space is enough for everything but that reservation
    let shell = format!(
        "ulimit -v 4194304; exec '{}' --exact child --nocapture",
        std::env::current_exe().unwrap().display()
    );
    let output = Command::new("sh")
        .args(["-c", &shell])
        .env(CHILD, "1")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "{output:?}");
    assert!(said.contains("memory allocation of"), "{output:?}");
}

/// What the test above starts; nothing on its own.
#[test]
fn child() {
    if std::env::var_os(CHILD).is_some() {
        let _ = they_read(&endless_group());
    }
}

/// A file of 112 bytes.
#[test]
fn an_index_of_2_to_the_61_entries_panics() {
    let mut file = there::they_write(&Container::of(vec![])).unwrap();
    assert_eq!(file.len(), 64 + 8 + 40);
    file[64..72].copy_from_slice(&(1u64 << 61).to_le_bytes());
    let crc = crc32c(0, &file[64..72]).to_le_bytes();
    file[72 + 28..72 + 32].copy_from_slice(&crc);
    let error = view(&file, policy()).unwrap_err();
    assert_eq!(error.rule().map(|rule| rule.id()), Some("FILE-15"));
    let panic = catch_unwind(|| there::they_read(&file).is_ok()).unwrap_err();
    assert_eq!(words(&*panic).as_deref(), Some("capacity overflow"));
}

#[test]
fn a_buffer_of_2_to_the_63_bytes_panics() {
    let stream = Wire::new(0x11, 0x01, &[4], vec![], &[1 << 63]).bytes();
    let error = we_read(&stream, 53, policy()).unwrap_err();
    assert_eq!(error.rule().map(|rule| rule.id()), Some("STREAM-04"));
    let panic = catch_unwind(|| they_read(&stream).is_ok()).unwrap_err();
    assert_eq!(words(&*panic).as_deref(), Some("capacity overflow"));
}

/// What a panic said.
fn words(panic: &(dyn Any + Send)) -> Option<String> {
    let words = panic
        .downcast_ref::<&str>()
        .map(|words| (*words).to_owned());
    words.or_else(|| panic.downcast_ref::<String>().cloned())
}
