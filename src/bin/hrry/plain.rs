//! Text from outside, made safe for a terminal.

use std::fmt::{self, Display, Write};

/// Shows a string with control characters and invisible marks escaped.
pub struct Plain<'a> {
    text: &'a str,
    keep_lines: bool,
}

impl<'a> Plain<'a> {
    pub const fn new(text: &'a str) -> Self {
        Plain {
            text,
            keep_lines: false,
        }
    }

    /// Keeps line feeds.
    pub const fn lines(text: &'a str) -> Self {
        Plain {
            text,
            keep_lines: true,
        }
    }
}

impl Display for Plain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.text.chars() {
            if is_hidden(c) && !(self.keep_lines && c == '\n') {
                write!(f, "{}", c.escape_unicode())?;
            } else {
                f.write_char(c)?;
            }
        }
        Ok(())
    }
}

/// Control characters, and marks that reorder or hide what stands around them. All fit one UTF-16 unit.
pub fn is_hidden(c: char) -> bool {
    let mark = matches!(c,
        '\u{AD}' | '\u{61C}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}' | '\u{FEFF}');
    c.is_control() || mark
}
