//! The rule table against the code, the vectors and the documentation.

#[path = "rules/offsets.rs"]
mod offsets;
#[path = "rules/special.rs"]
mod special;
mod support;
#[path = "rules/table.rs"]
mod table;
