//! Names of rules and fields, as C strings.

use core::ffi::c_char;
use core::ptr;

use hrry::Rule;

/// The `$text` of all items, each followed by a 0.
macro_rules! strings {
    ($name:ident, $items:expr, $text:ident) => {
        pub(super) static $name: &[u8] = {
            const LEN: usize = {
                let (mut len, mut k) = (0, 0);
                while k < $items.len() {
                    len += $items[k].$text().len() + 1;
                    k += 1;
                }
                len
            };
            const BYTES: [u8; LEN] = {
                let (mut bytes, mut len, mut k) = ([0; LEN], 0, 0);
                while k < $items.len() {
                    let text = $items[k].$text().as_bytes();
                    let mut at = 0;
                    while at < text.len() {
                        bytes[len + at] = text[at];
                        at += 1;
                    }
                    len += text.len() + 1;
                    k += 1;
                }
                bytes
            };
            &BYTES
        };
    };
}

// at compile time, where a fault is a compile error
#[allow(clippy::indexing_slicing, clippy::arithmetic_side_effects)]
mod table {
    use hrry::{Field, Rule};
    strings!(IDS, Rule::ALL, id);
    strings!(TEXTS, Rule::ALL, text);
    strings!(NAMES, Field::ALL, name);
}

/// The string behind so many others.
fn nth(mut strings: &'static [u8], place: usize) -> Option<*const c_char> {
    for _ in 0..place {
        let end = strings.iter().position(|byte| *byte == 0)?;
        strings = strings.get(end.checked_add(1)?..)?;
    }
    (!strings.is_empty()).then(|| strings.as_ptr().cast())
}

fn of_rule(strings: &'static [u8], rule: u32) -> *const c_char {
    let mut rules = Rule::ALL.iter();
    let place = rules.position(|known| u32::from(known.number()) == rule);
    place
        .and_then(|place| nth(strings, place))
        .unwrap_or(ptr::null())
}

/// The ID of the rule with that number, for example "SHARD-01"; null for none. The string stays for ever.
#[unsafe(no_mangle)]
pub extern "C" fn hrry_rule_id(rule: u32) -> *const c_char {
    of_rule(table::IDS, rule)
}

/// What must hold by the rule with that number, in one line of UTF-8; null for none. The string stays for ever.
#[unsafe(no_mangle)]
pub extern "C" fn hrry_rule_text(rule: u32) -> *const c_char {
    of_rule(table::TEXTS, rule)
}

/// The name of the field with that number, as in the specification; null for none. The string stays for ever.
#[unsafe(no_mangle)]
pub extern "C" fn hrry_field_name(field: u32) -> *const c_char {
    let place = usize::try_from(field).unwrap_or(usize::MAX);
    nth(table::NAMES, place).unwrap_or(ptr::null())
}
