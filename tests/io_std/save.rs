//! Atomic saves: the old file or the new one, whatever happens.

use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use hrry::Sink;
use hrry::io_std::{IoError, Saving, save};

use super::feed::{assert_broken, broken};
use crate::support::scale::Rng;

fn write(path: &Path, bytes: &[u8]) {
    save(path, |sink| sink.put(bytes)).unwrap();
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let name = |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name().into_string().unwrap();
    entries.map(name).collect()
}

#[test]
fn files_are_made_and_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.hrry");
    write(&path, b"old");
    assert_eq!(fs::read(&path).unwrap(), b"old");
    write(&path, &[7; 200_000]);
    assert_eq!(fs::read(&path).unwrap(), [7; 200_000]);
    assert_eq!(names(folder.path()), ["a.hrry"]);
}

#[test]
fn errors_leave_the_old_file_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.hrry");
    write(&path, b"old");
    let result = save(&path, |sink| {
        sink.put(&[1; 100_000])?;
        Err::<(), IoError>(broken(3).into())
    });
    let Err(IoError::Io(error)) = result else {
        panic!("saved");
    };
    assert_broken(&error, 3);
    assert_eq!(fs::read(&path).unwrap(), b"old");
    assert_eq!(names(folder.path()), ["a.hrry"]);
    let nowhere = folder.path().join("missing").join("a.hrry");
    let error = save(nowhere, |_| Ok::<(), io::Error>(())).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::NotFound);
}

#[test]
fn a_file_that_is_saved_piece_by_piece() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.hrry");
    write(&path, b"old");
    let mut given_up = Saving::new(&path).unwrap();
    given_up.write_all(b"half").unwrap();
    assert_eq!(names(folder.path()).len(), 2);
    drop(given_up);
    assert_eq!(names(folder.path()), ["a.hrry"]);
    assert_eq!(fs::read(&path).unwrap(), b"old");

    let mut saving = Saving::new(&path).unwrap();
    for piece in [&b"n"[..], b"", b"ew"] {
        saving.write_all(piece).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"old");
    }
    saving.flush().unwrap();
    saving.commit().unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"new");
    assert_eq!(names(folder.path()), ["a.hrry"]);
    let error = Saving::new(folder.path()).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
}

#[cfg(unix)]
#[test]
fn permissions_and_links_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = tempfile::tempdir().unwrap();
    let (path, link) = (folder.path().join("a.hrry"), folder.path().join("link"));
    write(&path, b"old");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    symlink("a.hrry", &link).unwrap();
    write(&link, b"new");
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::read(&path).unwrap(), b"new");
    assert_eq!(
        fs::metadata(&path).unwrap().permissions().mode() & 0o777,
        0o640
    );
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_refused() {
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    symlink("nowhere", at("link")).unwrap();
    let _socket = UnixListener::bind(at("socket")).unwrap();
    fs::create_dir(at("folder")).unwrap();
    for (name, kind) in [
        ("link", io::ErrorKind::NotFound),
        ("socket", io::ErrorKind::InvalidInput),
        ("folder", io::ErrorKind::InvalidInput),
    ] {
        let error = save(at(name), |_| Ok::<(), io::Error>(())).unwrap_err();
        assert_eq!(error.kind(), kind, "{name}");
    }
    let mut there = names(folder.path());
    there.sort();
    assert_eq!(there, ["folder", "link", "socket"]);
    assert!(!at("nowhere").exists());
}

/// The longest that a name can be on the usual file systems.
#[test]
fn long_names_are_names() {
    let folder = tempfile::tempdir().unwrap();
    let name = "n".repeat(255);
    write(&folder.path().join(&name), b"new");
    assert_eq!(names(folder.path()), [name]);
}

/// Where the process that the last test starts saves what it reads.
const TARGET: &str = "HRRY_TEST_SAVE";

/// Does nothing but in that process.
#[test]
fn the_process_that_is_killed() {
    let Some(path) = std::env::var_os(TARGET) else {
        return;
    };
    save(path, |sink| {
        let mut input = io::stdin().lock();
        let mut bytes = [0; 100];
        let mut saved = 0;
        loop {
            let len = input.read(&mut bytes)?;
            if len == 0 {
                return Ok::<(), io::Error>(());
            }
            sink.put(&bytes[..len])?;
            saved += len;
            println!("saved {saved}");
        }
    })
    .unwrap();
}

/// A process that saves what it is sent, once it has taken `bytes`.
fn saving(path: &Path, bytes: &[u8]) -> Child {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "--nocapture",
            "io_std::save::the_process_that_is_killed",
        ])
        .env(TARGET, path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let input = child.stdin.as_mut().unwrap();
    input.write_all(bytes).unwrap();
    if !bytes.is_empty() {
        let taken = format!("saved {}", bytes.len());
        let mut lines = BufReader::new(child.stdout.as_mut().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap().ends_with(&taken)));
    }
    child
}

#[test]
fn a_killed_writer_leaves_the_old_file_or_the_new_one() {
    if std::env::var_os("HRRY_TEST_RUNNER").is_some() {
        // the emulator would be killed, not what runs in it
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.hrry");
    let (old, new) = (vec![1; 5000], vec![2; 100_000]);
    write(&path, &old);
    let mut rng = Rng(11);
    for _ in 0..100 {
        // it waits for what is missing
        let mut child = saving(&path, &new[..rng.below(new.len())]);
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(fs::read(&path).unwrap() == old);
    }
    // what comes behind the last byte, as far as each of them gets
    for wait in 0..20 {
        let mut child = saving(&path, &new);
        drop(child.stdin.take());
        std::thread::sleep(Duration::from_micros(wait * 200));
        child.kill().unwrap();
        child.wait().unwrap();
        let left = fs::read(&path).unwrap();
        assert!(left == old || left == new);
    }
    let mut child = saving(&path, &new);
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());
    assert!(fs::read(&path).unwrap() == new);
}
