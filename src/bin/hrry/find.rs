//! One item of an input, with everything that belongs to it.

use std::io::BufReader;

use hrry::io_std::{IoError, read_events};
use hrry::owned::{Assembler, Item};
use hrry::{Event, Outcome, StreamDecoder};

use super::args::{Kind, Values};
use super::check::open;
use super::container::{self, stopped};
use super::hint::Clues;
use super::plain::Plain;
use super::read::{CHUNK, Problem, Stop};
use super::source::Source;

/// Reads the item that a name in a container, or a path in a stream, stands for.
pub fn find(values: &Values) -> Result<Item, Stop> {
    let (mut kind, mut clues) = (values.reading.kind, Clues::default());
    let source = open(&values.file, &mut kind, &mut clues)?;
    let item = match kind {
        Some(Kind::File) => {
            let file = source.into_file().map_err(Problem::input)?;
            let mut container = container::open(file, &values.reading.policy())?;
            container.read(&values.item).map_err(stopped)?
        }
        Some(Kind::Descriptor) => return Err(no("a descriptor alone has no values")),
        Some(Kind::Messages) => return Err(no("values of messages are not read")),
        _ => in_stream(source, values, clues.is_stream())?,
    };
    item.ok_or_else(|| {
        let item = Plain::new(&values.item);
        no(&format!("there is no item {item}"))
    })
}

fn no(why: &str) -> Stop {
    Stop::Problem(Problem::other(why))
}

/// The item at a path: `#2` is the third one of the stream, `#2.1` the second member of that.
fn in_stream(source: Source, values: &Values, is_stream: bool) -> Result<Option<Item>, Stop> {
    let path = values.item.strip_prefix('#').and_then(|path| {
        let numbers = path.split('.').map(|number| number.parse::<usize>().ok());
        numbers.collect::<Option<Vec<_>>>()
    });
    let (top, members) = match path.as_deref().and_then(<[usize]>::split_first) {
        Some((top, members)) => (Some(*top), members),
        None if is_stream => {
            let why = "an item of a stream is named by its place, for example #2 or #2.1";
            return Err(no(why));
        }
        // what is no stream is refused as such
        None => (None, &[][..]),
    };
    let policy = values.reading.policy();
    let mut decoder = StreamDecoder::growing(policy);
    let (mut assembler, mut found) = (Assembler::new(), None);
    let mut items = 0;
    let source = BufReader::with_capacity(CHUNK, source);
    let read = read_events(&mut decoder, source, |event| {
        let outside = match &event {
            Event::Descriptor(_, Outcome::Plain) => true,
            Event::Descriptor(_, Outcome::Opened { index, .. }) => index.is_none(),
            _ => false,
        };
        items += usize::from(outside);
        if top.is_some() && items.checked_sub(1) == top && found.is_none() {
            found = assembler.take(event)?;
        }
        Ok::<(), IoError>(())
    });
    read.map_err(stopped)?;
    Ok(members.iter().fold(found, |item, k| match item? {
        Item::Composite(composite) => composite.into_parts().1.into_iter().nth(*k),
        Item::Tensor(_) => None,
    }))
}
