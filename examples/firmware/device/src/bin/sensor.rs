//! A sensor node: samples three channels, stores their readings in eight bits each, and streams groups of
//! three tensors over its UART.
//!
//! `examples/firmware/run.sh sensor` runs it on an emulated board and reads what it sends.
#![no_std]
#![no_main]

use core::convert::Infallible;

use cortex_m_rt::entry;
use hrry::io_embedded::OutputError;
use hrry::io_embedded::blocking_07::Output;
use hrry::{
    BufferHandle, CombineOp, CompositeHead, CompositionRule, ElementType, ExtensionType, F32Bits,
    Fields, FixedWriter, Layout, MemberRole, Policy, Quantization, Shard, Statistics, U64s,
    WriteError, choose_per_tensor, element,
};
use hrry_firmware::board::halt;
use hrry_firmware::board::uart::{self, Transmitter};
#[cfg(feature = "measure")]
use hrry_firmware::board::{semihosting, stack};
use hrry_firmware_link::signal::{CHANNELS, SAMPLES, reading};

/// Groups take no words of a validator.
type Node = FixedWriter<Output<Transmitter>, 0>;

#[entry]
fn main() -> ! {
    let mut node = Node::new(Output(uart::enable().0), Policy::STRICT);
    let mut time = 0;
    while send(&mut node, time).is_ok() {
        time += SAMPLES as u32;
        #[cfg(feature = "measure")]
        if time == 8 * SAMPLES as u32 {
            stack::print_deeper(&mut 0);
            semihosting::exit(true);
        }
    }
    halt()
}

/// Sends a group: its head, and a tensor for each channel.
fn send(node: &mut Node, time: u32) -> Result<(), WriteError<OutputError<Infallible>>> {
    node.tensor(&Item::Head, &[])?;
    for channel in 0..CHANNELS {
        let mut values = [0.0; SAMPLES];
        for (value, time) in values.iter_mut().zip(time..) {
            *value = reading(channel, time);
        }
        let mut codes = [0; SAMPLES];
        let (scale, zero_point) = quantize(&values, &mut codes).unwrap_or_else(|| halt());
        let item = Item::Channel(F32Bits::from(scale), zero_point);
        node.tensor(&item, &[&codes])?;
    }
    #[cfg(feature = "log")]
    defmt::info!("sent the group of time {=u32}", time);
    Ok(())
}

/// Writes the nearest codes of the scale and zero point that the crate chooses. `hrry::quantize` does so
/// for tensors of every layout and scheme, and takes more flash than this whole node.
fn quantize(values: &[f32; SAMPLES], codes: &mut [u8; SAMPLES]) -> Option<(f32, i32)> {
    let scheme = choose_per_tensor(ElementType::Int8, values).ok()?;
    let Quantization::PerTensor {
        scale, zero_point, ..
    } = scheme
    else {
        return None;
    };
    let scale = f32::from_bits(scale.0);
    let mut nearest = [0i32; SAMPLES];
    for (code, value) in nearest.iter_mut().zip(values) {
        let steps = value / scale;
        // a conversion cuts the fraction off
        *code = (steps + 0.5_f32.copysign(steps)) as i32 + zero_point;
    }
    element::encode(ElementType::Int8, &nearest, 0, codes).ok()?;
    Some((scale, zero_point))
}

/// What the node sends. It is not a `DescriptorSpec`, which can be any tensor: here the compiler sees what is
/// never sent, and leaves out the checks of it.
enum Item {
    /// Of the channels.
    Head,
    /// The readings of a channel, and what their codes mean.
    Channel(F32Bits, i32),
}

const SHAPE: [u64; 1] = [SAMPLES as u64];

impl Fields for Item {
    fn element_type(&self) -> ElementType {
        ElementType::Int8
    }

    fn shape(&self) -> U64s<'_> {
        U64s::from(&SHAPE)
    }

    fn byte_offset(&self) -> u64 {
        0
    }

    fn layout(&self) -> Layout<'_> {
        match self {
            Item::Head => Layout::Composite(CompositeHead {
                composition_rule: CompositionRule::Group,
                combine_op: CombineOp::None,
                member_count: CHANNELS,
            }),
            Item::Channel(..) => Layout::RowMajor,
        }
    }

    fn buffer_count(&self) -> usize {
        match self {
            Item::Head => 0,
            Item::Channel(..) => 1,
        }
    }

    fn buffer(&self, index: usize) -> Option<BufferHandle> {
        let there = index < self.buffer_count();
        there.then(|| BufferHandle::cpu(SAMPLES as u64, 64))
    }

    fn quantization(&self) -> Option<Quantization<'_>> {
        match self {
            Item::Head => None,
            Item::Channel(scale, zero_point) => Some(Quantization::per_tensor(*scale, *zero_point)),
        }
    }

    fn shard(&self) -> Option<Shard<'_>> {
        None
    }

    fn statistics(&self) -> Option<Statistics> {
        None
    }

    fn extension_type(&self) -> Option<ExtensionType> {
        None
    }

    fn member_role(&self) -> Option<MemberRole> {
        None
    }
}
