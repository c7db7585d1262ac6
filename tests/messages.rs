//! The framed transport: messages read from pieces of any size, written, refused, skipped.

mod support;

mod messages {
    mod capacity;
    mod cuts;
    mod skip;
    mod vectors;
}
