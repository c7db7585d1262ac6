//! The numbers of all element types, against tables from outside and against naive models.

#[path = "elements/edges.rs"]
mod edges;
#[path = "elements/oracle.rs"]
mod oracle;
#[path = "elements/packed.rs"]
mod packed;
#[path = "elements/runs.rs"]
mod runs;
#[path = "elements/sums.rs"]
mod sums;
mod support;
#[path = "elements/typed.rs"]
mod typed;
#[path = "elements/vectors.rs"]
mod vectors;
