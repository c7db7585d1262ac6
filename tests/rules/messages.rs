//! One accepting and one rejecting case, or more, for each rule that the bytes of messages can break.
//!
//! Messages are put together by hand. Offsets are sums: 12 of each header, then the fields in wire order.

use hrry::message::{Capabilities, LinkOptions, Scope, Side};
use hrry::{ElementType, Error, ErrorKind, Field, Permissive, Policy, Rule};

use super::special::violation;
use crate::support::bytes;
use crate::support::messages::{data, descriptor, end, growing, hello, message, put, shard, trace};
use crate::support::spec::Plain;

pub(crate) struct Case {
    pub(crate) rule: &'static str,
    field: Field,
    offset: usize,
    link: LinkOptions,
    good: Vec<u8>,
    bad: Vec<u8>,
}

/// What the sender is, and which rules of order hold.
const CLIENT: LinkOptions = link(Side::Client, Scope::Message);
pub(crate) const SERVER: LinkOptions = link(Side::Server, Scope::Message);
const PUTS: LinkOptions = link(Side::Client, Scope::Tensor);
pub(crate) const TENSORS: LinkOptions = link(Side::Server, Scope::Tensor);
const CLIENT_SESSION: LinkOptions = link(Side::Client, Scope::Session);
const SERVER_SESSION: LinkOptions = link(Side::Server, Scope::Session);

const fn link(sender: Side, scope: Scope) -> LinkOptions {
    let mut options = LinkOptions::new(sender, 1 << 20);
    options.scope = scope;
    options
}

/// A receiver that takes 64 bytes.
fn small() -> LinkOptions {
    let mut options = SERVER;
    options.max_message_size = 64;
    options
}

/// A client that speaks version 3.
fn third_version() -> LinkOptions {
    let mut options = SERVER;
    options.client_version = 3;
    options
}

/// Both sides can do RDMA, where the sender says so.
fn rdma() -> LinkOptions {
    let mut options = SERVER_SESSION;
    options.receiver = Capabilities::RDMA_DATA_PLANE;
    options
}

/// uint8 `[8]`, one buffer of 8 bytes: 20 + 8 + 8 + 1 + 16 bytes.
pub(crate) fn eight() -> Vec<u8> {
    bytes::encode(&Plain::new(ElementType::UInt8, &[8], &[8]))
}

const DESCRIPTOR: usize = 53;
/// A message with that: `total_data_bytes` at 65, `shard_index` at 73, `total_shards` at 77, and its end.
const WHOLE: usize = 12 + DESCRIPTOR + 16;

/// The same without elements.
fn nothing() -> Vec<u8> {
    bytes::encode(&Plain::new(ElementType::UInt8, &[0], &[0]))
}

/// A group of so many members, uint8 `[8]`: 20 + 8 + 8 + 8 + 1 bytes, of which the count is at 40.
pub(crate) fn group(member_count: u32) -> Vec<u8> {
    let head = hrry::CompositeHead {
        composition_rule: hrry::CompositionRule::Group,
        combine_op: hrry::CombineOp::None,
        member_count,
    };
    bytes::encode(&Plain::head(ElementType::UInt8, &[8], head))
}

/// One half of uint8 `[16]`: 53 bytes, `parent_shape` and `shard_offset`.
pub(crate) fn half(offset: u64) -> Plain {
    Plain::new(ElementType::UInt8, &[8], &[8]).with_shard(&[16], &[offset])
}

fn changed(bytes: &[u8], at: usize, new: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[at..at + new.len()].copy_from_slice(new);
    bytes
}

/// The payload with its first `len` bytes, and with `tail` behind them.
fn cut(payload: &[u8], len: usize, tail: &[u8]) -> Vec<u8> {
    [&payload[..len], tail].concat()
}

/// Two layouts, the second a private one with three bytes of metadata; length 2 + 1 + 1 + 2 + 3.
const LAYOUTS: [u8; 9] = [2, 0, 1, 0xF0, 3, 0, 7, 7, 7];

