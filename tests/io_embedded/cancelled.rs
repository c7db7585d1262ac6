//! Futures that are dropped at every point where they can wait.

use hrry::io_embedded::async_07::{FixedWriter, Pump, Writer};
use hrry::io_embedded::{OutputError, PumpError};
use hrry::{
    BufferHandle, DescriptorSpec, ElementType, Error, Exact, FixedDecoder, Layout, Policy,
    WriteError,
};

use super::drivers::{Mood, Slow, Source, Target, Timeout, block_on, poll_once};
use super::inputs;
use super::items::{self, Stream};
use crate::support::scale::every;
use crate::support::trace::{Entry, growing, record_stream, trace};

/// What a pump tells whose futures are dropped wherever they wait, and at how many points they could.
fn pumped(
    source: Slow<Source<'_>>,
    policy: Policy,
    size: usize,
) -> (Vec<Entry>, Result<(), Error>, usize) {
    let mut pump = Pump::new(source, growing(policy), vec![0; size]);
    let mut entries = Vec::new();
    let result = loop {
        match poll_once(pump.next_event()) {
            None | Some(Err(PumpError::Source(Timeout(_)))) => {}
            Some(Ok(Some(event))) => record_stream(&mut entries, event),
            Some(Ok(None)) => break Ok(()),
            Some(Err(PumpError::Format(error))) => break Err(error),
            Some(Err(error)) => panic!("{error}"),
        }
    };
    (entries, result, pump.into_parts().0.point)
}

#[test]
fn a_pump_loses_and_repeats_nothing_when_every_read_is_dropped_once() {
    for (id, bytes, policy) in inputs() {
        let direct = trace(&bytes, &[], growing(policy));
        for (mood, size) in [
            (Mood::good(1), 3),
            (Mood::good(usize::MAX), 512),
            (Mood::bad(5, 30), 40),
        ] {
            let source = Slow::always(Source::new(&bytes, mood));
            let (entries, result, _) = pumped(source, policy, size);
            assert_eq!((&entries, result), (&direct.entries, direct.result), "{id}");
        }
    }
}

#[test]
fn a_pump_loses_and_repeats_nothing_when_one_read_is_dropped() {
    let mut runs = 0;
    for (id, bytes, policy) in inputs() {
        let direct = trace(&bytes, &[], growing(policy));
        let source = |point| Slow::at(Source::new(&bytes, Mood::good(9)), point);
        let (_, _, points) = pumped(source(usize::MAX), policy, 16);
        for point in (0..points).step_by(every(7)) {
            let (entries, result, passed) = pumped(source(point), policy, 16);
            assert_eq!((&entries, result), (&direct.entries, direct.result), "{id}");
            assert_eq!(passed, points + 1, "it waited once");
            runs += 1;
        }
    }
    assert!(runs > 500, "{runs}");
}

/// What arrives at an output where futures are dropped wherever they wait, and at how many points they
/// could.
fn written(stream: &Stream, target: Slow<Target>) -> (Target, usize) {
    let mut writer = Writer::with_parts(target, [0; 4096], Exact, Vec::new(), stream.policy);
    let passed = |result| match result {
        None | Some(Err(WriteError::Sink(OutputError::Output(Timeout(_))))) => false,
        Some(Ok(())) => true,
        Some(Err(error)) => panic!("{error}"),
    };
    for one in &stream.items {
        let view = one.view(&stream.policy);
        while !passed(poll_once(writer.begin(&view))) {}
        let mut payload = &one.payload[..];
        while !passed(poll_once(writer.payload(&mut payload))) {}
        assert!(payload.is_empty());
        writer.end().unwrap();
    }
    while !passed(poll_once(writer.finish())) {}
    let Slow { driver, point, .. } = writer.into_output();
    (driver, point)
}

