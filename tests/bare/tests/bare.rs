//! The checks on the host, and under an allocator that ends the process.

use std::path::Path;
#[cfg(not(miri))]
use std::process::Command;

#[cfg(not(miri))]
use bare::files;
use bare::golden;
use bare::trace::Trace;

#[test]
fn everything_holds() {
    let mut passed = 0;
    bare::run(&mut |name, held| {
        assert!(held, "{name}");
        passed += 1;
    });
    assert!(passed >= 20, "only {passed} checks ran");
}

/// The numbers that every target must come to.
#[cfg(not(miri))]
#[test]
fn verdicts_on_changed_containers() {
    let mut room = files::Room::EMPTY;
    for sample in &files::SAMPLES {
        let tally = files::sweep(sample, &mut room);
        let told = format!("{}, {:#X}", tally.accepted, tally.digest);
        let expected = format!("{}, {:#X}", sample.accepted, sample.digest);
        assert_eq!(told, expected, "{}", sample.told);
    }
}

/// The one number that every target must come to.
#[cfg(not(miri))]
#[test]
fn digest_of_values() {
    let told = format!("{:#X}", bare::values::digest());
    assert_eq!(told, format!("{:#X}", bare::values::DIGEST));
}

/// Optimised builds try every value of every byte.
#[cfg(not(miri))]
#[test]
fn every_change_of_a_container() {
    let step = if cfg!(debug_assertions) { 17 } else { 1 };
    let mut passed = 0;
    files::run_every(step, &mut |name, held| {
        assert!(held, "{name}");
        passed += 1;
    });
    assert_eq!(passed, files::SAMPLES.len());
}

/// `HRRY_BLESS=1` writes the trace file from the list.
#[test]
fn trace_file() {
    let mut room = [0; golden::ROOM];
    let mut list = Trace::new(&mut room);
    golden::accepted(&mut list);
    golden::refused(&mut list);
    if std::env::var_os("HRRY_BLESS").is_some() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/golden.postcard");
        std::fs::write(path, list.bytes()).unwrap();
    } else {
        assert_eq!(list.bytes(), golden::TRACE);
    }
}

#[cfg(not(miri))]
#[test]
fn no_allocation() {
    let program = env!("CARGO_BIN_EXE_no_alloc");
    let run = Command::new(program).output().unwrap();
    assert!(run.status.success(), "{run:?}");
    let control = Command::new(program).arg("control").output().unwrap();
    assert!(
        control.status.code().is_none(),
        "the control was not stopped: {control:?}"
    );
}