/// A HELLO with those: the list at 16, devices at 25 and classes at 28 of 31.
fn full_hello() -> Vec<u8> {
    let plain = hello(1, 0);
    [&plain[..16], &LAYOUTS, &plain[18..]].concat()
}

/// `k`: key length, key at 4, layouts at 5, device at 14, alignment at 15, flags at 19 of 23.
fn request() -> Vec<u8> {
    let behind = [0, 64, 0, 0, 0, 3, 0, 0, 0];
    [&[1, 0, 0, 0, b'k'], &LAYOUTS[..], &behind].concat()
}

/// Code 6 and `text`, at 8 of 12.
fn error() -> Vec<u8> {
    [&[6, 0, 0, 0, 4, 0, 0, 0][..], b"text"].concat()
}

/// Address, length at 8, `rkey` of two bytes at 20 of 22.
fn region(len: u64) -> Vec<u8> {
    [&[9; 8][..], &len.to_le_bytes(), &[2, 0, 0, 0, 1, 2]].concat()
}

macro_rules! cases {
    ($($rule:literal $link:expr, $field:ident @ $offset:expr; $good:expr => $bad:expr;)*) => {
        vec![$(Case {
            rule: $rule,
            field: Field::$field,
            offset: $offset,
            link: $link,
            good: $good,
            bad: $bad,
        }),*]
    };
}

/// What permissive mode does is what the table says of the rule.
fn as_the_table_says() -> Vec<Case> {
    let mut cases = headers();
    cases.extend(payloads());
    cases.extend(tensors());
    cases.extend(sessions());
    cases
}

#[rustfmt::skip]
fn headers() -> Vec<Case> {
    let ping = || message(10, 3, b"");
    let behind = |bad: Vec<u8>| [ping(), bad].concat();
    cases! {
    "MSG-02" small(), PayloadLength @ 8; message(10, 3, &[0; 64]) => message(10, 3, &[0; 65]);
    "MSG-02" CLIENT, PayloadLength @ 8; message(10, 3, &[0; 64]) => changed(&ping(), 8, &[0xFF; 4]);
    "MSG-04" CLIENT, StreamId @ 4; ping() => message(10, 0, b"");
    "MSG-04" CLIENT, StreamId @ 12 + 4; ping() => behind(message(11, 0, b""));
    "MSG-05" CLIENT, MessageType @ 12; ping() => behind(message(0, 1, b""));
    "MSG-05" CLIENT, MessageType @ 0; ping() => message(0x0E, 1, b"");
    "MSG-05" CLIENT, MessageType @ 0; ping() => message(0xEF, 1, b"");
    "MSG-05" CLIENT, MessageType @ 0; ping() => message(0x100, 1, b"");
    "MSG-05" CLIENT, MessageType @ 0; ping() => message(0x0100_000A, 1, b"");
    // nobody agreed on it
    "MSG-05" CLIENT, MessageType @ 0; ping() => message(0xF0, 1, b"");
    // those of the other side
    "MSG-05" CLIENT, MessageType @ 0; message(1, 1, &hello(1, 0)) => message(2, 1, &hello(1, 0));
    "MSG-05" SERVER, MessageType @ 0; message(2, 1, &hello(1, 0)) => message(1, 1, &hello(1, 0));
    "MSG-05" SERVER, MessageType @ 0; message(8, 1, b"") => message(3, 1, &request());
    "MSG-05" SERVER, MessageType @ 0; message(8, 1, b"") => put(1, b"k", &eight(), 8);
    "MSG-05" CLIENT, MessageType @ 0; put(1, b"k", &eight(), 8) => message(8, 1, b"");
    "MSG-05" CLIENT, MessageType @ 0; put(1, b"k", &eight(), 8) => descriptor(1, &eight(), 8);
    "MSG-23" SERVER, PayloadLength @ 8; message(5, 1, &[0; 8]) => message(5, 1, &[0; 7]);
    "MSG-26" SERVER, PayloadLength @ 8; message(6, 1, b"") => message(6, 1, b"x");
    "MSG-26" SERVER, PayloadLength @ 8; message(8, 1, b"") => message(8, 1, b"four");
    "MSG-26" CLIENT, PayloadLength @ 12 + 8; message(13, 1, b"") => behind(message(13, 1, &[0; 300]));
    "MSG-43" CLIENT, MessageType @ 0; ping() => message(0xFF, 1, b"");
    }
}

