//! A container front to back, in chunks and in memory that is lent.

use hrry::{Exact, FileEvent, FileParser, Policy, Region, SliceArena};

use super::here::{Here, Tensor, indexed, level, pairs};

/// What a parser needs to know of a file, or may know.
#[derive(Clone, Copy, Debug)]
pub struct Memory {
    /// Bytes of the longest descriptor or entry.
    pub frame: usize,
    /// Words for places, names and keys, by which nothing stays unchecked.
    pub places: usize,
    pub region: Region,
}

/// Through `FileParser`, front to back in chunks of these sizes, one after the other and again.
pub fn parser(
    bytes: &[u8],
    policy: Policy,
    memory: Memory,
    sizes: &[usize],
) -> Result<Here, String> {
    let (mut frame, mut places) = (vec![0; memory.frame], vec![0; memory.places]);
    let mut words = vec![0; 1 << 14];
    let mut parser = FileParser::with_parts(
        frame.as_mut_slice(),
        Exact,
        SliceArena::new(&mut words),
        SliceArena::new(&mut places),
        policy,
        Some(memory.region),
    );
    let mut here = Here::default();
    let mut entries = Vec::new();
    let mut rest = bytes;
    for size in sizes.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let mut chunk;
        (chunk, rest) = rest.split_at((*size).clamp(1, rest.len()));
        while let Some(event) = parser.next_event(&mut chunk).map_err(|e| e.to_string())? {
            match event {
                FileEvent::Descriptor(view, begins) => {
                    let buffers = vec![Vec::new(); view.buffer_count()];
                    here.tensors
                        .push(Tensor::new(level(begins), &view, buffers));
                }
                FileEvent::Payload(payload) => {
                    let tensor = here.tensors.last_mut().expect("behind a descriptor");
                    let buffer = &mut tensor.buffers[usize::from(payload.buffer)];
                    assert_eq!(buffer.len() as u64, payload.offset);
                    buffer.extend(payload.bytes);
                }
                FileEvent::Kv(entry) => here.kv.extend(pairs([entry].into_iter())),
                FileEvent::Entry(entry) => {
                    here.names.push(entry.name.to_owned());
                    entries.push(indexed(&entry));
                }
                _ => {}
            }
        }
    }
    let end = parser.finish().map_err(|error| error.to_string())?;
    let open = end.unchecked;
    if open.names || open.keys || open.ranges || open.tensors || open.checksum {
        return Err(format!("left unchecked: {open:?}"));
    }
    entries.sort_by_key(|(_, place)| place.descriptor_offset);
    assert_eq!(here.tensors.len(), entries.len());
    for (tensor, entry) in here.tensors.iter_mut().zip(entries) {
        tensor.set_indexed(entry);
    }
    Ok(here)
}
