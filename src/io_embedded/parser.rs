//! What a pump can feed.

use crate::composite::{Arena, Cover};
use crate::error::Error;
use crate::frame::Storage;
use crate::message::parse::MessageMark;
use crate::message::{MessageEvent, MessageParser, Streams};
use crate::stream::event::Mark;
use crate::stream::resync::ResyncMark;
use crate::stream::{Event, Resync, ResyncEvent, StreamDecoder, StreamParser};

/// A parser that a pump can feed: a [`StreamDecoder`], a [`StreamParser`], a [`Resync`], or a
/// [`MessageParser`].
pub trait Parser: sealed::Steps {
    /// What it tells; borrows it, and the buffer of the pump.
    type Event<'e>
    where
        Self: 'e;

    #[doc(hidden)]
    fn event<'e>(&'e self, mark: Self::Mark, taken: &'e [u8]) -> Self::Event<'e>;
}

pub(super) mod sealed {
    use crate::error::Error;

    /// The steps of a pump. A loop cannot return an event that borrows what its next round would change,
    /// so looking for an event and borrowing it are apart.
    pub trait Steps {
        /// That there is an event, and which.
        type Mark;

        /// The next event, or none when the chunk is used up.
        fn advance(&mut self, input: &mut &[u8]) -> Result<Option<Self::Mark>, Error>;

        /// Bytes to the next decision, when a chunk is used up.
        fn wanted(&self) -> usize;

        /// Whether the input may end here.
        fn finish(&self) -> Result<(), Error>;
    }
}

macro_rules! parser {
    ($type:ty, $event:ty, $name:ident($mark:ty), $($bound:tt)*) => {
        #[derive(Debug)]
        pub struct $name($mark);

        impl<$($bound)*> sealed::Steps for $type {
            type Mark = $name;

            fn advance(&mut self, input: &mut &[u8]) -> Result<Option<$name>, Error> {
                Ok(self.advance(input)?.map($name))
            }

            fn wanted(&self) -> usize {
                self.wanted()
            }

            fn finish(&self) -> Result<(), Error> {
                self.finish()
            }
        }

        impl<$($bound)*> Parser for $type {
            type Event<'e>
                = $event
            where
                Self: 'e;

            fn event<'e>(&'e self, mark: $name, taken: &'e [u8]) -> $event {
                self.event(mark.0, taken)
            }
        }
    };
}

parser! { StreamParser<S>, Event<'e, 'e>, OfParser(Mark), S: Storage }
parser! { StreamDecoder<S, C, A>, Event<'e, 'e>, OfDecoder(Mark), S: Storage, C: Cover, A: Arena }
parser! {
    MessageParser<S, T>, MessageEvent<'e, 'e>, OfMessages(MessageMark), S: Storage, T: Streams
}
parser! {
    Resync<S, C, A>, ResyncEvent<'e>, OfResync(ResyncMark), S: Storage, C: Cover, A: Arena
}