#[rustfmt::skip]
fn payloads() -> Vec<Case> {
    let greeting = |payload: &[u8]| message(1, 1, payload);
    let greeted = || greeting(&full_hello());
    let asking = |payload: &[u8]| message(3, 1, payload);
    let asked = || asking(&request());
    let failing = |payload: &[u8]| message(9, 1, payload);
    let failed = || failing(&error());
    let given = || put(1, b"k", &eight(), 8);
    let sent = || descriptor(1, &eight(), 8);
    cases! {
    "MSG-07" CLIENT, ProtocolVersion @ 12; greeting(&hello(u32::MAX, 0)) => greeting(&hello(0, 0));
    "MSG-07" SERVER, ProtocolVersion @ 12; message(2, 1, &hello(1, 0)) => message(2, 1, &hello(0, 0));
    "MSG-07" SERVER, ProtocolVersion @ 12; message(2, 1, &hello(1, 0)) => message(2, 1, &hello(2, 0));
    "MSG-07" third_version(), ProtocolVersion @ 12; message(2, 1, &hello(3, 0)) => message(2, 1, &hello(4, 0));
    "MSG-08" CLIENT, CapabilityFlags @ 12 + 8; greeting(&hello(1, 0xF)) => greeting(&hello(1, 0x10));
    "MSG-08" SERVER, CapabilityFlags @ 12 + 8; message(2, 1, &hello(1, 0xF)) => message(2, 1, &hello(1, 1 << 63));
    "MSG-09" CLIENT, CapabilityFlags @ 12 + 8; greeting(&hello(1, 0xC)) => greeting(&hello(1, 8));
    "MSG-10" CLIENT, MessageTail @ 12 + 31; greeted() => greeting(&[&full_hello()[..], b"x"].concat());
    "MSG-12" CLIENT, SupportedLayouts @ 12 + 18; greeted() => greeting(&changed(&full_hello(), 18, &[0]));
    "MSG-12" CLIENT, SupportedLayouts @ 12 + 18; greeted() => greeting(&changed(&full_hello(), 18, &[0xFF]));
    "MSG-12" CLIENT, PreferredLayouts @ 12 + 7; asked() => asking(&changed(&request(), 7, &[0]));
    // the length of its metadata, then the metadata
    "MSG-13" CLIENT, SupportedLayouts @ 12 + 20; greeted() => greeting(&cut(&full_hello(), 21, b""));
    "MSG-13" CLIENT, SupportedLayouts @ 12 + 22; greeted() => greeting(&cut(&full_hello(), 24, b""));
    "MSG-13" CLIENT, SupportedLayouts @ 12 + 22; greeted() => greeting(&changed(&full_hello(), 20, &[0, 1]));
    "MSG-13" CLIENT, PreferredLayouts @ 12 + 11; asked() => asking(&changed(&request(), 9, &[0xFF, 0xFF]));
    "MSG-15" CLIENT, RequestFlags @ 12 + 19; asked() => asking(&changed(&request(), 19, &[4]));
    "MSG-15" CLIENT, RequestFlags @ 12 + 19; asked() => asking(&changed(&request(), 22, &[0x80]));
    "MSG-15" CLIENT, MessageTail @ 12 + 23; asked() => asking(&[&request()[..], b"xy"].concat());
    // no room for what the transport says, or the wrong number of bytes in front of that
    "MSG-19" SERVER, PayloadLength @ 8; sent() => message(4, 1, b"");
    "MSG-19" SERVER, PayloadLength @ 8; sent() => message(4, 1, &[0; 15]);
    "MSG-19" SERVER, Descriptor @ 12; sent() => message(4, 1, &[0; 16]);
    "MSG-19" SERVER, Descriptor @ 12; sent() => descriptor(1, &eight()[..52], 8);
    "MSG-19" SERVER, Descriptor @ 12; sent() => descriptor(1, &[&eight()[..], b"x"].concat(), 8);
    "MSG-20" SERVER, TotalDataBytes @ 12 + 53; sent() => descriptor(1, &eight(), 7);
    "MSG-20" SERVER, TotalDataBytes @ 12 + 53; sent() => descriptor(1, &eight(), 1 << 32 | 8);
    "MSG-20" CLIENT, TotalDataBytes @ 12 + 5 + 4 + 53; given() => put(1, b"k", &eight(), 9);
    "MSG-27" SERVER, ShardIndex @ 12 + 61; sent() => shard(1, &eight(), 8, [1, 1]);
    "MSG-27" SERVER, ShardIndex @ 12 + 32 + 45; shard(1, &bytes::encode(&half(8)), 8, [1, 2]) => shard(1, &bytes::encode(&half(8)), 8, [2, 2]);
    "MSG-27" SERVER, TotalShards @ 12 + 65; sent() => shard(1, &eight(), 8, [0, 0]);
    "MSG-28" SERVER, TotalShards @ 12 + 65; sent() => shard(1, &eight(), 8, [0, 2]);
    "MSG-34" CLIENT, TensorKey @ 12; given() => message(7, 1, &[1, 0, 0]);
    "MSG-34" CLIENT, TensorKey @ 12 + 4; given() => changed(&given(), 12, &[0, 0, 0, 1]);
    "MSG-34" CLIENT, TensorKey @ 12 + 4; given() => changed(&given(), 16, &[0xFF]);
    "MSG-34" CLIENT, Descriptor @ 12 + 4; given() => message(7, 1, &[0; 7]);
    "MSG-34" CLIENT, Descriptor @ 12 + 9; given() => changed(&given(), 17, &[255]);
    "MSG-34" CLIENT, Descriptor @ 12 + 9; given() => changed(&given(), 17, &[52]);
    "MSG-34" CLIENT, Descriptor @ 12 + 9; given() => changed(&given(), 17, &[54]);
    "MSG-34" CLIENT, TotalDataBytes @ 12 + 62; given() => message(7, 1, &given()[12..12 + 62 + 7]);
    "MSG-34" CLIENT, MessageTail @ 12 + 70; given() => message(7, 1, &[&given()[12..], b"x"].concat());
    "MSG-35" CLIENT, MemberCount @ 12 + 9 + 40; put(1, b"k", &group(0), 0) => put(1, b"k", &group(1), 0);
    "MSG-37" SERVER, MessageTail @ 12 + 12; failed() => failing(&[&error()[..], b"x"].concat());
    "MSG-40" SERVER, RemoteAddr @ 12; message(12, 1, &region(8)) => message(12, 1, &[0; 7]);
    "MSG-40" SERVER, RegisteredLength @ 12 + 8; message(12, 1, &region(8)) => message(12, 1, &[0; 15]);
    "MSG-40" SERVER, Rkey @ 12 + 16; message(12, 1, &region(8)) => message(12, 1, &[0; 19]);
    "MSG-40" SERVER, Rkey @ 12 + 20; message(12, 1, &region(8)) => message(12, 1, &changed(&region(8), 16, &[3]));
    "MSG-40" SERVER, MessageTail @ 12 + 21; message(12, 1, &region(8)) => message(12, 1, &changed(&region(8), 16, &[1]));
    }
}

