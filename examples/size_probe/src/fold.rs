//! Folds everything that events and descriptors carry into one number.
#![allow(dead_code)] // not every variant reads everything

use hrry::{DescriptorView, Error, Event, Layout, Outcome, Payload, Quantization, Report};

pub struct Fold(pub u64);

impl Fold {
    pub fn number(&mut self, value: impl Into<u64>) {
        self.word(value.into());
    }

    // once, so that images show the codec and not its reader
    #[inline(never)]
    fn word(&mut self, value: u64) {
        self.0 = self.0.rotate_left(7) ^ value;
    }

    fn numbers(&mut self, values: impl Iterator<Item = u64>) {
        for value in values {
            self.number(value);
        }
    }

    pub fn error(&mut self, error: &Error) {
        let report = Report::from(error);
        self.number(report.rule.unwrap_or(0));
        self.number(report.field.unwrap_or(0));
        self.number(report.index);
        self.number(report.offset);
        self.numbers(report.amounts.into_iter());
    }

    pub fn event(&mut self, event: Event<'_, '_>) {
        match event {
            Event::Descriptor(d, place) => {
                self.descriptor(&d);
                self.place(place);
            }
            Event::Payload(p) => self.payload(&p),
            Event::TensorEnd(place) => self.place(place),
            _ => {}
        }
    }

    pub fn payload(&mut self, p: &Payload<'_>) {
        self.number(p.buffer);
        self.number(p.offset);
        self.number(p.last);
        self.number(*p.bytes.first().unwrap_or(&0));
    }

    pub fn place(&mut self, place: Outcome) {
        match place {
            Outcome::Opened {
                depth,
                members,
                index,
            } => {
                self.number(depth);
                self.number(members);
                self.number(index.unwrap_or(u32::MAX));
            }
            Outcome::Member { depth, index } => {
                self.number(depth);
                self.number(index);
            }
            Outcome::Closed {
                levels, complete, ..
            } => {
                self.number(levels);
                self.number(complete.is_ok());
            }
            _ => {}
        }
    }

    pub fn descriptor(&mut self, d: &DescriptorView<'_>) {
        self.number(d.element_type().0);
        self.numbers(d.shape().iter());
        self.number(d.byte_offset());
        self.layout(&d.layout());
        for handle in (0..).map_while(|k| d.buffer(k)) {
            self.number(handle.byte_size);
            self.number(handle.alignment);
            self.number(handle.device_tag.0);
            self.number(handle.sync_mode.0);
            self.number(handle.memory_class.0);
        }
        if let Some(quantization) = d.quantization() {
            self.quantization(&quantization);
        }
        if let Some(shard) = d.shard() {
            self.numbers(shard.parent_shape.iter());
            self.numbers(shard.shard_offset.iter());
        }
        if let Some(s) = d.statistics() {
            self.number(s.computed_mask);
            self.number(s.nnz);
            self.number(s.sparsity_ratio.0);
            self.number(s.value_min.0);
            self.number(s.value_max.0);
            self.number(s.value_abs_max.0);
            self.number(s.value_mean.0);
            self.number(s.value_stddev.0);
            self.numbers(
                [s.nm_n, s.nm_m, s.has_nan, s.has_inf]
                    .map(u64::from)
                    .into_iter(),
            );
        }
        if let Some(e) = d.extension_type() {
            self.number(e.bit_width);
            self.number(e.packing_factor);
            self.number(e.is_float);
            self.number(e.is_signed);
            self.number(e.exponent_bits);
            self.number(e.mantissa_bits);
            self.number(e.exponent_bias);
        }
        if let Some(role) = d.member_role() {
            self.number(role.0);
        }
    }

    fn layout(&mut self, layout: &Layout<'_>) {
        match layout {
            Layout::Strided { strides } => {
                self.numbers(strides.iter().map(i64::cast_unsigned));
            }
            Layout::Tiled(tiled) => {
                for level in tiled.levels() {
                    self.numbers(level.tile_shape.iter());
                    self.number(level.outer_layout.0);
                    self.number(level.inner_layout.0);
                    self.numbers(level.outer_strides.iter().map(i64::cast_unsigned));
                    self.numbers(level.inner_strides.iter().map(i64::cast_unsigned));
                }
            }
            Layout::Morton { morton_bits } => self.numbers(morton_bits.iter().map(u64::from)),
            Layout::Coo { nnz, is_sorted } => {
                self.number(*nnz);
                self.number(*is_sorted);
            }
            Layout::Csr { nnz } | Layout::Csc { nnz } => self.number(*nnz),
            Layout::Csf { nnz, mode_order } => {
                self.number(*nnz);
                self.numbers(mode_order.iter().map(u64::from));
            }
            Layout::BlockPaged(paged) => {
                self.number(paged.page_size);
                self.number(paged.num_pages);
                self.number(paged.num_seqs);
                self.number(paged.kv_role.0);
                self.number(paged.layer_index);
                self.number(paged.block_table_index_type.0);
            }
            Layout::Composite(head) => {
                self.number(head.composition_rule.0);
                self.number(head.combine_op.0);
                self.number(head.member_count);
            }
            Layout::Hilbert {
                hilbert_order,
                hilbert_rank,
            } => {
                self.number(*hilbert_order);
                self.number(*hilbert_rank);
            }
            Layout::Private {
                extension_layout_id,
                ..
            } => self.number(*extension_layout_id),
            other => self.number(other.tag().0),
        }
    }

    fn quantization(&mut self, quantization: &Quantization<'_>) {
        self.number(quantization.scheme().0);
        match quantization {
            Quantization::PerTensor {
                scale, zero_point, ..
            } => {
                self.number(scale.0);
                self.number(zero_point.cast_unsigned());
            }
            Quantization::Buffers(p) => {
                self.number(p.axis);
                self.number(p.block_size);
                self.number(p.scale_buffer_index);
                self.number(p.zero_point_buffer_index);
                self.number(p.scale_type.0);
            }
            _ => {}
        }
    }
}
