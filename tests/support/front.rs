//! What only a reader that goes front to back looks at: a walk of its own through a container that is right
//! otherwise, in plain loops, written from the rules of the format.
//!
//! Such a reader is told where tensors end (FILE-44). It sees padding (FILE-26), finds each tensor and each
//! section at the next place there may be one (FILE-23, FILE-27, FILE-28), and nothing that lies elsewhere.

use hrry::{DescriptorView, Mode, Policy, Region};

use super::container::Value;
use super::reading::Reading;
use super::regions::trailer;

/// Why it refuses what a reader that seeks accepts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Only {
    /// FILE-26: this byte of padding is not 0.
    Padding(usize),
    /// FILE-44: the sections do not start where it was told, or where zeros end behind so many tensors.
    Region,
    /// A tensor, its data or a section is not at the next place.
    Place,
    /// Nothing but the trailer tells whether these are keys or an index.
    Keys,
    /// FILE-35: what stands behind a value of a private type.
    Private,
    /// STREAM-08: buffers behind a layout without a meaning.
    Opaque,
    /// FILE-25: entries and tensors that were met are not one for one.
    Unnamed,
}

struct Walk<'a> {
    bytes: &'a [u8],
    policy: Policy,
    alignment: usize,
    region: Region,
    /// Where each tensor and its data start.
    tensors: Vec<[usize; 2]>,
}

/// Whether a container that reads so can be read front to back.
pub fn walk(
    bytes: &[u8],
    policy: &Policy,
    region: Region,
    reading: &Reading<'_>,
) -> Result<(), Only> {
    let mut walk = Walk {
        bytes,
        policy: *policy,
        alignment: reading.alignment as usize,
        region,
        tensors: Vec::new(),
    };
    let start = u64::from_le_bytes(bytes[20..28].try_into().expect("eight bytes"));
    let mut start = usize::try_from(start).unwrap_or(usize::MAX).max(64);
    if let Region::EndsAt(end) = region {
        start = start.min(usize::try_from(end).unwrap_or(usize::MAX).max(64));
    }
    if start > bytes.len() {
        return Err(Only::Place);
    }
    let end = walk.tensors(start)?;
    walk.sections(end, reading)?;
    walk.named(reading)
}

impl<'a> Walk<'a> {
    /// Goes through the tensors, and returns where the last one ends.
    fn tensors(&mut self, start: usize) -> Result<usize, Only> {
        let mut at = 64;
        let mut places = start..=start;
        loop {
            let ends_at = match self.region {
                Region::Count(count) if count == self.tensors.len() as u64 => {
                    let end = if self.tensors.is_empty() { start } else { at };
                    self.zeros(at, end)?;
                    return Ok(end);
                }
                Region::EndsAt(end) => usize::try_from(end).unwrap_or(usize::MAX),
                _ => usize::MAX,
            };
            let mut before = places.clone().take_while(|place| *place < ends_at);
            let next = before.find(|place| {
                let placed = place.is_multiple_of(8) || *place == start;
                placed && self.at(*place).starts_with(b"HRRY")
            });
            let Some(next) = next else {
                if !places.contains(&ends_at) {
                    return Err(self.zeros(at, *places.end()).err().unwrap_or(Only::Region));
                }
                self.zeros(at, ends_at)?;
                return Ok(ends_at);
            };
            self.zeros(at, next)?;
            at = self.tensor(next)?;
            if at > ends_at {
                return Err(Only::Region);
            }
            places = at..=at.next_multiple_of(self.alignment);
        }
    }

    /// The tensor that starts here; returns where it ends.
    fn tensor(&mut self, start: usize) -> Result<usize, Only> {
        let (view, _) =
            DescriptorView::parse(self.at(start), &self.policy).map_err(|_| Only::Place)?;
        if view.is_opaque() {
            return Err(Only::Opaque);
        }
        let mut end = start + view.as_bytes().len();
        let data = end.next_multiple_of(self.alignment);
        self.tensors.push([start, data]);
        for k in 0..view.buffer_count() {
            let place = end.next_multiple_of(self.alignment);
            let handle = view.buffer(k).ok_or(Only::Place)?;
            let size = usize::try_from(handle.byte_size).map_err(|_| Only::Place)?;
            self.zeros(end, place)?;
            end = place.checked_add(size).ok_or(Only::Place)?;
        }
        Ok(end)
    }

