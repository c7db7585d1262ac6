//! `FileParser`: verdicts, contents, cuts, truncations, changes, capacities and positions.

#[path = "file_parser/agree.rs"]
mod agree;
#[path = "file_parser/cuts.rs"]
mod cuts;
#[path = "file_parser/damage.rs"]
mod damage;
#[path = "file_parser/frames.rs"]
mod frames;
#[path = "file_parser/offsets.rs"]
mod offsets;
#[path = "file_parser/trace.rs"]
mod record;
mod support;
#[path = "file_parser/vectors.rs"]
mod vectors;
