//! Numbers of every element type, layout and scheme, boxes, composites and codes: the same on every target, bit
//! for bit. That they are right is told elsewhere.

use hrry::{
    BufferHandle, Canvas, DescriptorSpec, DescriptorView, ElementType, InlineArena, Layout, Policy,
    Quantization, SubBox, U64s, ValueError, choose_per_tensor, quantize, read_stored, read_values,
};

use crate::files::Fold;

macro_rules! streams {
    ($($name:literal)*) => {
        [$(include_bytes!(concat!("../../vectors/values/", $name, ".bin"))),*]
    };
}

const STREAMS: [&[u8]; 46] = streams!(
    "column-major" "coo" "csc" "csf" "csr" "group" "hilbert" "morton" "mxfp" "nf4" "overlay-in-partition"
    "overlay-quantized" "overlay" "partition-empty" "partition-nested" "partition-quantized" "partition"
    "per-block" "per-channel" "per-tensor" "quantized-layouts" "refuse-coo-bounds" "refuse-csr-pointer"
    "refuse-mxfp-scale" "strided" "tiled" "type-bfloat16" "type-bool" "type-complex128" "type-float32"
    "type-float4-e2m1" "type-float6-e2m3" "type-float6-e3m2" "type-float64" "type-float8-e4m3"
    "type-float8-e5m2" "type-float8-e8m0" "type-int2" "type-int32" "type-int4" "type-int8" "type-uint16"
    "type-uint2" "type-uint4" "type-uint8" "refuse-dynamic"
);

/// What every target must come to, streams in order and then codes.
pub const DIGEST: u64 = 0x7594_648F_EDC1_523A;

/// Elements that there is room for.
const ROOM: usize = 600;

