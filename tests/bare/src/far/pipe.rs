//! A container of more than 2^32 bytes, from a writer straight into a parser.

use hrry::{
    Error, FileEvent, FileOptions, FixedFile, FixedFileWriter, KvEntry, KvValue, Policy, Region,
    Sink, WriteError,
};

use super::{DESCRIPTOR, vector};

const GIB_4: u64 = 1 << 32;

/// Two buffers: from 4,096 to 2^32 + 4,101, and four bytes at 2^32 + 8,192, behind a descriptor at
/// 2^32 + 4,104.
const LONG: u64 = GIB_4 + 5;
const FAR: u64 = GIB_4 + 4104;
const FAR_DATA: u64 = GIB_4 + 8192;
/// Behind the second buffer, at a multiple of 8.
const KV: u64 = GIB_4 + 8200;
/// Behind a section of 16 bytes.
const INDEX: u64 = KV + 16;
/// A count, and two entries with names of four and three bytes.
const INDEX_LENGTH: u64 = 8 + (2 + 4 + 32) + (2 + 3 + 32);
const LEN: u64 = INDEX + INDEX_LENGTH + 40;

/// The payload, piece by piece.
static PIECE: [u8; 16384] = [0x5A; 16384];

/// A sink that reads.
struct Reading {
    parser: FixedFile<128, 8, 8>,
    buffered: u64,
    buffers: u32,
    entries: u32,
    keys: u32,
    right: bool,
}

impl Sink for Reading {
    type Error = Error;

    fn put(&mut self, mut bytes: &[u8]) -> Result<(), Error> {
        while let Some(event) = self.parser.next_event(&mut bytes)? {
            match event {
                FileEvent::Payload(payload) => {
                    self.right &= payload.offset == self.buffered;
                    self.buffered += payload.bytes.len() as u64;
                    if payload.last {
                        let size = [LONG, 4][self.buffers as usize];
                        self.right &= self.buffered == size;
                        self.buffered = 0;
                        self.buffers += 1;
                    }
                }
                FileEvent::Kv(entry) => {
                    self.right &= entry.key == "k" && entry.value == KvValue::Uint64(7);
                    self.keys += 1;
                }
                FileEvent::Entry(entry) => {
                    let place = (entry.name, entry.descriptor_offset, entry.data_offset);
                    let expected = [("long", 64, 4096), ("far", FAR, FAR_DATA)];
                    self.right &= place == expected[self.entries as usize];
                    self.right &= entry.data_length == [LONG, 4][self.entries as usize];
                    self.right &= entry.descriptor_length == DESCRIPTOR as u32;
                    self.entries += 1;
                }
                _ => {}
            }
        }
        Ok(())
    }
}

// on a small target its frame must not be part of its caller's
#[inline(never)]
pub fn holds() -> bool {
    write().is_ok_and(|(reading, len)| {
        let ended = reading.parser.finish().is_ok_and(|end| {
            let trailer = end.trailer;
            (trailer.index_offset, trailer.index_length) == (INDEX, INDEX_LENGTH)
                && (trailer.kv_offset, trailer.kv_length) == (KV, 16)
                && !end.unchecked.tensors
                && !end.unchecked.checksum
        });
        let Reading {
            buffers,
            entries,
            keys,
            right,
            ..
        } = reading;
        ended && right && (buffers, entries, keys) == (2, 2, 1) && len == LEN
    })
}

fn write() -> Result<(Reading, u64), WriteError<Error>> {
    let mut options = FileOptions::PLAIN;
    options.has_kv_metadata = true;
    let reading = Reading {
        parser: FixedFile::new(Policy::STRICT, Some(Region::Count(2))),
        buffered: 0,
        buffers: 0,
        entries: 0,
        keys: 0,
        right: true,
    };
    let mut writer = FixedFileWriter::<_, 128, 8>::new(reading, &options, Policy::STRICT)?;
    writer.begin("long", &described(&vector(LONG)))?;
    let mut left = LONG;
    while left > 0 {
        let len = usize::try_from(left)
            .unwrap_or(PIECE.len())
            .min(PIECE.len());
        writer.payload(&PIECE[..len])?;
        left -= len as u64;
    }
    writer.end()?;
    writer.tensor("far", &described(&vector(4)), &[&PIECE[..4]])?;
    let value = KvValue::Uint64(7);
    writer.finish_with_kv([KvEntry { key: "k", value }])
}

fn described(bytes: &[u8; DESCRIPTOR]) -> hrry::DescriptorView<'_> {
    let parsed = hrry::DescriptorView::parse(bytes, &Policy::STRICT);
    parsed.expect("it was encoded").0
}
