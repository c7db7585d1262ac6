//! Numbers of one item, whatever its buffers hold: boxes against the whole, one kind of numbers against
//! another, quantized numbers against what is read back.

use hrry::{
    Canvas, DescriptorView, Layout, Policy, Scalar, SubBox, U64s, ValueError, check::packed_bytes,
    check_content, element, quantize, read_stored, read_values,
};

use crate::source::{next, seed, split};

/// Elements that are read at once; more are left to tests.
const MOST: u64 = 2048;

/// Panics where the ways differ. The input is a stream that may end early: a tensor, or a head and what
/// follows it.
pub fn values(data: &[u8]) {
    let Ok((view, rest)) = DescriptorView::parse(data, &Policy::STRICT) else {
        return;
    };
    let mut state = seed(data);
    if let Layout::Composite(_) = view.layout() {
        return painted(&view, rest, &mut state);
    }
    let (buffers, _) = split(&view, rest);
    let shape: Vec<u64> = view.shape().iter().collect();
    let whole = vec![0; shape.len()];
    read(&view, &buffers, &whole, &shape);
    for _ in 0..4 {
        let (offset, size) = some_box(&shape, &mut state);
        read(&view, &buffers, &offset, &size);
    }
    stored_again(&view, &mut state);
}

/// A box of a few elements, mostly inside.
fn some_box(shape: &[u64], state: &mut u64) -> (Vec<u64>, Vec<u64>) {
    let mut room = MOST;
    let axes = shape.iter().map(|size| {
        let offset = next(state) % size.saturating_add(1);
        let most = (size - offset).min(room);
        let len = next(state) % most.saturating_add(1 + u64::from(next(state).is_multiple_of(64)));
        let len = if next(state).is_multiple_of(4) {
            most
        } else {
            len
        };
        room /= len.max(1);
        (offset, len)
    });
    axes.unzip()
}

/// Every kind of numbers of one box.
fn read(view: &DescriptorView<'_>, buffers: &[&[u8]], offset: &[u64], size: &[u64]) {
    let part = SubBox {
        offset: U64s::from(offset),
        shape: U64s::from(size),
    };
    let Some(count) = part.elements().filter(|count| *count <= MOST) else {
        return;
    };
    let count = count as usize;
    let of = view.element_type();
    let singles = numbers::<f32>(view, buffers, part, count);
    let doubles = numbers::<f64>(view, buffers, part, count);
    let small = of.bits() <= 32;
    match (&singles, &doubles) {
        (Ok(singles), Ok(doubles)) if small || view.quantization().is_some() => {
            let same = |(a, b): (&f32, &f64)| {
                // an integer of 32 bits is rounded to float32
                *a == *b as f32 || a.is_nan() && b.is_nan()
            };
            assert!(singles.iter().zip(doubles).all(same), "{view:?}");
        }
        (Ok(_), Ok(_)) => {}
        // how far the first of them looks ahead differs
        (a, b) => assert_eq!(a.is_err(), b.is_err(), "{a:?} {b:?}"),
    }
    let whole = numbers::<i64>(view, buffers, part, count);
    let unsigned = numbers::<u64>(view, buffers, part, count);
    if let (Ok(whole), Ok(unsigned)) = (&whole, &unsigned) {
        let same = |(a, b): (&i64, &u64)| i128::from(*a) == i128::from(*b);
        assert!(whole.iter().zip(unsigned).all(same));
    }
    let _ = numbers::<i8>(view, buffers, part, count);
    let _ = numbers::<u16>(view, buffers, part, count);
    let _ = numbers::<bool>(view, buffers, part, count);
    let _ = numbers::<[f32; 2]>(view, buffers, part, count);
    let _ = numbers::<[f64; 2]>(view, buffers, part, count);

    let len = packed_bytes(of, count as u64).unwrap_or(0) as usize;
    let mut packed = vec![0xA5; len];
    let stored = read_stored(view, buffers, part, &mut packed);
    let sparse = matches!(
        view.layout(),
        Layout::Coo { .. } | Layout::Csr { .. } | Layout::Csc { .. } | Layout::Csf { .. }
    );
    if view.quantization().is_none() && !sparse && stored.is_ok() {
        // numbers of the packed elements are those that are read, and as many are none
        let mut again = vec![0.0f64; count];
        let decoded = element::decode(of, &packed, 0, &mut again);
        assert_eq!(decoded.is_ok(), doubles.is_ok(), "{view:?}");
        if let Ok(doubles) = doubles {
            let bits = |numbers: &[f64]| numbers.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&doubles), bits(&again));
        }
    }
}

