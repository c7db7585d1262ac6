//! A reader of containers of its own: every rule in wide numbers and plain loops, written from the rules of
//! the format. It asks the library about descriptors and composites, which have tests of their own.

use std::collections::HashSet;

use hrry::{CompositeValidator, DescriptorView, Exact, KvValue, Mode, Policy};

use super::container::Value;
use super::crc32c;
use super::files::read_with;

/// What a container says.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading<'a> {
    pub minor: u8,
    pub flags: u32,
    pub alignment: u32,
    pub keys: Vec<(&'a str, Value)>,
    /// In the order of the index.
    pub tensors: Vec<Tensor<'a>>,
    /// Names in the order of the places.
    pub order: Vec<&'a str>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Tensor<'a> {
    pub name: &'a str,
    pub descriptor: &'a [u8],
    pub buffers: Vec<&'a [u8]>,
}

/// What the library reads.
pub fn ours<'a>(bytes: &'a [u8], policy: &Policy) -> Result<Reading<'a>, hrry::Error> {
    let view = hrry::FileView::open(bytes, policy)?;
    let order = read_with(bytes, policy, |_, index| {
        let names = index.in_order().map(|entry| entry.name.to_owned());
        names.collect::<Vec<String>>()
    })?;
    let tensor = |entry: hrry::Entry<'a>| {
        let tensor = view.tensor(&entry, policy).expect("it was accepted");
        Tensor {
            name: entry.name,
            descriptor: tensor.descriptor().as_bytes(),
            buffers: tensor.buffers().collect(),
        }
    };
    let tensors: Vec<Tensor<'_>> = view.entries().map(tensor).collect();
    let borrowed = |name: &String| {
        let mut names = tensors.iter().map(|tensor| tensor.name);
        names.find(|same| same == name).expect("it is in the index")
    };
    Ok(Reading {
        minor: view.header().version_minor,
        flags: view.header().file_flags,
        alignment: view.header().data_buffer_alignment,
        keys: view.kv().map(|kv| (kv.key, value(&kv.value))).collect(),
        order: order.iter().map(borrowed).collect(),
        tensors,
    })
}

/// A value, owned.
pub fn value(value: &KvValue<'_>) -> Value {
    match value {
        KvValue::String(text) => Value::String((*text).to_owned()),
        KvValue::Int64(number) => Value::Int64(*number),
        KvValue::Uint64(number) => Value::Uint64(*number),
        KvValue::Float64(bits) => Value::Float64(bits.0),
        KvValue::Bool(truth) => Value::Bool(*truth),
        KvValue::Bytes(bytes) => Value::Bytes(bytes.to_vec()),
        KvValue::Array(array) => {
            let elements: Vec<Value> = array.iter().map(|element| self::value(&element)).collect();
            assert_eq!(elements.len(), array.len() as usize);
            Value::Array(array.element_tag(), elements)
        }
        other => panic!("{other:?} is no value of the format"),
    }
}

/// What any reader should read; none where it should refuse.
pub fn expected<'a>(bytes: &'a [u8], policy: &Policy) -> Option<Reading<'a>> {
    let judge = Judge { bytes, policy };
    let end = bytes.len().checked_sub(40)?;
    judge.must(end >= 64 && bytes.starts_with(b"HRRYFILE\x01"))?;
    judge.should(
        bytes[10..12]
            .iter()
            .chain(&bytes[36..64])
            .all(|byte| *byte == 0),
    )?;
    let (flags, alignment) = (word(bytes, 12), word(bytes, 16));
    judge.must(flags < 8 && (12..=21).any(|bits| alignment == 1 << bits))?;
    let trailer = &bytes[end..];
    judge.must(&trailer[36..] == b"HRRY")?;
    judge.should(word(trailer, 32) == 0)?;
    let index = judge.section(long(trailer, 0), long(trailer, 8), end, true)?;
    let keys = judge.keys_place(flags, trailer, end, index[0])?;
    let region_end = keys.map_or(index[0], |keys| keys[0]);
    let checksum = word(trailer, 28);
    judge.must(match flags & 4 {
        0 => checksum == 0,
        _ => checksum == crc32c(&bytes[index[0]..index[1]]),
    })?;
    let minor = bytes[9];
    let entries = judge.entries(index, minor, flags & 2 != 0, end, region_end)?;
    let keys = match keys {
        Some([start, end]) => judge.keys(start, end, minor)?,
        None => Vec::new(),
    };
    let tensors: Vec<Tensor<'a>> = entries
        .iter()
        .map(|entry| judge.tensor(entry, u128::from(alignment), end))
        .collect::<Option<_>>()?;
    let order = judge.places(&entries, &tensors)?;
    Some(Reading {
        minor,
        flags,
        alignment,
        keys,
        tensors,
        order,
    })
}

