//! Reading containers in ranges: the same answers as in memory, from few reads and bounded storage.

mod support;

use std::convert::Infallible;

use hrry::{ErrorKind, FileView, Policy, RangeReader, ReadAt, Resource};
use support::ranges::{Counted, assert_same, refused};
use support::vectors::{files, named};

#[test]
fn ranges_give_what_memory_gives() {
    let mut whole = 0;
    for v in files() {
        for policy in [Policy::STRICT, Policy::PERMISSIVE] {
            for room in [0, 40, v.bytes.len(), v.bytes.len() + 1, 1 << 17] {
                whole += usize::from(assert_same(&v.bytes, &policy, room));
            }
        }
    }
    // 46 are accepted in either mode
    assert!(whole >= 5 * 2 * 46, "{whole}");
}

/// What must fit is from the first key to the end of the index; what saves a read goes on to the end of the
/// file.
#[test]
fn opening_takes_two_reads_or_three() {
    let files = files();
    let v = &named(&files, "f-ok-kv-all").bytes;
    let view = FileView::open(v, &Policy::STRICT).unwrap();
    let trailer = *view.trailer();
    let between = trailer.index_offset + trailer.index_length - trailer.kv_offset;
    let behind = v.len() as u64 - trailer.kv_offset;
    assert!(between < behind);
    for (room, reads) in [(between, 3), (behind - 1, 3), (behind, 2), (behind + 1, 2)] {
        let mut storage = vec![0; room as usize];
        let mut reader = RangeReader::open(Counted::new(v), &mut storage, Policy::STRICT).unwrap();
        assert_eq!(reader.source_mut().reads, reads, "{room}");
    }
    for room in (0..between).step_by(7).chain([between - 1]) {
        let mut storage = vec![0; room as usize];
        let opened = RangeReader::open(Counted::new(v), &mut storage, Policy::STRICT);
        let error = refused(opened.map(drop)).unwrap_err();
        let kind = ErrorKind::Capacity {
            what: Resource::Frame,
            needed: between,
            available: room,
        };
        assert_eq!((error.kind(), error.offset()), (kind, trailer.kv_offset));
    }
}

/// What lies between them is not read, however much it is.
#[test]
fn keys_and_index_may_be_apart() {
    let files = files();
    let v = &named(&files, "f-ok-kv-all").bytes;
    let view = FileView::open(v, &Policy::STRICT).unwrap();
    let trailer = *view.trailer();
    let sections = u64::from(trailer.kv_length) + trailer.index_length;
    for zeros in [8, 4096, 1 << 20, 1 << 33] {
        let mut bytes = v.clone();
        let place = bytes.len() - 40;
        let index_offset = trailer.index_offset + zeros;
        bytes[place..place + 8].copy_from_slice(&index_offset.to_le_bytes());
        let (front, behind) = bytes.split_at(trailer.index_offset as usize);
        let source = || Sparse {
            len: bytes.len() as u64 + zeros,
            parts: vec![(0, front.to_vec()), (index_offset, behind.to_vec())],
            reads: 0,
        };
        let mut storage = vec![0; sections as usize];
        let mut reader = RangeReader::open(source(), &mut storage, Policy::STRICT).unwrap();
        // header, trailer, and the two
        assert_eq!(reader.source_mut().reads, 4, "{zeros}");
        assert!(reader.kv().eq(view.kv()));
        let entries = reader
            .entries()
            .map(|entry| (entry.name, entry.data_offset));
        assert!(entries.eq(view.entries().map(|entry| (entry.name, entry.data_offset))));
        let mut small = vec![0; sections as usize - 1];
        let error = refused(RangeReader::open(source(), &mut small, Policy::STRICT).map(drop));
        let kind = ErrorKind::Capacity {
            what: Resource::Frame,
            needed: sections,
            available: sections - 1,
        };
        assert_eq!(error.unwrap_err().kind(), kind);
    }
}

#[test]
fn a_descriptor_needs_storage_of_its_length() {
    let files = files();
    let v = &named(&files, "f-ok-one").bytes;
    let mut storage = vec![0; 1 << 16];
    let mut reader = RangeReader::open(Counted::new(v), &mut storage, Policy::STRICT).unwrap();
    let entry = reader.entries().next().unwrap();
    // rank 2, row-major, one buffer: 20 + 16 + 8 + 1 + 16
    assert!(reader.tensor(&entry, &mut [0; 61]).is_ok());
    let error = refused(reader.tensor(&entry, &mut [0; 60]).map(drop)).unwrap_err();
    let kind = ErrorKind::Capacity {
        what: Resource::Frame,
        needed: 61,
        available: 60,
    };
    assert_eq!((error.kind(), error.offset()), (kind, 64));
}

/// A file that is zero where nothing was put, and how often it was read.
struct Sparse {
    len: u64,
    parts: Vec<(u64, Vec<u8>)>,
    reads: usize,
}

impl ReadAt for Sparse {
    type Error = Infallible;

    fn len(&mut self) -> Result<u64, Infallible> {
        Ok(self.len)
    }

    fn read_at(&mut self, offset: u64, into: &mut [u8]) -> Result<(), Infallible> {
        self.reads += 1;
        assert!(offset + into.len() as u64 <= self.len);
        for (at, byte) in (offset..).zip(into) {
            let part = self
                .parts
                .iter()
                .find(|(start, part)| (*start..*start + part.len() as u64).contains(&at));
            *byte = part.map_or(0, |(start, part)| part[(at - start) as usize]);
        }
        Ok(())
    }
}

#[test]
fn positions_beyond_four_gibibytes_are_used_on_every_target() {
    let files = files();
    let small = &named(&files, "f-ok-no-crc").bytes;
    let view = FileView::open(small, &Policy::STRICT).unwrap();
    let trailer = *view.trailer();
    let (index, end) = (trailer.index_offset as usize, small.len() - 40);
    // everything behind the first 4,096 bytes moves by 2^40
    let far = 1u64 << 40;
    let mut moved = small[index..].to_vec();
    let name = u16::from_le_bytes([moved[8], moved[9]]) as usize;
    let data_offset = 8 + 2 + name + 12;
    let mut add = |at: usize| {
        let field: &mut [u8; 8] = moved[at..].first_chunk_mut().unwrap();
        *field = (u64::from_le_bytes(*field) + far).to_le_bytes();
    };
    add(data_offset);
    add(end - index);
    let source = Sparse {
        len: small.len() as u64 + far,
        parts: vec![
            (0, small[..4096].to_vec()),
            (4096 + far, small[4096..index].to_vec()),
            (index as u64 + far, moved),
        ],
        reads: 0,
    };
    let mut storage = [0; 512];
    let mut reader = RangeReader::open(source, &mut storage, Policy::STRICT).unwrap();
    let entry = reader.entries().next().unwrap();
    let mut descriptor = [0; 256];
    let tensor = reader.tensor(&entry, &mut descriptor).unwrap();
    assert_eq!(tensor.place(0), Some(4096 + far..4144 + far));
    let mut bytes = [0; 48];
    reader.source_mut().read_at(4096 + far, &mut bytes).unwrap();
    assert_eq!(bytes, small[4096..4144]);
}
