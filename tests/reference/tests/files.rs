//! Whole containers: each side reads what the other writes, and of damaged ones we accept nothing that the
//! reference refuses.

use std::sync::Mutex;

use hrry_reference_tests::choices::{Choices, check};
use hrry_reference_tests::files::container::{Container, NUMBERS, container};
use hrry_reference_tests::files::equal::{as_planned, as_read_there};
use hrry_reference_tests::files::everywhere::read_everywhere;
use hrry_reference_tests::files::flags::{FLAGS, HAS_KV_METADATA, without_checksum};
use hrry_reference_tests::files::here::{Here, we_write};
use hrry_reference_tests::files::kv::Value;
use hrry_reference_tests::files::seen::Seen;
use hrry_reference_tests::files::there::they_write;
use hrry_reference_tests::{cases, policy};

#[test]
fn every_reader_reads_what_the_reference_writes() {
    let seen = Mutex::new(Seen::default());
    check(cases(600), NUMBERS, |c| {
        let mut container = container(c);
        let mut seen = seen.lock().unwrap();
        // it has no way to write an empty array (AMB-96); see `empty_arrays` in tests/file_deviations.rs
        let keys = container.kv.len();
        container.kv.retain(|(_, value)| value.is_writable_there());
        seen.add("empty arrays left out", keys - container.kv.len());
        seen.note(&container);
        from_there(c, &container).map_err(|error| format!("{error}\n{container:?}"))
    });
    let seen = seen.into_inner().unwrap();
    seen.assert_complete();
    // all other keys were written and read
    let left_out = seen.count("empty arrays left out");
    assert!(
        left_out > 0 && left_out * 10 < seen.count("key"),
        "{seen:?}"
    );
}

fn from_there(c: &mut Choices<'_>, container: &Container) -> Result<(), String> {
    let file = they_write(container)?;
    let here = read_everywhere(c, &file)?;
    as_planned(container, &here, &descriptors(container)?, true)?;
    agree(&file, &here)?;
    let bare = without_checksum(&file);
    match read_everywhere(c, &bare)? == here {
        true => agree(&bare, &here),
        false => Err("no checksum, other contents".into()),
    }
}

#[test]
fn the_reference_reads_what_we_write() {
    let seen = Mutex::new(Seen::default());
    check(cases(600), NUMBERS, |c| {
        let container = container(c);
        let mut seen = seen.lock().unwrap();
        seen.note(&container);
        // what no file can keep, we do not write (FILE-45)
        if !container.is_at_rest() {
            let refused = format!("{:?}", we_write(&container, policy()));
            if !refused.contains("HandleAtRest") {
                return Err(format!("not at rest, but {refused}"));
            }
        }
        let container = container.writable_here();
        let same = to_there(c, &container).map_err(|error| format!("{error}\n{container:?}"))?;
        seen.add("same bytes", same.into());
        Ok(())
    });
    let seen = seen.into_inner().unwrap();
    seen.assert_complete();
    assert!(seen.count("same bytes") > 100, "{seen:?}");
}

/// Tells whether the reference writes the same bytes, which it must where neither has a choice: without
/// heads (AMB-91) and empty arrays (AMB-96).
fn to_there(c: &mut Choices<'_>, container: &Container) -> Result<bool, String> {
    let mut written = container.clone();
    // an index is written in the order of the file
    written.sorted &= container.ascends();
    let file = we_write(container, policy()).map_err(text)?;
    let here = read_everywhere(c, &file)?;
    as_planned(&written, &here, &descriptors(container)?, false)?;
    agree(&file, &here)?;
    let heads = container
        .parts()
        .iter()
        .any(|part| part.plan.buffers.is_empty());
    let mut values = container.kv.iter().map(|(_, value)| value);
    if heads || !values.all(Value::is_writable_there) {
        return Ok(false);
    }
    let mut theirs = they_write(&written)?;
    // only we announce a section of keys (AMB-92)
    if !container.kv.is_empty() {
        theirs[FLAGS] |= HAS_KV_METADATA;
    }
    match theirs == file {
        true => Ok(true),
        false => Err("the bytes differ".into()),
    }
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

fn agree(file: &[u8], here: &Here) -> Result<(), String> {
    as_read_there(file, here, &policy()).map_err(|error| format!("{error:?}"))
}

fn descriptors(container: &Container) -> Result<Vec<Vec<u8>>, String> {
    let one = |plan: &hrry_reference_tests::plan::Plan| {
        let descriptor = plan.reference()?;
        descriptor.encode()
    };
    let all = container.parts();
    let all: Result<_, _> = all.iter().map(|part| one(part.plan)).collect();
    all.map_err(|error| format!("they build: {error:?}"))
}
