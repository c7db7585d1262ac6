//! The framed transport: messages read from pieces of any size, written, refused, skipped.

mod support;

mod messages {
    mod capacity;
    mod cuts;
    mod hostile;
    mod refusals;
    mod script;
    mod session;
    mod skip;
    mod vectors;
    mod written;
}