struct Entry<'a> {
    name: &'a str,
    descriptor: usize,
    descriptor_length: usize,
    data: u64,
    data_length: u64,
}

struct Judge<'a, 'p> {
    bytes: &'a [u8],
    policy: &'p Policy,
}

impl<'a> Judge<'a, '_> {
    fn must(&self, holds: bool) -> Option<()> {
        holds.then_some(())
    }

    /// What permissive mode lets pass.
    fn should(&self, holds: bool) -> Option<()> {
        self.must(holds || self.policy.mode == Mode::Permissive)
    }

    /// A range between header and `end`; a place of records is a multiple of 8.
    fn section(&self, start: u64, len: u64, end: usize, placed: bool) -> Option<[usize; 2]> {
        let sum = u128::from(start) + u128::from(len);
        self.must(start >= 64 && sum <= end as u128)?;
        self.should(!placed || start.is_multiple_of(8))?;
        Some([start as usize, sum as usize])
    }

    /// FILE-30 to FILE-32: the trailer decides, and half a place is none at all or wrong.
    fn keys_place(
        &self,
        flags: u32,
        trailer: &[u8],
        end: usize,
        index: usize,
    ) -> Option<Option<[usize; 2]>> {
        let (start, len) = (long(trailer, 16), u64::from(word(trailer, 24)));
        let whole = start != 0 && len != 0;
        if flags & 1 != 0 && !whole {
            self.should(false)?;
            return Some(None);
        }
        if start == 0 && len == 0 {
            return Some(None);
        }
        self.must(len >= 4)?;
        let place = self.section(start, len, end, true)?;
        self.should(place[1] <= index)?;
        Some(Some(place))
    }

    fn entries(
        &self,
        index: [usize; 2],
        minor: u8,
        sorted: bool,
        end: usize,
        region_end: usize,
    ) -> Option<Vec<Entry<'a>>> {
        let mut rest = &self.bytes[index[0]..index[1]];
        let count = take(&mut rest, 8).map(|head| long(head, 0))?;
        self.must(count <= rest.len() as u64 / 35)?;
        let mut entries: Vec<Entry<'a>> = Vec::new();
        for _ in 0..count {
            let name = take_name(&mut rest)?;
            let places = take(&mut rest, 32)?;
            let (offset, len) = (long(places, 0), word(places, 8));
            let descriptor = self.section(offset, len.into(), end, true)?;
            self.should(descriptor[1] <= region_end)?;
            let (data, data_length) = (long(places, 12), long(places, 20));
            if data_length > 0 {
                let place = self.section(data, data_length, end, false)?;
                self.should(place[1] <= region_end)?;
            }
            self.should(word(places, 28) == 0)?;
            self.should(!sorted || entries.last().is_none_or(|last| last.name < name))?;
            entries.push(Entry {
                name,
                descriptor: descriptor[0],
                descriptor_length: len as usize,
                data,
                data_length,
            });
        }
        self.should(rest.is_empty() || minor > 0)?;
        let names: HashSet<&str> = entries.iter().map(|entry| entry.name).collect();
        self.should(names.len() == entries.len())?;
        let first = long(self.bytes, 20);
        self.should(first >= 64 && first.is_multiple_of(8) && first <= end as u64)?;
        let lowest = entries.iter().map(|entry| entry.descriptor as u64).min();
        self.should(lowest.is_none_or(|lowest| lowest == first))?;
        Some(entries)
    }

    fn keys(&self, start: usize, end: usize, minor: u8) -> Option<Vec<(&'a str, Value)>> {
        let mut rest = &self.bytes[start..end];
        let count = take(&mut rest, 4).map(|head| word(head, 0))?;
        let mut keys: Vec<(&str, Value)> = Vec::new();
        for _ in 0..count {
            let key = take_name(&mut rest)?;
            let tag = take(&mut rest, 1)?[0];
            if (0xF0..=0xFE).contains(&tag) {
                // nobody knows where it ends
                self.should(false)?;
                return Some(keys);
            }
            self.must(keys.iter().all(|(other, _)| *other != key))?;
            keys.push((key, take_value(&mut rest, tag)?));
        }
        self.should(rest.is_empty() || minor > 0)?;
        Some(keys)
    }

    fn tensor(&self, entry: &Entry<'a>, alignment: u128, end: usize) -> Option<Tensor<'a>> {
        let front = &self.bytes[entry.descriptor..end];
        let (view, _) = DescriptorView::parse(front, self.policy).ok()?;
        let descriptor = view.as_bytes();
        self.must(descriptor.len() == entry.descriptor_length)?;
        let data = u128::from(entry.data);
        let mut buffers = Vec::new();
        let mut needed = 0;
        for k in 0..view.buffer_count() {
            self.should(data % alignment == 0)?;
            self.must(data >= (entry.descriptor + descriptor.len()) as u128)?;
            let mut start = data + needed;
            if k > 0 {
                start = start.next_multiple_of(alignment);
            }
            let behind = start + u128::from(view.buffer(k)?.byte_size);
            self.must(behind <= end as u128)?;
            buffers.push(&self.bytes[start as usize..behind as usize]);
            needed = behind - data;
        }
        self.must(u128::from(entry.data_length) >= needed)?;
        self.should(u128::from(entry.data_length) == needed)?;
        Some(Tensor {
            name: entry.name,
            descriptor,
            buffers,
        })
    }

    /// Tensors one behind the other, and what composites they make.
    fn places(&self, entries: &[Entry<'a>], tensors: &[Tensor<'a>]) -> Option<Vec<&'a str>> {
        let mut order: Vec<usize> = (0..entries.len()).collect();
        order.sort_by_key(|k| entries[*k].descriptor);
        let mut behind = 0;
        let mut composites = CompositeValidator::with_arena(Exact, Vec::new(), *self.policy);
        for k in &order {
            let entry = &entries[*k];
            self.should(behind <= entry.descriptor)?;
            behind = behind.max(entry.descriptor + entry.descriptor_length);
            if entry.data_length > 0 {
                behind = behind.max((entry.data + entry.data_length) as usize);
            }
            let (view, _) = DescriptorView::parse(tensors[*k].descriptor, self.policy).ok()?;
            composites.begin(&view).ok()?;
            composites.end().ok()?;
        }
        composites.finish().ok()?;
        Some(order.iter().map(|k| entries[*k].name).collect())
    }
}