    /// The sections, behind tensors that end here.
    fn sections(&self, end: usize, reading: &Reading<'_>) -> Result<(), Only> {
        let [index, _, kv, kv_len] = trailer(self.bytes)
            .expect("it was read")
            .map(|n| n as usize);
        let has_keys = kv != 0 && kv_len != 0;
        let first = self.first_section(end)?;
        let announced = reading.flags & 1 != 0;
        if !has_keys {
            // announced keys are looked for, unless there are so many tensors
            let listed = !self.tensors.is_empty() && reading.tensors.len() == self.tensors.len();
            return match announced && !listed {
                true => Err(Only::Keys),
                false => starts(first, index),
            };
        }
        if kv_len >= 4
            && self.bytes[kv..kv + 4] == [0; 4]
            && kv >= end
            && kv + 4 <= index
            && first == index
        {
            // no keys look like padding
            return self.zeros(end, index);
        }
        starts(first, kv)?;
        if reading.keys.is_empty() && self.tensors.is_empty() && !announced {
            return Err(Only::Keys);
        }
        let sizes = reading
            .keys
            .iter()
            .map(|(key, value)| 3 + key.len() + size(value));
        let behind = kv + 4 + sizes.sum::<usize>();
        let count = &self.bytes[kv..kv + 4];
        if count != (reading.keys.len() as u32).to_le_bytes() {
            return Err(Only::Private);
        }
        let next = behind.next_multiple_of(8);
        self.zeros(behind, next)?;
        match next == index {
            true => Ok(()),
            false => Err(Only::Place),
        }
    }

    /// Where the first section is taken to start: where it was told, or behind zeros.
    fn first_section(&self, end: usize) -> Result<usize, Only> {
        if matches!(self.region, Region::EndsAt(_)) {
            return Ok(end);
        }
        let mut start = end.next_multiple_of(8);
        self.zeros(end, start)?;
        let limit = match self.tensors.len() {
            0 => start,
            _ => start.next_multiple_of(self.alignment),
        };
        while start < limit && self.at(start).starts_with(&[0; 8]) {
            start += 8;
        }
        Ok(start)
    }

    /// Whether entries name tensors that were met, with their data where they were read, and none that lies
    /// behind the tensors.
    fn named(&self, reading: &Reading<'_>) -> Result<(), Only> {
        let start = self.bytes.as_ptr() as usize;
        let [index, _, kv, kv_len] = trailer(self.bytes).expect("it was read");
        let region_end = if kv == 0 || kv_len == 0 { index } else { kv };
        let mut named: Vec<usize> = Vec::new();
        for tensor in &reading.tensors {
            let at = tensor.descriptor.as_ptr() as usize - start;
            let met = self
                .tensors
                .iter()
                .find(|[descriptor, _]| *descriptor == at);
            let [_, data] = met.ok_or(Only::Place)?;
            let first = tensor.buffers.first();
            let elsewhere = first.is_some_and(|first| first.as_ptr() as usize - start != *data);
            let places = &self.bytes[tensor.name.as_ptr() as usize - start + tensor.name.len()..];
            let long =
                |at: usize| u64::from_le_bytes(places[at..at + 8].try_into().expect("eight"));
            let behind = long(20) > 0 && long(12) + long(20) > region_end;
            if elsewhere || behind {
                return Err(Only::Place);
            }
            named.push(at);
        }
        named.sort_unstable();
        match self.tensors.iter().map(|[at, _]| at).eq(&named) {
            true => Ok(()),
            false => Err(Only::Unnamed),
        }
    }

    fn at(&self, place: usize) -> &'a [u8] {
        self.bytes.get(place..).unwrap_or_default()
    }

    fn zeros(&self, from: usize, to: usize) -> Result<(), Only> {
        if self.policy.mode == Mode::Permissive {
            return Ok(());
        }
        let padding = self.bytes.get(from..to).unwrap_or_default();
        let wrong = padding.iter().position(|byte| *byte != 0);
        wrong.map_or(Ok(()), |wrong| Err(Only::Padding(from + wrong)))
    }
}

/// A section starts where it was looked for.
fn starts(sought: usize, place: usize) -> Result<(), Only> {
    match sought == place {
        true => Ok(()),
        false => Err(Only::Region),
    }
}

/// Bytes of a value behind its tag.
fn size(value: &Value) -> usize {
    match value {
        Value::String(text) => 4 + text.len(),
        Value::Bytes(bytes) => 4 + bytes.len(),
        Value::Int64(_) | Value::Uint64(_) | Value::Float64(_) => 8,
        Value::Bool(_) => 1,
        Value::Array(_, elements) => 5 + elements.iter().map(size).sum::<usize>(),
    }
}
