//! The numbers of tensors and composites: against vectors, and against plain models of layouts, schemes and
//! composites that share no code with the library.

#[path = "support/mod.rs"]
mod support;

#[path = "values/errors/mod.rs"]
mod errors;
#[path = "values/grids.rs"]
mod grids;
#[path = "values/model/mod.rs"]
mod model;
#[path = "values/nodes.rs"]
mod nodes;
#[path = "values/painting.rs"]
mod painting;
#[path = "values/quantizing/mod.rs"]
mod quantizing;
#[path = "values/rounding.rs"]
mod rounding;
#[path = "values/schemes.rs"]
mod schemes;
#[path = "values/trees.rs"]
mod trees;
#[path = "values/vectors.rs"]
mod vectors;
