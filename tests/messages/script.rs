//! What one side does on its streams, made at random.

use hrry::message::Side;
use hrry::{BufferHandle, ElementType};

use crate::support::generate::{Recipe, valid};
use crate::support::scale::Rng;
use crate::support::spec::Plain;
use crate::support::trees::{Node, root};

#[derive(Clone, Debug)]
pub enum Step {
    Begin(Plain, [u32; 2]),
    Put(String, Plain),
    /// The next bytes, and where they are.
    Data(u64, Vec<u8>),
    End,
    Ack,
    Error(u32, String),
    Ping,
    Pong(Vec<u8>),
    Register(u64, Vec<u8>),
    Private(u32, Vec<u8>),
    Request(String),
}

/// The steps on one stream.
#[derive(Clone, Debug)]
pub struct Script {
    pub stream_id: u32,
    pub steps: Vec<Step>,
}

impl Script {
    pub fn new(sender: Side, stream_id: u32, rng: &mut Rng) -> Self {
        let mut script = Script {
            stream_id,
            steps: Vec::new(),
        };
        for _ in 0..1 + rng.below(5) {
            match (sender, rng.below(6)) {
                (Side::Server, 0) => {
                    let number = [rng.below(3) as u32, 3];
                    let plain = tensor(rng);
                    let whole = plain.shard.is_none();
                    let begin = Step::Begin(plain.clone(), if whole { [0, 1] } else { number });
                    script.transfer(begin, &plain, rng);
                }
                (Side::Server, 1) => script.composite(&root(rng), rng),
                (Side::Server, 2) => script.by_rdma(rng),
                (Side::Server, 3) => script.steps.push(Step::Ack),
                (Side::Client, 0 | 1) => {
                    let plain = tensor(rng);
                    script.transfer(Step::Put(text(rng), plain.clone()), &plain, rng);
                }
                (Side::Client, 2 | 3) => script.steps.push(Step::Request(text(rng))),
                (_, 4) => {
                    // it closes the stream with what was open on it
                    let plain = tensor(rng);
                    let begin = match sender {
                        Side::Server => Step::Begin(plain.clone(), [0, 1]),
                        Side::Client => Step::Put(text(rng), plain.clone()),
                    };
                    script.transfer(begin, &plain, rng);
                    script.steps.pop();
                    script.steps.push(Step::Error(rng.byte().into(), text(rng)));
                }
                _ => script.small(rng),
            }
        }
        script
    }

    /// All data that goes over the stream.
    pub fn data(&self) -> Vec<u8> {
        let data = self.steps.iter().filter_map(|step| match step {
            Step::Data(_, bytes) => Some(bytes.as_slice()),
            Step::Private(_, bytes) => Some(bytes),
            _ => None,
        });
        data.flatten().copied().collect()
    }

    /// A tensor in pieces, with small messages between them.
    fn transfer(&mut self, begin: Step, plain: &Plain, rng: &mut Rng) {
        let total: u64 = plain.buffers.iter().map(|buffer| buffer.byte_size).sum();
        let bytes: Vec<u8> = (0..total).map(|_| rng.byte()).collect();
        self.steps.push(begin);
        self.pieces(&bytes, rng);
        self.steps.push(Step::End);
    }

    fn pieces(&mut self, bytes: &[u8], rng: &mut Rng) {
        let mut at = 0;
        while at < bytes.len() {
            let len = 1 + rng.below(bytes.len() - at);
            let piece = bytes[at..at + len].to_vec();
            self.steps.push(Step::Data(at as u64, piece));
            at += len;
            if rng.below(3) == 0 {
                self.small(rng);
            }
        }
    }

    fn composite(&mut self, node: &Node, rng: &mut Rng) {
        self.steps.push(Step::Begin(node.plain.clone(), [0, 1]));
        self.pieces(&node.payload, rng);
        self.steps.push(Step::End);
        for member in &node.members {
            self.composite(member, rng);
        }
    }

    /// A tensor whose data goes another way.
    fn by_rdma(&mut self, rng: &mut Rng) {
        let plain = Plain::new(ElementType::UInt8, &[100], &[100]);
        let key = (0..rng.below(5)).map(|_| rng.byte()).collect();
        self.steps.push(Step::Begin(plain, [0, 1]));
        self.steps.push(Step::Register(100, key));
        self.steps.push(Step::End);
    }

    fn small(&mut self, rng: &mut Rng) {
        let payload = (0..rng.below(9)).map(|_| rng.byte()).collect();
        self.steps.push(match rng.below(3) {
            0 => Step::Ping,
            1 => Step::Pong(payload),
            _ => Step::Private([0xF0, 0xFE][rng.below(2)], payload),
        });
    }
}

/// The steps of all streams, those of each in order.
pub fn interleaved<'a>(scripts: &'a [Script], rng: &mut Rng) -> Vec<(u32, &'a Step)> {
    let mut queues: Vec<_> = scripts
        .iter()
        .map(|script| (script.stream_id, script.steps.iter()))
        .collect();
    let mut steps = Vec::new();
    while !queues.is_empty() {
        let k = rng.below(queues.len());
        let (stream_id, queue) = &mut queues[k];
        match queue.next() {
            Some(step) => steps.push((*stream_id, step)),
            None => drop(queues.swap_remove(k)),
        }
    }
    steps
}

fn text(rng: &mut Rng) -> String {
    let letters = ['a', 'β', '🦀', '\0'];
    (0..rng.below(12)).map(|_| letters[rng.below(4)]).collect()
}

/// A tensor of some kilobytes at most, in one or several buffers that any machine has.
fn tensor(rng: &mut Rng) -> Plain {
    loop {
        let mut plain = valid(Recipe {
            seed: rng.next(),
            layout: rng.below(10),
            scheme: rng.below(6),
            // shards and statistics
            sections: rng.below(4) as u8,
        });
        for buffer in &mut plain.buffers {
            *buffer = BufferHandle::cpu(buffer.byte_size, 64);
        }
        let total: u64 = plain.buffers.iter().map(|buffer| buffer.byte_size).sum();
        if total < 3000 {
            return plain;
        }
    }
}