#[test]
fn a_writer_loses_and_repeats_nothing_when_every_write_is_dropped_once() {
    for stream in items::all() {
        for mood in [Mood::good(1), Mood::good(usize::MAX), Mood::bad(6, 30)] {
            let (target, _) = written(&stream, Slow::always(Target::new(mood)));
            assert_eq!(target.bytes, stream.bytes, "{}", stream.id);
            assert_eq!(target.flushed, target.bytes.len());
        }
    }
}

#[test]
fn a_writer_loses_and_repeats_nothing_when_one_write_is_dropped() {
    let mut runs = 0;
    for stream in items::all() {
        let target = |point| Slow::at(Target::new(Mood::good(9)), point);
        let (_, points) = written(&stream, target(usize::MAX));
        for point in (0..points).step_by(every(7)) {
            let (target, passed) = written(&stream, target(point));
            assert_eq!(target.bytes, stream.bytes, "{}", stream.id);
            assert_eq!((target.flushed, passed), (target.bytes.len(), points + 1));
            runs += 1;
        }
    }
    assert!(runs > 200, "{runs}");
}

const BUFFERS: [BufferHandle; 1] = [BufferHandle::cpu(3, 64)];

fn tensor() -> DescriptorSpec<'static> {
    DescriptorSpec::new(ElementType::UInt8, &[3], Layout::RowMajor, &BUFFERS)
}

/// A driver that may have taken bytes by then: a call that went through is no reason to refuse, one that was
/// dropped is.
#[test]
fn a_dropped_read_of_a_driver_that_is_not_cancel_safe_is_refused() {
    let bytes = [0; 8];
    let source = Slow::always(Source::new(&bytes, Mood::good(1)));
    let decoder = FixedDecoder::<64, 0>::new(Policy::STRICT);
    let mut pump = Pump::new(source, decoder, [0; 8]).not_cancel_safe();
    let waited = block_on(pump.next_event()).map(|_| ());
    assert!(matches!(waited, Err(PumpError::Format(_))));
    pump.parser_mut().reset();
    assert!(poll_once(pump.next_event()).is_none());
    for _ in 0..2 {
        let refused = poll_once(pump.next_event()).unwrap().map(|_| ());
        assert_eq!(refused, Err(PumpError::Dropped));
    }
    assert_eq!(pump.into_parts().0.driver.at, 1, "nothing more was read");
}

#[test]
fn a_dropped_write_of_a_driver_that_is_not_cancel_safe_is_refused() {
    let target = Slow::always(Target::new(Mood::good(60)));
    let mut writer = FixedWriter::<_, 64, 0>::new(target, Policy::STRICT).not_cancel_safe();
    block_on(writer.begin(&tensor())).unwrap();
    let mut payload: &[u8] = &[1, 2];
    block_on(writer.payload(&mut payload)).unwrap();
    let mut payload: &[u8] = &[3];
    assert!(poll_once(writer.payload(&mut payload)).is_none());
    for _ in 0..2 {
        let refused = Some(Err(WriteError::Sink(OutputError::Dropped)));
        assert_eq!(poll_once(writer.payload(&mut payload)), refused);
        assert_eq!(poll_once(writer.flush()), refused);
    }
    assert_eq!(writer.into_output().driver.bytes.len(), 53 + 2);
}

#[test]
fn an_empty_buffer_is_not_the_end() {
    let source = Slow::always(Source::new(b"HRRY", Mood::good(1)));
    let mut pump = Pump::new(source, growing(Policy::STRICT), [0; 0]);
    let error = block_on(pump.next_event()).map(|_| ());
    assert_eq!(error, Err(PumpError::NoBuffer));
}

#[test]
fn an_output_that_takes_nothing_is_an_error() {
    let target = Slow::always(Target::new(Mood::good(0)));
    let mut writer = FixedWriter::<_, 64, 0>::new(target, Policy::STRICT);
    block_on(writer.begin(&tensor())).unwrap();
    let nothing = WriteError::Sink(OutputError::TookNothing);
    assert_eq!(block_on(writer.flush()), Err(nothing));
}
