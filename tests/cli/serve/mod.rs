//! A server of container files and its client, each as a program.

mod gets;
mod link;
mod losses;
mod puts;

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Stdio};

use hrry::io_std::FileReader;
use hrry::{Layout, Policy, ReadAt};
use tempfile::TempDir;

use crate::{Run, program, run};

/// A server that is ended with its test, and its folder.
pub struct Server {
    pub folder: TempDir,
    pub address: String,
    pub child: Child,
}

impl Server {
    /// Serves copies of these vectors.
    pub fn of(vectors: &[&str], options: &[&str]) -> Server {
        let folder = tempfile::tempdir().unwrap();
        for name in vectors {
            let name = format!("{name}.hrry");
            fs::copy(vector(&name), folder.path().join(&name)).unwrap();
        }
        Server::over(folder, options)
    }

    pub fn over(folder: TempDir, options: &[&str]) -> Server {
        let mut child = program()
            .arg("serve")
            .arg(folder.path())
            .args(["--listen", "127.0.0.1:0"])
            .args(options)
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        out.read_line(&mut line).unwrap();
        let address = line.strip_prefix("listening on ").unwrap().trim_end();
        Server {
            address: address.to_owned(),
            folder,
            child,
        }
    }

    /// What the client writes to standard output, and its status and complaints.
    pub fn get(&self, key: &str) -> (Vec<u8>, i32, String) {
        let output = program()
            .args(["get", &self.address, key, "-"])
            .output()
            .unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        (output.stdout, output.status.code().unwrap(), said)
    }

    pub fn put(&self, args: &[&str]) -> Run {
        run(&[&["put", &self.address], args].concat())
    }

    /// Names of all files in the folder, in order.
    pub fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path()).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = names.collect();
        names.sort();
        names
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn vector(name: &str) -> String {
    let root = env!("CARGO_MANIFEST_DIR");
    format!("{root}/tests/vectors/files/{name}")
}

/// The streams that a container's tensors and composites are: the bytes of descriptors and buffers, cut out of the
/// file where its index says.
fn streams(path: &Path) -> Vec<(String, Vec<u8>)> {
    let bytes = fs::read(path).unwrap();
    let mut file = FileReader::open(path, Policy::STRICT).unwrap();
    let names: Vec<String> = file.names().map(str::to_owned).collect();
    let (mut reader, index) = file.ranges();
    let mut parts = Vec::new();
    for entry in index.in_order() {
        let mut room = vec![0; entry.storage_len()];
        let tensor = reader.tensor(&entry, &mut room).unwrap();
        let start = entry.descriptor_offset as usize;
        let mut part = bytes[start..start + entry.descriptor_length as usize].to_vec();
        for k in 0..tensor.descriptor().buffer_count() {
            let place = tensor.place(k).unwrap();
            part.extend(&bytes[place.start as usize..place.end as usize]);
        }
        let members = match tensor.descriptor().layout() {
            Layout::Composite(head) => head.member_count,
            _ => 0,
        };
        parts.push((entry.name.to_owned(), members, part));
    }
    assert!(reader.source_mut().len().unwrap() as usize == bytes.len());
    let whole = |name: &String| {
        let first = parts.iter().position(|part| part.0 == *name).unwrap();
        let (mut left, mut stream) = (1, Vec::new());
        for (_, members, part) in &parts[first..] {
            if left == 0 {
                break;
            }
            left = left - 1 + members;
            stream.extend(part);
        }
        (name.clone(), stream)
    };
    names.iter().map(whole).collect()
}

/// Vectors whose tensors do not go over as the bytes that they are.
const CHANGED: [&str; 2] = [
    "f-ok-cuda-in-file.hrry",
    "f-ok-descriptor-minor-trailing.hrry",
];

#[test]
fn every_tensor_and_composite_of_the_vectors_comes_as_its_file_has_it() {
    let mut count = 0;
    for entry in fs::read_dir(vector("")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let Some(stem) = name.strip_suffix(".hrry") else {
            continue;
        };
        if !name.starts_with("f-ok-") || CHANGED.contains(&&*name) {
            continue;
        }
        let server = Server::of(&[stem], &[]);
        for (key, wanted) in streams(Path::new(&vector(&name))) {
            let (stream, status, said) = server.get(&key);
            assert_eq!((status, &*said), (0, ""), "{name} {key}");
            assert_eq!(stream, wanted, "{name} {key}");
            count += 1;
        }
    }
    assert!(count >= 80, "{count}");
}

