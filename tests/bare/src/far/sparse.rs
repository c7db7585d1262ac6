//! Files that no memory holds, read in ranges.

use core::ops::Range;

use hrry::{KvValue, Policy, RangeReader, ReadAt, ReadError};

use super::{DESCRIPTOR, KEYS, Record, header, vector};

const GIB_4: u64 = 1 << 32;

/// Where the second tensor and the sections are.
struct Places {
    descriptor: u64,
    data: Range<u64>,
    index: u64,
}

const CASES: [(&str, Places); 6] = [
    // whose low halves are those of the first tensor
    (
        "far: low halves that point at something else",
        Places {
            descriptor: GIB_4 + 64,
            data: GIB_4 + 4096..GIB_4 + 4100,
            index: (1 << 33) + 8192,
        },
    ),
    (
        "far: a descriptor across 2^32",
        Places {
            descriptor: GIB_4 - 8,
            data: GIB_4 + 4096..GIB_4 + 4100,
            index: GIB_4 + 8192,
        },
    ),
    (
        "far: data across 2^32",
        Places {
            descriptor: GIB_4 - 8192,
            data: GIB_4 - 4096..GIB_4 + 4096,
            index: 1 << 33,
        },
    ),
    (
        "far: an index across 2^32",
        Places {
            descriptor: GIB_4 - 16384,
            data: GIB_4 - 8192..GIB_4 - 8188,
            index: GIB_4 - 40,
        },
    ),
    // the low half of its length is less than a header
    (
        "far: a trailer across 2^32",
        Places {
            descriptor: GIB_4 - 16384,
            data: GIB_4 - 8192..GIB_4 - 8188,
            index: GIB_4 - 96,
        },
    ),
    (
        "far: as far as numbers go",
        Places {
            descriptor: 1 << 63,
            data: (1 << 63) + 4096..(1 << 63) + 4100,
            index: u64::MAX - 0xFF,
        },
    ),
];

// on a small target its frame must not be part of its caller's
#[inline(never)]
pub fn run(check: &mut dyn FnMut(&'static str, bool)) {
    for (name, places) in &CASES {
        // one that takes the tail at once, and one that takes keys and index and nothing else
        let mut large = [0; 512];
        let mut exact = [0; KEYS.len() + INDEX];
        let held = [&mut large[..], &mut exact].map(|storage| holds(places, storage));
        check(name, held == [Ok(true), Ok(true)]);
    }
}

/// Bytes of an index of `near` and `far`.
const INDEX: usize = 8 + (2 + 4 + 32) + (2 + 3 + 32);

fn holds(places: &Places, storage: &mut [u8]) -> Result<bool, ReadError<()>> {
    let policy = Policy::STRICT;
    let mut file = RangeReader::open(Sparse::new(places), storage, policy)?;
    let Some((near, far)) = file.find("near").zip(file.find("far")) else {
        return Ok(false);
    };
    // two for each tensor, one for the key
    let mut words = [0; 5];
    let order = file.index(&policy, &mut words)?;
    let mut held = order.in_order().map(|entry| entry.name).eq(["near", "far"]);
    held &= order.find("far") == Some(far);
    held &= file.kv().map(|entry| entry.value).eq([KvValue::Uint64(7)]);
    held &= file.header().tensor_count_hint == u64::MAX;
    held &= far.offset == places.index + 8 + 38 && file.region_end() == places.index - 16;
    for (entry, descriptor, data) in [
        (near, 64, 4096..4100),
        (far, places.descriptor, places.data.clone()),
    ] {
        let mut room = [0; DESCRIPTOR];
        let tensor = file.tensor(&entry, &mut room)?;
        held &= tensor.entry().descriptor_offset == descriptor;
        held &= tensor.place(0) == Some(data.clone()) && tensor.place(1).is_none();
        for at in [data.start, data.end - 1] {
            let mut byte = [0];
            let read = file.source_mut().read_at(at, &mut byte);
            read.map_err(ReadError::Source)?;
            held &= byte == [filling(at)];
        }
    }
    Ok(held)
}

/// What is everywhere but in the records; 2^32 further it is something else.
const fn filling(at: u64) -> u8 {
    (at % 251) as u8
}

/// A source of which only records are in memory.
struct Sparse {
    header: [u8; 64],
    near: [u8; DESCRIPTOR],
    far: [u8; DESCRIPTOR],
    /// Keys, index and trailer.
    end: Record<{ KEYS.len() + INDEX + 40 }>,
    descriptor: u64,
    kv: u64,
}

impl Sparse {
    fn new(places: &Places) -> Self {
        let Places {
            descriptor,
            ref data,
            index,
        } = *places;
        let kv = index - KEYS.len() as u64;
        let mut end = Record::new();
        end.put(&KEYS);
        end.word(2);
        end.entry("near", 64, 4096, 4);
        end.entry("far", descriptor, data.start, data.end - data.start);
        end.trailer(index, INDEX as u64, kv);
        Sparse {
            header: header(u64::MAX),
            near: vector(4),
            far: vector(data.end - data.start),
            end,
            descriptor,
            kv,
        }
    }

    fn byte(&self, at: u64) -> u8 {
        let records: [(u64, &[u8]); 4] = [
            (0, &self.header),
            (64, &self.near),
            (self.descriptor, &self.far),
            (self.kv, &self.end.bytes),
        ];
        let inside = |(start, bytes): &(u64, &[u8])| {
            let place = usize::try_from(at.checked_sub(*start)?).ok()?;
            bytes.get(place).copied()
        };
        let byte = records.iter().find_map(inside);
        byte.unwrap_or(filling(at))
    }
}

impl ReadAt for Sparse {
    type Error = ();

    fn len(&mut self) -> Result<u64, ()> {
        Ok(self.kv + self.end.bytes.len() as u64)
    }

    fn read_at(&mut self, offset: u64, into: &mut [u8]) -> Result<(), ()> {
        let end = offset.checked_add(into.len() as u64).ok_or(())?;
        if end > self.len()? {
            return Err(());
        }
        for (at, byte) in (offset..).zip(into) {
            *byte = self.byte(at);
        }
        Ok(())
    }
}
