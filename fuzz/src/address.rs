//! Any specification or accepted descriptor, over buffers of any content: each way to a place names the
//! same one, and it is inside buffer 0.

use hrry::{
    AddressError, Compressed, DescriptorView, Element, Fields, Pages, Policy, StorageWalk,
    StoredWalk, SubBox, Walk, check, locate, locate_stored,
};

use crate::source::Source;
use crate::spec_roundtrip::Parts;

/// Elements that are looked at of a walk which may have 2^64.
const STEPS: usize = 64;

/// Panics where the ways differ.
pub fn address(data: &[u8]) {
    let Some((choice, data)) = data.split_first() else {
        return;
    };
    let mut source = Source::new(data);
    if *choice % 2 == 0 {
        if let Ok((view, rest)) = DescriptorView::parse(data, &Policy::PERMISSIVE) {
            look(&view, &mut Source::new(rest), true);
        }
        return;
    }
    let parts = Parts::new(&mut source);
    let levels = parts.levels();
    let spec = parts.spec(&levels, &mut source);
    let accepted = check::descriptor(&spec, &Policy::PERMISSIVE).is_ok();
    look(&spec, &mut source, accepted);
}

fn look<F: Fields>(d: &F, source: &mut Source<'_>, accepted: bool) {
    let shape: Vec<u64> = d.shape().iter().collect();
    dense(d, &shape, source, accepted);
    let numbers = |source: &mut Source<'_>| -> Vec<u8> {
        let count = source.below(24);
        let bytes = (0..count).flat_map(|_| source.number().to_le_bytes());
        let bytes: Vec<u8> = bytes.collect();
        bytes[source.below(4).min(bytes.len())..].to_vec()
    };
    let buffers: Vec<Vec<u8>> = (0..10).map(|_| numbers(source)).collect();
    let buffers: Vec<&[u8]> = buffers.iter().map(Vec::as_slice).collect();
    stored(d, &shape, &buffers, source);
}

/// Layouts with a place for every element.
fn dense<F: Fields>(d: &F, shape: &[u64], source: &mut Source<'_>, accepted: bool) {
    let find = |index: &[u64]| {
        let found = locate(d, index);
        let lost = accepted && found == Err(AddressError::Outside);
        assert!(!lost, "{index:?} of {shape:?} {:?}", d.layout());
        found.into_iter().for_each(|element| inside(d, element));
        found.ok()
    };
    for _ in 0..8 {
        find(&index(shape, source));
    }
    find(&shape.iter().map(|_| source.number()).collect::<Vec<_>>());

    let offset = index(shape, source);
    let zip = shape.iter().zip(&offset);
    let size = zip.map(|(size, from)| source.number() % size.saturating_sub(*from).max(1));
    let size: Vec<u64> = size.collect();
    let part = SubBox {
        offset: (&*offset).into(),
        shape: (&*size).into(),
    };
    for part in [part, SubBox::whole(d.shape())] {
        let Ok(walk) = Walk::new(d, part) else {
            continue;
        };
        let offset: Vec<u64> = part.offset.iter().collect();
        let size: Vec<u64> = part.shape.iter().collect();
        let mut index = (!size.contains(&0)).then(|| offset.clone());
        for element in walk.map(Some).chain([None]).take(STEPS) {
            let wanted = index.as_deref().and_then(find);
            assert_eq!(element, wanted, "{index:?} in {part:?}");
            index = index.and_then(|index| following(index, &offset, &size));
        }
    }
    let Ok(mut walk) = StorageWalk::new(d) else {
        return;
    };
    for _ in 0..STEPS {
        let Some(element) = walk.next() else {
            assert_eq!(walk.next(), None);
            break;
        };
        assert_eq!(find(walk.index()), Some(element));
    }
}

/// The next index of a box, last dimension fastest.
fn following(mut index: Vec<u64>, offset: &[u64], size: &[u64]) -> Option<Vec<u64>> {
    for k in (0..index.len()).rev() {
        index[k] += 1;
        if index[k] - offset[k] < size[k] {
            return Some(index);
        }
        index[k] = offset[k];
    }
    None
}

/// Layouts whose places are in buffers.
fn stored<F: Fields>(d: &F, shape: &[u64], buffers: &[&[u8]], source: &mut Source<'_>) {
    for _ in 0..8 {
        let found = locate_stored(d, buffers, &index(shape, source));
        let found = found.into_iter().flatten();
        found.for_each(|element| inside(d, element));
    }
    if let Ok(mut walk) = StoredWalk::new(d, buffers) {
        for _ in 0..STEPS {
            let Ok(Some((index, _))) = walk.next_entry() else {
                continue;
            };
            assert!(index.iter().zip(shape).all(|(at, size)| at < size));
        }
    }
    if let Ok(matrix) = Compressed::new(d, buffers) {
        for _ in 0..4 {
            let Ok(line) = matrix.line(source.number()) else {
                continue;
            };
            assert_eq!(line.entries().count(), line.indices().len());
            assert!(line.entries().all(|(_, position)| position < 24));
        }
    }
    if let Ok(pages) = Pages::new(d, buffers) {
        for _ in 0..4 {
            let (sequence, token) = (source.number32(), source.number());
            let slots = pages.slots(sequence);
            let slot = pages.slot(sequence, token);
            assert!(slot.is_err() || slots.is_ok_and(|slots| token < slots));
            let _ = pages.position(sequence, token, source.number(), source.number());
        }
    }
}

/// An index inside the shape, or of zeros along what is empty.
fn index(shape: &[u64], source: &mut Source<'_>) -> Vec<u64> {
    let inside = shape.iter().map(|size| source.number() % size.max(&1));
    inside.collect()
}

fn inside<F: Fields>(d: &F, element: Element) {
    let bytes = match element.width % 8 {
        0 => u64::from(element.width / 8),
        _ => (u64::from(element.bit) + u64::from(element.width)).div_ceil(8),
    };
    let byte_size = d.buffer(0).map_or(0, |buffer| buffer.byte_size);
    let end = element.byte.checked_add(bytes);
    assert!(end.is_some_and(|end| end <= byte_size), "{element:?}");
}
