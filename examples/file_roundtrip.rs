//! A container written, saved as a whole or not at all, and read back by name.
//!
//! `cargo run --example file_roundtrip`
//!
//! The file holds a small model: a matrix with one scale for each row, a vector of biases, and a few facts.
//! `save` writes beside the old file and takes its name at the very end, so that whoever opens it finds the
//! old model or the new one.

use hrry::io_std::{FileReader, FileWriter, IoError, save};
use hrry::owned::{Buffer, BufferHandle, ElementType, Item, Shape, Tensor, TensorDescriptor};
use hrry::{FileOptions, KvEntry, KvValue, Policy};

/// A tensor of bytes with one buffer.
fn tensor(element_type: ElementType, shape: &[u64], bytes: Vec<u8>) -> Result<Item, IoError> {
    let descriptor = TensorDescriptor::builder(element_type, Shape::new(shape.to_vec())?)
        .buffer(BufferHandle::cpu(bytes.len() as u64, 64))
        .build()?;
    Ok(Tensor::new(descriptor, vec![Buffer::from(bytes)])?.into())
}

fn main() -> Result<(), IoError> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("model.hrry");
    let weights = tensor(ElementType::Int8, &[2, 3], vec![16, 240, 8, 248, 32, 4])?;
    let biases = [1.0f32, -0.5].iter().flat_map(|bias| bias.to_le_bytes());
    let biases = tensor(ElementType::Float32, &[2], biases.collect())?;

    let mut options = FileOptions::PLAIN;
    options.has_kv_metadata = true; // what stands in the header is promised beforehand
    let facts = [
        KvEntry {
            key: "name",
            value: KvValue::String("two by three"),
        },
        KvEntry {
            key: "version",
            value: KvValue::Uint64(3),
        },
    ];
    save(&path, |sink| {
        let mut writer = FileWriter::new(sink, &options, Policy::STRICT)?;
        writer.item(&weights, |_| "weights")?;
        writer.item(&biases, |_| "biases")?;
        writer.finish_with_kv(facts)?;
        Ok::<(), IoError>(())
    })?;
    println!("saved {} bytes", std::fs::metadata(&path)?.len());

    let mut file = FileReader::open(&path, Policy::STRICT)?;
    for fact in file.kv() {
        println!("  {} = {:?}", fact.key, fact.value);
    }
    for entry in file.entries() {
        println!(
            "  {}: {} bytes at {}",
            entry.name, entry.data_length, entry.data_offset
        );
    }
    assert_eq!(file.read("weights")?, Some(weights));
    assert_eq!(file.read("biases")?, Some(biases.clone()));
    println!("both tensors read back equal");

    // the same name twice is refused, and the file stays as it was
    let refused = save(&path, |sink| {
        let mut writer = FileWriter::new(sink, &FileOptions::PLAIN, Policy::STRICT)?;
        writer.item(&biases, |_| "biases")?;
        writer.item(&biases, |_| "biases")?;
        writer.finish()?;
        Ok::<(), IoError>(())
    });
    match refused {
        Err(error) => println!("not saved: {error}"),
        Ok(()) => println!("saved"),
    }
    let names: Vec<String> = FileReader::open(&path, Policy::STRICT)?
        .names()
        .map(str::to_owned)
        .collect();
    println!("the file still has {}", names.join(" and "));
    Ok(())
}
