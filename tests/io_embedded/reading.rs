//! Blocking pumps.

use std::fmt::Debug;

use hrry::io_embedded::PumpError;
use hrry::io_embedded::blocking_07::Pump;
use hrry::message::{FixedMessages, MessageBody, MessageEvent};
use hrry::{Error, Event, FixedDecoder, Policy, Resync, ResyncEvent, Rule, StreamParser};

use super::drivers::{Mood, Source, Timeout};
use super::inputs;
use crate::support::trace::{Entry, Growing, growing, record_stream, trace};
use crate::support::vectors::{messages, named, streams};

/// Everything that a pump tells, calling again after every failure of the driver.
fn pumped(
    source: Source<'_>,
    policy: Policy,
    buffer: &mut [u8],
) -> (Vec<Entry>, Result<(), Error>) {
    let mut pump = Pump::new(source, growing(policy), buffer);
    let (mut entries, mut failures) = (Vec::new(), 0);
    loop {
        match pump.next_event() {
            Ok(Some(event)) => record_stream(&mut entries, event),
            Ok(None) => {
                assert_eq!(pump.into_parts().1.finish(), Ok(()));
                return (entries, Ok(()));
            }
            Err(PumpError::Source(Timeout(number))) => {
                assert_eq!(number, failures, "every failure is told, once");
                failures += 1;
            }
            Err(PumpError::Format(error)) => {
                return (entries, Err(error));
            }
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn pumps_tell_what_the_decoder_tells() {
    let (mut accepted, mut refused) = (0, 0);
    for (id, bytes, policy) in inputs() {
        let direct = trace(&bytes, &[], growing(policy));
        let moods = [
            (Mood::good(usize::MAX), 512),
            (Mood::good(1), 1),
            (Mood::bad(1, 3), 7),
            (Mood::bad(2, 60), 64),
        ];
        for (mood, size) in moods {
            let (entries, result) = pumped(Source::new(&bytes, mood), policy, &mut vec![0; size]);
            assert_eq!((&entries, result), (&direct.entries, direct.result), "{id}");
        }
        match direct.result {
            Ok(()) => accepted += 1,
            Err(_) => refused += 1,
        }
    }
    assert!(accepted > 50 && refused > 50);
}

/// At every event the driver still has each byte behind it.
#[test]
fn nothing_is_read_ahead() {
    let mut ends = 0;
    for v in streams()
        .iter()
        .filter(|v| v.accept && v.bytes.len() < 10_000)
    {
        for size in [1, 5, 4096] {
            let mut source = Source::new(&v.bytes, Mood::good(usize::MAX));
            let mut pump = Pump::new(&mut source, growing(v.policy), vec![0; size]);
            while let Some(event) = pump.next_event().unwrap() {
                if let Event::TensorEnd(_) = event {
                    ends += 1;
                    let (source, decoder) = pump.into_parts();
                    assert_eq!(source.at as u64, decoder.offset(), "{}", v.id);
                    pump = Pump::new(source, decoder, vec![0; size]);
                }
            }
        }
    }
    assert!(ends > 100);
}

/// Counts reads and says what they asked for.
#[derive(Debug)]
struct Asked<'a>(Source<'a>, Vec<usize>);

impl embedded_io_07::ErrorType for Asked<'_> {
    type Error = Timeout;
}

impl embedded_io_07::Read for Asked<'_> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, Timeout> {
        self.1.push(into.len());
        self.0.read(into)
    }
}

#[test]
fn a_descriptor_takes_four_reads_and_a_buffer_its_fills() {
    let streams = streams();
    let bytes = &named(&streams, "s-ok-ov-spqr").bytes[53..];
    // a descriptor of 153 bytes with buffers of 128 and 16
    let mut pump = Pump::new(
        Asked(Source::new(bytes, Mood::good(usize::MAX)), Vec::new()),
        StreamParser::with_storage([0; 256], Policy::STRICT),
        [0; 50],
    );
    while !matches!(pump.next_event().unwrap(), Some(Event::TensorEnd(_))) {}
    let asked = pump.into_parts().0.1;
    let rest = [50, 50, 33];
    assert_eq!(asked[..3], [4, 6, 10]);
    assert_eq!(asked[3..6], rest);
    assert_eq!(asked[6..], [50, 50, 28, 16]);
}

fn format<T: Debug>(result: Result<T, PumpError<Timeout>>) -> Error {
    match result {
        Err(PumpError::Format(error)) => error,
        other => panic!("{other:?}"),
    }
}

