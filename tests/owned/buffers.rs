//! Aligned memory, foreign memory, and when the latter is released.

use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hrry::owned::{
    AlignedBuffer, Buffer, BufferHandle, ElementType, Error, Item, Shape, Tensor, TensorDescriptor,
};

use crate::support::scale::Rng;

#[test]
fn bytes_stay_aligned_while_they_grow() {
    let mut rng = Rng(1);
    for power in 0..=16 {
        let alignment = 1usize << power;
        let mut buffer = AlignedBuffer::with_alignment(alignment).unwrap();
        assert_eq!((buffer.alignment(), buffer.len()), (alignment, 0));
        let mut expected: Vec<u8> = Vec::new();
        // memory beside it makes the allocator move it
        let mut beside = Vec::new();
        for _ in 0..200 {
            let piece: Vec<u8> = (0..rng.below(100)).map(|_| rng.byte()).collect();
            buffer.try_extend(&piece).unwrap();
            expected.extend(&piece);
            beside.push(vec![0u8; 1 + rng.below(200)]);
            assert_eq!(buffer[..], expected);
            if !expected.is_empty() {
                assert_eq!(buffer.as_ptr().addr() % alignment, 0);
            }
        }
    }
    assert!(AlignedBuffer::with_alignment(0).is_none());
    assert!(AlignedBuffer::with_alignment(96).is_none());
}

#[test]
fn bytes_can_be_read_straight_into_it() {
    let bytes: Vec<u8> = (0..=255).cycle().take(70_000).collect();
    let mut buffer = AlignedBuffer::with_alignment(4096).unwrap();
    let mut source = &bytes[..];
    for part in [0, 1, 999, 60_000, 0, 9_000] {
        let read = buffer.append_with(|memory| source.by_ref().take(part).read_to_end(memory));
        assert_eq!(read.unwrap().unwrap() as u64, part);
        assert!(buffer.is_empty() || buffer.as_ptr().addr().is_multiple_of(4096));
    }
    assert_eq!(buffer[..], bytes);
    // whatever is done to the vector, what is left is the buffer
    buffer.append_with(Vec::clear).unwrap();
    assert!(buffer.is_empty());
    buffer.try_extend(&[1, 2]).unwrap();
    buffer.append_with(|memory| *memory = vec![7; 3]).unwrap();
    assert_eq!(buffer.as_ptr().addr() % 4096, 0);
}

#[test]
fn too_much_is_an_error_and_changes_nothing() {
    let mut buffer = AlignedBuffer::with_alignment(1 << (usize::BITS - 1)).unwrap();
    assert!(buffer.try_extend(&[1]).is_err());
    assert!(buffer.is_empty());
    assert!(
        Error::from(buffer.try_extend(&[1]).unwrap_err())
            .rule()
            .is_none()
    );
}

#[test]
fn content_can_be_changed_in_place() {
    let mut buffer = AlignedBuffer::copy_of(&[1, 2, 3]).unwrap();
    buffer[1] = 9;
    assert_eq!(Buffer::from(buffer)[..], [1, 9, 3]);
    assert_eq!(Buffer::from(AlignedBuffer::new()), Buffer::empty());
}

#[test]
fn foreign_memory_is_not_copied() {
    let memory: Arc<[u8]> = Arc::from([1, 2, 3]);
    let buffer = Buffer::foreign(memory.clone());
    assert_eq!(buffer.as_ptr(), memory.as_ptr());
    assert_eq!(Arc::strong_count(&memory), 2);
    let clone = buffer.clone();
    assert!(clone.shares(&buffer) && !clone.shares(&Buffer::foreign(memory.clone())));
    drop((buffer, clone));
    assert_eq!(Arc::strong_count(&memory), 1);
}

/// Eight bytes, and how often they were released.
fn counted() -> (Buffer, Arc<AtomicUsize>) {
    let released = Arc::new(AtomicUsize::new(0));
    let count = released.clone();
    let buffer = Buffer::with_release(vec![5; 8], move |memory| {
        assert_eq!(memory, [5; 8]);
        count.fetch_add(1, Ordering::SeqCst);
    });
    (buffer, released)
}

fn tensor(buffer: Buffer) -> Tensor {
    let descriptor = TensorDescriptor::builder(ElementType::UInt8, Shape::new([8]).unwrap())
        .buffer(BufferHandle::cpu(8, 64))
        .build()
        .unwrap();
    Tensor::new(descriptor, vec![buffer]).unwrap()
}

#[test]
fn released_on_drop() {
    let (buffer, released) = counted();
    let item = Item::from(tensor(buffer));
    assert_eq!(released.load(Ordering::SeqCst), 0);
    drop(item);
    assert_eq!(released.load(Ordering::SeqCst), 1);
}

#[test]
fn released_with_the_last_clone() {
    let (buffer, released) = counted();
    let first = tensor(buffer.clone());
    let second = first.clone();
    drop(buffer);
    drop(first);
    assert_eq!(released.load(Ordering::SeqCst), 0);
    std::thread::spawn(move || drop(second)).join().unwrap();
    assert_eq!(released.load(Ordering::SeqCst), 1);
}

#[test]
fn released_behind_into_parts() {
    let (buffer, released) = counted();
    let (descriptor, buffers) = tensor(buffer).into_parts();
    drop(descriptor);
    assert_eq!(buffers[0][..], [5; 8]);
    assert_eq!(released.load(Ordering::SeqCst), 0);
    drop(buffers);
    assert_eq!(released.load(Ordering::SeqCst), 1);
}

#[test]
fn released_while_a_panic_unwinds() {
    let (buffer, released) = counted();
    let tensor = tensor(buffer);
    let result = catch_unwind(AssertUnwindSafe(move || {
        let _clone = tensor.clone();
        let _tensor = tensor;
        std::panic::resume_unwind(Box::new("stop"));
    }));
    assert!(result.is_err());
    assert_eq!(released.load(Ordering::SeqCst), 1);
}

#[test]
fn released_where_a_tensor_refuses_it() {
    let (buffer, released) = counted();
    let descriptor = tensor(Buffer::from(vec![0; 8])).into_parts().0;
    let two = vec![buffer, Buffer::empty()];
    let error = Tensor::new(descriptor.clone(), two).unwrap_err();
    assert_eq!(
        error,
        Error::BufferCount {
            expected: 1,
            actual: 2
        }
    );
    assert_eq!(released.load(Ordering::SeqCst), 1);
    for size in [7, 9] {
        let error = Tensor::new(descriptor.clone(), vec![vec![0; size].into()]);
        let expected = Error::BufferSize {
            buffer: 0,
            expected: 8,
            actual: size as u64,
        };
        assert_eq!(error, Err(expected));
    }
}

#[test]
fn tensors_go_between_threads() {
    fn sent<T: Send + Sync>() {}
    sent::<Item>();
    sent::<AlignedBuffer>();
}
