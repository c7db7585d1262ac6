//! A model in flash, read where it lies.
//!
//! `cargo run --example inspect_flash`
//!
//! The stream is a constant, as a linker puts it into flash. `DescriptorView` borrows it: no copy, no
//! allocation, no alignment asked for. A decoder in a `static` then reads the same bytes as they would
//! arrive over a link. At last every bit of the descriptors is flipped once, as worn flash may do.

use std::sync::Mutex;

use hrry::profile::Sensor;
use hrry::{DescriptorView, Error, Event, Policy, Quantization};

/// Two tensors back to back: int8 weights of 2 x 3 with one scale, and two float32 biases.
#[rustfmt::skip]
static MODEL: [u8; 148] = [
    b'H', b'R', b'R', b'Y', 1, 0,   // magic, version_major, version_minor
    81, 0, 0, 0,                    // descriptor_length
    1, 0, 0, 0,                     // flags: a quantization section follows the buffer table
    0x10, 0x01,                     // type_tag int8, layout_tag row_major
    2, 0, 0, 0,                     // rank
    2, 0, 0, 0, 0, 0, 0, 0,         // shape[0]
    3, 0, 0, 0, 0, 0, 0, 0,         // shape[1]
    0, 0, 0, 0, 0, 0, 0, 0,         // byte_offset
    1,                              // buffer_count
    6, 0, 0, 0, 0, 0, 0, 0,         // byte_size
    64, 0, 0, 0,                    // alignment
    0, 0, 0, 0,                     // device_tag, sync_mode, memory_class, reserved
    16, 0, 0, 0,                    // quantization_length
    0x01, 1, 0, 0,                  // scheme_tag per_tensor_affine, scheme_version, scheme_flags
    0x00, 0x00, 0x80, 0x3D,         // scale 0.0625
    0, 0, 0, 0, 0, 0, 0, 0,         // zero_point, reserved
    16, 0xF0, 8, 0xF8, 32, 4,       // the weights

    b'H', b'R', b'R', b'Y', 1, 0, 53, 0, 0, 0, 0, 0, 0, 0, 0x03, 0x01, 1, 0, 0, 0,
    2, 0, 0, 0, 0, 0, 0, 0,         // shape[0]
    0, 0, 0, 0, 0, 0, 0, 0,         // byte_offset
    1, 8, 0, 0, 0, 0, 0, 0, 0, 64, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0x80, 0x3F, 0, 0, 0, 0xBF, // 1.0 and -0.5
];

/// On a device this would be a mutex that masks interrupts; `new` is const either way.
static DECODER: Mutex<Sensor> = Mutex::new(Sensor::new(Policy::STRICT));

/// The next tensor of a stream: its descriptor, its first buffer, and what follows.
///
/// Errors count from the start of `stream`. Views know nothing of composites; where there may be some,
/// a `CompositeValidator` belongs beside them.
fn tensor(stream: &[u8]) -> Result<(DescriptorView<'_>, &[u8], &[u8]), Error> {
    let (view, rest) = DescriptorView::parse(stream, &Policy::STRICT)?;
    let size = view.buffer(0).map_or(0, |handle| handle.byte_size);
    let (buffer, rest) = rest.split_at_checked(size as usize).unwrap_or((rest, &[]));
    Ok((view, buffer, rest))
}

/// Where a part of the model starts in it, which only a part that was not copied does.
fn place(part: &[u8]) -> usize {
    part.as_ptr().addr() - MODEL.as_ptr().addr()
}

fn in_place() -> Result<(), Error> {
    let (weights, codes, rest) = tensor(&MODEL)?;
    let (biases, numbers, _) = tensor(rest)?;
    let size = size_of_val(&weights);
    println!("read in place, with views of {size} bytes:");
    for (view, buffer) in [(weights, codes), (biases, numbers)] {
        print!("  {:?}", view.element_type());
        for size in view.shape() {
            print!(" x {size}");
        }
        let (descriptor, data) = (place(view.as_bytes()), place(buffer));
        println!(", descriptor at {descriptor}, data at {data}");
    }
    println!("the descriptor of the weights:");
    for (section, bytes) in weights.sections() {
        println!("  {:>2}..{:<2} {section:?}", bytes.start, bytes.end);
    }
    if let Some(Quantization::PerTensor { scale, .. }) = weights.quantization() {
        let step = f32::from_bits(scale.0);
        print!("their values:");
        for code in codes {
            print!(" {}", f32::from(code.cast_signed()) * step);
        }
        println!();
    }
    Ok(())
}

fn over_a_link() -> Result<(), Error> {
    let mut decoder = DECODER.lock().expect("nobody else holds it");
    let mut payload = 0;
    for mut chunk in MODEL.chunks(16) {
        while let Some(event) = decoder.next_event(&mut chunk)? {
            if let Event::Payload(p) = event {
                payload += p.bytes.len();
            }
        }
    }
    let size = size_of::<Sensor>();
    println!("read from a link, by a static decoder of {size} bytes: {payload} bytes of data");
    decoder.finish()
}

fn worn() {
    println!("some of the bits that may flip:");
    let (mut refused, mut flips) = (0, 0);
    for bit in (0..81 * 8).chain(87 * 8..140 * 8) {
        let mut model = MODEL;
        model[bit / 8] ^= 1 << (bit % 8);
        let read = tensor(&model).and_then(|(.., rest)| tensor(rest).map(|_| ()));
        if let Err(error) = read {
            refused += 1;
            if flips % 150 == 0 {
                println!("  {error}");
            }
        }
        flips += 1;
    }
    println!("{refused} of {flips} flips in descriptors are refused");
    println!("the others make another valid tensor: descriptors have no checksum");
}

fn main() -> Result<(), Error> {
    in_place()?;
    over_a_link()?;
    worn();
    Ok(())
}