/// A source that ends: truncated inside an item, torn inside a composite, and an end outside of both.
#[test]
fn the_end_is_what_the_decoder_says() {
    let streams = streams();
    let bytes = &named(&streams, "s-ok-ov-spqr").bytes;
    for len in 0..=bytes.len() {
        let mut pump = Pump::new(
            Source::new(&bytes[..len], Mood::good(20)),
            growing(Policy::STRICT),
            [0; 32],
        );
        let result = loop {
            match pump.next_event() {
                Ok(Some(_)) => {}
                Ok(None) => break None,
                error => break Some(format(error.map(|_| ()))),
            }
        };
        let expected = match len {
            0 | 527 => None,
            // behind the head and behind the base
            53 | 350 => Some(Rule::Torn),
            _ => Some(Rule::StreamTruncated),
        };
        assert_eq!(result.map(|error| error.rule().unwrap()), expected, "{len}");
        // asked again it says the same; with more bytes it goes on
        assert_eq!(pump.next_event().is_err(), expected.is_some());
        let (_, decoder) = pump.into_parts();
        let rest = Source::new(&bytes[len..], Mood::good(20));
        let mut pump = Pump::new(rest, decoder, [0; 32]);
        while pump.next_event().unwrap().is_some() {}
        assert_eq!(pump.parser().offset(), 527, "{len}");
    }
}

#[test]
fn an_empty_buffer_is_not_the_end() {
    let bytes = b"HRRY";
    let mut pump: Pump<_, Growing, _> = Pump::new(
        Source::new(bytes, Mood::good(1)),
        growing(Policy::STRICT),
        [0; 0],
    );
    for _ in 0..2 {
        assert_eq!(pump.next_event().err(), Some(PumpError::NoBuffer));
    }
    assert_eq!(pump.into_parts().0.at, 0, "nothing was read");
}

/// Errors of the parser stick, whatever the source has.
#[test]
fn nothing_is_read_after_an_error() {
    let bytes = b"HRXHRRYHRRY";
    let source = Source::new(bytes, Mood::good(usize::MAX));
    let mut pump = Pump::new(source, FixedDecoder::<64, 0>::new(Policy::STRICT), [0; 64]);
    for _ in 0..3 {
        let error = format(pump.next_event().map(|_| ()));
        assert_eq!((error.rule(), error.offset()), (Some(Rule::Magic), 2));
    }
    assert_eq!(pump.parser().offset(), 3);
    // eight bytes more, then the end
    pump.parser_mut().reset();
    let error = format(pump.next_event().map(|_| ()));
    assert_eq!(
        (error.rule(), error.offset()),
        (Some(Rule::StreamTruncated), 11)
    );
}

#[test]
fn a_pump_feeds_a_reader_of_raw_lines() {
    let streams = streams();
    let tensors = &named(&streams, "s-ok-two").bytes;
    let line = [&tensors[..], b"HRnoise", tensors].concat();
    for (piece, size) in [(1, 1), (7, 3), (500, 64)] {
        let decoder = FixedDecoder::<256, 64>::new(Policy::STRICT);
        let source = Source::new(&line, Mood::good(piece));
        let mut pump = Pump::new(source, Resync::new(decoder, 100), vec![0; size]);
        let (mut ends, mut lost) = (0, Vec::new());
        while let Some(event) = pump.next_event().unwrap() {
            match event {
                ResyncEvent::Stream(Event::TensorEnd(_)) => ends += 1,
                ResyncEvent::Lost(loss) => lost.push([loss.from, loss.to]),
                _ => {}
            }
        }
        let len = tensors.len() as u64;
        assert_eq!((ends, lost), (4, vec![[len, len + 7]]));
    }
}

/// What messages say, and all their data.
#[derive(Debug, Default, PartialEq)]
struct Told(Vec<String>, Vec<u8>);

impl Told {
    fn note(&mut self, event: &MessageEvent<'_, '_>) {
        match event.body {
            MessageBody::Data(data) => self.1.extend_from_slice(data.bytes),
            _ => self.0.push(format!("{event:?}")),
        }
    }
}

#[test]
fn a_pump_feeds_a_parser_of_messages() {
    for (v, link) in messages() {
        let parser = || FixedMessages::<512, 64, 4>::new(link, v.policy);
        let (mut direct, mut told) = (parser(), Told::default());
        let mut chunk = &v.bytes[..];
        let result = loop {
            match direct.next_event(&mut chunk) {
                Ok(Some(event)) => told.note(&event),
                Ok(None) => break direct.finish(),
                Err(error) => break Err(error),
            }
        };
        for (piece, size) in [(1, 1), (5, 64), (usize::MAX, 7)] {
            let source = Source::new(&v.bytes, Mood::good(piece));
            let mut pump = Pump::new(source, parser(), vec![0; size]);
            let mut pumped = Told::default();
            let end = loop {
                match pump.next_event() {
                    Ok(Some(event)) => pumped.note(&event),
                    Ok(None) => break Ok(()),
                    Err(PumpError::Format(error)) => break Err(error),
                    Err(error) => panic!("{error}"),
                }
            };
            assert_eq!((&pumped, end), (&told, result), "{}", v.id);
        }
    }
}