#[rustfmt::skip]
fn tensors() -> Vec<Case> {
    let begun = || descriptor(1, &eight(), 8);
    let first = || [begun(), data(1, 0, b"abcde")].concat();
    let whole = || [first(), data(1, 5, b"fgh"), end(1)].concat();
    let empty = || [descriptor(1, &nothing(), 0), end(1)].concat();
    let given = || [put(1, b"k", &eight(), 8), data(1, 0, b"abcdefgh"), end(1)].concat();
    // where the second frame starts
    let second = WHOLE + 12 + 8 + 5;
    cases! {
    "MSG-18" TENSORS, MessageType @ 0; whole() => data(1, 0, b"abc");
    "MSG-18" TENSORS, MessageType @ 0; whole() => end(1);
    "MSG-18" TENSORS, MessageType @ second; whole() => [first(), begun()].concat();
    // of another stream
    "MSG-18" TENSORS, MessageType @ second; whole() => [first(), data(2, 5, b"fgh")].concat();
    "MSG-18" TENSORS, MessageType @ second; whole() => [first(), end(2)].concat();
    "MSG-18" TENSORS, MessageType @ second + 23 + 12; whole() => [whole(), data(1, 8, b"")].concat();
    "MSG-18" TENSORS, MessageType @ second + 23 + 12; whole() => [whole(), end(1)].concat();
    // behind an ERROR, which closes its stream
    "MSG-18" TENSORS, MessageType @ second + 12 + 12; whole() => [first(), message(9, 1, &error()), data(1, 5, b"fgh")].concat();
    "MSG-18" PUTS, MessageType @ 82; given() => [put(1, b"k", &eight(), 8), put(1, b"k", &eight(), 8)].concat();
    // between a head and its member
    "MSG-18" TENSORS, MessageType @ 12 + 45 + 16 + 12; [descriptor(1, &group(1), 0), end(1), whole()].concat() => [descriptor(1, &group(1), 0), end(1), data(1, 0, b"")].concat();
    "MSG-18" TENSORS, MessageType @ 12 + 45 + 16; [descriptor(1, &group(1), 0), end(1), whole()].concat() => [descriptor(1, &group(1), 0), begun()].concat();
    "MSG-21" TENSORS, PayloadLength @ WHOLE + 8; empty() => [descriptor(1, &nothing(), 0), data(1, 0, b""), end(1)].concat();
    "MSG-21" TENSORS, PayloadLength @ 12 + 45 + 16 + 8; [descriptor(1, &group(0), 0), end(1)].concat() => [descriptor(1, &group(0), 0), data(1, 0, b""), end(1)].concat();
    "MSG-24" TENSORS, ByteOffsetInBuffer @ WHOLE + 12; whole() => [begun(), data(1, 1, b"abc")].concat();
    "MSG-24" TENSORS, ByteOffsetInBuffer @ second + 12; whole() => [first(), data(1, 6, b"fg")].concat();
    "MSG-24" TENSORS, ByteOffsetInBuffer @ second + 12; whole() => [first(), data(1, 4, b"fgh")].concat();
    "MSG-24" TENSORS, ByteOffsetInBuffer @ second + 12; whole() => [first(), data(1, 1 << 32 | 5, b"fgh")].concat();
    "MSG-24" TENSORS, ByteOffsetInBuffer @ second + 12; whole() => [first(), data(1, u64::MAX, b"fgh")].concat();
    "MSG-25" TENSORS, PayloadLength @ WHOLE + 8; whole() => [begun(), data(1, 0, &[0; 9])].concat();
    "MSG-25" TENSORS, PayloadLength @ second + 8; whole() => [first(), data(1, 5, b"fghi")].concat();
    "MSG-25" TENSORS, MessageType @ second; whole() => [first(), end(1)].concat();
    "MSG-25" TENSORS, MessageType @ WHOLE; whole() => [begun(), end(1)].concat();
    "MSG-25" PUTS, MessageType @ 82; given() => [put(1, b"k", &eight(), 8), end(1)].concat();
    "MSG-40" TENSORS, RegisteredLength @ WHOLE + 12 + 8; [begun(), message(12, 1, &region(8)), end(1)].concat() => [begun(), message(12, 1, &region(9))].concat();
    }
}

