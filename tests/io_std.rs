//! Streams, container files, maps and atomic saves over what an operating system gives.
#![cfg(not(miri))]

mod support;

mod io_std {
    mod feed;
    mod files;
    mod links;
    mod packing;
    mod save;
    mod sockets;
    mod streams;
    mod writing;
}
