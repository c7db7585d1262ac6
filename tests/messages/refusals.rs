//! What a writer refuses, with its rule, and that nothing of it is written.

use hrry::{
    BufferHandle, Capabilities, CombineOp, CompositeHead, CompositionRule, DeviceTag, ElementType,
    ErrorKind, ErrorMessage, Field, Hello, LayoutEntries, LayoutEntry, LayoutTag, LinkOptions,
    MemoryClass, MessageType, Order, Policy, RdmaRegister, RequestFlags, Resource, Rule, Scope,
    ShardNumber, Side, SyncMode, TensorRequest, Violation, WriteError,
};

use super::written::Writer;
use crate::support::messages::places;
use crate::support::sinks::{Full, Limited};
use crate::support::spec::{Kind, Plain, PlainLayout};

type Result<T = ()> = std::result::Result<T, WriteError<Full>>;

fn broken(rule: Rule, field: Field) -> WriteError<Full> {
    WriteError::from(Violation {
        rule,
        field,
        index: 0,
    })
}

fn order() -> WriteError<Full> {
    broken(Rule::MessageOrder, Field::MessageType)
}

fn link(sender: Side, scope: Scope) -> LinkOptions {
    let mut options = LinkOptions::new(sender, 1 << 20);
    options.scope = scope;
    options
}

