//! Prints of each stream that is named in `vectors.list` what `tests/check.c` prints, told by the codec itself.

use std::fs;

use hrry::{
    DescriptorView, ErrorKind, Event, FixedDecoder, Layout, Outcome, Policy, Quantization, Report,
};

struct Digest(u64);

impl Digest {
    fn number(&mut self, value: impl Into<u64>) {
        for byte in value.into().to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3);
        }
    }

    fn text(&mut self, text: &str) {
        text.bytes().for_each(|byte| self.number(byte));
    }

    fn place(&mut self, outcome: Outcome) {
        // kind, depth, members, index, levels, broken rule
        let numbers = match outcome {
            Outcome::Plain => [0; 6],
            Outcome::Opened {
                depth,
                members,
                index,
            } => [1, depth.into(), members, index.unwrap_or(u32::MAX), 0, 0],
            Outcome::Member { depth, index } => [2, depth.into(), 0, index, 0, 0],
            Outcome::Closed {
                levels, complete, ..
            } => {
                let broken = complete.err().map_or(0, |rule| rule.number());
                [3, 0, 0, 0, levels.into(), broken.into()]
            }
            other => panic!("{other:?} is new"),
        };
        numbers.into_iter().for_each(|number| self.number(number));
    }

    fn descriptor(&mut self, d: &DescriptorView<'_>) {
        d.as_bytes().iter().for_each(|byte| self.number(*byte));
        self.number(d.element_type().0);
        self.number(d.layout_tag().0);
        self.number(d.flags());
        self.number(d.byte_offset());
        self.number(d.member_role().is_some());
        self.number(d.member_role().map_or(0, |role| role.0));
        for (k, dimension) in d.shape().iter().enumerate() {
            self.number(dimension);
            if let Layout::Strided { strides } = d.layout() {
                self.number(strides.get(k).unwrap().cast_unsigned());
            }
            if let Some(shard) = d.shard() {
                self.number(shard.parent_shape.get(k).unwrap());
                self.number(shard.shard_offset.get(k).unwrap());
            }
        }
        for handle in (0..d.buffer_count()).map(|k| d.buffer(k).unwrap()) {
            self.number(handle.byte_size);
            self.number(handle.alignment);
            self.number(handle.device_tag.0);
            self.number(handle.sync_mode.0);
            self.number(handle.memory_class.0);
        }
        if let Some(quantization) = d.quantization() {
            self.quantization(&quantization);
        }
        if let Layout::Composite(head) = d.layout() {
            self.number(head.composition_rule.0);
            self.number(head.combine_op.0);
            self.number(head.member_count);
        }
    }

    fn quantization(&mut self, quantization: &Quantization<'_>) {
        self.number(quantization.scheme().0);
        // scale type, flags, scale, zero point, axis, block size, buffers
        let numbers: [u64; 8] = match quantization {
            Quantization::PerTensor {
                flags,
                scale,
                zero_point,
            } => {
                let zero_point = i64::from(*zero_point).cast_unsigned();
                let flags = (*flags).into();
                [0, flags, scale.0.into(), zero_point, 0, 0, 0, 0]
            }
            Quantization::Buffers(p) => [
                p.scale_type.0.into(),
                p.flags.into(),
                0,
                0,
                p.axis.into(),
                p.block_size.into(),
                p.scale_buffer_index.into(),
                p.zero_point_buffer_index.into(),
            ],
            _ => [0; 8],
        };
        numbers.into_iter().for_each(|number| self.number(number));
    }

    fn event(&mut self, event: Event<'_, '_>) {
        match event {
            Event::Descriptor(d, outcome) => {
                self.number(1u8);
                self.place(outcome);
                self.descriptor(&d);
            }
            Event::Payload(p) => {
                for (k, byte) in (0..).zip(p.bytes) {
                    self.number(p.buffer);
                    self.number(p.offset + k);
                    self.number(p.last && k + 1 == p.bytes.len() as u64);
                    self.number(*byte);
                }
            }
            Event::TensorEnd(outcome) => {
                self.number(3u8);
                self.place(outcome);
            }
            other => panic!("{other:?} is new"),
        }
    }

    fn error(&mut self, error: &hrry::Error) {
        let report = Report::from(error);
        self.number(match error.kind() {
            ErrorKind::Rule(_) => 1u8,
            ErrorKind::Overlap { .. } => 2,
            ErrorKind::Capacity { .. } => 3,
            ErrorKind::Truncated { .. } => 4,
            ErrorKind::Torn { .. } => 5,
            other => panic!("{other:?} is new"),
        });
        self.number(report.rule.unwrap_or(0));
        self.number(report.field.map_or(u32::MAX, u32::from));
        self.number(report.index);
        self.number(report.offset);
        report.amounts.into_iter().for_each(|n| self.number(n));
        if let Some(rule) = error.rule() {
            self.text(rule.id());
            self.text(rule.text());
        }
        if let Some(field) = error.kind().field() {
            self.text(field.name());
        }
    }
}

/// The status that the header gives, from the text of the rule's ID.
fn status(kind: ErrorKind) -> i32 {
    let id = match kind {
        ErrorKind::Capacity { .. } => return -37,
        ErrorKind::Truncated { .. } => return -35,
        ErrorKind::Torn { .. } => return -36,
        other => other.rule().unwrap().id(),
    };
    let (family, _) = id.split_once('-').unwrap();
    match (id, family) {
        ("DESC-02", _) => -1,
        ("BUF-11" | "BUF-12" | "BUF-19", _) => -9,
        (_, "VER") => -2,
        (_, "LAYOUT") => -3,
        (_, "TYPE") => -4,
        (_, "COMP") => -33,
        (_, "STREAM") => -34,
        _ => -32,
    }
}

fn decode(mut input: &[u8], policy: Policy) -> (i32, u64) {
    let mut decoder = FixedDecoder::<4096, 4096>::new(policy);
    let mut digest = Digest(0xCBF2_9CE4_8422_2325);
    let result = loop {
        match decoder.next_event(&mut input) {
            Ok(Some(event)) => digest.event(event),
            Ok(None) => break decoder.finish(),
            Err(error) => break Err(error),
        }
    };
    let status = result.map_or_else(
        |error| {
            digest.error(&error);
            status(error.kind())
        },
        |()| 0,
    );
    (status, digest.0)
}

fn main() {
    for path in fs::read_to_string("vectors.list").unwrap().lines() {
        let stream = fs::read(path).unwrap();
        let (strict, whole) = decode(&stream, Policy::STRICT);
        let (permissive, other) = decode(&stream, Policy::PERMISSIVE);
        let name = path.rsplit('/').next().unwrap();
        println!("{name} {strict} {whole:016x} {permissive} {other:016x}");
    }
}