/// Memory of a CUDA device in a file is no such memory any more; what a later version adds to a descriptor is
/// not kept.
#[test]
fn what_is_not_sent_as_it_is() {
    let server = Server::of(
        &["f-ok-cuda-in-file", "f-ok-descriptor-minor-trailing"],
        &[],
    );
    for name in CHANGED {
        let file = vector(name);
        for (key, stored) in streams(Path::new(&file)) {
            let (stream, status, said) = server.get(&key);
            assert_eq!((status, &*said), (0, ""), "{name} {key}");
            let mut reader = hrry::io_std::StreamReader::new(&stream[..], Policy::STRICT);
            let got = reader.next_item().unwrap().unwrap();
            let kept = FileReader::open(&file, Policy::STRICT)
                .unwrap()
                .read(&key)
                .unwrap()
                .unwrap();
            let (got, kept) = (got.as_tensor().unwrap(), kept.as_tensor().unwrap());
            assert_eq!(got.buffers(), kept.buffers());
            let [d, of] = [got, kept].map(|tensor| tensor.descriptor().view());
            assert!(d.shape().iter().eq(of.shape().iter()));
            assert_eq!(d.buffer(0).unwrap().device_tag, hrry::DeviceTag::Cpu);
            assert!(stream.len() <= stored.len());
        }
    }
}

#[test]
fn a_name_in_two_files_is_that_of_the_first() {
    let folder = tempfile::tempdir().unwrap();
    for (name, vector_name) in [
        ("b.hrry", "f-ok-one.hrry"),
        ("a.hrry", "f-ok-partition.hrry"),
    ] {
        fs::copy(vector(vector_name), folder.path().join(name)).unwrap();
    }
    for hidden in [".c.hrry", "d.txt"] {
        fs::copy(vector("f-ok-kv-all.hrry"), folder.path().join(hidden)).unwrap();
    }
    fs::write(folder.path().join("broken.hrry"), "HRRYFILE").unwrap();
    let mut child = program()
        .arg("serve")
        .arg(folder.path())
        .args(["--listen", "127.0.0.1:0"])
        .spawn()
        .unwrap();
    let mut line = String::new();
    let out = child.stdout.as_mut().unwrap();
    BufReader::new(out).read_line(&mut line).unwrap();
    let address = line.trim_end().strip_prefix("listening on ").unwrap();
    let got = program()
        .args(["get", address, "weight", "-"])
        .output()
        .unwrap();
    let wanted = streams(&folder.path().join("a.hrry"));
    let (_, wanted) = wanted.iter().find(|(name, _)| name == "weight").unwrap();
    assert!(got.stdout == *wanted);
    // neither hidden files nor others
    assert_eq!(run(&["get", address, "a", "-"]).status, 1);
    child.kill().unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let lines: Vec<_> = said.lines().collect();
    let second = format!(
        "hrry: {}: weight is served from {}",
        at("b.hrry"),
        at("a.hrry")
    );
    assert_eq!((lines.len(), lines[0]), (2, &*second), "{said}");
    assert!(lines[1].starts_with(&format!("hrry: {}: left out: FILE-", at("broken.hrry"))));
}

#[test]
fn a_stream_is_written_as_a_whole_and_can_be_looked_at() {
    let server = Server::of(&["f-ok-partition"], &[]);
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.bin");
    let out = out.to_str().unwrap();
    let get = run(&["get", &server.address, "weight", out]);
    assert_eq!((get.status, &*get.err), (0, ""));
    let shown = run(&["inspect", out]).out;
    assert!(
        shown.starts_with("         0  #0 partition of 2 members: float32"),
        "{shown}"
    );
    let got = fs::read(out).unwrap();

    let unknown = run(&["get", &server.address, "weights", out]);
    let said = format!(
        "hrry: {}: UNKNOWN_TENSOR: no tensor has that name\n",
        server.address
    );
    assert_eq!((unknown.status, &*unknown.err), (1, &*said));
    assert_eq!(fs::read(out).unwrap(), got, "the old file stays");
    assert_eq!(
        run(&["get", "--layout", "sparse", "127.0.0.1:1", "a", out]).status,
        2
    );
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}
