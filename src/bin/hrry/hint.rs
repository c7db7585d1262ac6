//! What to try where an input is refused.

use hrry::Rule;
use hrry::message::MessageType;

use super::args::Kind;
use super::read::{Item, Problem};
use super::source::{MAGIC, Source};

/// What is known of an input beside what is wrong with it.
#[derive(Default)]
pub struct Clues {
    /// The kind that it was said to be.
    given: Option<Kind>,
    /// Its first bytes.
    start: Vec<u8>,
    /// Where its first descriptor ends.
    first_end: Option<u64>,
}

impl Clues {
    /// Is told of the input, and of the kind that it was said to be.
    pub fn input(&mut self, source: &Source, given: Option<Kind>) {
        self.given = given;
        self.start = source.start().to_vec();
    }

    /// Is told of each item, in order.
    pub fn item(&mut self, item: &Item<'_>) {
        let len = item.view.as_bytes().len() as u64;
        self.first_end.get_or_insert(item.offset + len);
    }

    /// Whether there was an item.
    pub fn has_item(&self) -> bool {
        self.first_end.is_some()
    }

    /// Whether it starts as a stream that has items does.
    pub fn is_stream(&self) -> bool {
        self.start.starts_with(MAGIC)
    }

    pub fn hint(&self, problem: &Problem) -> Option<&'static str> {
        let rule = problem.rule?;
        match self.given {
            None if problem.early && problem.offset == self.first_end => {
                Some("a descriptor without its data is read with --kind descriptor")
            }
            None if rule == Rule::Magic && self.is_message() => {
                Some("messages are read with --kind messages")
            }
            Some(Kind::Messages) if problem.offset == Some(0) && self.is_message() => match rule {
                Rule::HelloFirst => Some(
                    "messages that do not start with a greeting are read with --scope tensor or --scope message",
                ),
                Rule::MessageType => {
                    Some("--sender says who sends them: client (the default) or server")
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether it starts with a message of the specification, as far as its type tells.
    fn is_message(&self) -> bool {
        let number = self.start.first_chunk().copied().map(u32::from_le_bytes);
        number.is_some_and(|number| MessageType(number).name().is_some())
    }
}

/// What to try where a container file is asked for and a stream comes.
pub fn stream_for_file(problem: &Problem, start: &[u8]) -> Option<&'static str> {
    let is_stream = start.starts_with(MAGIC);
    let hint = "this is a stream: pack makes a container file of it, values prints its numbers";
    (problem.rule == Some(Rule::FileMagic) && is_stream).then_some(hint)
}
