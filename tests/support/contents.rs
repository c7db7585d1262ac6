//! What is inside the buffers of a stream.

use hrry::{ContentScan, DescriptorView, Error, Event, Policy, Rule};

use super::trace::growing;

/// Judges a stream and the contents of all its tensors; tells the content rules that were let pass.
pub fn stream(bytes: &[u8], policy: Policy, origin: u64) -> Result<Vec<Rule>, Error> {
    let mut decoder = growing(policy).with_origin(origin);
    let mut input = bytes;
    let mut relaxed = Vec::new();
    let mut tensor = None;
    while let Some(event) = decoder.next_event(&mut input)? {
        match event {
            Event::Descriptor(view, _) => {
                let scan = ContentScan::new(&view, &policy);
                let bytes = view.as_bytes().to_vec();
                tensor = Some((bytes, decoder.offset(), scan, Vec::new()));
            }
            Event::Payload(payload) => {
                let (bytes, start, scan, kept) = tensor.as_mut().expect("it is open");
                let buffer = usize::from(payload.buffer);
                kept.resize(kept.len().max(buffer + 1), Vec::new());
                if scan.keeps(buffer) {
                    kept[buffer].extend_from_slice(payload.bytes);
                }
                let (view, _) = DescriptorView::parse(bytes, &policy)?;
                let judged =
                    scan.payload(&view, payload.buffer, payload.offset, payload.bytes, kept);
                judged.map_err(|error| error.in_stream(&view, *start))?;
            }
            Event::TensorEnd(_) => {
                let (bytes, start, mut scan, kept) = tensor.take().expect("it was open");
                let mut scratch = vec![0; scan.scratch_words() as usize];
                let (view, _) = DescriptorView::parse(&bytes, &policy)?;
                let judged = scan.finish(&view, &kept, &mut scratch);
                judged.map_err(|error| error.in_stream(&view, start))?;
                relaxed.extend(scan.relaxed());
            }
            _ => {}
        }
    }
    decoder.finish()?;
    Ok(relaxed)
}