fn take<'a>(rest: &mut &'a [u8], len: usize) -> Option<&'a [u8]> {
    let (front, behind) = rest.split_at_checked(len)?;
    *rest = behind;
    Some(front)
}

fn take_name<'a>(rest: &mut &'a [u8]) -> Option<&'a str> {
    let len = take(rest, 2)?;
    let name = take(rest, usize::from(len[0]) + 256 * usize::from(len[1]))?;
    std::str::from_utf8(name)
        .ok()
        .filter(|name| !name.is_empty())
}

fn take_value(rest: &mut &[u8], tag: u8) -> Option<Value> {
    let sized = |rest: &mut &[u8]| {
        let len = word(take(rest, 4)?, 0) as usize;
        take(rest, len).map(<[u8]>::to_vec)
    };
    Some(match tag {
        1 => Value::String(String::from_utf8(sized(rest)?).ok()?),
        2 => Value::Int64(long(take(rest, 8)?, 0) as i64),
        3 => Value::Uint64(long(take(rest, 8)?, 0)),
        4 => Value::Float64(long(take(rest, 8)?, 0)),
        5 => match take(rest, 1)? {
            [0] => Value::Bool(false),
            [1] => Value::Bool(true),
            _ => return None,
        },
        6 => Value::Bytes(sized(rest)?),
        7 => {
            let element = take(rest, 1)?[0];
            if !(1..=6).contains(&element) {
                return None;
            }
            let count = word(take(rest, 4)?, 0);
            let elements = (0..count).map(|_| take_value(rest, element));
            Value::Array(element, elements.collect::<Option<_>>()?)
        }
        _ => return None,
    })
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

fn long(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}
