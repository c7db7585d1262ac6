//! Containers from fuzz input: written by the writer, then damaged at a few places.

use hrry::owned::GrowFrame;
use hrry::{
    BufferHandle, CombineOp, CompositeHead, CompositionRule, DescriptorSpec, ElementType, Exact,
    FileOptions, FileView, FileWriter, KvArray, KvEntry, KvValue, Layout, Policy, Sink, crc32c,
};

use crate::source::Source;

type Writer = FileWriter<Bytes, GrowFrame, Exact, Vec<u64>>;

pub struct Bytes(pub Vec<u8>);

impl Sink for Bytes {
    type Error = ();

    fn put(&mut self, bytes: &[u8]) -> Result<(), ()> {
        self.0.extend_from_slice(bytes);
        Ok(())
    }
}

/// A writer into memory that checks what it is given.
pub fn writer(options: &FileOptions) -> Writer {
    let (sink, index) = (Bytes(Vec::new()), GrowFrame::new());
    FileWriter::with_parts(sink, options, index, Exact, Vec::new(), Policy::STRICT)
        .unwrap_or_else(|error| panic!("{error:?} for {options:?}"))
}

/// A container that is right.
pub fn whole(source: &mut Source<'_>) -> Vec<u8> {
    let mut options = FileOptions::PLAIN;
    if source.chance(8) {
        options.data_buffer_alignment = 8192;
    }
    options.has_kv_metadata = source.chance(2);
    options.is_sorted = source.chance(4);
    let mut writer = writer(&options);
    // how many members each open head still wants
    let mut wanted: Vec<usize> = Vec::new();
    let tensors = source.below(6);
    let mut count = 0;
    while count < tensors || !wanted.is_empty() {
        let members = source.below(4);
        let is_head = count < tensors && wanted.len() < 8 && source.chance(3);
        let name = name(count, options.is_sorted, source);
        match is_head {
            true => head(&mut writer, &name, members as u32),
            false => leaf(&mut writer, &name, source),
        }
        count += 1;
        if let Some(open) = wanted.last_mut() {
            *open -= 1;
        }
        if is_head {
            wanted.push(members);
        }
        while wanted.last() == Some(&0) {
            wanted.pop();
        }
    }
    let keys: Vec<String> = (0..source.below(5)).map(|k| format!("key {k}")).collect();
    let values: Vec<[u8; 8]> = keys.iter().map(|_| source.bytes()).collect();
    let entries = keys.iter().zip(&values).map(|(key, bytes)| KvEntry {
        key,
        value: value(bytes),
    });
    let written = match options.has_kv_metadata {
        true => writer.finish_with_kv(entries),
        false => writer.finish(),
    };
    written.expect("all of it is right").0.0
}

/// Different names, of which some are in no order.
fn name(k: usize, is_sorted: bool, source: &mut Source<'_>) -> String {
    match is_sorted {
        true => format!("{k:03}"),
        false => format!(
            "{}{k}",
            source.pick(&["t", "a.b.", "größe ", "ein längerer Name "])
        ),
    }
}

fn head(writer: &mut Writer, name: &str, member_count: u32) {
    let head = CompositeHead {
        composition_rule: CompositionRule::Group,
        combine_op: CombineOp::None,
        member_count,
    };
    let spec = DescriptorSpec::new(ElementType::UInt8, &[1], Layout::Composite(head), &[]);
    writer.tensor(name, &spec, &[]).expect("the head is right");
}

fn leaf(writer: &mut Writer, name: &str, source: &mut Source<'_>) {
    let data = [source.byte() | 1; 40];
    let written = match source.below(4) {
        0 => {
            let buffers = [BufferHandle::cpu(2, 64), BufferHandle::cpu(32, 64)];
            let (nnz, is_sorted) = (2, false);
            let layout = Layout::Coo { nnz, is_sorted };
            let spec = DescriptorSpec::new(ElementType::UInt8, &[3, 4], layout, &buffers);
            writer.tensor(name, &spec, &[&data[..2], &data[..32]])
        }
        _ => {
            let size = source.below(data.len());
            let (shape, buffers) = ([size as u64], [BufferHandle::cpu(size as u64, 64)]);
            let spec = DescriptorSpec::new(ElementType::UInt8, &shape, Layout::RowMajor, &buffers);
            writer.tensor(name, &spec, &[&data[..size]])
        }
    };
    written.expect("the tensor is right");
}

fn value(bytes: &[u8; 8]) -> KvValue<'_> {
    let number = u64::from_le_bytes(*bytes);
    match bytes[0] % 8 {
        0 => KvValue::String("höhe"),
        1 => KvValue::Int64(number.cast_signed()),
        2 => KvValue::Uint64(number),
        3 => KvValue::Float64(hrry::F64Bits(number)),
        4 => KvValue::Bool(bytes[1] & 1 == 1),
        5 => KvValue::Bytes(bytes),
        6 => KvValue::Array(KvArray::from(&["x", ""][..])),
        _ => KvValue::Array(KvArray::from(&[1i64, -1][..])),
    }
}

/// Changes a few bytes, mostly where they mean something; often the checksum fits afterwards, or is none.
pub fn damage(bytes: &mut Vec<u8>, source: &mut Source<'_>) {
    let view = FileView::open(bytes, &Policy::STRICT).expect("it was written");
    let sections = view.region_end() as usize;
    let index = view.trailer().index_offset as usize;
    if source.chance(2) {
        // no checksum: changes of the index are seen by what they say
        bytes[12] &= !4;
        let trailer = bytes.len() - 40;
        bytes[trailer + 28..trailer + 32].fill(0);
    }
    if source.chance(4) {
        bytes[9] = 1;
    }
    for _ in 0..source.below(4) {
        let areas = [
            0..64,
            64..192,
            sections..bytes.len(),
            index..bytes.len(),
            0..bytes.len(),
        ];
        let area = &areas[source.below(areas.len())];
        let within = u16::from_le_bytes(source.bytes());
        let at = area.start + usize::from(within) % area.len().max(1);
        if at < bytes.len() {
            change(bytes, at, source);
        }
    }
    if source.chance(2) {
        sum(bytes);
    }
}

fn change(bytes: &mut Vec<u8>, at: usize, source: &mut Source<'_>) {
    match source.below(8) {
        0..3 => bytes[at] = source.byte(),
        3 => bytes[at] ^= 1 << source.below(8),
        4 => bytes[at] = bytes[at].wrapping_add(8),
        5 => {
            let number = source.number().to_le_bytes();
            let len = number.len().min(bytes.len() - at);
            bytes[at..at + len].copy_from_slice(&number[..len]);
        }
        6 => bytes.insert(at, source.byte()),
        _ => drop(bytes.remove(at)),
    }
}

/// Puts the checksum of the index that the trailer names, if there is one.
fn sum(bytes: &mut [u8]) {
    let Some(trailer) = bytes.len().checked_sub(40) else {
        return;
    };
    let long = |at: usize| {
        let at = trailer + at;
        bytes
            .get(at..at + 8)
            .map(|word| u64::from_le_bytes(word.try_into().expect("eight bytes")))
    };
    let place = long(0).zip(long(8));
    let start = place.and_then(|(start, _)| usize::try_from(start).ok());
    let end = place.and_then(|(start, len)| usize::try_from(start.checked_add(len)?).ok());
    let index = start
        .zip(end)
        .and_then(|(start, end)| bytes.get(start..end));
    if let (Some(index), 4) = (index, bytes[12] & 4) {
        let sum = crc32c(0, index);
        bytes[trailer + 28..trailer + 32].copy_from_slice(&sum.to_le_bytes());
    }
}
