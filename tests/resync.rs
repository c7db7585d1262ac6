//! Reading on behind damage: against a model that starts anew at every magic of the whole input, whatever
//! the cuts, and by hand.
#![cfg(not(miri))]

mod support;

mod resync {
    mod lines;
    mod model;

    use hrry::{Arena, Cover, Error, Lost, Resync, ResyncEvent, Storage};

    use crate::support::trace::{Entry, record_stream};

    /// What is told: events of the decoder with pieces of payload joined, losses and capacity errors with the
    /// number of events in front of them.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Told {
        pub entries: Vec<Entry>,
        pub losses: Vec<(usize, Loss)>,
        pub capacities: Vec<(usize, Error)>,
        pub result: Result<(), Error>,
    }

    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Loss {
        pub from: u64,
        pub to: u64,
        pub composites: u8,
        pub error: Error,
    }

    impl From<Lost> for Loss {
        fn from(lost: Lost) -> Self {
            Loss {
                from: lost.from,
                to: lost.to,
                composites: lost.composites,
                error: lost.error,
            }
        }
    }

    /// Everything that is told of an input in pieces that end at `cuts`.
    pub fn read<S: Storage, C: Cover, A: Arena>(
        mut resync: Resync<S, C, A>,
        input: &[u8],
        cuts: impl IntoIterator<Item = usize>,
    ) -> Told {
        let mut told = Told {
            entries: Vec::new(),
            losses: Vec::new(),
            capacities: Vec::new(),
            result: Ok(()),
        };
        let mut start = 0;
        for end in cuts.into_iter().chain([input.len()]) {
            let mut chunk = &input[start..end];
            loop {
                match resync.next_event(&mut chunk) {
                    Ok(Some(ResyncEvent::Stream(event))) => {
                        record_stream(&mut told.entries, event);
                    }
                    Ok(Some(ResyncEvent::Lost(lost))) => {
                        told.losses.push((told.entries.len(), lost.into()));
                    }
                    Ok(Some(ResyncEvent::Capacity(error))) => {
                        told.capacities.push((told.entries.len(), error));
                    }
                    Ok(Some(other)) => panic!("unknown event {other:?}"),
                    Ok(None) => break,
                    Err(error) => {
                        assert_eq!(resync.next_event(&mut &b"HRRY"[..]).err(), Some(error));
                        assert_eq!((resync.finish(), resync.wanted()), (Err(error), 0));
                        told.result = Err(error);
                        return told;
                    }
                }
            }
            assert!(chunk.is_empty() && resync.wanted() > 0);
            assert_eq!(resync.offset(), end as u64);
            start = end;
        }
        told.result = resync.finish();
        told
    }
}
