//! Where elements are, against a model written from the specification that knows nothing of the crate: every
//! index of all small shapes, every order of walking, and what is no place at all.

#[path = "addresses/curves.rs"]
mod curves;
#[path = "addresses/dense.rs"]
mod dense;
#[path = "addresses/errors.rs"]
mod errors;
#[path = "addresses/hostile.rs"]
mod hostile;
#[path = "addresses/large.rs"]
mod large;
#[path = "addresses/model.rs"]
mod model;
#[path = "addresses/paged.rs"]
mod paged;
#[path = "addresses/scipy.rs"]
mod scipy;
#[path = "addresses/sparse.rs"]
mod sparse;
#[path = "addresses/support.rs"]
mod support;
#[path = "addresses/tiles.rs"]
mod tiles;
