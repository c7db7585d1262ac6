//! Reading on behind damage: against a model that starts anew at every magic of the whole input, whatever
//! the cuts, and by hand.
#![cfg(not(miri))]

mod support;

mod resync {
    mod lines;
    mod model;

    use hrry::{Arena, Cover, Error, Event, Fields, Outcome, Resync, ResyncEvent, Storage};

    /// What is told, pieces of payload joined.
    #[derive(Clone, Debug, PartialEq)]
    pub enum Told {
        Descriptor {
            origin: u64,
            bytes: Vec<u8>,
            outcome: Outcome,
        },
        Buffer {
            index: u8,
            bytes: Vec<u8>,
            complete: bool,
        },
        End(Outcome),
        Lost {
            from: u64,
            to: u64,
            error: Error,
            composites: u8,
        },
    }

    pub type All = (Vec<Told>, Result<(), Error>);

    pub fn tell(told: &mut Vec<Told>, event: &Event<'_, '_>) {
        let new = match event {
            Event::Descriptor(view, outcome) => Told::Descriptor {
                origin: view.origin(),
                bytes: view.as_bytes().to_vec(),
                outcome: *outcome,
            },
            Event::Payload(payload) => {
                if let Some(Told::Buffer {
                    index,
                    bytes,
                    complete,
                }) = told.last_mut()
                    && *index == payload.buffer
                {
                    assert!(!*complete && payload.offset == bytes.len() as u64);
                    bytes.extend(payload.bytes);
                    *complete = payload.last;
                    return;
                }
                assert_eq!(payload.offset, 0);
                Told::Buffer {
                    index: payload.buffer,
                    bytes: payload.bytes.to_vec(),
                    complete: payload.last,
                }
            }
            Event::TensorEnd(outcome) => Told::End(*outcome),
            other => panic!("unknown event {other:?}"),
        };
        told.push(new);
    }

    /// Everything that is told of an input in pieces that end at `cuts`.
    pub fn read<S: Storage, C: Cover, A: Arena>(
        mut resync: Resync<S, C, A>,
        input: &[u8],
        cuts: impl IntoIterator<Item = usize>,
    ) -> All {
        let (mut told, mut start) = (Vec::new(), 0);
        for end in cuts.into_iter().chain([input.len()]) {
            let mut chunk = &input[start..end];
            loop {
                match resync.next_event(&mut chunk) {
                    Ok(Some(ResyncEvent::Stream(event))) => tell(&mut told, &event),
                    Ok(Some(ResyncEvent::Lost(lost))) => told.push(Told::Lost {
                        from: lost.from,
                        to: lost.to,
                        error: lost.error,
                        composites: lost.composites,
                    }),
                    Ok(Some(other)) => panic!("unknown event {other:?}"),
                    Ok(None) => break,
                    Err(error) => {
                        assert_eq!(resync.next_event(&mut &b"HRRY"[..]).err(), Some(error));
                        assert_eq!((resync.finish(), resync.wanted()), (Err(error), 0));
                        return (told, Err(error));
                    }
                }
            }
            assert!(chunk.is_empty() && resync.wanted() > 0);
            assert_eq!(resync.offset(), end as u64);
            start = end;
        }
        let result = resync.finish();
        (told, result)
    }
}
