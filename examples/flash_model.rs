//! A container in flash: named tensors read where they lie, without an allocation.
//!
//! `cargo run --example flash_model`
//!
//! The container is a constant of the program, as a linker puts it into flash; on a device it would be a
//! partition of its own. It holds a matrix of 4 x 64 as an overlay: 4-bit codes in blocks of 32 with their
//! scales, and a few values that are too large for them. All memory that reading it takes is on the stack.

use hrry::{Error, Exact, FileItems, FileView, InlineArena, Outcome, Policy, TensorView};

static MODEL: &[u8; 24_733] = include_bytes!("../tests/vectors/files/f-ok-overlay-spqr.hrry");

/// Where a part of the model starts in it, which only a part that was not copied does.
fn place(part: &[u8]) -> usize {
    part.as_ptr().addr() - MODEL.as_ptr().addr()
}

fn show(tensor: &TensorView<'_>) {
    let descriptor = tensor.descriptor();
    print!("  {:?}", descriptor.element_type());
    for size in descriptor.shape() {
        print!(" x {size}");
    }
    for (k, buffer) in tensor.buffers().enumerate() {
        print!(", buffer {k}: {} bytes at {}", buffer.len(), place(buffer));
    }
    println!();
}

fn main() -> Result<(), Error> {
    // two words for each tensor and one for each key; a device knows how many its model has
    let mut scratch = [0; 16];
    let (file, index) = FileView::open_with_scratch(MODEL, &Policy::STRICT, &mut scratch)?;
    println!(
        "{} tensors in {} bytes, data aligned to {}",
        file.tensor_count(),
        MODEL.len(),
        file.header().data_buffer_alignment
    );

    println!("by name:");
    for name in ["o.0", "o.1", "o.2"] {
        match index.find(name) {
            Some(entry) => show(&file.tensor(&entry, &Policy::STRICT)?),
            None => println!("  no {name}"),
        }
    }

    println!("as composites:");
    let mut items = FileItems::new(file, index, Exact, InlineArena::<64>::new(), Policy::STRICT);
    while let Some(item) = items.next_item()? {
        let name = item.tensor.entry().name;
        match item.begins {
            Outcome::Opened { members, .. } => println!("  {name} has {members} members:"),
            Outcome::Member { index, .. } => println!("    {index} is {name}"),
            _ => println!("  {name}"),
        }
        if let Outcome::Closed {
            complete: Ok(()), ..
        } = item.ends
        {
            println!("  and is whole");
        }
    }
    items.finish()?;

    // the index has a checksum; what it does not cover is checked when it is read
    let mut worn = *MODEL;
    let index_offset = file.trailer().index_offset as usize;
    worn[index_offset + 9] ^= 1;
    if let Err(error) = FileView::open(&worn, &Policy::STRICT) {
        println!("with one bit of the index flipped: {error}");
    }
    Ok(())
}
