//! A matrix in unequal tiles, each in the layout and type that suits it, read as one.
//!
//! `cargo run --example tile_mosaic`

use hrry::owned::layout::{
    CompositeLayout, CompositionRule, CsrLayout, LayoutDescriptor, MortonLayout,
};
use hrry::owned::{
    Buffer, BufferHandle, Composite, ElementType, Item, QuantizationDescriptor, Shape,
    ShardDescriptor, Tensor, TensorDescriptor, TensorDescriptorBuilder,
};
use hrry::{SubBox, U64s};

type Error = Box<dyn std::error::Error>;