// on a small target its frame must not be part of its caller's
#[inline(never)]
pub fn run(check: &mut dyn FnMut(&'static str, bool)) {
    // an interpreter takes many minutes
    if !cfg!(miri) {
        check(
            "values: numbers, boxes, composites and codes",
            digest() == DIGEST,
        );
    }
}

/// Everything as one number.
pub fn digest() -> u64 {
    let mut fold = Fold::new();
    for stream in STREAMS {
        items(stream, &mut fold);
    }
    codes(&mut fold);
    fold.0
}

fn items(mut rest: &[u8], fold: &mut Fold) {
    while let Ok((view, data)) = DescriptorView::parse(rest, &Policy::STRICT) {
        let mut buffers = [&[][..]; 12];
        rest = data;
        for (k, slot) in (0..view.buffer_count()).zip(&mut buffers) {
            let size = view.buffer(k).map_or(0, |handle| handle.byte_size);
            (*slot, rest) = rest.split_at(size as usize);
        }
        let (mut whole, mut size) = ([0; 8], [0; 8]);
        let rank = view.shape().copy_to(&mut size);
        let (mut offset, mut inner) = (whole, size);
        for ((offset, inner), size) in offset.iter_mut().zip(&mut inner).zip(&size) {
            *offset = size / 3;
            *inner = size - size / 3 - size / 4;
        }
        whole.fill(0);
        for (offset, size) in [(&whole, &size), (&offset, &inner)] {
            let part = SubBox {
                offset: U64s::from(&offset[..rank]),
                shape: U64s::from(&size[..rank]),
            };
            match view.layout() {
                Layout::Composite(_) => painted(&view, rest, part, fold),
                _ => read(&view, &buffers, part, fold),
            }
        }
    }
}

#[inline(never)]
fn read(view: &DescriptorView<'_>, buffers: &[&[u8]], part: SubBox<'_>, fold: &mut Fold) {
    let Some(count) = count(part) else {
        return;
    };
    let (mut singles, mut doubles) = ([0.0f32; ROOM], [0.0f64; ROOM]);
    let (singles, doubles) = (&mut singles[..count], &mut doubles[..count]);
    if told(read_values(view, buffers, part, singles), fold) {
        singles.iter().for_each(|x| fold.number(x.to_bits().into()));
    }
    if told(read_values(view, buffers, part, doubles), fold) {
        doubles.iter().for_each(|x| fold.number(x.to_bits()));
    }
    packed(view.element_type(), count, fold, |out| {
        read_stored(view, buffers, part, out)
    });
}

/// Takes the items that follow until the composite is whole.
#[inline(never)]
fn painted(head: &DescriptorView<'_>, mut rest: &[u8], part: SubBox<'_>, fold: &mut Fold) {
    let Some(count) = count(part) else {
        return;
    };
    packed(head.element_type(), count, fold, |out| {
        let mut canvas = Canvas::new(head, part, out, InlineArena::<24>::new())?;
        while canvas.finish().is_err() {
            let Ok((view, data)) = DescriptorView::parse(rest, &Policy::STRICT) else {
                return canvas.finish();
            };
            let mut buffers = [&[][..]; 12];
            rest = data;
            for (k, slot) in (0..view.buffer_count()).zip(&mut buffers) {
                let size = view.buffer(k).map_or(0, |handle| handle.byte_size);
                (*slot, rest) = rest.split_at(size as usize);
            }
            canvas.item(&view, &buffers)?;
        }
        Ok(())
    });
}

fn count(part: SubBox<'_>) -> Option<usize> {
    let count = usize::try_from(part.elements()?).ok()?;
    (count <= ROOM).then_some(count)
}

fn packed(
    of: ElementType,
    count: usize,
    fold: &mut Fold,
    read: impl FnOnce(&mut [u8]) -> Result<(), ValueError>,
) {
    let len = hrry::check::packed_bytes(of, count as u64).unwrap_or(0) as usize;
    let mut out = [0xA5; 4096];
    let Some(out) = out.get_mut(..len) else {
        return;
    };
    if told(read(out), fold) {
        fold.bytes(out);
    }
}

/// Whether it went well; a reason counts as its kind.
fn told(result: Result<(), ValueError>, fold: &mut Fold) -> bool {
    fold.number(match result {
        Ok(()) => 0,
        Err(ValueError::Address(_)) => 1,
        Err(ValueError::Element(_)) => 2,
        Err(ValueError::Scheme(_)) => 3,
        Err(ValueError::Parameter { .. }) => 4,
        Err(ValueError::NoView(_)) => 5,
        Err(ValueError::Order) => 6,
        Err(_) => 7,
    });
    result.is_ok()
}

/// Numbers of any size, quantized in every scheme.
#[inline(never)]
fn codes(fold: &mut Fold) {
    let mut state = 1u32;
    let mut numbers = [0.0f32; 64];
    for (k, number) in numbers.iter_mut().enumerate() {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let x = f32::from_bits(state);
        let mild = (state >> 20) as f32 / 64.0 - 32.0;
        *number = if k % 7 == 0 && x.is_finite() { x } else { mild };
    }
    let [half, bfloat, single] = [
        ElementType::Float16,
        ElementType::BFloat16,
        ElementType::Float32,
    ];
    let schemes = [
        (ElementType::Int8, Quantization::per_channel(0, 1, None)),
        (
            ElementType::UInt32,
            Quantization::per_channel(1, 1, Some(2)),
        ),
        (
            ElementType::Int4,
            Quantization::per_block(1, 4, 1, None, half),
        ),
        (
            ElementType::UInt8,
            Quantization::per_block(1, 8, 1, Some(1), bfloat),
        ),
        (
            ElementType::Int2,
            Quantization::per_block(0, 2, 1, Some(2), single),
        ),
        (ElementType::Float8E4M3, Quantization::mxfp(1, 16, 1)),
        (ElementType::Float8E5M2, Quantization::mxfp(1, 16, 1)),
        (ElementType::Float4E2M1, Quantization::mxfp(1, 16, 1)),
        (ElementType::Float6E2M3, Quantization::mxfp(1, 16, 1)),
        (ElementType::Float6E3M2, Quantization::mxfp(1, 16, 1)),
        (ElementType::Int8, Quantization::mxfp(1, 16, 1)),
    ];
    for (of, scheme) in schemes {
        stored(of, scheme, &numbers, fold);
    }
    for of in [ElementType::Int32, ElementType::UInt16, ElementType::UInt2] {
        match choose_per_tensor(of, &numbers) {
            Ok(scheme) => stored(of, scheme, &numbers, fold),
            Err(error) => _ = told(Err(error), fold),
        }
    }
}

fn stored(of: ElementType, scheme: Quantization<'_>, numbers: &[f32], fold: &mut Fold) {
    let handles = [BufferHandle::cpu(256, 64); 3];
    for layout in [Layout::RowMajor, Layout::ColumnMajor] {
        let spec = DescriptorSpec {
            quantization: Some(scheme),
            ..DescriptorSpec::new(of, &[4, 16], layout, &handles)
        };
        let (mut codes, mut scales, mut zeros) = ([0; 256], [0; 256], [0; 256]);
        let done = quantize(&spec, numbers, &mut [&mut codes, &mut scales, &mut zeros]);
        told(done, fold);
        for bytes in [&codes, &scales, &zeros] {
            fold.bytes(bytes);
        }
        let whole = SubBox::whole(spec.shape);
        let mut back = [0.0f32; 64];
        told(
            read_values(&spec, &[&codes, &scales, &zeros], whole, &mut back),
            fold,
        );
        back.iter().for_each(|x| fold.number(x.to_bits().into()));
    }
}