#[rustfmt::skip]
fn sessions() -> Vec<Case> {
    let ping = || message(10, 1, b"");
    let client = || message(1, 1, &hello(1, 0));
    let server = |capabilities| message(2, 1, &hello(1, capabilities));
    let failed = || message(9, 1, &error());
    // a HELLO has 12 + 24 bytes
    let begun = |capabilities| [server(capabilities), descriptor(1, &eight(), 8)].concat();
    let register = || message(12, 1, &region(8));
    let sent = || [begun(4), register(), end(1)].concat();
    cases! {
    "MSG-06" CLIENT_SESSION, MessageType @ 0; client() => ping();
    "MSG-06" CLIENT_SESSION, MessageType @ 0; client() => failed();
    "MSG-06" CLIENT_SESSION, MessageType @ 36; [client(), ping()].concat() => [client(), client()].concat();
    "MSG-06" CLIENT_SESSION, MessageType @ 36 + 12; [client(), ping()].concat() => [client(), ping(), client()].concat();
    "MSG-06" SERVER_SESSION, MessageType @ 0; server(0) => message(11, 1, b"");
    "MSG-06" SERVER_SESSION, MessageType @ 0; failed() => descriptor(1, &eight(), 8);
    "MSG-06" SERVER_SESSION, MessageType @ 36; [server(0), failed()].concat() => [server(0), server(0)].concat();
    // the source offers memory twice, for nothing, on another stream, and where one of the sides cannot
    "MSG-39" rdma(), MessageType @ 36 + WHOLE + 34; sent() => [begun(4), register(), register()].concat();
    "MSG-39" rdma(), MessageType @ 36; sent() => [server(4), register()].concat();
    "MSG-39" rdma(), MessageType @ 36 + WHOLE; sent() => [begun(4), message(12, 2, &region(8))].concat();
    "MSG-39" rdma(), MessageType @ 36 + WHOLE; sent() => [begun(0), register()].concat();
    "MSG-39" SERVER_SESSION, MessageType @ 36 + WHOLE; begun(4)[..36].to_vec() => [begun(4), register()].concat();
    // the sender of a tensor does not say that the other side is ready
    "MSG-39" rdma(), MessageType @ 36 + WHOLE; sent() => [begun(4), message(13, 1, b"")].concat();
    "MSG-39" TENSORS, MessageType @ 0; descriptor(1, &nothing(), 0)[..0].to_vec() => register();
    }
}

