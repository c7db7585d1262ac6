//! The server as a program, and what the system says of it.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Stdio};
use std::thread;
use std::time::Duration;

use tempfile::TempDir;

use crate::program::program;

/// Most bytes of a tensor that the server takes.
pub const MOST: usize = 6 << 20;

pub struct Server {
    child: Child,
    folder: TempDir,
    pub address: String,
    /// Names of tensors and composites that are there from the start, and the streams that they are.
    pub vectors: Vec<(&'static str, Vec<u8>)>,
}

impl Server {
    pub fn start() -> Server {
        let folder = tempfile::tempdir().unwrap();
        let vectors = ["partition", "nested-depth-8", "csf", "kv-all"];
        let vectors = vectors.map(|vector| {
            let path = format!("tests/vectors/files/f-ok-{vector}.hrry");
            let copy = folder.path().join(format!("{vector}.hrry"));
            let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(&path);
            fs::copy(source, copy).unwrap();
            // all of the file is one item
            let unpacked = program().args(["unpack", &path]).output().unwrap();
            let name = match vector {
                "partition" => "weight",
                "nested-depth-8" => "c",
                "csf" => "csf",
                _ => "a",
            };
            (name, unpacked.stdout)
        });
        let mut child = program()
            .arg("serve")
            .arg(folder.path())
            .args(["--listen", "127.0.0.1:0", "--timeout", "10"])
            .args(["--connections", "64", "--max-tensor", &MOST.to_string()])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        out.read_line(&mut line).unwrap();
        let address = line.trim_end().strip_prefix("listening on ").unwrap();
        Server {
            address: address.to_owned(),
            child,
            folder,
            vectors: vectors.into(),
        }
    }

    /// Resident memory in KiB.
    pub fn memory(&self) -> u64 {
        status(&self.child.id().to_string(), "VmRSS:")
    }

    /// Waits until every connection is over, and requires that nothing half-done is left: no thread, no socket, no
    /// file but whole ones.
    pub fn settle(&self) {
        let id = self.child.id().to_string();
        // the listener's
        while status(&id, "Threads:") > 1 {
            thread::sleep(Duration::from_millis(20));
        }
        let open = fs::read_dir(format!("/proc/{id}/fd")).unwrap().count();
        assert!(open <= 6, "{open} files are open");
        let entries = fs::read_dir(self.folder.path()).unwrap();
        let files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
        assert!(files.iter().all(|file| file.extension().unwrap() == "hrry"));
        let checked = program().arg("check").args(&files).output().unwrap();
        let said = String::from_utf8_lossy(&checked.stdout);
        assert!(checked.status.success(), "{said}");
        println!("{} files at the end", files.len());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn own_memory() -> u64 {
    status("self", "VmRSS:")
}

/// A number that the system tells of a process.
fn status(process: &str, what: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(what));
    let number = line.unwrap().split_whitespace().next();
    number.unwrap().parse().unwrap()
}
