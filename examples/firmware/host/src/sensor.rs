//! Reads what the sensor sends, and checks every byte of it.

use std::io::Read;
use std::path::Path;

use hrry::{
    CompositionRule, DescriptorView, ElementType, Event, FixedDecoder, FixedWriter, Layout,
    Outcome, Policy, Quantization, Sink, SubBox, U64s, read_values,
};
use hrry_firmware_link::signal::{CHANNELS, SAMPLES, reading};

use crate::Result;
use crate::board::Board;

/// What to do with the bytes that are known to be right.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Capture {
    Compare,
    Write,
}

/// Groups that are looked at.
const GROUPS: u32 = 8;

pub fn run(machine: &str, image: &str, capture: Capture) -> Result<()> {
    let mut board = Board::start(machine, image)?;
    let mut node = Node::new();
    let mut bytes = Vec::new();
    while node.groups < GROUPS {
        let mut piece = [0; 256];
        let len = board.line.read(&mut piece)?;
        if len == 0 {
            return Err("the sensor hung up".into());
        }
        bytes.extend_from_slice(&piece[..node.read(&piece[..len])?]);
    }
    let again = node.again.finish().map_err(|error| format!("{error:?}"))?;
    require(again.0 == bytes, "what was read, written again")?;
    captured(&bytes, capture)?;
    eprintln!(
        "sensor on {machine}: {GROUPS} groups of {CHANNELS} channels, {} bytes",
        bytes.len()
    );
    Ok(())
}

/// Every board, and every run, sends the same: bytes that other readers have judged too.
fn captured(bytes: &[u8], capture: Capture) -> Result<()> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../captures/sensor.bin");
    if capture == Capture::Write {
        return Ok(std::fs::write(file, bytes)?);
    }
    require(std::fs::read(file)? == bytes, "captures/sensor.bin")
}

fn require(held: bool, what: &str) -> Result<()> {
    match held {
        true => Ok(()),
        false => Err(format!("differs: {what}").into()),
    }
}

struct Bytes(Vec<u8>);

impl Sink for Bytes {
    type Error = std::convert::Infallible;

    fn put(&mut self, bytes: &[u8]) -> Result<(), Self::Error> {
        self.0.extend_from_slice(bytes);
        Ok(())
    }
}

/// What is known of the node.
struct Node {
    decoder: FixedDecoder<256, 0>,
    again: FixedWriter<Bytes, 0>,
    /// Of the item that is being read.
    descriptor: Vec<u8>,
    codes: Vec<u8>,
    channel: u32,
    groups: u32,
}

impl Node {
    fn new() -> Self {
        Node {
            decoder: FixedDecoder::new(Policy::STRICT),
            again: FixedWriter::new(Bytes(Vec::new()), Policy::STRICT),
            descriptor: Vec::new(),
            codes: Vec::new(),
            channel: 0,
            groups: 0,
        }
    }

    /// Reads a piece, to the end of the last group at most; returns how much of it.
    fn read(&mut self, piece: &[u8]) -> Result<usize> {
        let mut rest = piece;
        while self.groups < GROUPS {
            let Some(event) = self.decoder.next_event(&mut rest)? else {
                break;
            };
            match event {
                Event::Descriptor(view, _) => {
                    self.descriptor = view.as_bytes().to_vec();
                    self.codes.clear();
                }
                Event::Payload(payload) => self.codes.extend_from_slice(payload.bytes),
                Event::TensorEnd(outcome) => self.item(outcome)?,
                _ => {}
            }
        }
        Ok(piece.len() - rest.len())
    }

    fn item(&mut self, outcome: Outcome) -> Result<()> {
        let (view, _) = DescriptorView::parse(&self.descriptor, &Policy::STRICT)?;
        let written = self.again.tensor(&view, &[&self.codes]);
        written.map_err(|error| format!("{error:?}"))?;
        match outcome {
            Outcome::Opened { members, .. } => {
                let Layout::Composite(head) = view.layout() else {
                    return Err("a head without a composite".into());
                };
                require(head.composition_rule == CompositionRule::Group, "the group")?;
                require(members == CHANNELS, "its members")?;
                self.channel = 0;
            }
            Outcome::Member { .. } | Outcome::Closed { .. } => {
                channel(
                    &view,
                    &self.codes,
                    self.channel,
                    self.groups * SAMPLES as u32,
                )?;
                self.channel += 1;
            }
            other => return Err(format!("not in a group: {other:?}").into()),
        }
        self.groups += u32::from(matches!(outcome, Outcome::Closed { .. }));
        Ok(())
    }
}

/// Compares a channel's numbers with what the sensor measured: they are half a step away at most.
fn channel(view: &DescriptorView<'_>, codes: &[u8], channel: u32, time: u32) -> Result<()> {
    require(view.element_type() == ElementType::Int8, "the element type")?;
    require(view.shape().iter().eq([SAMPLES as u64]), "the shape")?;
    let Some(Quantization::PerTensor { scale, .. }) = view.quantization() else {
        return Err("a channel without a scale".into());
    };
    let step = f32::from_bits(scale.0);
    let mut numbers = [0.0f32; SAMPLES];
    let whole = SubBox::whole(U64s::from(&[SAMPLES as u64]));
    read_values(view, &[codes], whole, &mut numbers)?;
    for (number, time) in numbers.iter().zip(time..) {
        let measured = reading(channel, time);
        // the division by the step was rounded too
        let near = (number - measured).abs() <= step * 0.500_1;
        require(
            near,
            &format!("channel {channel} at {time}: {number}, not {measured}"),
        )?;
    }
    Ok(())
}
