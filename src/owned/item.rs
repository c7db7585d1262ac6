//! What a stream or container holds: tensors, and composites of them.

use alloc::vec::Vec;
use core::slice;

use super::descriptor::TensorDescriptor;
use super::{Buffer, Composite, Error, Tensor};
use crate::composite::{Arena, Cover};
use crate::descriptor::{Sink, WriteError};
use crate::policy::Policy;
use crate::stream::StreamWriter;

/// A tensor, or a composite of such items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// Data.
    Tensor(Tensor),
    /// A head and what belongs to it.
    Composite(Composite),
}

impl Item {
    /// The descriptor of the tensor, or of the head.
    #[must_use]
    pub const fn descriptor(&self) -> &TensorDescriptor {
        match self {
            Item::Tensor(tensor) => tensor.descriptor(),
            Item::Composite(composite) => composite.head(),
        }
    }

    /// The tensor, if it is one.
    #[must_use]
    pub const fn as_tensor(&self) -> Option<&Tensor> {
        match self {
            Item::Tensor(tensor) => Some(tensor),
            Item::Composite(_) => None,
        }
    }

    /// The composite, if it is one.
    #[must_use]
    pub const fn as_composite(&self) -> Option<&Composite> {
        match self {
            Item::Composite(composite) => Some(composite),
            Item::Tensor(_) => None,
        }
    }

    /// Everything in it in the order in which it is written: each head before its members.
    #[must_use]
    pub fn items(&self) -> Items<'_> {
        Items {
            open: Vec::from([slice::from_ref(self).iter()]),
        }
    }

    /// Writes it: a tensor with its buffers, or a head and everything that belongs to it.
    ///
    /// # Errors
    ///
    /// As [`StreamWriter::tensor`]. After a refusal behind the first head the writer stops, since that
    /// composite cannot be whole any more.
    pub fn write_to<W: Sink, C: Cover, A: Arena>(
        &self,
        writer: &mut StreamWriter<W, C, A>,
    ) -> Result<(), WriteError<W::Error>> {
        for (k, node) in self.items().enumerate() {
            let bytes: Vec<&[u8]> = node.buffers().iter().map(|buffer| &**buffer).collect();
            let written = writer.tensor(node.descriptor(), &bytes);
            if written.is_err() && k > 0 {
                writer.give_up();
            }
            written?;
        }
        Ok(())
    }

    /// The bytes of a stream that holds nothing else.
    ///
    /// # Errors
    ///
    /// What a strict reader refuses in an item that was read in permissive mode or under agreements, which
    /// [`write_to`](Self::write_to) takes a writer for; where there is no memory.
    pub fn encode_to_vec(&self) -> Result<Vec<u8>, Error> {
        let mut writer = StreamWriter::growing(Vec::new(), Policy::STRICT);
        self.write_to(&mut writer)?;
        Ok(writer.finish()?)
    }
}

impl From<Tensor> for Item {
    fn from(tensor: Tensor) -> Self {
        Item::Tensor(tensor)
    }
}

impl From<Composite> for Item {
    fn from(composite: Composite) -> Self {
        Item::Composite(composite)
    }
}

/// One descriptor of an item, with the buffers behind it.
#[derive(Clone, Copy, Debug)]
pub enum Node<'a> {
    /// A tensor.
    Tensor(&'a Tensor),
    /// A composite; what belongs to it follows.
    Head(&'a Composite),
}

impl<'a> Node<'a> {
    /// The descriptor.
    #[must_use]
    pub const fn descriptor(&self) -> &'a TensorDescriptor {
        match self {
            Node::Tensor(tensor) => tensor.descriptor(),
            Node::Head(composite) => composite.head(),
        }
    }

    /// The buffers; a head has none.
    #[must_use]
    pub fn buffers(&self) -> &'a [Buffer] {
        match self {
            Node::Tensor(tensor) => tensor.buffers(),
            Node::Head(_) => &[],
        }
    }
}

/// Everything in items, in the order in which it is written.
#[derive(Clone, Debug)]
pub struct Items<'a> {
    /// What is left of each open composite, outermost first.
    open: Vec<slice::Iter<'a, Item>>,
}

impl<'a> Items<'a> {
    pub(super) fn of(members: &'a [Item]) -> Self {
        Items {
            open: Vec::from([members.iter()]),
        }
    }
}

impl<'a> Iterator for Items<'a> {
    type Item = Node<'a>;

    fn next(&mut self) -> Option<Node<'a>> {
        loop {
            match self.open.last_mut()?.next() {
                Some(Item::Tensor(tensor)) => return Some(Node::Tensor(tensor)),
                Some(Item::Composite(composite)) => {
                    self.open.push(composite.members().iter());
                    return Some(Node::Head(composite));
                }
                None => {
                    self.open.pop();
                }
            }
        }
    }
}
