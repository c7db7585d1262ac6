//! Decoded fields in the words of the manifests.

use hrry::{
    Array, DescriptorView, ElementType, Exact, ExtensionType, Field, FileItems, FileView, KvValue,
    Layout, Levels, Number, Outcome, Parameters, Quantization, Scheme, Shard, Statistics,
    TensorView, TiledLevel,
};
use serde_json::{Map, Value, json};

use super::crc32c;
use super::trace::Entry;

/// The fields of a descriptor, as `expect` lists them.
pub fn descriptor(view: &DescriptorView<'_>) -> Value {
    let bytes = view.as_bytes();
    let buffers = (0..view.buffer_count()).map(|k| {
        let handle = view.buffer(k).expect("a buffer below buffer_count exists");
        json!({
            "byte_size": handle.byte_size,
            "alignment": handle.alignment,
            "device_tag": handle.device_tag.0,
            "sync_mode": handle.sync_mode.0,
            "memory_class": handle.memory_class.0,
        })
    });
    json!({
        "descriptor_length": bytes.len(),
        "version_major": byte(view, Field::VersionMajor),
        "version_minor": view.version_minor(),
        "flags": view.flags(),
        "type_tag": view.element_type().0,
        "layout_tag": view.layout_tag().0,
        "rank": view.rank(),
        "shape": numbers(view.shape()),
        "byte_offset": view.byte_offset(),
        "layout": layout(&view.layout()),
        "buffers": buffers.collect::<Vec<_>>(),
        "quantization": view.quantization().map(|scheme| quantization(view, &scheme)),
        "shard": view.shard().map(|section| shard(&section)),
        "statistics": view.statistics().map(|section| statistics(&section)),
        "extension_type": view.extension_type().map(|section| extension_type(&section)),
        "composite_member": view.member_role().map(|role| json!({ "member_role": role.0 })),
    })
}

/// The first byte of a field, found by its name.
fn byte(view: &DescriptorView<'_>, field: Field) -> u8 {
    let range = view.locate(field, 0).expect("the field is there");
    view.as_bytes()[range.start as usize]
}

fn numbers<T: Number + Into<Value>>(array: Array<'_, T>) -> Value {
    array.iter().map(Into::into).collect()
}

fn layout(layout: &Layout<'_>) -> Value {
    match layout {
        Layout::RowMajor | Layout::ColumnMajor => json!({}),
        Layout::Strided { strides } => json!({ "strides": numbers(*strides) }),
        Layout::Tiled(tiled) => tile(tiled.levels()),
        Layout::Morton { morton_bits } => json!({ "morton_bits": numbers(*morton_bits) }),
        Layout::Coo { nnz, is_sorted } => json!({ "nnz": nnz, "is_sorted": u8::from(*is_sorted) }),
        Layout::Csr { nnz } | Layout::Csc { nnz } => json!({ "nnz": nnz }),
        Layout::Csf { nnz, mode_order } => {
            json!({ "nnz": nnz, "mode_order": numbers(*mode_order) })
        }
        Layout::BlockPaged(paged) => json!({
            "page_size": paged.page_size,
            "num_pages": paged.num_pages,
            "paged_axis": paged.paged_axis,
            "num_seqs": paged.num_seqs,
            "kv_role": paged.kv_role.0,
            "layer_index": paged.layer_index,
            "block_table_index_type": paged.block_table_index_type.0,
        }),
        Layout::Composite(head) => json!({
            "composition_rule": head.composition_rule.0,
            "combine_op": head.combine_op.0,
            "member_count": head.member_count,
        }),
        Layout::Hilbert {
            hilbert_order,
            hilbert_rank,
        } => json!({ "hilbert_order": hilbert_order, "hilbert_rank": hilbert_rank }),
        Layout::Private {
            extension_layout_id,
            extension_data,
            ..
        } => json!({
            "extension_layout_id": extension_layout_id,
            "extension_data": extension_data.iter().map(|b| format!("{b:02x}")).collect::<String>(),
        }),
        other => json!({ "layout_tag": other.tag().0 }),
    }
}

/// The manifests nest the levels; the library lists them.
fn tile(mut levels: Levels<'_>) -> Value {
    let Some(level) = levels.next() else {
        return Value::Null;
    };
    let TiledLevel {
        tile_shape,
        outer_layout,
        inner_layout,
        outer_strides,
        inner_strides,
    } = level;
    json!({
        "tile_shape": numbers(tile_shape),
        "outer_layout": outer_layout.0,
        "inner_layout": inner_layout.0,
        "outer_strides": strides(outer_strides),
        "inner_strides": strides(inner_strides),
        "inner_tiled": tile(levels),
    })
}

fn strides(array: Array<'_, i64>) -> Value {
    if array.is_empty() {
        Value::Null
    } else {
        numbers(array)
    }
}

