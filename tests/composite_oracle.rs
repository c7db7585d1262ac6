//! The composite validator against judges that know nothing of it: a painter of cells, volumes worked
//! out by hand, a recursive model of trees, and the rules one by one.
//!
//! `HRRY_TEST_SCALE=20` makes the painter judge 100,000 partitions of each rank.

#[path = "composite/huge.rs"]
mod huge;
#[path = "composite/limits.rs"]
mod limits;
#[path = "composite/members.rs"]
mod members;
#[path = "composite/nesting.rs"]
mod nesting;
#[path = "composite/painter.rs"]
mod painter;
#[path = "composite/relaxed.rs"]
mod relaxed;
#[path = "composite/small.rs"]
mod small;
#[path = "composite/support.rs"]
mod support;
#[path = "composite/tilings.rs"]
mod tilings;
#[path = "composite/trees.rs"]
mod trees;
