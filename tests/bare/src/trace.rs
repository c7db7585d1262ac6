//! What a decoder says about a stream, as bytes: one postcard record for each event, with the payload of
//! a buffer joined, so that a trace does not depend on how the stream was cut.

use hrry::{
    Arena, Cover, DescriptorView, Error, Event, Fields, Outcome, Payload, Storage, StreamDecoder,
};
use serde::Serialize;

/// One event or the error that ends the trace.
#[derive(Serialize)]
pub enum Record<'a> {
    Descriptor {
        origin: u64,
        element_type: u8,
        layout_tag: u8,
        shape: &'a [u64],
        shard_offset: Option<&'a [u64]>,
        member_role: Option<u8>,
        place: Place,
    },
    Buffer {
        index: u8,
        len: u64,
        crc32c: u32,
    },
    End(Place),
    Refused(Refusal),
}

/// [`Outcome`] without the method, which is the decoder's choice.
#[derive(Clone, Copy, Serialize)]
pub enum Place {
    Plain,
    Opened {
        depth: u8,
        members: u32,
        index: Option<u32>,
    },
    Member {
        depth: u8,
        index: u32,
    },
    Closed {
        levels: u8,
        whole: bool,
    },
}

/// The fields of [`hrry::Report`], which only a build with serde can encode itself.
#[derive(Serialize)]
pub struct Refusal {
    pub rule: Option<u16>,
    pub field: Option<u8>,
    pub index: u32,
    pub offset: u64,
    pub amounts: [u64; 2],
}

/// Records, one behind the other.
pub struct Trace<'o> {
    out: &'o mut [u8],
    len: usize,
    crc: u32,
}

impl<'o> Trace<'o> {
    pub fn new(out: &'o mut [u8]) -> Self {
        Trace {
            out,
            len: 0,
            crc: !0,
        }
    }

    pub fn bytes(&self) -> &[u8] {
        &self.out[..self.len]
    }

    pub fn record(&mut self, record: &Record<'_>) {
        let rest = &mut self.out[self.len..];
        self.len += postcard::to_slice(record, rest)
            .expect("room for the trace")
            .len();
    }

    /// Decodes `stream` in pieces of `cut` bytes; `false` after an error.
    pub fn stream<S: Storage, C: Cover, A: Arena>(
        &mut self,
        decoder: &mut StreamDecoder<S, C, A>,
        stream: &[u8],
        cut: usize,
    ) -> bool {
        for mut chunk in stream.chunks(cut) {
            loop {
                match decoder.next_event(&mut chunk) {
                    Ok(Some(event)) => self.event(event),
                    Ok(None) => break,
                    Err(error) => {
                        self.record(&Record::Refused(refusal(&error)));
                        return false;
                    }
                }
            }
        }
        true
    }

    fn event(&mut self, event: Event<'_, '_>) {
        match event {
            Event::Descriptor(d, outcome) => self.descriptor(&d, outcome),
            Event::Payload(payload) => self.payload(payload),
            Event::TensorEnd(outcome) => self.record(&Record::End(place(outcome))),
            _ => unreachable!("an event that the trace does not know"),
        }
    }

    fn descriptor(&mut self, d: &DescriptorView<'_>, outcome: Outcome) {
        let (mut shape, mut offset) = ([0; 8], [0; 8]);
        let rank = d.shape().copy_to(&mut shape);
        let shard = d.shard();
        if let Some(shard) = &shard {
            shard.shard_offset.copy_to(&mut offset);
        }
        self.record(&Record::Descriptor {
            origin: d.origin(),
            element_type: d.element_type().0,
            layout_tag: d.layout_tag().0,
            shape: &shape[..rank],
            shard_offset: shard.map(|_| &offset[..rank]),
            member_role: d.member_role().map(|role| role.0),
            place: place(outcome),
        });
    }

    fn payload(&mut self, payload: Payload<'_>) {
        self.crc = payload.bytes.iter().fold(self.crc, crc32c);
        if payload.last {
            self.record(&Record::Buffer {
                index: payload.buffer,
                len: payload.offset + payload.bytes.len() as u64,
                crc32c: !self.crc,
            });
            self.crc = !0;
        }
    }
}

pub fn refusal(error: &Error) -> Refusal {
    let report = hrry::Report::from(error);
    Refusal {
        rule: report.rule,
        field: report.field,
        index: report.index,
        offset: report.offset,
        amounts: report.amounts,
    }
}

fn place(outcome: Outcome) -> Place {
    match outcome {
        Outcome::Plain => Place::Plain,
        Outcome::Opened {
            depth,
            members,
            index,
        } => Place::Opened {
            depth,
            members,
            index,
        },
        Outcome::Member { depth, index } => Place::Member { depth, index },
        Outcome::Closed {
            levels, complete, ..
        } => Place::Closed {
            levels,
            whole: complete.is_ok(),
        },
        _ => unreachable!("a place that the trace does not know"),
    }
}

/// CRC-32C (Castagnoli), reflected, one byte further.
fn crc32c(crc: u32, byte: &u8) -> u32 {
    (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
        (crc >> 1) ^ (0x82F6_3B78 & (crc & 1).wrapping_neg())
    })
}
