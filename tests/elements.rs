//! The numbers of all element types, against tables from outside and against naive models.

#[path = "elements/edges.rs"]
mod edges;
