//! Whole containers, random and fixed, through both implementations.

pub mod container;
pub mod equal;
pub mod everywhere;
pub mod flags;
pub mod front;
pub mod here;
pub mod kv;
pub mod ranges;
pub mod seen;
pub mod small;
pub mod there;
