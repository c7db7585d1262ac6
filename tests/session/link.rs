//! Two sessions with an application each, over a link that cuts, delays, tears and damages what it carries.

use std::collections::VecDeque;

use hrry::message::{Capabilities, ErrorCode, Hello, RequestFlags, Side, TensorRequest};
use hrry::{ElementType, WriteError};

use super::side::{Outcome, Party, Seen, note};
use crate::support::bytes::encode;
use crate::support::scale::Rng;
use crate::support::spec::Plain;
use crate::support::trees::{Node, root};

/// A descriptor and the bytes of its buffers.
pub type Item = (Vec<u8>, Vec<u8>);

/// What the client does.
#[derive(Clone, Debug)]
pub enum Action {
    Get(usize),
    Put(usize),
}

/// What the server has under a key, and what it does about a request for it.
#[derive(Clone, Debug)]
pub enum Stored {
    Tree(Node),
    /// Parts of a vector with their bytes.
    Shards(Vec<(Plain, Vec<u8>)>),
    Nothing,
    /// It gives up after so many steps.
    Lost(Node, usize),
}

/// What an application does next on a stream.
#[derive(Clone, Debug)]
enum Do {
    Answer(Box<Plain>, [u32; 2]),
    Data(Vec<u8>),
    End,
    Refuse,
    Accept,
}

/// Steps on a stream, in order.
type Queue = (u32, VecDeque<Do>);

/// How far a tensor that was asked for came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Pending,
    Whole,
    Failed,
    GivenUp,
    /// One of the sides has as many streams as it can have.
    NoRoom,
}

#[derive(Debug)]
pub struct Get {
    stream_id: u32,
    pub key: usize,
    /// What came on each stream of it.
    pub items: Vec<(u32, Item)>,
    in_shards: bool,
    pub state: State,
}

/// What is done to a link.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fate {
    /// So many bytes get through in each direction.
    pub limits: Option<[usize; 2]>,
    /// Direction, place and difference of a byte that changes.
    pub flip: Option<(usize, usize, u8)>,
}

pub const UP: usize = 0;
pub const DOWN: usize = 1;

#[derive(Debug)]
pub struct World {
    pub client: Party,
    pub server: Party,
    /// What was sent in each direction, and how much of that arrived.
    pub sent: [Vec<u8>; 2],
    arrived: [usize; 2],
    pub stored: Vec<Stored>,
    pub given: Vec<Node>,
    actions: VecDeque<Action>,
    client_steps: Vec<Queue>,
    server_steps: Vec<Queue>,
    pub gets: Vec<Get>,
    /// Streams of puts, what was given, and whether the server took it.
    pub puts: Vec<(u32, usize, State)>,
    /// What the server got, by stream: the key, the descriptor and bytes, and whether it is whole.
    pub taken: Vec<(u32, String, Item, bool)>,
    fate: Fate,
    rng: Rng,
}

fn steps(node: &Node, queue: &mut VecDeque<Do>, rng: &mut Rng) {
    queue.push_back(Do::Answer(Box::new(node.plain.clone()), [0, 1]));
    pieces(&node.payload, queue, rng);
    for member in &node.members {
        steps(member, queue, rng);
    }
}

fn pieces(bytes: &[u8], queue: &mut VecDeque<Do>, rng: &mut Rng) {
    let mut rest = bytes;
    while !rest.is_empty() {
        let (piece, behind) = rest.split_at(1 + rng.below(rest.len()));
        queue.push_back(Do::Data(piece.to_vec()));
        rest = behind;
    }
    queue.push_back(Do::End);
}

/// All items of a tree, each in front of its members.
pub fn items(node: &Node) -> Vec<Item> {
    let own = (encode(&node.plain), node.payload.clone());
    let members = node.members.iter().flat_map(items);
    [own].into_iter().chain(members).collect()
}

fn shards(rng: &mut Rng) -> Vec<(Plain, Vec<u8>)> {
    let lens: Vec<u64> = (0..2 + rng.below(2))
        .map(|_| 1 + rng.below(4) as u64)
        .collect();
    let whole: u64 = lens.iter().sum();
    let mut offset = 0;
    let parts = lens.iter().map(|len| {
        let part = Plain::new(ElementType::UInt8, &[*len], &[*len]);
        let part = part.with_shard(&[whole], &[offset]);
        offset += len;
        (part, (0..*len).map(|_| rng.byte()).collect())
    });
    parts.collect()
}

