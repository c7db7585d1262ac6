//! The numbers of items, in memory of their own.

use alloc::vec::Vec;

use super::{Composite, Error, Item, Node, Tensor};
use crate::address::SubBox;
use crate::content::ContentScan;
use crate::model::Fields;
use crate::policy::Policy;
use crate::value::element::{self, Scalar};
use crate::value::{Canvas, ValueError, packed_len, read_stored, read_values};
use crate::wire::length32;

impl Tensor {
    /// The numbers of all elements, last dimension fastest, whatever the layout: dequantized, with the zeros
    /// of sparse tensors.
    ///
    /// ```
    /// use hrry::owned::layout::LayoutDescriptor;
    /// use hrry::owned::{Buffer, BufferHandle, ElementType, Shape, Tensor, TensorDescriptor};
    /// let descriptor = TensorDescriptor::builder(ElementType::Int8, Shape::new(vec![2, 3])?)
    ///     .layout(LayoutDescriptor::ColumnMajor)
    ///     .buffer(BufferHandle::cpu(6, 64))
    ///     .build()?;
    /// let tensor = Tensor::new(descriptor, vec![Buffer::from(vec![1, 4, 2, 5, 3, 6])])?;
    /// assert_eq!(tensor.to_vec::<f32>()?, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    /// # Ok::<(), hrry::owned::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Values`] as [`read_values`]; [`Error::Memory`].
    pub fn to_vec<T: Scalar>(&self) -> Result<Vec<T>, Error> {
        self.read_box(whole(self.descriptor())?)
    }

    /// The numbers of the elements in a box.
    ///
    /// # Errors
    ///
    /// As [`to_vec`](Self::to_vec).
    pub fn read_box<T: Scalar>(&self, part: SubBox<'_>) -> Result<Vec<T>, Error> {
        let d = self.descriptor();
        part.within(d.shape()).map_err(ValueError::from)?;
        let mut out = zeros(part.elements())?;
        read_values(d, &self.slices(), part, &mut out)?;
        Ok(out)
    }

    /// The stored elements in a box, bit for bit, packed as in a row-major tensor.
    ///
    /// # Errors
    ///
    /// [`Error::Values`] as [`read_stored`]; [`Error::Memory`].
    pub fn read_stored(&self, part: SubBox<'_>) -> Result<Vec<u8>, Error> {
        let d = self.descriptor();
        part.within(d.shape()).map_err(ValueError::from)?;
        let mut out = zeros(Some(packed_len(d.element_type(), part)?))?;
        read_stored(d, &self.slices(), part, &mut out)?;
        Ok(out)
    }

    /// Checks what is inside the buffers, which nothing does that is not asked to.
    ///
    /// # Errors
    ///
    /// [`Error::Content`] as [`check_content`](crate::check_content); [`Error::Memory`].
    pub fn check_content(&self, policy: &Policy) -> Result<(), Error> {
        let mut scan = ContentScan::new(self.descriptor(), policy);
        let mut scratch = zeros(Some(scan.scratch_words()))?;
        scan.buffers(self.descriptor(), self.buffers(), &mut scratch)?;
        Ok(())
    }

    fn slices(&self) -> Vec<&[u8]> {
        self.buffers().iter().map(|buffer| &**buffer).collect()
    }
}

impl Composite {
    /// The numbers of the merged view, last dimension fastest.
    ///
    /// # Errors
    ///
    /// [`Error::Values`] as [`Canvas`] and [`element::decode`] tell: a group has no common view;
    /// [`Error::Memory`].
    pub fn to_vec<T: Scalar>(&self) -> Result<Vec<T>, Error> {
        self.read_box(whole(self.head())?)
    }

    /// The numbers of the merged view in a box. Members outside it are not looked into.
    ///
    /// # Errors
    ///
    /// As [`to_vec`](Self::to_vec).
    pub fn read_box<T: Scalar>(&self, part: SubBox<'_>) -> Result<Vec<T>, Error> {
        let packed = self.read_packed(part)?;
        let mut out = zeros(part.elements())?;
        let element_type = self.head().element_type();
        element::decode(element_type, &packed, 0, &mut out).map_err(ValueError::from)?;
        Ok(out)
    }

    /// The merged view in a box, as packed elements of the head's type.
    ///
    /// # Errors
    ///
    /// As [`to_vec`](Self::to_vec).
    pub fn read_packed(&self, part: SubBox<'_>) -> Result<Vec<u8>, Error> {
        let head = self.head();
        part.within(head.shape()).map_err(ValueError::from)?;
        let mut out = zeros(Some(packed_len(head.element_type(), part)?))?;
        let mut canvas = Canvas::new(head, part, &mut out, Vec::new())?;
        let mut next = 0;
        self.each_in(part, |k, member| {
            canvas.skip(length32(k.saturating_sub(next)))?;
            next = k.saturating_add(1);
            for node in member.items() {
                let buffers: Vec<&[u8]> = node.buffers().iter().map(|buffer| &**buffer).collect();
                canvas.item(node.descriptor(), &buffers)?;
            }
            Ok(())
        })?;
        canvas.skip(length32(self.member_count().saturating_sub(next)))?;
        canvas.finish()?;
        Ok(out)
    }
}

impl Item {
    /// Checks what is inside the buffers of everything that belongs to it.
    ///
    /// # Errors
    ///
    /// As [`Tensor::check_content`].
    pub fn check_content(&self, policy: &Policy) -> Result<(), Error> {
        self.items().try_for_each(|node| match node {
            Node::Tensor(tensor) => tensor.check_content(policy),
            Node::Head(_) => Ok(()),
        })
    }

    /// The numbers of a tensor, or of the merged view of a composite.
    ///
    /// # Errors
    ///
    /// As [`Tensor::to_vec`] and [`Composite::to_vec`].
    pub fn to_vec<T: Scalar>(&self) -> Result<Vec<T>, Error> {
        match self {
            Item::Tensor(tensor) => tensor.to_vec(),
            Item::Composite(composite) => composite.to_vec(),
        }
    }

    /// The numbers in a box.
    ///
    /// # Errors
    ///
    /// As [`to_vec`](Self::to_vec).
    pub fn read_box<T: Scalar>(&self, part: SubBox<'_>) -> Result<Vec<T>, Error> {
        match self {
            Item::Tensor(tensor) => tensor.read_box(part),
            Item::Composite(composite) => composite.read_box(part),
        }
    }
}

/// All of a static shape.
fn whole<F: Fields + ?Sized>(d: &F) -> Result<SubBox<'_>, Error> {
    let whole = SubBox::whole(d.shape());
    whole.within(d.shape()).map_err(ValueError::from)?;
    Ok(whole)
}

/// Memory for what the caller asked for.
pub(super) fn zeros<T: Clone + Default>(len: Option<u64>) -> Result<Vec<T>, Error> {
    let len = len
        .and_then(|len| usize::try_from(len).ok())
        .unwrap_or(usize::MAX);
    let mut out = Vec::new();
    out.try_reserve_exact(len)?;
    out.resize(len, T::default());
    Ok(out)
}