fn quantization(view: &DescriptorView<'_>, quantization: &Quantization<'_>) -> Value {
    let mut fields = Map::new();
    let mut put = |name: &str, value: Value| fields.insert(name.to_owned(), value);
    put("length", view.quantization_length().into());
    put("scheme_tag", quantization.scheme().0.into());
    put("scheme_version", byte(view, Field::SchemeVersion).into());
    match quantization {
        Quantization::PerTensor {
            flags,
            scale,
            zero_point,
        } => {
            put("flags", (*flags).into());
            put("scale_bits", format!("{:#010x}", scale.0).into());
            put("zero_point", (*zero_point).into());
        }
        Quantization::Buffers(parameters) => {
            put("flags", parameters.flags.into());
            put("axis", parameters.axis.into());
            put("scale_buffer_index", parameters.scale_buffer_index.into());
            for (name, value) in extra_parameters(parameters) {
                put(name, value);
            }
        }
        other => panic!("{other:?} is in no vector"),
    }
    fields.into()
}

/// Fields that only some schemes have; what the others answer instead is checked here.
fn extra_parameters(p: &Parameters) -> Vec<(&'static str, Value)> {
    let mut extra = Vec::new();
    if p.scheme == Scheme::PerChannelAffine {
        assert_eq!(p.block_size, 0);
    } else {
        extra.push(("block_size", p.block_size.into()));
    }
    match p.scheme {
        Scheme::PerChannelAffine | Scheme::PerBlockAffine => {
            let zero_points = p.zero_point_buffer_index.into();
            extra.push(("zero_point_buffer_index", zero_points));
            extra.push(("scale_type_tag", p.scale_type.0.into()));
        }
        Scheme::Mxfp => assert_eq!(p.scale_type, ElementType::Float8E8M0),
        _ => assert_eq!(p.scale_type, ElementType::Float32),
    }
    extra
}

fn shard(shard: &Shard<'_>) -> Value {
    json!({
        "parent_shape": numbers(shard.parent_shape),
        "shard_offset": numbers(shard.shard_offset),
    })
}

fn statistics(s: &Statistics) -> Value {
    let bits = |value: hrry::F64Bits| format!("{:#018x}", value.0);
    json!({
        "computed_mask": s.computed_mask,
        "nnz": s.nnz,
        "sparsity_ratio_bits": bits(s.sparsity_ratio),
        "value_min_bits": bits(s.value_min),
        "value_max_bits": bits(s.value_max),
        "value_abs_max_bits": bits(s.value_abs_max),
        "value_mean_bits": bits(s.value_mean),
        "value_stddev_bits": bits(s.value_stddev),
        "nm_n": s.nm_n,
        "nm_m": s.nm_m,
        "has_nan": s.has_nan,
        "has_inf": s.has_inf,
    })
}

fn extension_type(e: &ExtensionType) -> Value {
    json!({
        "bit_width": e.bit_width,
        "packing_factor": e.packing_factor,
        "is_float": e.is_float,
        "is_signed": e.is_signed,
        "sign_bits": e.sign_bits,
        "exponent_bits": e.exponent_bits,
        "mantissa_bits": e.mantissa_bits,
        "exponent_bias": e.exponent_bias,
        "has_nan": e.has_nan,
        "has_inf": e.has_inf,
    })
}

/// The items of an accepted stream as a tree, built from outcomes alone.
pub fn stream(entries: &[Entry], policy: &hrry::Policy) -> Value {
    let mut tree = Tree::default();
    for entry in entries {
        match entry {
            Entry::Descriptor { bytes, outcome, .. } => {
                let (view, _) = DescriptorView::parse(bytes, policy).expect("it was accepted");
                tree.begin(&view, *outcome);
            }
            Entry::Buffer {
                index,
                bytes,
                complete,
            } => {
                assert!(complete, "every buffer is whole");
                tree.item["buffers"][usize::from(*index)] =
                    json!({ "len": bytes.len(), "crc32c": format!("{:08x}", crc32c(bytes)) });
            }
            Entry::End(outcome) => tree.end(*outcome),
            other => panic!("{other:?} is not part of a stream"),
        }
    }
    assert!(tree.open.is_empty(), "every composite closed");
    json!({
        "item_count": tree.items.len(),
        "tensor_count": tree.tensors,
        "max_depth": tree.max_depth,
        "items": tree.items,
    })
}