impl World {
    /// A server with tensors, and a client that asks for some and gives some.
    pub fn new(seed: u64, actions: usize, fate: Fate) -> Self {
        let mut rng = Rng(seed);
        let stored = (0..1 + rng.below(5)).map(|_| match rng.below(7) {
            0 => Stored::Nothing,
            1 => {
                let node = root(&mut rng);
                Stored::Lost(node, rng.below(6))
            }
            2 | 3 => Stored::Shards(shards(&mut rng)),
            _ => Stored::Tree(root(&mut rng)),
        });
        let stored: Vec<Stored> = stored.collect();
        let mut given = Vec::new();
        while given.len() < 2 {
            let node = root(&mut rng);
            // heads are not put
            if node.members.is_empty() && !node.payload.is_empty() {
                given.push(node);
            }
        }
        let actions = (0..actions).map(|_| match rng.below(3) {
            0 => Action::Put(rng.below(given.len())),
            _ => Action::Get(rng.below(stored.len())),
        });
        let actions: VecDeque<Action> = actions.collect();
        let limit = [64, 200, 1 << 20][rng.below(3)] + 100;
        let hello = Hello {
            capabilities: Capabilities::PARALLEL_STREAMS,
            ..Hello::new(limit)
        };
        // numbers of streams that start again soon, or at once
        let end = (seed % 8) as u32;
        let party = |side, last: u32| {
            let session = Party::new(side, hello).session;
            let session = session.with_first_stream(last - end);
            Party { session }
        };
        World {
            client: party(Side::Client, u32::MAX >> 1),
            server: party(Side::Server, u32::MAX),
            sent: [Vec::new(), Vec::new()],
            arrived: [0, 0],
            stored,
            given,
            actions,
            client_steps: Vec::new(),
            server_steps: Vec::new(),
            gets: Vec::new(),
            puts: Vec::new(),
            taken: Vec::new(),
            fate,
            rng,
        }
    }

    /// Goes on until nothing more happens. The number of steps is bounded by what there is to do.
    pub fn run(&mut self) {
        let mut idle = 0;
        for _ in 0..200_000 {
            let done = match self.rng.below(5) {
                0 => self.act(),
                1 => self.step(Side::Client),
                2 => self.step(Side::Server),
                direction => self.deliver(direction - 3),
            };
            idle = if done { 0 } else { idle + 1 };
            if idle > 100 {
                return;
            }
        }
        panic!("it goes on and on");
    }

    /// Whether all that was sent arrived, as far as the link goes, and nobody has more to do.
    pub fn is_done(&self) -> bool {
        let empty = self.client_steps.is_empty() && self.server_steps.is_empty();
        empty && self.actions.is_empty() && self.arrived == [self.sent[0].len(), self.sent[1].len()]
    }

    fn collect(&mut self) {
        let bytes = self.client.sent();
        self.sent[UP].extend(bytes);
        let bytes = self.server.sent();
        self.sent[DOWN].extend(bytes);
    }

    /// The client begins something, if it can.
    fn act(&mut self) -> bool {
        let Some(action) = self.actions.front().cloned() else {
            return false;
        };
        match action {
            Action::Get(key) => {
                let name = key.to_string();
                let request = TensorRequest {
                    request_flags: RequestFlags::PARALLEL_OK,
                    ..TensorRequest::new(&name)
                };
                let Ok(stream_id) = self.client.session.request(&request) else {
                    return false;
                };
                self.gets.push(Get {
                    stream_id,
                    key,
                    items: Vec::new(),
                    in_shards: false,
                    state: State::Pending,
                });
            }
            Action::Put(which) => {
                let node = self.given[which].clone();
                let Ok(stream_id) = self.client.put(&which.to_string(), &node.plain) else {
                    return false;
                };
                self.puts.push((stream_id, which, State::Pending));
                let mut queue = VecDeque::new();
                pieces(&node.payload, &mut queue, &mut self.rng);
                self.client_steps.push((stream_id, queue));
            }
        }
        self.actions.pop_front();
        true
    }

