//! The framed transport: messages read from pieces of any size, written, refused, skipped.

mod support;

mod messages {
    mod capacity;
    mod cuts;
    mod hostile;
    mod opaque;
    mod parallel;
    mod refusals;
    mod relaxed;
    mod script;
    mod session;
    mod skip;
    mod tensors;
    mod vectors;
    mod written;
}
