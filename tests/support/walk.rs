//! Where the items of a stream and their buffers are: a reader of lengths alone, written from the byte
//! tables and independent of the library.

/// One item of a stream.
#[derive(Clone, Debug)]
pub struct Item {
    pub start: usize,
    /// Bytes of the descriptor.
    pub descriptor: usize,
    /// Bytes of each buffer.
    pub buffers: Vec<usize>,
    /// Members that follow, for a composite head.
    pub members: Option<u32>,
}

impl Item {
    pub fn end(&self) -> usize {
        let payload = self.buffers.iter().copied();
        payload.fold(self.start + self.descriptor, usize::saturating_add)
    }
}

/// The items that are whole, from the front; stops where the bytes are no item.
pub fn items(stream: &[u8]) -> Vec<Item> {
    let mut items = Vec::new();
    let mut start = 0;
    while let Some(item) = item(stream, start) {
        if item.end() > stream.len() {
            break;
        }
        start = item.end();
        items.push(item);
    }
    items
}

/// What `finish` has to say after the first `len` bytes of a valid stream.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum End {
    Clean,
    Truncated { missing: usize },
    Torn { level: u8, declared: u32, seen: u32 },
}

/// The end of a prefix of a valid stream, from its items.
pub fn end_of_prefix(items: &[Item], len: usize) -> End {
    // declared and seen members of the open composites
    let mut open: Vec<(u32, u32)> = Vec::new();
    for item in items {
        if len < item.end() {
            if len > item.start {
                return truncated(item, len - item.start);
            }
            break;
        }
        match item.members {
            Some(declared) => open.push((declared, 0)),
            None => {
                if let Some((_, seen)) = open.last_mut() {
                    *seen += 1;
                }
            }
        }
        while let Some((declared, seen)) = open.last().copied()
            && declared == seen
        {
            open.pop();
            if let Some((_, seen)) = open.last_mut() {
                *seen += 1;
            }
        }
    }
    match open.last() {
        None => End::Clean,
        Some((declared, seen)) => End::Torn {
            level: open.len() as u8,
            declared: *declared,
            seen: *seen,
        },
    }
}

fn truncated(item: &Item, arrived: usize) -> End {
    let missing = if arrived < 10 {
        // no length is known yet, only that of the fixed header
        20 - arrived
    } else if arrived < item.descriptor {
        item.descriptor - arrived
    } else {
        let mut arrived = arrived - item.descriptor;
        let mut missing = 0;
        for size in &item.buffers {
            if arrived < *size {
                missing = size - arrived;
                break;
            }
            arrived -= size;
        }
        missing
    };
    End::Truncated { missing }
}

fn item(stream: &[u8], start: usize) -> Option<Item> {
    let bytes = &stream[start..];
    if bytes.get(..4)? != b"HRRY" {
        return None;
    }
    let descriptor = word(bytes, 6)?;
    let rank = word(bytes, 16)?;
    let payload = 28 + rank * 8;
    let layout = *bytes.get(15)?;
    let table = payload + layout_len(bytes, payload, layout, rank)?;
    let count = usize::from(*bytes.get(table)?);
    let buffers = (0..count).map(|k| long(bytes, table + 1 + 16 * k));
    Some(Item {
        start,
        descriptor,
        buffers: buffers.collect::<Option<_>>()?,
        members: match layout {
            0x0B => Some(word(bytes, payload + 4)? as u32),
            _ => None,
        },
    })
}

fn layout_len(bytes: &[u8], payload: usize, layout: u8, rank: usize) -> Option<usize> {
    Some(match layout {
        0x01 | 0x02 => 0,
        0x03 => 8 * rank,
        0x04 => {
            let mut len = 0;
            loop {
                let tags = payload + len + 8 * rank;
                let (outer, inner) = (*bytes.get(tags)?, *bytes.get(tags + 1)?);
                len += 8 * rank + 4;
                len += [outer, inner].iter().filter(|tag| **tag == 3).count() * 8 * rank;
                if inner != 4 {
                    break len;
                }
            }
        }
        0x05 => 4 * rank,
        0x06..=0x08 => 16,
        0x09 => 16 + 4 * rank,
        0x0A => 32,
        0x0B | 0x40 => 8,
        0xF0..=0xFE => 12 + word(bytes, payload + 8)?,
        _ => return None,
    })
}

fn word(bytes: &[u8], at: usize) -> Option<usize> {
    let bytes = bytes.get(at..at + 4)?.try_into().ok()?;
    usize::try_from(u32::from_le_bytes(bytes)).ok()
}

fn long(bytes: &[u8], at: usize) -> Option<usize> {
    let bytes = bytes.get(at..at + 8)?.try_into().ok()?;
    usize::try_from(u64::from_le_bytes(bytes)).ok()
}