    /// One of the streams of a side goes a step further.
    fn step(&mut self, side: Side) -> bool {
        let (party, queues) = match side {
            Side::Client => (&mut self.client, &mut self.client_steps),
            Side::Server => (&mut self.server, &mut self.server_steps),
        };
        if queues.is_empty() {
            return false;
        }
        let k = self.rng.below(queues.len());
        let (stream_id, queue) = &mut queues[k];
        let result = match queue.pop_front() {
            Some(step) => run(party, *stream_id, step),
            None => {
                queues.swap_remove(k);
                return true;
            }
        };
        if result.is_err() {
            // what a peer closed
            assert!(!matches!(result, Err(WriteError::Sink(_))));
            queues.swap_remove(k);
        }
        true
    }

    /// Some bytes arrive.
    fn deliver(&mut self, direction: usize) -> bool {
        self.collect();
        let from = self.arrived[direction];
        let end = self.sent[direction].len();
        let limit = self
            .fate
            .limits
            .map_or(usize::MAX, |limits| limits[direction]);
        let most = end.min(limit).saturating_sub(from);
        if most == 0 {
            return false;
        }
        let len = 1 + self.rng.below(most);
        let mut chunk = self.sent[direction][from..from + len].to_vec();
        if let Some((flipped, at, difference)) = self.fate.flip
            && flipped == direction
            && (from..from + len).contains(&at)
        {
            chunk[at - from] ^= difference;
        }
        self.arrived[direction] += len;
        let mut rest = &chunk[..];
        loop {
            let party = match direction {
                UP => &mut self.server,
                _ => &mut self.client,
            };
            let mut told = Vec::new();
            match party.session.receive(&mut rest, 0).unwrap() {
                None => break,
                Some(event) => note(&mut told, &event),
            }
            let told = told.remove(0);
            match direction {
                UP => self.serve(told),
                _ => self.take(told),
            }
        }
        assert!(rest.is_empty());
        true
    }

    /// The application of the server.
    fn serve(&mut self, told: Seen) {
        match told {
            Seen::Requested(stream_id, key) => {
                let stored = key.parse().ok().and_then(|key: usize| self.stored.get(key));
                let mut queue = VecDeque::new();
                match stored.cloned().unwrap_or(Stored::Nothing) {
                    Stored::Nothing => queue.push_back(Do::Refuse),
                    Stored::Tree(node) => steps(&node, &mut queue, &mut self.rng),
                    Stored::Lost(node, after) => {
                        steps(&node, &mut queue, &mut self.rng);
                        // nothing can be lost behind the last step
                        let after = after.min(queue.len() - 1);
                        queue.truncate(after);
                        queue.push_back(Do::Refuse);
                    }
                    Stored::Shards(parts) => {
                        self.in_shards(stream_id, &parts, &mut queue);
                    }
                }
                self.server_steps.push((stream_id, queue));
            }
            Seen::Put(stream_id, key, descriptor) => {
                self.taken.retain(|taken| taken.0 != stream_id);
                self.taken
                    .push((stream_id, key, (descriptor, Vec::new()), false));
            }
            Seen::Data(stream_id, offset, bytes) => {
                let taken = self.taken.iter_mut().find(|taken| taken.0 == stream_id);
                let taken = taken.expect("data belongs to a put");
                assert_eq!(offset, taken.2.1.len() as u64);
                taken.2.1.extend(bytes);
            }
            Seen::End(stream_id) => {
                let taken = self.taken.iter_mut().find(|taken| taken.0 == stream_id);
                taken.expect("an end belongs to a put").3 = true;
                self.server_steps.push((stream_id, [Do::Accept].into()));
            }
            Seen::Failed(stream_id, ..) | Seen::Refused(stream_id, _) => {
                // of a transfer in shards, calls on the other streams are refused from now on
                self.server_steps.retain(|queue| queue.0 != stream_id);
            }
            Seen::Opened | Seen::Closed(_) => {}
            other => panic!("{other:?}"),
        }
    }