fn numbers<T: Scalar>(
    view: &DescriptorView<'_>,
    buffers: &[&[u8]],
    part: SubBox<'_>,
    count: usize,
) -> Result<Vec<T>, ValueError> {
    let mut out = vec![T::default(); count];
    read_values(view, buffers, part, &mut out).map(|()| out)
}

/// Numbers quantized into buffers of zeros are finite when they are read, and break no content rule.
fn stored_again(view: &DescriptorView<'_>, state: &mut u64) {
    let whole = SubBox::whole(view.shape());
    let Some(count) = whole.elements().filter(|count| *count <= MOST) else {
        return;
    };
    let sizes = (0..view.buffer_count()).map_while(|k| view.buffer(k));
    let sizes: Vec<u64> = sizes.map(|handle| handle.byte_size).collect();
    if sizes.iter().sum::<u64>() > 1 << 16 {
        return;
    }
    let mut memory: Vec<Vec<u8>> = sizes.iter().map(|size| vec![0; *size as usize]).collect();
    let shift = next(state) % 256;
    let numbers: Vec<f32> = (0..count)
        .map(|_| match shift {
            // of any size
            0..64 => f32::from_bits(next(state) as u32),
            _ => (next(state) % 4001) as f32 - 2000.0,
        })
        .collect();
    let mut slices: Vec<&mut [u8]> = memory.iter_mut().map(|bytes| &mut bytes[..]).collect();
    match quantize(view, &numbers, &mut slices) {
        Ok(()) => {
            let buffers: Vec<&[u8]> = memory.iter().map(|bytes| &bytes[..]).collect();
            let mut scratch = vec![0; 1 << 12];
            check_content(view, &buffers, &mut scratch, &Policy::STRICT).expect("content");
            let mut back = vec![0.0f32; count as usize];
            read_values(view, &buffers, whole, &mut back).expect("what was stored");
            assert!(back.iter().all(|x| x.is_finite()), "{view:?} {numbers:?}");
        }
        Err(ValueError::NotFinite { index }) => {
            let first = numbers.iter().position(|x| !x.is_finite());
            assert_eq!(first, Some(index as usize));
        }
        // what the parser accepts and has codes is stored
        Err(error) => assert!(
            !matches!(error, ValueError::Element(_) | ValueError::Parameter { .. }),
            "{error:?} {view:?}"
        ),
    }
}

/// A box of a composite whose items are whatever follows: nothing is checked but each descriptor.
fn painted(head: &DescriptorView<'_>, rest: &[u8], state: &mut u64) {
    let shape: Vec<u64> = head.shape().iter().collect();
    let (offset, size) = some_box(&shape, state);
    let part = SubBox {
        offset: U64s::from(&offset[..]),
        shape: U64s::from(&size[..]),
    };
    let Some(count) = part.elements().filter(|count| *count <= MOST) else {
        return;
    };
    let len = packed_bytes(head.element_type(), count).unwrap_or(0) as usize;
    let mut out = vec![0xA5; len];
    let mut canvas = match Canvas::new(head, part, &mut out, Vec::new()) {
        Ok(canvas) => canvas,
        Err(_) => return,
    };
    let mut rest = rest;
    while let Ok((view, after)) = DescriptorView::parse(rest, &Policy::STRICT) {
        let (buffers, after) = split(&view, after);
        rest = after;
        let done = match next(state) % 16 {
            0 => canvas.skip((next(state) % 3) as u32),
            _ => canvas.item(&view, &buffers),
        };
        // whatever went wrong, it goes on
        let _ = (done, canvas.finish());
    }
}
