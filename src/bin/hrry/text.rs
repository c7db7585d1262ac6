//! Tensors in words, one line each.

use std::fmt::Display;

use super::shape::Word;
use hrry::{
    BufferHandle, CombineOp, CompositeHead, DescriptorView, DeviceTag, ExtensionType,
    FileDirectory, Layout, MemoryClass, NO_BUFFER, Quantization, Statistics, SyncMode, Tiled, U64s,
};

/// What a descriptor says. `parent` is whether the shape around a shard is worth telling, which it is
/// not in a composite.
pub fn tensor(view: &DescriptorView<'_>, parent: bool) -> String {
    let mut facts = Vec::new();
    let mut first = format!("{} {}", element_type(view), dimensions(view.shape()));
    match view.layout() {
        Layout::Composite(head) => first = format!("{} {first}", composite(&head)),
        layout => first = format!("{first} {}", self::layout(&layout)),
    }
    if let Some(role) = view.member_role() {
        first = format!("{} {first}", role.text());
    }
    facts.push(first);
    if let Some(shard) = view.shard() {
        let mut at = format!("at {}", dimensions(shard.shard_offset));
        if parent {
            at += &format!(" of {}", dimensions(shard.parent_shape));
        }
        facts.push(at);
    }
    let handles: Vec<_> = (0..view.buffer_count())
        .filter_map(|k| view.buffer(k))
        .collect();
    if !handles.is_empty() {
        facts.push(buffers(&handles));
    }
    if view.byte_offset() > 0 {
        facts.push(format!("first element at byte {}", view.byte_offset()));
    }
    facts.extend(view.quantization().map(|q| quantization(&q)));
    facts.extend(view.statistics().and_then(|s| statistics(&s)));
    if view.version_minor() > 0 {
        facts.push(format!("version 1.{}", view.version_minor()));
    }
    if !view.tail().is_empty() {
        facts.push(format!(
            "{} bytes without a meaning at its end",
            view.tail().len()
        ));
    }
    facts.join(", ")
}

/// What a container says of itself.
pub fn container(directory: &FileDirectory<'_>) -> String {
    let header = directory.header();
    let mut facts = vec![
        format!("container 1.{}", header.version_minor),
        match directory.tensor_count() {
            1 => "1 entry".into(),
            count => format!("{count} entries"),
        },
        format!("data aligned to {}", header.data_buffer_alignment),
    ];
    if header.is_sorted() {
        facts.push("names sorted".into());
    }
    if header.has_index_crc32c() {
        let crc = directory.trailer().index_crc32c;
        facts.push(format!("index checksum {crc:#010x}"));
    }
    facts.join(", ")
}

fn element_type(view: &DescriptorView<'_>) -> String {
    let tag = view.element_type();
    match (tag.name(), view.extension_type()) {
        (Some(name), _) => name.into(),
        (None, Some(extension)) => format!("{} ({})", tag.text(), private(&extension)),
        (None, None) => tag.text(),
    }
}

fn private(e: &ExtensionType) -> String {
    let bits = e.bit_width;
    if e.is_float == 0 {
        let sign = if e.is_signed == 0 {
            "unsigned"
        } else {
            "signed"
        };
        return format!("{bits}-bit {sign} integer");
    }
    let (sign, exponent, mantissa) = (e.sign_bits, e.exponent_bits, e.mantissa_bits);
    format!(
        "{bits}-bit float, {sign}+{exponent}+{mantissa} bits, bias {}",
        e.exponent_bias
    )
}

/// A shape: `[3, 4]`, `?` where a dimension is dynamic, `[]` of a scalar.
pub fn dimensions(shape: U64s<'_>) -> String {
    list(shape.iter().map(|size| match size {
        hrry::DYNAMIC => "?".into(),
        size => size.to_string(),
    }))
}

fn list(numbers: impl IntoIterator<Item = impl Display>) -> String {
    let numbers: Vec<_> = numbers.into_iter().map(|n| n.to_string()).collect();
    format!("[{}]", numbers.join(", "))
}

fn composite(head: &CompositeHead) -> String {
    let rule = head.composition_rule;
    let op = match head.combine_op {
        CombineOp::None => String::new(),
        op => format!(" ({})", op.text()),
    };
    format!(
        "{}{op} of {}:",
        rule.text(),
        plural(head.member_count.into(), "member")
    )
}

pub fn plural(count: u64, what: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{count} {what}{s}")
}

fn layout(layout: &Layout<'_>) -> String {
    let tag = layout.tag();
    match layout {
        Layout::Strided { strides } => format!("strided {}", list(*strides)),
        Layout::Tiled(tiled) => self::tiled(tiled),
        Layout::Morton { morton_bits } => format!("morton bits {}", list(*morton_bits)),
        Layout::Coo { nnz, is_sorted } => {
            format!(
                "coo{} {nnz} stored",
                if *is_sorted { " sorted" } else { "" }
            )
        }
        Layout::Csr { nnz } | Layout::Csc { nnz } => format!("{tag:?} {nnz} stored"),
        Layout::Csf { nnz, mode_order } => format!("csf {nnz} stored, modes {}", list(*mode_order)),
        Layout::BlockPaged(p) => {
            let layer = match p.layer_index {
                u32::MAX => String::new(),
                layer => format!(" of layer {layer}"),
            };
            format!(
                "block_paged {:?} cache{layer}, {} of {}, {}, {:?} tables",
                p.kv_role,
                plural(p.num_pages, "page"),
                plural(p.page_size.into(), "slot"),
                plural(p.num_seqs.into(), "sequence"),
                p.block_table_index_type
            )
        }
        Layout::Hilbert { hilbert_order, .. } => format!("hilbert order {hilbert_order}"),
        Layout::Private {
            extension_layout_id,
            extension_data,
            ..
        } => format!(
            "layout {} (id {extension_layout_id:#x}, {} of data)",
            tag.text(),
            plural(extension_data.len() as u64, "byte")
        ),
        Layout::Unknown(_) => format!("layout {}", tag.text()),
        _ => format!("{tag:?}"),
    }
}