    /// The server answers in shards if it may, else with the parts put together.
    fn in_shards(&mut self, request: u32, parts: &[(Plain, Vec<u8>)], queue: &mut VecDeque<Do>) {
        let total = parts.len() as u32;
        let mut streams = Vec::new();
        let on_request = self.rng.below(2) == 0;
        for k in 0..parts.len() {
            let stream_id = match on_request && k == 0 {
                true => Ok(request),
                false => self.server.session.open_shard(request),
            };
            match stream_id {
                Ok(stream_id) => streams.push(stream_id),
                Err(_) => break,
            }
        }
        if streams.len() < parts.len() {
            let opened = streams.iter().any(|stream_id| *stream_id != request);
            if opened {
                return queue.push_back(Do::Refuse);
            }
            let bytes: Vec<u8> = parts.iter().flat_map(|part| part.1.clone()).collect();
            let len = bytes.len() as u64;
            let whole = Plain::new(ElementType::UInt8, &[len], &[len]);
            queue.push_back(Do::Answer(Box::new(whole), [0, 1]));
            return pieces(&bytes, queue, &mut self.rng);
        }
        for (k, (plain, bytes)) in parts.iter().enumerate() {
            let mut own = VecDeque::from([Do::Answer(Box::new(plain.clone()), [k as u32, total])]);
            pieces(bytes, &mut own, &mut self.rng);
            match streams[k] == request {
                true => *queue = own,
                false => self.server_steps.push((streams[k], own)),
            }
        }
    }

    /// The application of the client.
    fn take(&mut self, told: Seen) {
        match told {
            Seen::Tensor(stream_id, descriptor, number) => {
                let request = match number {
                    [0, 1] => stream_id,
                    _ => self.client.session.parallel_request().unwrap(),
                };
                let get = self.gets.iter_mut().find(|get| get.stream_id == request);
                let get = get.expect("it was asked for");
                assert_eq!(get.state, State::Pending);
                get.in_shards = number != [0, 1];
                get.items.push((stream_id, (descriptor, Vec::new())));
                if self.rng.below(20) == 0 {
                    self.client.refuse(stream_id, ErrorCode(0xF0)).unwrap();
                    get.state = State::GivenUp;
                }
            }
            Seen::Data(stream_id, offset, bytes) => {
                let items = self.gets.iter_mut().flat_map(|get| &mut get.items).rev();
                let item = { items }.find(|item| item.0 == stream_id).unwrap();
                assert_eq!(offset, item.1.1.len() as u64);
                item.1.1.extend(bytes);
            }
            Seen::End(stream_id) => {
                let under_way = self.client.session.is_under_way(stream_id);
                let is_of = |get: &&Get| get.stream_id == stream_id && !get.in_shards;
                if !under_way && self.gets.iter().any(|get| is_of(&get)) {
                    self.set(stream_id, State::Whole);
                }
            }
            Seen::AllShards(stream_id) => self.set(stream_id, State::Whole),
            Seen::Accepted(stream_id) => {
                let put = self.puts.iter_mut().find(|put| put.0 == stream_id).unwrap();
                assert_eq!(put.2, State::Pending);
                put.2 = State::Whole;
            }
            Seen::Failed(stream_id, ..) | Seen::Refused(stream_id, _) => {
                let no_room = match &told {
                    Seen::Failed(_, _, text) => text == "capacity",
                    told => *told == Seen::Refused(stream_id, None),
                };
                let state = if no_room {
                    State::NoRoom
                } else {
                    State::Failed
                };
                self.set(stream_id, state);
                self.client_steps.retain(|queue| queue.0 != stream_id);
            }
            Seen::Opened | Seen::Closed(_) => {}
            other => panic!("{other:?}"),
        }
    }

    fn set(&mut self, stream_id: u32, state: State) {
        if let Some(get) = self.gets.iter_mut().find(|get| get.stream_id == stream_id)
            && get.state == State::Pending
        {
            get.state = state;
        }
        if let Some(put) = self.puts.iter_mut().find(|put| put.0 == stream_id)
            && put.2 == State::Pending
        {
            put.2 = state;
        }
    }
}

fn run(party: &mut Party, stream_id: u32, step: Do) -> Outcome<()> {
    match step {
        Do::Answer(plain, [0, 1]) => party.answer(stream_id, &plain),
        Do::Answer(plain, number) => party.answer_shard(stream_id, &plain, number),
        Do::Data(bytes) => party.session.data(stream_id, &bytes),
        Do::End => party.session.end(stream_id).map(|_| ()),
        Do::Refuse => party.refuse(stream_id, ErrorCode::UnknownTensor),
        Do::Accept => party.session.accept(stream_id),
    }
}
