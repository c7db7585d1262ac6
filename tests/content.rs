//! Content rules: each with accepting and rejecting buffers worked out by hand, in every way of cutting them, and against
//! a model written from the rules.

#[path = "content/dense.rs"]
mod dense;
#[path = "content/hostile.rs"]
mod hostile;
#[path = "content/judged.rs"]
mod judged;
#[path = "content/model.rs"]
mod model;
#[path = "content/paged.rs"]
mod paged;
#[path = "content/parameters.rs"]
mod parameters;
#[path = "content/random.rs"]
mod random;
#[path = "content/sparse.rs"]
mod sparse;
mod support;