/// What an accepted container holds, as `expect` lists it.
pub fn file(file: &[u8], policy: &hrry::Policy) -> Value {
    let view = FileView::open(file, policy).expect("it was accepted");
    let mut scratch = vec![0; view.scratch_words() as usize];
    let (file, index) =
        FileView::open_with_scratch(file, policy, &mut scratch).expect("it was accepted");
    let mut tree = Tree::default();
    let mut items = FileItems::new(file, index, Exact, Vec::new(), *policy);
    while let Some(item) = items.next_item().expect("it was accepted") {
        tree.begin(item.tensor.descriptor(), item.begins);
        tree.item["name"] = item.tensor.entry().name.into();
        if tree.item["type"] == "tensor" {
            tree.item["buffers"] = digests(&item.tensor);
        }
        tree.end(item.ends);
    }
    items.finish().expect("it was accepted");
    let mut composites = tree.items;
    composites.retain(|item| item["type"] == "composite");
    json!({
        "container_version": [1, view.header().version_minor],
        "file_flags": view.header().file_flags,
        "data_buffer_alignment": view.header().data_buffer_alignment,
        "first_descriptor_offset": view.header().first_descriptor_offset,
        "tensor_count_hint": view.header().tensor_count_hint,
        "kv": view.kv().map(|entry| json!({ "key": entry.key, "value": kv_value(&entry.value) })).collect::<Vec<_>>(),
        "tensors": view.entries().map(|entry| {
            let tensor = view.tensor(&entry, policy).expect("it was accepted");
            json!({
                "name": entry.name,
                "descriptor_offset": entry.descriptor_offset,
                "descriptor_length": entry.descriptor_length,
                "data_offset": entry.data_offset,
                "data_length": entry.data_length,
                "descriptor": descriptor(tensor.descriptor()),
                "buffers": digests(&tensor),
            })
        }).collect::<Vec<_>>(),
        "composites": composites,
    })
}

fn digests(tensor: &TensorView<'_>) -> Value {
    let digest =
        |bytes: &[u8]| json!({ "len": bytes.len(), "crc32c": format!("{:08x}", crc32c(bytes)) });
    tensor.buffers().map(digest).collect()
}

fn kv_value(value: &KvValue<'_>) -> Value {
    let hex = |bytes: &[u8]| {
        bytes
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect::<String>()
    };
    match value {
        KvValue::String(text) => json!({ "type": "string", "value": text }),
        KvValue::Int64(number) => json!({ "type": "int64", "value": number }),
        KvValue::Uint64(number) => json!({ "type": "uint64", "value": number }),
        KvValue::Float64(bits) => json!({ "type": "float64", "bits": format!("{:#018x}", bits.0) }),
        KvValue::Bool(truth) => json!({ "type": "bool", "value": truth }),
        KvValue::Bytes(bytes) => json!({ "type": "bytes", "hex": hex(bytes) }),
        KvValue::Array(array) => json!({
            "type": "array",
            "element_tag": array.element_tag(),
            "items": array.iter().map(|value| kv_value(&value)).collect::<Vec<_>>(),
        }),
        other => panic!("{other:?} is in no vector"),
    }
}

#[derive(Default)]
struct Tree {
    items: Vec<Value>,
    /// Composites that still take members, outermost first.
    open: Vec<Value>,
    /// The item whose data is being read.
    item: Value,
    tensors: usize,
    max_depth: usize,
}

impl Tree {
    fn begin(&mut self, view: &DescriptorView<'_>, outcome: Outcome) {
        let depth = self.open.len();
        let place = self
            .open
            .last()
            .map(|composite| members(composite).len() as u32);
        self.item = match (outcome, view.layout()) {
            (
                Outcome::Opened {
                    depth: levels,
                    members,
                    index,
                },
                Layout::Composite(head),
            ) => {
                assert_eq!(
                    (usize::from(levels), members, index),
                    (depth + 1, head.member_count, place)
                );
                self.max_depth = self.max_depth.max(depth + 1);
                json!({
                    "type": "composite",
                    "rule": head.composition_rule.0,
                    "op": head.combine_op.0,
                    "member_count": head.member_count,
                    "descriptor": descriptor(view),
                    "members": [],
                })
            }
            (Outcome::Plain | Outcome::Member { .. }, _) => {
                match outcome {
                    Outcome::Member {
                        depth: levels,
                        index,
                    } => {
                        assert_eq!((usize::from(levels), Some(index)), (depth, place));
                    }
                    _ => assert_eq!(depth, 0),
                }
                self.tensors += 1;
                let empty = json!({ "len": 0, "crc32c": "00000000" });
                json!({
                    "type": "tensor",
                    "descriptor": descriptor(view),
                    "buffers": vec![empty; view.buffer_count()],
                })
            }
            other => panic!("{other:?}"),
        };
    }

    /// A head ends at once, before its members; whatever closes then goes to where it belongs.
    fn end(&mut self, outcome: Outcome) {
        let item = self.item.take();
        if item["type"] == "composite" {
            self.open.push(item);
        } else {
            self.put(item);
        }
        let Outcome::Closed {
            levels, complete, ..
        } = outcome
        else {
            return;
        };
        assert_eq!(complete, Ok(()));
        for _ in 0..levels {
            let whole = self.open.pop().expect("no more levels close than are open");
            assert_eq!(whole["member_count"], members(&whole).len());
            self.put(whole);
        }
    }

    fn put(&mut self, item: Value) {
        match self.open.last_mut() {
            Some(composite) => composite["members"]
                .as_array_mut()
                .expect("composites have members")
                .push(item),
            None => self.items.push(item),
        }
    }
}

fn members(composite: &Value) -> &Vec<Value> {
    composite["members"]
        .as_array()
        .expect("composites have members")
}
