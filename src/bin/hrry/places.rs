//! Where in a stream or file the items are: turns the library's events into calls of a visitor.

use hrry::{
    CompositeHead, DescriptorView, Event, Fields, FileTensor, Layout, Mode, Outcome, Policy, Rule,
};

use super::read::{Item, Stop, Summary, Visit};

/// Where in the input the items are.
#[derive(Default)]
pub struct Places {
    pub summary: Summary,
    path: Vec<u64>,
    depth: u8,
}

impl Places {
    pub fn event(
        &mut self,
        event: &Event<'_, '_>,
        tensor: Option<&FileTensor<'_>>,
        policy: &Policy,
        visit: &mut impl Visit,
    ) -> Result<(), Stop> {
        match event {
            Event::Descriptor(view, outcome) => self.begin(view, outcome, tensor, policy, visit)?,
            Event::Payload(payload) => visit.payload(payload)?,
            Event::TensorEnd(outcome) => {
                visit.end()?;
                self.close(outcome, visit)?;
            }
            _ => {}
        }
        Ok(())
    }

    fn begin(
        &mut self,
        view: &DescriptorView<'_>,
        outcome: &Outcome,
        tensor: Option<&FileTensor<'_>>,
        policy: &Policy,
        visit: &mut impl Visit,
    ) -> Result<(), Stop> {
        let (around, index) = match *outcome {
            Outcome::Opened { depth, index, .. } => (depth - 1, index),
            Outcome::Member { depth, index } => (depth, Some(index)),
            _ => (0, None),
        };
        self.path.truncate(around.into());
        let index = index.map_or(self.summary.items, u64::from);
        if around == 0 {
            self.path.clear();
            self.summary.items += 1;
        }
        self.path.push(index);
        let head = head_of(view);
        if head.is_some() {
            self.depth = around + 1;
            self.summary.max_depth = self.summary.max_depth.max(self.depth);
        } else {
            self.summary.tensors += 1;
        }
        flag(view, policy, &mut self.summary.flags);
        let offset = view.origin();
        visit.begin(&Item {
            path: &self.path,
            offset,
            view,
            head,
            tensor,
        })?;
        Ok(())
    }

    fn close(&mut self, outcome: &Outcome, visit: &mut impl Visit) -> Result<(), Stop> {
        let Outcome::Closed {
            levels,
            complete,
            method,
        } = *outcome
        else {
            return Ok(());
        };
        for level in 1..=levels {
            let known = level == levels || complete.is_ok();
            visit.close(known.then_some(complete))?;
        }
        self.depth -= levels;
        if let Err(rule) = complete {
            add(&mut self.summary.flags, rule);
        }
        self.summary.cover = self.summary.cover.max(method);
        Ok(())
    }

    /// A rule that the input breaks and permissive mode lets pass.
    pub fn flag(&mut self, rule: Rule) {
        add(&mut self.summary.flags, rule);
    }

    /// The input ended inside composites, and permissive mode exposes what arrived.
    pub fn torn(&mut self, visit: &mut impl Visit) -> Result<(), Stop> {
        for _ in 0..self.depth {
            visit.close(Some(Err(Rule::Torn)))?;
        }
        add(&mut self.summary.flags, Rule::Torn);
        Ok(())
    }
}

/// What the descriptor announces, if it is a head.
pub fn head_of(view: &DescriptorView<'_>) -> Option<CompositeHead> {
    match view.layout() {
        Layout::Composite(head) => Some(head),
        _ => None,
    }
}

/// Notes the rules that permissive mode let pass.
pub fn flag(view: &DescriptorView<'_>, policy: &Policy, flags: &mut Vec<Rule>) {
    if policy.mode == Mode::Permissive {
        view.relaxed(policy, |violation| add(flags, violation.rule));
    }
}

/// Notes a rule once.
pub fn add(flags: &mut Vec<Rule>, rule: Rule) {
    if !flags.contains(&rule) {
        flags.push(rule);
    }
}