/// `tiles [2, 2] row_major, inside col_major`: levels from the outside in.
fn tiled(tiled: &Tiled<'_>) -> String {
    let mut words = Vec::new();
    for level in tiled.levels() {
        let strided = |strides: &hrry::I64s<'_>| match strides.is_empty() {
            true => String::new(),
            false => format!(" {}", list(*strides)),
        };
        let tile = dimensions(level.tile_shape);
        let outer = strided(&level.outer_strides);
        words.push(format!("tiles {tile} {:?}{outer}", level.outer_layout));
        if level.inner_layout != hrry::LayoutTag::Tiled {
            let inner = strided(&level.inner_strides);
            words.push(format!("inside {:?}{inner}", level.inner_layout));
        }
    }
    words.join(" / ")
}

/// Sizes, then what is not the plainest kind of memory; said once where all buffers agree. Of many
/// buffers only the sum.
fn buffers(handles: &[BufferHandle]) -> String {
    const SHOWN: usize = 9;
    let kinds: Vec<_> = handles.iter().map(memory).collect();
    let same = kinds.iter().all(|kind| *kind == kinds[0]);
    let sum: u128 = handles
        .iter()
        .map(|handle| u128::from(handle.byte_size))
        .sum();
    let large = large(sum);
    if handles.len() > SHOWN {
        let kind = if same { &kinds[0] } else { " of several kinds" };
        return format!("{sum} B{large} in {} buffers{kind}", handles.len());
    }
    let one = |(handle, kind): (&BufferHandle, &String)| match same {
        true => handle.byte_size.to_string(),
        false => format!("{}{kind}", handle.byte_size),
    };
    let sizes: Vec<_> = handles.iter().zip(&kinds).map(one).collect();
    let kind = if same { &kinds[0] } else { "" };
    format!("{} B{large}{kind}", sizes.join(" + "))
}

fn memory(handle: &BufferHandle) -> String {
    let mut words = String::new();
    if handle.device_tag != DeviceTag::Cpu {
        words += &format!(" on {}", handle.device_tag.text());
    }
    if handle.memory_class != MemoryClass::Standard {
        words += &format!(" in {} memory", handle.memory_class.text());
    }
    if handle.sync_mode != SyncMode::ProducerSynced {
        words += &format!(" sync {}", handle.sync_mode.text());
    }
    if handle.byte_size > 0 && handle.alignment != hrry::MIN_BUFFER_ALIGNMENT {
        words += &format!(" aligned {}", handle.alignment);
    }
    words
}

/// `" (1.5 GiB)"`, in tenths rounded down, for sizes that are hard to read in bytes.
fn large(bytes: u128) -> String {
    const UNITS: [&str; 4] = ["MiB", "GiB", "TiB", "PiB"];
    let mut unit = None;
    for (k, name) in UNITS.into_iter().enumerate() {
        let size = 1u128 << (20 + 10 * k);
        if bytes >= size {
            unit = Some((size, name));
        }
    }
    unit.map_or(String::new(), |(size, name)| {
        format!(" ({}.{} {name})", bytes / size, bytes % size * 10 / size)
    })
}

fn quantization(quantization: &Quantization<'_>) -> String {
    let scheme = quantization.scheme();
    match quantization {
        Quantization::PerTensor {
            scale, zero_point, ..
        } => {
            format!(
                "{scheme:?} scale {:?} zero point {zero_point}",
                f32::from_bits(scale.0)
            )
        }
        Quantization::Buffers(p) => {
            let mut words = format!("{scheme:?} along axis {}", p.axis);
            if p.block_size > 0 {
                words += &format!(" in blocks of {}", p.block_size);
            }
            words += &format!(
                " (buffer {}: {:?} scales",
                p.scale_buffer_index, p.scale_type
            );
            if p.zero_point_buffer_index != NO_BUFFER {
                words += &format!(", buffer {}: zero points", p.zero_point_buffer_index);
            }
            words + ")"
        }
        Quantization::Other { bytes, .. } => {
            format!("{} ({} bytes)", scheme.text(), bytes.len())
        }
        _ => format!("{scheme:?}"),
    }
}

fn statistics(s: &Statistics) -> Option<String> {
    let valid = |bit| s.computed_mask & bit != 0;
    let float = |value: hrry::F64Bits| f64::from_bits(value.0);
    let mut words = Vec::new();
    if valid(Statistics::NNZ_VALID) {
        words.push(format!("{} not zero", s.nnz));
    }
    if valid(Statistics::SPARSITY_VALID) {
        words.push(format!("sparsity {:?}", float(s.sparsity_ratio)));
    }
    if valid(Statistics::VALUE_RANGE_VALID) {
        words.push(format!(
            "{:?} to {:?}",
            float(s.value_min),
            float(s.value_max)
        ));
    }
    if valid(Statistics::VALUE_STATS_VALID) {
        words.push(format!("mean {:?}", float(s.value_mean)));
        words.push(format!("deviation {:?}", float(s.value_stddev)));
    }
    if valid(Statistics::NM_SPARSITY_VALID) {
        words.push(format!("{}:{} sparse", s.nm_n, s.nm_m));
    }
    if valid(Statistics::NAN_INF_VALID) {
        words.extend((s.has_nan == 1).then(|| "has NaN".into()));
        words.extend((s.has_inf == 1).then(|| "has infinities".into()));
    }
    (!words.is_empty()).then(|| format!("values ({})", words.join(", ")))
}
