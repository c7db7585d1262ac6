//! Tensors that a writer refuses, with the rule.

use hrry::message::{Hello, RdmaRegister, Scope, ShardNumber, Side};
use hrry::{
    BufferHandle, CompositionRule, DeviceTag, ElementType, ErrorKind, Field, MemoryClass, Policy,
    Resource, Rule, SyncMode, WriteError,
};

use super::refusals::{
    BEGUN, END, Result, begin, broken, client, eight, head, link, order, put, server, with_link,
};
use super::written::Writer;
use crate::support::messages::places;
use crate::support::sinks::Limited;
use crate::support::spec::{Kind, Plain};

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

/// What is refused takes no place of a stream.
#[test]
fn a_head_for_which_there_is_no_room() {
    let mut policy = Policy::STRICT;
    policy.max_members = 1;
    let mut sink = Limited::unlimited();
    let link = link(Side::Server, Scope::Tensor);
    let mut writer = Writer::with_parts(&mut sink, places(1), link, policy);
    let members = ErrorKind::Capacity {
        what: Resource::Members,
        needed: 2,
        available: 1,
    };
    let group = head(CompositionRule::Group, 2);
    let refused = Err(WriteError::Refused(members));
    assert_eq!(begin(&mut writer, 1, &group), refused);
    assert_eq!(begin(&mut writer, 2, &eight()), Ok(()));
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
