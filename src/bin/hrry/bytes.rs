//! The bytes of a descriptor, field by field.
//!
//! Places come from [`FieldWalk`], so nothing here knows an offset. Only how a field reads in words is
//! said here.

use std::io::{self, Write};

use hrry::{
    BlockTableIndexType, CombineOp, CompositionRule, DYNAMIC, DeviceTag, ElementType, Field,
    FieldWalk, KvRole, LayoutTag, MemberRole, MemoryClass, NO_BUFFER, Scheme, Section, SyncMode,
};
use serde::Serialize;

use super::plain::Plain;
use super::read::{FIXED, Problem, stated_length};
use super::shape::{Word, flag_names, hex};
use super::text::plural;

/// Some bytes of a descriptor and what they are.
#[derive(Serialize)]
pub struct Row {
    /// Offset in the input.
    pub offset: u64,
    /// In hex.
    bytes: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    section: Option<&'static str>,
    /// The name in the specification; none where no field is known.
    field: Option<&'static str>,
    index: Option<u32>,
    value: String,
}

/// All rows of a descriptor that starts at `origin` and need not be valid.
pub fn rows(origin: u64, bytes: &[u8]) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut at = 0;
    let gap = |start: usize, end: usize, section, why: &str| Row {
        offset: origin + start as u64,
        bytes: hex(&bytes[start..end]),
        section,
        field: None,
        index: None,
        value: why.into(),
    };
    let mut last = None;
    for span in FieldWalk::new(bytes) {
        let (start, end) = (span.range.start as usize, span.range.end as usize);
        if at < start {
            rows.push(gap(at, start, last, "no field here"));
        }
        let value = match span.missing {
            0 => value(span.field, &bytes[start..end]),
            missing => format!("cut short, {} missing", plural(missing.into(), "byte")),
        };
        last = Some(section_name(span.section));
        rows.push(Row {
            offset: origin + u64::from(span.range.start),
            bytes: hex(&bytes[start..end]),
            section: last,
            field: Some(span.field.name()),
            index: is_array(span.field).then_some(span.index),
            value,
        });
        at = end;
    }
    let end = stated_length(bytes).max(FIXED).min(bytes.len());
    if at < end {
        rows.push(gap(at, end, None, "not read"));
    }
    rows
}

/// Prints the rows; the one at fault is marked.
pub fn print(out: &mut dyn Write, rows: &[Row], problem: Option<&Problem>) -> io::Result<()> {
    let fault = problem.and_then(|problem| Some((problem.offset?, problem.rule?.id())));
    let mut section = None;
    for row in rows {
        if row.section != section
            && let Some(name) = row.section
        {
            section = row.section;
            // parts of one field need no title
            if !matches!(name, "shape" | "byte_offset") {
                writeln!(out, "{:>10}  -- {name} --", "")?;
            }
        }
        let name = match (row.field, row.index) {
            (Some(field), Some(index)) => format!("{field}[{index}]"),
            (Some(field), None) => field.into(),
            (None, _) => "-".into(),
        };
        let len = row.bytes.len() as u64 / 2;
        let mark = match fault {
            Some((at, rule)) if row.offset <= at && at < row.offset + len.max(1) => {
                format!("   <== {rule}")
            }
            _ => String::new(),
        };
        let mut lines = lines(&row.bytes).into_iter();
        let first = lines.next().unwrap_or_default();
        let value = Plain::new(&row.value);
        writeln!(
            out,
            "{:>10}  {first:<WIDTH$}  {name:<26}  {value}{mark}",
            row.offset
        )?;
        for line in lines {
            writeln!(out, "{:>10}  {line}", "")?;
        }
    }
    Ok(())
}

/// Columns of eight bytes in hex.
const WIDTH: usize = 8 * 3 - 1;

/// Lines of one row.
const LINES: usize = 8;

/// Eight bytes a line, of long fields the first lines only.
fn lines(hex: &str) -> Vec<String> {
    let bytes: Vec<_> = (0..hex.len() / 2).map(|k| &hex[2 * k..2 * k + 2]).collect();
    let mut lines: Vec<_> = bytes
        .chunks(8)
        .take(LINES)
        .map(|line| line.join(" "))
        .collect();
    if bytes.len() > 8 * LINES {
        lines.push(format!("... and {} more bytes", bytes.len() - 8 * LINES));
    }
    lines
}

