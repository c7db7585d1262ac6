//! Weights of a container that is mapped into memory: nothing is copied, and nothing is read before it is
//! looked at.
//!
//! `cargo run --example mmap_weights`

use hrry::Policy;
use hrry::io_std::{FileReader, IoError, MappedFile};
use hrry::owned::Tensor;

/// The bytes of a tensor and whether they start on a page.
fn show(name: &str, tensor: &Tensor) {
    for (k, buffer) in tensor.buffers().iter().enumerate() {
        let page = buffer.as_ptr().addr().is_multiple_of(4096);
        let place = if page { "on a page" } else { "inside a page" };
        println!("  {name}, buffer {k}: {} bytes, {place}", buffer.len());
    }
}

fn main() -> Result<(), IoError> {
    let path = "tests/vectors/files/f-ok-multi-buffer.hrry";
    // SAFETY: nothing writes to the files of this repository while this runs
    let map = unsafe { MappedFile::open(path)? };
    println!("{path}: {} bytes mapped", map.len());
    let mut file = FileReader::new(map.clone(), Policy::STRICT)?;
    let names: Vec<String> = file.names().map(str::to_owned).collect();
    let mut kept = Vec::new();
    for name in &names {
        let item = file.read(name)?;
        if let Some(tensor) = item.as_ref().and_then(|item| item.as_tensor()) {
            show(name, tensor);
            kept.push(tensor.clone());
        }
    }
    // tensors hold on to the map, whatever becomes of the reader and of this handle
    drop((file, map));
    let bytes: usize = kept
        .iter()
        .flat_map(|tensor| tensor.buffers())
        .map(|buffer| buffer.len())
        .sum();
    println!("{bytes} bytes of {} tensors are still there", kept.len());
    Ok(())
}