/// Rules that permissive mode relaxes, broken by more than it tolerates.
#[rustfmt::skip]
fn beyond_what_is_relaxed() -> Vec<Case> {
    let greeting = |len: usize| message(1, 1, &full_hello()[..len]);
    let greeted = || message(1, 1, &full_hello());
    let asking = |payload: &[u8]| message(3, 1, payload);
    let asked = || asking(&request());
    let failing = |payload: &[u8]| message(9, 1, payload);
    let failed = || failing(&error());
    cases! {
    "MSG-10" CLIENT, ProtocolVersion @ 12; greeted() => greeting(0);
    "MSG-10" CLIENT, ProtocolVersion @ 12; greeted() => greeting(15);
    "MSG-10" CLIENT, LayoutCount @ 12 + 16; greeted() => greeting(17);
    "MSG-10" CLIENT, SupportedLayouts @ 12 + 18; greeted() => greeting(18);
    "MSG-10" CLIENT, SupportedLayouts @ 12 + 19; greeted() => greeting(19);
    "MSG-10" CLIENT, DeviceCount @ 12 + 25; greeted() => greeting(26);
    "MSG-10" CLIENT, SupportedDevices @ 12 + 27; greeted() => greeting(27);
    "MSG-10" CLIENT, ClassCount @ 12 + 28; greeting(28) => greeting(29);
    "MSG-10" CLIENT, SupportedMemoryClasses @ 12 + 30; greeting(28) => greeting(30);
    "MSG-10" CLIENT, SupportedMemoryClasses @ 12 + 30; greeted() => changed(&greeted(), 12 + 28, &[0, 1]);
    "MSG-15" CLIENT, TensorKey @ 12; asked() => asking(&request()[..3]);
    "MSG-15" CLIENT, TensorKey @ 12 + 4; asked() => asking(&request()[..4]);
    "MSG-15" CLIENT, TensorKey @ 12 + 4; asked() => asking(&changed(&request(), 0, &[0xFF; 4]));
    "MSG-15" CLIENT, TensorKey @ 12 + 4; asked() => asking(&changed(&request(), 4, &[0x80]));
    "MSG-15" CLIENT, LayoutCount @ 12 + 5; asked() => asking(&request()[..6]);
    "MSG-15" CLIENT, PreferredLayouts @ 12 + 7; asked() => asking(&request()[..7]);
    "MSG-15" CLIENT, PreferredDevice @ 12 + 14; asked() => asking(&request()[..14]);
    "MSG-15" CLIENT, MinAlignment @ 12 + 15; asked() => asking(&request()[..18]);
    "MSG-15" CLIENT, MinAlignment @ 12 + 15; asked() => asking(&changed(&request(), 15, &[0]));
    "MSG-15" CLIENT, MinAlignment @ 12 + 15; asked() => asking(&changed(&request(), 15, &[96]));
    "MSG-15" CLIENT, MinAlignment @ 12 + 15; asked() => asking(&changed(&request(), 18, &[1]));
    "MSG-15" CLIENT, RequestFlags @ 12 + 19; asked() => asking(&request()[..22]);
    // a frame for an empty tensor that is not empty
    "MSG-21" TENSORS, PayloadLength @ WHOLE + 8; [descriptor(1, &nothing(), 0), end(1)].concat() => [descriptor(1, &nothing(), 0), data(1, 0, b"x")].concat();
    "MSG-37" SERVER, ErrorCode @ 12; failed() => failing(&error()[..3]);
    "MSG-37" SERVER, ErrorText @ 12 + 4; failed() => failing(&error()[..7]);
    "MSG-37" SERVER, ErrorText @ 12 + 8; failed() => failing(&error()[..11]);
    "MSG-37" SERVER, ErrorText @ 12 + 8; failed() => failing(&changed(&error(), 4, &[0xFF; 4]));
    "MSG-37" SERVER, ErrorText @ 12 + 8; failed() => failing(&changed(&error(), 11, &[0xC3]));
    }
}

