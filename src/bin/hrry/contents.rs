//! Judges what is inside buffers. Of the data it keeps only what the library says that it must.

use hrry::{ContentError, ContentScan, DescriptorView, Payload, Policy, Rule};

use super::read::{Item, Problem, Stop};

/// The contents of one tensor after the other.
pub struct Contents {
    policy: Policy,
    tensor: Option<Tensor>,
    flags: Vec<Rule>,
}

struct Tensor {
    scan: ContentScan,
    descriptor: Vec<u8>,
    /// Where in the input each buffer starts.
    starts: Vec<u64>,
    /// By the numbers of buffers.
    kept: Vec<Vec<u8>>,
}

impl Contents {
    pub fn new(policy: Policy) -> Self {
        Contents {
            policy,
            tensor: None,
            flags: Vec::new(),
        }
    }

    /// The broken rules that permissive mode let pass.
    pub fn flags(&self) -> impl Iterator<Item = Rule> {
        self.flags.iter().copied()
    }

    pub fn begin(&mut self, item: &Item<'_>) {
        let descriptor = item.view.as_bytes();
        let mut next = item.offset + descriptor.len() as u64;
        let start = |k| {
            let place = item.tensor.and_then(|tensor| tensor.place(k));
            let start = place.map_or(next, |place| place.start);
            next = start.saturating_add(item.view.buffer(k).map_or(0, |buffer| buffer.byte_size));
            start
        };
        self.tensor = Some(Tensor {
            scan: ContentScan::new(item.view, &self.policy),
            descriptor: descriptor.to_vec(),
            starts: (0..item.view.buffer_count()).map(start).collect(),
            kept: Vec::new(),
        });
    }

    pub fn payload(&mut self, payload: &Payload<'_>) -> Result<(), Stop> {
        let Some(tensor) = &mut self.tensor else {
            return Ok(());
        };
        let Payload {
            buffer,
            offset,
            bytes,
            ..
        } = *payload;
        let place = usize::from(buffer);
        if tensor.scan.keeps(place) {
            if tensor.kept.len() <= place {
                tensor.kept.resize(place + 1, Vec::new());
            }
            let kept = &mut tensor.kept[place];
            let reserved = kept.try_reserve(bytes.len());
            reserved.map_err(|error| Stop::Problem(Problem::other(error)))?;
            kept.extend_from_slice(bytes);
        }
        tensor.judge(&self.policy, |scan, view, kept| {
            scan.payload(view, buffer, offset, bytes, kept)
        })
    }

    pub fn end(&mut self) -> Result<(), Stop> {
        let Some(mut tensor) = self.tensor.take() else {
            return Ok(());
        };
        let mut scratch = Vec::new();
        // no more than one for eight bytes that arrived
        let words = tensor.scan.scratch_words() as usize;
        let reserved = scratch.try_reserve_exact(words);
        reserved.map_err(|error| Stop::Problem(Problem::other(error)))?;
        scratch.resize(words, 0);
        tensor.judge(&self.policy, |scan, view, kept| {
            scan.finish(view, kept, &mut scratch)
        })?;
        for rule in tensor.scan.relaxed() {
            if !self.flags.contains(&rule) {
                self.flags.push(rule);
            }
        }
        Ok(())
    }
}

impl Tensor {
    fn judge(
        &mut self,
        policy: &Policy,
        step: impl FnOnce(&mut ContentScan, &DescriptorView<'_>, &[Vec<u8>]) -> Result<(), ContentError>,
    ) -> Result<(), Stop> {
        let parsed = DescriptorView::parse(&self.descriptor, policy);
        let problem = |error: &hrry::Error| Stop::Problem(Problem::from(error));
        let (view, _) = parsed.map_err(|error| problem(&error))?;
        let result = step(&mut self.scan, &view, &self.kept);
        result.map_err(|error| {
            let start = self.starts.get(usize::from(error.buffer)).copied();
            problem(&error.placed(start.unwrap_or_default()))
        })
    }
}
