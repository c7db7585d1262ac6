//! Values of the key-value section that own what they hold, and their forms for both implementations.

use hrry::{F64Bits, KvArray, KvEntry, KvValue};
use hurray_io::file::KvValue as TheirValue;

use crate::choices::Choices;

/// A value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    One(Scalar),
    /// `element_tag` and the elements.
    Array(u8, Vec<Scalar>),
}

/// A value that is no array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scalar {
    String(String),
    Int64(i64),
    Uint64(u64),
    Float64(u64),
    Bool(bool),
    Bytes(Vec<u8>),
}

/// Keys and values of a file.
pub type Pairs = Vec<(String, Value)>;

/// Any value: a scalar of tag 1 to 6, or an array of them.
pub fn value(c: &mut Choices<'_>) -> Value {
    let tag = 1 + c.below(6) as u8;
    match c.below(3) {
        2 => {
            let count = c.below(6);
            Value::Array(tag, (0..count).map(|_| scalar(c, tag)).collect())
        }
        _ => Value::One(scalar(c, tag)),
    }
}

fn scalar(c: &mut Choices<'_>, tag: u8) -> Scalar {
    /// One, infinity, negative zero, and NaNs with payloads, one of them signalling.
    const FLOATS: [u64; 5] = [
        0x3FF0_0000_0000_0000,
        0x7FF0_0000_0000_0000,
        0x8000_0000_0000_0000,
        0x7FF8_0000_0000_1234,
        0xFFF0_0000_0000_0001,
    ];
    const EDGES: [u64; 4] = [0, 1, 1 << 63, u64::MAX];
    let word = |c: &mut Choices<'_>, some: &[u64]| match c.below(2) {
        0 => c.pick(some),
        _ => c.any(),
    };
    match tag {
        1 => Scalar::String(text(c, 24)),
        2 => Scalar::Int64(word(c, &EDGES) as i64),
        3 => Scalar::Uint64(word(c, &EDGES)),
        4 => Scalar::Float64(word(c, &FLOATS)),
        5 => Scalar::Bool(c.one_in(2)),
        _ => Scalar::Bytes((0..c.below(40)).map(|_| c.byte()).collect()),
    }
}

/// Text of fewer than `most` characters, of one to four bytes each.
pub fn text(c: &mut Choices<'_>, most: u64) -> String {
    const CHARACTERS: [char; 12] = [
        'a', 'b', '.', '/', '0', ' ', '\0', 'ß', 'é', '層', '\u{FFFD}', '🦀',
    ];
    (0..c.below(most)).map(|_| c.pick(&CHARACTERS)).collect()
}

impl Scalar {
    /// `value_tag` by the format.
    pub fn tag(&self) -> u8 {
        match self {
            Scalar::String(_) => 1,
            Scalar::Int64(_) => 2,
            Scalar::Uint64(_) => 3,
            Scalar::Float64(_) => 4,
            Scalar::Bool(_) => 5,
            Scalar::Bytes(_) => 6,
        }
    }

    fn theirs(&self) -> TheirValue {
        match self {
            Scalar::String(text) => TheirValue::String(text.clone()),
            Scalar::Int64(number) => TheirValue::Int64(*number),
            Scalar::Uint64(number) => TheirValue::Uint64(*number),
            Scalar::Float64(bits) => TheirValue::Float64(f64::from_bits(*bits)),
            Scalar::Bool(truth) => TheirValue::Bool(*truth),
            Scalar::Bytes(bytes) => TheirValue::Bytes(bytes.clone()),
        }
    }

    fn read_here(value: KvValue<'_>) -> Self {
        match value {
            KvValue::String(text) => Scalar::String(text.to_owned()),
            KvValue::Int64(number) => Scalar::Int64(number),
            KvValue::Uint64(number) => Scalar::Uint64(number),
            KvValue::Float64(bits) => Scalar::Float64(bits.0),
            KvValue::Bool(truth) => Scalar::Bool(truth),
            KvValue::Bytes(bytes) => Scalar::Bytes(bytes.to_vec()),
            other => panic!("no scalar: {other:?}"),
        }
    }

    fn read_there(value: &TheirValue) -> Self {
        match value {
            TheirValue::String(text) => Scalar::String(text.clone()),
            TheirValue::Int64(number) => Scalar::Int64(*number),
            TheirValue::Uint64(number) => Scalar::Uint64(*number),
            TheirValue::Float64(number) => Scalar::Float64(number.to_bits()),
            TheirValue::Bool(truth) => Scalar::Bool(*truth),
            TheirValue::Bytes(bytes) => Scalar::Bytes(bytes.clone()),
            other => panic!("no scalar: {other:?}"),
        }
    }
}

