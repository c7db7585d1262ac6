//! What a writer refuses, with its rule, and that nothing of it is written.

use hrry::message::{
    Capabilities, ErrorMessage, Hello, LayoutEntries, LayoutEntry, LinkOptions, MessageType,
    RequestFlags, Scope, ShardNumber, Side, TensorRequest,
};
use hrry::{
    CombineOp, CompositeHead, CompositionRule, ElementType, ErrorKind, Field, LayoutTag, Order,
    Policy, Resource, Rule, Violation, WriteError,
};

use super::written::Writer;
use crate::support::messages::places;
use crate::support::sinks::{Full, Limited};
use crate::support::spec::{Kind, Plain, PlainLayout};

pub type Result<T = ()> = std::result::Result<T, WriteError<Full>>;

pub fn broken(rule: Rule, field: Field) -> WriteError<Full> {
    WriteError::from(Violation {
        rule,
        field,
        index: 0,
    })
}

pub fn order() -> WriteError<Full> {
    broken(Rule::MessageOrder, Field::MessageType)
}

pub fn link(sender: Side, scope: Scope) -> LinkOptions {
    let mut options = LinkOptions::new(sender, 1 << 20);
    options.scope = scope;
    options
}

/// Runs calls on a writer with two streams and tells how many bytes they wrote.
pub fn with_link<R>(link: LinkOptions, calls: impl FnOnce(&mut Writer<'_>) -> R) -> (R, usize) {
    let mut sink = Limited::unlimited();
    let mut writer = Writer::with_parts(&mut sink, places(2), link, Policy::STRICT);
    let result = calls(&mut writer);
    (result, sink.bytes.len())
}

pub fn server<R>(calls: impl FnOnce(&mut Writer<'_>) -> R) -> (R, usize) {
    with_link(link(Side::Server, Scope::Tensor), calls)
}

pub fn client<R>(calls: impl FnOnce(&mut Writer<'_>) -> R) -> (R, usize) {
    with_link(link(Side::Client, Scope::Tensor), calls)
}

pub fn eight() -> Plain {
    Plain::new(ElementType::UInt8, &[8], &[8])
}

pub fn head(composition_rule: CompositionRule, member_count: u32) -> Plain {
    let head = CompositeHead {
        composition_rule,
        combine_op: CombineOp::None,
        member_count,
    };
    Plain::head(ElementType::UInt8, &[8], head)
}

pub fn begin(writer: &mut Writer<'_>, stream_id: u32, plain: &Plain) -> Result {
    let whole = ShardNumber::WHOLE;
    plain
        .lend(Kind::Native, |spec| {
            writer.descriptor(stream_id, spec, whole)
        })
        .map(drop)
}

pub fn put(writer: &mut Writer<'_>, stream_id: u32, plain: &Plain) -> Result {
    plain.lend(Kind::Native, |spec| writer.put(stream_id, "k", spec))
}

/// A TENSOR_DESCRIPTOR of [`eight`], and its end.
pub const BEGUN: usize = 12 + 53 + 16;
pub const END: usize = 12;

#[test]
fn nothing_goes_before_the_hello_and_no_second_one() {
    let first = broken(Rule::HelloFirst, Field::MessageType);
    let hello = Hello::new(1 << 20);
    for sender in [Side::Client, Side::Server] {
        let (refused, len) = with_link(link(sender, Scope::Session), |writer| {
            assert_eq!(writer.ping(1), Err(first));
            assert_eq!(writer.pong(1, b""), Err(first));
            match sender {
                Side::Client => {
                    assert_eq!(writer.request(1, &TensorRequest::new("k")), Err(first));
                    assert_eq!(put(writer, 1, &eight()), Err(first));
                    let error = ErrorMessage {
                        error_code: hrry::message::ErrorCode(1),
                        message: "",
                    };
                    assert_eq!(writer.error(1, &error), Err(first));
                }
                Side::Server => {
                    assert_eq!(begin(writer, 1, &eight()), Err(first));
                    assert_eq!(writer.put_ack(1), Err(first));
                }
            }
            assert_eq!(writer.hello(1, &hello), Ok(()));
            assert_eq!(writer.ping(1), Ok(()));
            writer.hello(1, &hello)
        });
        assert_eq!((refused, len), (Err(first), 36 + 12));
    }
    // a server may refuse a connection
    let (result, len) = with_link(link(Side::Server, Scope::Session), |writer| {
        let error = ErrorMessage {
            error_code: hrry::message::ErrorCode(1),
            message: "no",
        };
        writer.error(1, &error)
    });
    assert_eq!((result, len), (Ok(()), 12 + 4 + 4 + 2));
}

#[test]
fn a_hello_that_says_what_is_not() {
    let refused = |change: fn(&mut Hello<'_>)| {
        let mut hello = Hello::new(1 << 20);
        change(&mut hello);
        let (result, len) = with_link(link(Side::Server, Scope::Session), |w| w.hello(1, &hello));
        assert_eq!(len, 0);
        result.unwrap_err()
    };
    let version = broken(Rule::ProtocolVersion, Field::ProtocolVersion);
    assert_eq!(refused(|hello| hello.protocol_version = 0), version);
    assert_eq!(refused(|hello| hello.protocol_version = 2), version);
    let bits = broken(Rule::CapabilityBits, Field::CapabilityFlags);
    assert_eq!(refused(|hello| hello.capabilities = Capabilities(16)), bits);
    let direct = broken(Rule::GpuDirect, Field::CapabilityFlags);
    assert_eq!(
        refused(|hello| hello.capabilities = Capabilities::RDMA_GPUDIRECT),
        direct
    );
    let list = broken(Rule::LayoutList, Field::SupportedLayouts);
    let layouts = |hello: &mut Hello<'_>| {
        hello.layouts = LayoutEntries::new(&[LayoutEntry {
            tag: LayoutTag(0xFF),
            metadata: &[],
        }]);
    };
    assert_eq!(refused(layouts), list);
    // a layout that takes no metadata
    let entry = broken(Rule::LayoutEntry, Field::SupportedLayouts);
    let layouts = |hello: &mut Hello<'_>| {
        hello.layouts = LayoutEntries::new(&[LayoutEntry {
            tag: LayoutTag::Csr,
            metadata: &[1],
        }]);
    };
    assert_eq!(refused(layouts), entry);
    static MANY: [u8; 65_536] = [0; 65_536];
    let count = |field| {
        WriteError::from(Violation {
            rule: Rule::Hello,
            field,
            index: 65_536,
        })
    };
    assert_eq!(
        refused(|hello| hello.devices = &MANY),
        count(Field::DeviceCount)
    );
    assert_eq!(
        refused(|hello| hello.memory_classes = &MANY),
        count(Field::ClassCount)
    );
}

#[test]
fn a_request_that_a_reader_refuses() {
    let refused = |change: fn(&mut TensorRequest<'_>)| {
        let mut request = TensorRequest::new("k");
        change(&mut request);
        let (result, len) = client(|writer| writer.request(1, &request));
        assert_eq!(len, 0);
        result.unwrap_err()
    };
    let alignment = broken(Rule::Request, Field::MinAlignment);
    assert_eq!(refused(|request| request.min_alignment = 0), alignment);
    assert_eq!(refused(|request| request.min_alignment = 48), alignment);
    let flags = broken(Rule::Request, Field::RequestFlags);
    assert_eq!(
        refused(|request| request.request_flags = RequestFlags(4)),
        flags
    );
}

#[test]
fn messages_larger_than_the_peer_takes() {
    let large = broken(Rule::PeerMessageSize, Field::PayloadLength);
    let limited = |most: u32, calls: fn(&mut Writer<'_>) -> Result| {
        let (result, len) = server(|writer| {
            writer.meet(&Hello::new(most));
            calls(writer)
        });
        (result, len)
    };
    let descriptor: fn(&mut Writer<'_>) -> Result = |writer| begin(writer, 1, &eight());
    assert_eq!(limited(53 + 16 - 1, descriptor), (Err(large), 0));
    assert_eq!(limited(53 + 16, descriptor), (Ok(()), BEGUN));
    let error: fn(&mut Writer<'_>) -> Result = |writer| {
        let error = ErrorMessage {
            error_code: hrry::message::ErrorCode(1),
            message: "text",
        };
        writer.error(1, &error)
    };
    assert_eq!(limited(11, error), (Err(large), 0));
    assert_eq!(limited(12, error), (Ok(()), 24));
    // where not even one byte of data fits
    for most in [0, 7, 8] {
        let ((), len) = server(|writer| {
            begin(writer, 1, &eight()).unwrap();
            writer.meet(&Hello::new(most));
            assert_eq!(writer.data(1, b"x"), Err(large));
        });
        assert_eq!(len, BEGUN);
    }
}

#[test]
fn types_of_the_other_side_and_private_ones() {
    let unknown = broken(Rule::MessageType, Field::MessageType);
    assert_eq!(
        client(|writer| begin(writer, 1, &eight())),
        (Err(unknown), 0)
    );
    assert_eq!(client(|writer| writer.put_ack(1)), (Err(unknown), 0));
    assert_eq!(server(|writer| put(writer, 1, &eight())), (Err(unknown), 0));
    let asked = server(|writer| writer.request(1, &TensorRequest::new("k")));
    assert_eq!(asked, (Err(unknown), 0));
    for kind in [0, 10, 0xEF, 0xF0, 0x100] {
        let sent = server(|writer| writer.private(MessageType(kind), 1, b""));
        assert_eq!(sent, (Err(unknown), 0), "{kind}");
    }
    let never = broken(Rule::PrivateMessage, Field::MessageType);
    let sent = server(|writer| writer.private(MessageType(0xFF), 1, b""));
    assert_eq!(sent, (Err(never), 0));
}

#[test]
fn stream_0_and_all_streams_in_use() {
    let stream = broken(Rule::StreamId, Field::StreamId);
    assert_eq!(server(|writer| writer.ping(0)), (Err(stream), 0));
    assert_eq!(
        server(|writer| begin(writer, 0, &eight())),
        (Err(stream), 0)
    );
    let used = server(|writer| {
        begin(writer, 1, &eight())?;
        begin(writer, 2, &eight())?;
        assert_eq!(writer.ping(3), Ok(()));
        begin(writer, 3, &eight())
    });
    let capacity = ErrorKind::Capacity {
        what: Resource::Streams,
        needed: 3,
        available: 2,
    };
    assert_eq!(used, (Err(WriteError::Refused(capacity)), 2 * BEGUN + 12));
    // a stream that the peer closed makes room
    let (room, _) = server(|writer| {
        begin(writer, 1, &eight())?;
        begin(writer, 2, &eight())?;
        writer.close_stream(1);
        begin(writer, 3, &eight())
    });
    assert_eq!(room, Ok(()));
}

#[test]
fn an_output_that_ends_too_early_or_fails() {
    let finished = |calls: fn(&mut Writer<'_>)| {
        let mut sink = Limited::unlimited();
        let link = link(Side::Server, Scope::Tensor);
        let mut writer = Writer::with_parts(&mut sink, places(2), link, Policy::STRICT);
        calls(&mut writer);
        writer.finish().map(drop)
    };
    assert_eq!(finished(|writer| writer.ping(1).unwrap()), Ok(()));
    let open = finished(|writer| begin(writer, 1, &eight()).unwrap());
    assert_eq!(open, Err(WriteError::Order(Order::TensorOpen)));
    let between = finished(|writer| {
        begin(writer, 1, &head(CompositionRule::Group, 3)).unwrap();
        writer.end(1).unwrap();
    });
    let members = Order::CompositeOpen { members: 3 };
    assert_eq!(between, Err(WriteError::Order(members)));

    let csr = Plain::new(ElementType::UInt8, &[1, 1], &[0, 0, 16]).with_layout(PlainLayout::Csr(0));
    for limit in 0..12 + 93 + 16 {
        let mut sink = Limited {
            bytes: Vec::new(),
            limit,
        };
        let link = link(Side::Server, Scope::Tensor);
        let mut writer = Writer::with_parts(&mut sink, places(2), link, Policy::STRICT);
        assert_eq!(
            begin(&mut writer, 1, &csr),
            Err(WriteError::Sink(Full)),
            "{limit}"
        );
        let stopped = WriteError::Order(Order::Broken);
        assert_eq!(writer.ping(1), Err(stopped));
        assert_eq!(writer.end(1), Err(stopped));
        assert_eq!(begin(&mut writer, 2, &csr), Err(stopped));
        assert_eq!(writer.finish().map(drop), Err(stopped));
    }
}