fn section_name(section: Section) -> &'static str {
    match section {
        Section::Header => "header",
        Section::Shape => "shape",
        Section::ByteOffset => "byte_offset",
        Section::Layout => "layout",
        Section::BufferTable => "buffer_table",
        Section::Quantization => "quantization",
        Section::Shard => "shard",
        Section::Statistics => "statistics",
        Section::ExtensionType => "extension_type",
        Section::CompositeMember => "composite_member",
        Section::Tail => "tail",
    }
}

/// Whether elements of the field are told apart by an index.
fn is_array(field: Field) -> bool {
    matches!(
        field,
        Field::Shape
            | Field::Strides
            | Field::TileShape
            | Field::OuterLayout
            | Field::InnerLayout
            | Field::TileReserved
            | Field::OuterStrides
            | Field::InnerStrides
            | Field::MortonBits
            | Field::ModeOrder
            | Field::ByteSize
            | Field::Alignment
            | Field::DeviceTag
            | Field::SyncMode
            | Field::MemoryClass
            | Field::HandleReserved
            | Field::ParentShape
            | Field::ShardOffset
    )
}

/// The value in words.
fn value(field: Field, bytes: &[u8]) -> String {
    let unsigned = || {
        bytes
            .iter()
            .rev()
            .fold(0, |n, byte| n << 8 | u64::from(*byte))
    };
    let tag = bytes.first().copied().unwrap_or(0);
    let or_none = |none: u64, word: &str| match unsigned() {
        n if n == none => word.into(),
        n => n.to_string(),
    };
    match field {
        Field::Magic => format!("{:?}", String::from_utf8_lossy(bytes)),
        Field::Flags => {
            let names: Vec<_> = flag_names(unsigned() as u32).collect();
            match (unsigned() >> 5, names.is_empty()) {
                (0, true) => "none".into(),
                (0, false) => names.join(", "),
                _ => format!("{:#034b}", unsigned()),
            }
        }
        Field::TypeTag | Field::ScaleTypeTag => ElementType(tag).text(),
        Field::LayoutTag | Field::OuterLayout | Field::InnerLayout => LayoutTag(tag).text(),
        Field::DeviceTag => DeviceTag(tag).text(),
        Field::SyncMode => SyncMode(tag).text(),
        Field::MemoryClass => MemoryClass(tag).text(),
        Field::SchemeTag => Scheme(tag).text(),
        Field::CompositionRule => CompositionRule(tag).text(),
        Field::CombineOp => CombineOp(tag).text(),
        Field::MemberRole => MemberRole(tag).text(),
        Field::KvRole => KvRole(tag).text(),
        Field::BlockTableIndexType => BlockTableIndexType(tag).text(),
        Field::Shape | Field::ParentShape => or_none(DYNAMIC, "dynamic"),
        Field::ZeroPointBufferIndex => or_none(NO_BUFFER.into(), "none"),
        Field::LayerIndex => or_none(u32::MAX.into(), "none"),
        Field::Strides | Field::OuterStrides | Field::InnerStrides => {
            (unsigned() as i64).to_string()
        }
        Field::ZeroPoint => (unsigned() as i32).to_string(),
        Field::Scale => format!("{:?}", f32::from_bits(unsigned() as u32)),
        Field::SparsityRatio
        | Field::ValueMin
        | Field::ValueMax
        | Field::ValueAbsMax
        | Field::ValueMean
        | Field::ValueStddev => format!("{:?}", f64::from_bits(unsigned())),
        Field::ComputedMask | Field::SchemeFlags => format!("{:#b}", unsigned()),
        Field::ExtensionLayoutId => format!("{:#x}", unsigned()),
        Field::ExtensionData | Field::Tail => plural(bytes.len() as u64, "byte"),
        _ if field.name().contains("reserved") => match bytes.iter().all(|byte| *byte == 0) {
            true => "zero".into(),
            false => "not zero".into(),
        },
        _ => unsigned().to_string(),
    }
}
