//! Budgets of memory on 64-bit targets: what a value may take at most.

#![cfg(target_pointer_width = "64")]

use std::mem::size_of;

use hrry::message::{
    FixedMessageWriter, FixedMessages, FixedParallel, Hello, LinkOptions, MessageData,
    MessageEvent, MessageHeader, StreamSlot, TensorRequest,
};
use hrry::profile::{Full, Gateway, Sensor};
use hrry::{
    BufferHandle, ContentError, ContentScan, DescriptorSpec, DescriptorView, Error, Event, Exact,
    ExactThenKeyed, Field, FixedComposite, FixedDecoder, FixedStream, FixedWriter, InlineArena,
    Layout, Outcome, Payload, Policy, Quantization, Report, Resync, ResyncEvent, Rule, SetError,
    StreamDecoder, Violation,
};

macro_rules! budgets {
    ($($type:ty: $most:expr;)*) => {
        $(assert!(
            size_of::<$type>() <= $most,
            "{} takes {} bytes, more than {}",
            stringify!($type),
            size_of::<$type>(),
            $most
        );)*
    };
}

#[test]
fn vocabulary() {
    budgets! {
        Rule: 2;
        Field: 1;
        Violation: 8;
        Error: 40;
        ContentError: 48;
        SetError: 40;
        Report: 40;
        Policy: 32;
    }
    assert_eq!(size_of::<Option<Rule>>(), size_of::<Rule>());
}

#[test]
fn what_is_passed_around() {
    budgets! {
        DescriptorView<'_>: 48;
        ResyncEvent<'_>: 72;
        Payload<'_>: 32;
        Outcome: 16;
        Event<'_, '_>: 64;
        Result<Option<Event<'_, '_>>, Error>: 64;
        BufferHandle: 16;
        Layout<'_>: 40;
        Quantization<'_>: 24;
        DescriptorSpec<'_>: 256;
        MessageHeader: 12;
        LinkOptions: 24;
        Hello<'_>: 72;
        TensorRequest<'_>: 56;
        MessageData<'_>: 32;
        MessageEvent<'_, '_>: 96;
        Result<Option<MessageEvent<'_, '_>>, Error>: 96;
    }
}

/// The state beside the frame and the arena, whose sizes are named in the type.
#[test]
fn machines() {
    budgets! {
        FixedStream<0>: 120;
        FixedComposite<0>: 344;
        ContentScan: 800;
        FixedDecoder<0, 0>: 464;
        Resync<[u8; 0], Exact, InlineArena<0>>: 608;
        FixedWriter<(), 0>: 392;
        StreamDecoder<[u8; 0], ExactThenKeyed, InlineArena<0>>: 480;
        FixedMessages<0, 0, 0>: 160;
        StreamSlot<Exact, InlineArena<0>>: 312;
        FixedMessageWriter<(), 0, 0>: 120;
        FixedParallel<0>: 576;
    }
    // nothing but the frame and the arena grows
    assert_eq!(
        size_of::<FixedDecoder<256, 64>>(),
        size_of::<FixedDecoder<0, 0>>() + 256 + 64 * 8
    );
    assert_eq!(
        size_of::<FixedMessages<256, 64, 3>>(),
        size_of::<FixedMessages<0, 0, 0>>()
            + 256
            + 3 * (size_of::<StreamSlot<Exact, InlineArena<0>>>() + 64 * 8)
    );
}

#[test]
fn profiles() {
    budgets! {
        Sensor: 1280;
        Gateway: 37 * 1024;
        Full: 530 * 1024;
    }
}
