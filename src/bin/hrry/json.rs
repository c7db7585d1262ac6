//! JSON on standard output.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::Formatter;

use super::plain::is_hidden;

/// Writes a value without line feeds.
pub fn write(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    let mut serializer = serde_json::Serializer::with_formatter(out, Safe);
    Ok(value.serialize(&mut serializer)?)
}

/// Compact, and with everything escaped that a terminal might obey.
struct Safe;

impl Formatter for Safe {
    fn write_string_fragment<W: Write + ?Sized>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        let mut rest = fragment;
        while let Some((at, hidden)) = rest.char_indices().find(|(_, c)| is_hidden(*c)) {
            write!(writer, "{}\\u{:04x}", &rest[..at], u32::from(hidden))?;
            rest = &rest[at + hidden.len_utf8()..];
        }
        writer.write_all(rest.as_bytes())
    }
}