/// Runs calls on a writer with two streams and tells how many bytes they wrote.
fn with_link<R>(link: LinkOptions, calls: impl FnOnce(&mut Writer<'_>) -> R) -> (R, usize) {
    let mut sink = Limited::unlimited();
    let mut writer = Writer::with_parts(&mut sink, places(2), link, Policy::STRICT);
    let result = calls(&mut writer);
    (result, sink.bytes.len())
}

fn server<R>(calls: impl FnOnce(&mut Writer<'_>) -> R) -> (R, usize) {
    with_link(link(Side::Server, Scope::Tensor), calls)
}

fn client<R>(calls: impl FnOnce(&mut Writer<'_>) -> R) -> (R, usize) {
    with_link(link(Side::Client, Scope::Tensor), calls)
}

fn eight() -> Plain {
    Plain::new(ElementType::UInt8, &[8], &[8])
}

fn head(composition_rule: CompositionRule, member_count: u32) -> Plain {
    let head = CompositeHead {
        composition_rule,
        combine_op: CombineOp::None,
        member_count,
    };
    Plain::head(ElementType::UInt8, &[8], head)
}

fn begin(writer: &mut Writer<'_>, stream_id: u32, plain: &Plain) -> Result {
    let whole = ShardNumber::WHOLE;
    plain
        .lend(Kind::Native, |spec| {
            writer.descriptor(stream_id, spec, whole)
        })
        .map(drop)
}

fn put(writer: &mut Writer<'_>, stream_id: u32, plain: &Plain) -> Result {
    plain.lend(Kind::Native, |spec| writer.put(stream_id, "k", spec))
}

/// A TENSOR_DESCRIPTOR of [`eight`], and its end.
const BEGUN: usize = 12 + 53 + 16;
const END: usize = 12;

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
                        error_code: hrry::ErrorCode(1),
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
            error_code: hrry::ErrorCode(1),
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
    const MANY: [u8; 65_536] = [0; 65_536];
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
fn data_without_a_tensor_too_much_and_too_little() {
    let total = |field| broken(Rule::DataTotal, field);
    let ((), len) = server(|writer| {
        assert_eq!(writer.data(1, b"x"), Err(order()));
        assert_eq!(writer.data(1, b""), Err(order()));
        assert_eq!(writer.end(1), Err(order()));
        assert_eq!(begin(writer, 1, &eight()), Ok(()));
        assert_eq!(begin(writer, 1, &eight()), Err(order()));
        assert_eq!(writer.data(2, b"x"), Err(order()));
        assert_eq!(writer.data(1, &[0; 9]), Err(total(Field::PayloadLength)));
        assert_eq!(writer.end(1), Err(total(Field::MessageType)));
        assert_eq!(writer.data(1, &[0; 5]), Ok(()));
        assert_eq!(writer.data(1, &[0; 4]), Err(total(Field::PayloadLength)));
        assert_eq!(writer.end(1), Err(total(Field::MessageType)));
        // nothing, which needs no message
        assert_eq!(writer.data(1, b""), Ok(()));
        assert_eq!(writer.data(1, &[0; 3]), Ok(()));
        assert_eq!(writer.data(1, b"x"), Err(total(Field::PayloadLength)));
        assert!(writer.end(1).is_ok());
        assert_eq!(writer.end(1), Err(order()));
    });
    assert_eq!(len, BEGUN + 20 + 5 + 20 + 3 + END);
}

#[test]
fn a_gap_in_a_partition_at_its_end() {
    let part =
        |len: u64, at| Plain::new(ElementType::UInt8, &[len], &[len]).with_shard(&[8], &[at]);
    let (result, _) = server(|writer| {
        begin(writer, 1, &head(CompositionRule::Partition, 2))?;
        writer.end(1)?;
        for (len, at) in [(3, 0), (4, 4)] {
            begin(writer, 1, &part(len, at))?;
            writer.data(1, &[0; 4][..len as usize])?;
            writer.end(1)?;
        }
        Ok(())
    });
    let result: Result = result;
    let Err(WriteError::Refused(kind)) = result else {
        panic!("{result:?}");
    };
    assert_eq!(kind.rule(), Some(Rule::Gap));
    // an overlap is seen with the member that brings it
    let (result, _) = server(|writer| {
        begin(writer, 1, &head(CompositionRule::Partition, 2))?;
        writer.end(1)?;
        begin(writer, 1, &part(5, 0))?;
        writer.data(1, &[0; 5])?;
        writer.end(1)?;
        begin(writer, 1, &part(4, 4))
    });
    let overlap = ErrorKind::Overlap {
        member: 1,
        first: 0,
        last: 0,
    };
    assert_eq!(result, Err(WriteError::Refused(overlap)));
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
            error_code: hrry::ErrorCode(1),
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
fn buffers_that_the_peer_does_not_take() {
    let with = |change: fn(&mut BufferHandle)| {
        let mut plain = eight();
        plain.buffers[0].device_tag = DeviceTag::Cuda;
        change(&mut plain.buffers[0]);
        plain
    };
    let unified = with(|buffer| buffer.memory_class = MemoryClass::Unified);
    let class = broken(Rule::PeerMemoryClass, Field::MemoryClass);
    // before it said anything, nobody knows
    assert_eq!(server(|writer| begin(writer, 1, &unified)), (Ok(()), BEGUN));
    let refused = server(|writer| {
        writer.meet(&Hello::new(1 << 20));
        begin(writer, 1, &unified)
    });
    assert_eq!(refused, (Err(class), 0));
    let refused = client(|writer| {
        writer.meet(&Hello::new(1 << 20));
        put(writer, 1, &unified)
    });
    assert_eq!(refused, (Err(class), 0));
    let unsynced = with(|buffer| buffer.sync_mode = SyncMode(1));
    let sync = broken(Rule::CrossMachineSync, Field::SyncMode);
    assert_eq!(server(|writer| begin(writer, 1, &unsynced)), (Err(sync), 0));
    assert_eq!(client(|writer| put(writer, 1, &unsynced)), (Err(sync), 0));
}

#[test]
fn a_put_of_a_head_with_members() {
    let refused = broken(Rule::PutHead, Field::MemberCount);
    let group = |members| head(CompositionRule::Group, members);
    assert_eq!(
        client(|writer| put(writer, 1, &group(1))),
        (Err(refused), 0)
    );
    let whole = client(|writer| {
        put(writer, 1, &group(0))?;
        writer.end(1).map(drop)
    });
    assert_eq!(whole, (Ok(()), 12 + 4 + 1 + 4 + 45 + 8 + END));
}

#[test]
fn shard_numbers() {
    let half = eight().with_shard(&[16], &[8]);
    let begun = |plain: &Plain, index, total| {
        let number = ShardNumber { index, total };
        let call = |writer: &mut Writer<'_>| {
            plain.lend(Kind::Native, |spec| writer.descriptor(1, spec, number))
        };
        let (result, len) = server(call);
        assert_eq!(result.is_ok(), len > 0);
        result.map(drop)
    };
    let count = |field| Err(broken(Rule::ShardCount, field));
    assert_eq!(begun(&half, 0, 0), count(Field::TotalShards));
    assert_eq!(begun(&half, 2, 2), count(Field::ShardIndex));
    assert_eq!(begun(&half, 1, 1), count(Field::ShardIndex));
    let missing = broken(Rule::ShardMissing, Field::TotalShards);
    assert_eq!(begun(&eight(), 0, 2), Err(missing));
    assert_eq!(begun(&half, 1, 2), Ok(()));
    assert_eq!(begun(&half, 0, 1), Ok(()));
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
fn rdma_out_of_turn() {
    let region = RdmaRegister {
        remote_addr: 0,
        length: 8,
        rkey: b"",
    };
    let turn = broken(Rule::RdmaOrder, Field::MessageType);
    let ((), len) = server(|writer| {
        assert_eq!(writer.rdma_register(1, &region), Err(turn));
        assert_eq!(writer.rdma_ready(1), Err(turn));
        begin(writer, 1, &eight()).unwrap();
        assert_eq!(writer.rdma_ready(1), Err(turn));
        let other = RdmaRegister {
            length: 7,
            ..region
        };
        let length = broken(Rule::RdmaRegister, Field::RegisteredLength);
        assert_eq!(writer.rdma_register(1, &other), Err(length));
    });
    assert_eq!(len, BEGUN);
    let (refused, _) = with_link(link(Side::Server, Scope::Session), |writer| {
        writer.hello(1, &Hello::new(1 << 20)).unwrap();
        begin(writer, 1, &eight()).unwrap();
        writer.rdma_register(1, &region)
    });
    assert_eq!(refused, Err(turn));
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