pub(crate) fn cases() -> impl Iterator<Item = Case> {
    as_the_table_says()
        .into_iter()
        .chain(beyond_what_is_relaxed())
}

impl Case {
    fn rule(&self) -> Rule {
        Rule::from_id(self.rule).unwrap_or_else(|| panic!("no rule {}", self.rule))
    }

    fn read(&self, bytes: &[u8], policy: Policy, origin: u64) -> Result<(), Error> {
        trace(bytes, &[], growing(self.link, policy).with_origin(origin)).result
    }

    /// The good bytes are accepted, the bad ones refused where they should be.
    fn assert_refused(&self, policy: Policy) {
        for origin in [0, 1 << 40] {
            let name = format!("{} at {} in {:02x?}", self.rule, self.offset, self.bad);
            assert_eq!(self.read(&self.good, policy, origin), Ok(()), "{name}");
            let error = self.read(&self.bad, policy, origin).expect_err(&name);
            let broken = violation(self.rule(), self.field, 0);
            assert_eq!(error.kind(), ErrorKind::Rule(broken), "{name}");
            assert_eq!(error.offset(), origin + self.offset as u64, "{name}");
        }
    }
}

#[test]
fn every_rule_of_messages_is_placed() {
    for case in cases() {
        case.assert_refused(Policy::STRICT);
    }
}

#[test]
fn permissive_mode_lets_pass_what_the_table_says() {
    for case in as_the_table_says() {
        match case.rule().permissive() {
            Permissive::Reject => case.assert_refused(Policy::PERMISSIVE),
            _ => {
                let result = case.read(&case.bad, Policy::PERMISSIVE, 0);
                assert_eq!(result, Ok(()), "{} in {:02x?}", case.rule, case.bad);
            }
        }
    }
}

#[test]
fn permissive_mode_tolerates_no_more_than_it_says() {
    for case in beyond_what_is_relaxed() {
        case.assert_refused(Policy::PERMISSIVE);
    }
}