impl Value {
    /// Whether the reference has a way to write it: its arrays have no type but that of their elements.
    pub fn is_writable_there(&self) -> bool {
        !matches!(self, Value::Array(_, elements) if elements.is_empty())
    }

    /// For the writer of the reference.
    pub fn theirs(&self) -> TheirValue {
        match self {
            Value::One(scalar) => scalar.theirs(),
            Value::Array(_, elements) => {
                TheirValue::Array(elements.iter().map(Scalar::theirs).collect())
            }
        }
    }

    /// What a reader here gave.
    pub fn read_here(value: KvValue<'_>) -> Self {
        match value {
            KvValue::Array(array) => {
                let elements: Vec<Scalar> = array.iter().map(Scalar::read_here).collect();
                assert_eq!(array.len() as usize, elements.len());
                Value::Array(array.element_tag(), elements)
            }
            scalar => Value::One(Scalar::read_here(scalar)),
        }
    }

    /// What the reference gave. It does not tell what an empty array is one of.
    pub fn read_there(value: &TheirValue) -> Self {
        match value {
            TheirValue::Array(elements) => {
                let elements: Vec<Scalar> = elements.iter().map(Scalar::read_there).collect();
                Value::Array(elements.first().map_or(0, Scalar::tag), elements)
            }
            scalar => Value::One(Scalar::read_there(scalar)),
        }
    }

    /// The value without what [`read_there`](Self::read_there) cannot tell.
    pub fn as_told_there(&self) -> Self {
        match self {
            Value::Array(_, elements) if elements.is_empty() => Value::Array(0, Vec::new()),
            value => value.clone(),
        }
    }
}

/// Lends keys and values to `hrry`.
pub fn with_entries<R>(
    pairs: &[(String, Value)],
    use_entries: impl FnOnce(&[KvEntry<'_>]) -> R,
) -> R {
    let lists: Vec<Lists<'_>> = pairs.iter().map(|(_, value)| Lists::of(value)).collect();
    let entries = pairs.iter().zip(&lists);
    let entries = entries.map(|((key, value), lists)| KvEntry {
        key,
        value: lent(value, lists),
    });
    let entries: Vec<KvEntry<'_>> = entries.collect();
    use_entries(&entries)
}

/// The elements of an array as one list, by type; the others are empty.
#[derive(Default)]
struct Lists<'a> {
    strings: Vec<&'a str>,
    signed: Vec<i64>,
    unsigned: Vec<u64>,
    floats: Vec<F64Bits>,
    truths: Vec<bool>,
    bytes: Vec<&'a [u8]>,
}

impl<'a> Lists<'a> {
    fn of(value: &'a Value) -> Self {
        let mut lists = Lists::default();
        let elements: &[Scalar] = match value {
            Value::Array(_, elements) => elements,
            Value::One(_) => &[],
        };
        for element in elements {
            match element {
                Scalar::String(text) => lists.strings.push(text),
                Scalar::Int64(number) => lists.signed.push(*number),
                Scalar::Uint64(number) => lists.unsigned.push(*number),
                Scalar::Float64(bits) => lists.floats.push(F64Bits(*bits)),
                Scalar::Bool(truth) => lists.truths.push(*truth),
                Scalar::Bytes(bytes) => lists.bytes.push(bytes),
            }
        }
        lists
    }
}

fn lent<'a>(value: &'a Value, lists: &'a Lists<'a>) -> KvValue<'a> {
    match value {
        Value::One(Scalar::String(text)) => KvValue::String(text),
        Value::One(Scalar::Int64(number)) => KvValue::Int64(*number),
        Value::One(Scalar::Uint64(number)) => KvValue::Uint64(*number),
        Value::One(Scalar::Float64(bits)) => KvValue::Float64(F64Bits(*bits)),
        Value::One(Scalar::Bool(truth)) => KvValue::Bool(*truth),
        Value::One(Scalar::Bytes(bytes)) => KvValue::Bytes(bytes),
        Value::Array(tag, _) => KvValue::Array(match tag {
            1 => KvArray::from(lists.strings.as_slice()),
            2 => KvArray::from(lists.signed.as_slice()),
            3 => KvArray::from(lists.unsigned.as_slice()),
            4 => KvArray::from(lists.floats.as_slice()),
            5 => KvArray::from(lists.truths.as_slice()),
            _ => KvArray::from(lists.bytes.as_slice()),
        }),
    }
}
