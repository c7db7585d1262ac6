//! The elements of one tensor whose descriptor and buffers are in memory, one entry for each way of asking.

#[cfg(any(feature = "values", feature = "canvas", feature = "quantize"))]
use hrry::SubBox;
use hrry::{DescriptorView, Policy};

use crate::fold::Fold;

/// A tensor that C code hands over.
#[repr(C)]
pub struct Tensor<'a> {
    descriptor: &'a [u8; 256],
    len: usize,
    buffers: &'a [&'a [u8]; 4],
}

impl<'a> Tensor<'a> {
    fn view(&self, fold: &mut Fold) -> Option<DescriptorView<'a>> {
        let bytes = self.descriptor.get(..self.len)?;
        match DescriptorView::parse(bytes, &Policy::STRICT) {
            Ok((view, _)) => Some(view),
            Err(error) => {
                fold.error(&error);
                None
            }
        }
    }
}

/// Where an element is, in any layout.
#[cfg(feature = "locate")]
#[unsafe(no_mangle)]
pub extern "C" fn probe_locate(tensor: &Tensor<'_>, index: &[u64; 64]) -> u64 {
    let mut fold = Fold(0);
    if let Some(view) = tensor.view(&mut fold) {
        let index = index.get(..view.shape().len()).unwrap_or(index);
        match hrry::locate_stored(&view, tensor.buffers, index) {
            Ok(Some(element)) => {
                fold.number(element.byte);
                fold.number(element.bit);
            }
            Ok(None) => fold.number(1u8),
            Err(_) => fold.number(2u8),
        }
    }
    fold.0
}

/// What is inside the buffers.
#[cfg(feature = "content")]
#[unsafe(no_mangle)]
pub extern "C" fn probe_content(tensor: &Tensor<'_>, scratch: &mut [u64; 64]) -> u64 {
    let mut fold = Fold(0);
    if let Some(view) = tensor.view(&mut fold) {
        match hrry::check_content(&view, tensor.buffers, scratch, &Policy::STRICT) {
            Ok(()) => fold.number(1u8),
            Err(error) => fold.error(&error.placed(0)),
        }
    }
    fold.0
}

/// The numbers of a tensor, in any layout, of any type and scheme.
#[cfg(feature = "values")]
#[unsafe(no_mangle)]
pub extern "C" fn probe_values(tensor: &Tensor<'_>, out: &mut [f32; 256]) -> u64 {
    let mut fold = Fold(0);
    if let Some(view) = tensor.view(&mut fold) {
        let whole = SubBox::whole(view.shape());
        let count = whole
            .elements()
            .and_then(|count| usize::try_from(count).ok());
        let out = count.and_then(|count| out.get_mut(..count));
        let read = hrry::read_values(&view, tensor.buffers, whole, out.unwrap_or(&mut []));
        fold.number(read.is_ok());
    }
    fold.0
}

/// A composite with one member, painted into a box.
#[cfg(feature = "canvas")]
#[unsafe(no_mangle)]
pub extern "C" fn probe_canvas(
    head: &Tensor<'_>,
    member: &Tensor<'_>,
    out: &mut [u8; 1024],
) -> u64 {
    let mut fold = Fold(0);
    if let (Some(head), Some(d)) = (head.view(&mut fold), member.view(&mut fold)) {
        let part = SubBox::whole(head.shape());
        let arena = hrry::InlineArena::<64>::new();
        let painted = hrry::Canvas::new(&head, part, out, arena).and_then(|mut canvas| {
            canvas.item(&d, member.buffers)?;
            canvas.finish()
        });
        fold.number(painted.is_ok());
    }
    fold.0
}

/// Numbers into codes and parameters.
#[cfg(feature = "quantize")]
#[unsafe(no_mangle)]
pub extern "C" fn probe_quantize(
    tensor: &Tensor<'_>,
    numbers: &[f32; 256],
    buffers: &mut [&mut [u8]; 3],
) -> u64 {
    let mut fold = Fold(0);
    if let Some(view) = tensor.view(&mut fold) {
        let count = SubBox::whole(view.shape()).elements();
        let count = count.and_then(|count| usize::try_from(count).ok());
        let numbers = count.and_then(|count| numbers.get(..count));
        let done = hrry::quantize(&view, numbers.unwrap_or(&[]), buffers);
        fold.number(done.is_ok());
    }
    fold.0
}
