//! Whole streams through both implementations, without a runtime: everything is in memory and ready.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use hrry::owned::GrowFrame;
use hrry::{DescriptorView, Event, Exact, Policy, Sink, StreamDecoder, StreamWriter};
use hurray_core::descriptor::TensorDescriptor;
use hurray_io::stream::{CompositeNode, StreamItem, StreamReader};

use crate::compare::same;
use crate::tree::Tree;

/// A head or a tensor as it was read here: how many composites are around it, descriptor, buffers.
pub type Ours = (u8, Vec<u8>, Vec<Vec<u8>>);
/// The same as the reference read it.
pub type Theirs = (u8, TensorDescriptor, Vec<Vec<u8>>);

/// Runs a future that never waits.
pub fn ready<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("memory is always ready"),
    }
}

/// Reads a stream in chunks of `size` bytes.
pub fn we_read(stream: &[u8], size: usize, policy: Policy) -> Result<Vec<Ours>, hrry::Error> {
    let mut decoder = StreamDecoder::with_parts(GrowFrame::new(), Exact, Vec::new(), policy);
    let mut items: Vec<Ours> = Vec::new();
    for mut chunk in stream.chunks(size) {
        loop {
            let level = decoder.depth();
            let Some(event) = decoder.next_event(&mut chunk)? else {
                break;
            };
            match event {
                Event::Descriptor(view, _) => {
                    let buffers = vec![Vec::new(); view.buffer_count()];
                    items.push((level, view.as_bytes().to_vec(), buffers));
                }
                Event::Payload(payload) => {
                    let (_, _, buffers) = items.last_mut().expect("behind a descriptor");
                    let buffer = &mut buffers[usize::from(payload.buffer)];
                    assert_eq!(buffer.len() as u64, payload.offset);
                    buffer.extend(payload.bytes);
                }
                _ => {}
            }
        }
    }
    decoder.finish()?;
    Ok(items)
}

/// Reads a stream with the reference.
pub fn they_read(stream: &[u8]) -> Result<Vec<Theirs>, hurray_io::Error> {
    let mut items = Vec::new();
    let mut reader = StreamReader::new(stream);
    while let Some(item) = ready(reader.next_item())? {
        flat(item, 0, &mut items);
    }
    Ok(items)
}

fn flat(item: StreamItem, level: u8, out: &mut Vec<Theirs>) {
    match item {
        StreamItem::Tensor(tensor) => {
            let buffers = tensor.buffers.iter().map(|bytes| bytes.to_vec()).collect();
            out.push((level, tensor.descriptor, buffers));
        }
        StreamItem::Composite(composite) => {
            out.push((level, composite.head, vec![]));
            for member in composite.members {
                flat(member, level + 1, out);
            }
        }
    }
}

/// Nothing where both read the same, else the first difference.
pub fn same_items(ours: &[Ours], theirs: &[Theirs], policy: &Policy) -> Result<(), String> {
    if ours.len() != theirs.len() {
        return Err(format!("{} items here, {} there", ours.len(), theirs.len()));
    }
    for (k, (ours, theirs)) in ours.iter().zip(theirs).enumerate() {
        let (view, _) = DescriptorView::parse(&ours.1, policy).map_err(|e| e.to_string())?;
        same(&view, &theirs.1).map_err(|error| format!("item {k}: {error}"))?;
        if (ours.0, &ours.2) != (theirs.0, &theirs.2) {
            return Err(format!("item {k}: level or bytes differ"));
        }
    }
    Ok(())
}

struct Bytes(Vec<u8>);

impl Sink for Bytes {
    type Error = std::convert::Infallible;

    fn put(&mut self, bytes: &[u8]) -> Result<(), Self::Error> {
        self.0.extend(bytes);
        Ok(())
    }
}

/// Writes items here.
pub fn we_write(items: &[Tree], policy: Policy) -> Result<Vec<u8>, String> {
    let mut writer = StreamWriter::with_parts(Bytes(vec![]), Exact, Vec::new(), policy);
    let mut flat = Vec::new();
    items.iter().for_each(|item| item.flat(0, &mut flat));
    for (_, plan, buffers) in flat {
        let slices: Vec<&[u8]> = buffers.iter().map(Vec::as_slice).collect();
        let written = plan.with_spec(|spec| writer.tensor(spec, &slices));
        written.map_err(|error| format!("we write: {error}"))?;
    }
    writer
        .finish()
        .map(|bytes| bytes.0)
        .map_err(|error| format!("we finish: {error}"))
}

/// Writes items with the reference.
pub fn they_write(items: &[Tree]) -> Result<Vec<u8>, String> {
    let mut writer = hurray_io::stream::StreamWriter::new(Vec::new());
    for item in items {
        let written = match node(item).map_err(|error| format!("they build: {error:?}"))? {
            CompositeNode::Tensor {
                descriptor,
                buffers,
            } => ready(writer.write_tensor(descriptor, buffers)),
            CompositeNode::Composite { head, members } => {
                ready(writer.write_composite(head, members))
            }
        };
        written.map_err(|error| format!("they write: {error:?}"))?;
    }
    ready(writer.finish()).map_err(|error| format!("they finish: {error:?}"))
}

/// The tree that the reference takes borrows everything; what it borrows is small and leaked.
fn node(tree: &Tree) -> Result<CompositeNode<'_>, hurray_core::Error> {
    Ok(match tree {
        Tree::Tensor { plan, buffers } => {
            let slices: Vec<&[u8]> = buffers.iter().map(Vec::as_slice).collect();
            CompositeNode::Tensor {
                descriptor: Box::leak(Box::new(plan.reference()?)),
                buffers: slices.leak(),
            }
        }
        Tree::Composite { head, members } => {
            let members: Result<Vec<_>, _> = members.iter().map(node).collect();
            CompositeNode::Composite {
                head: Box::leak(Box::new(head.reference()?)),
                members: members?.leak(),
            }
        }
    })
}
