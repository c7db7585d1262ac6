//! Values that own their memory: descriptors, tensors, composites, and streams of them.

mod support;

mod owned {
    mod buffers;
    mod composites;
    #[path = "../roundtrip/damage.rs"]
    mod damage;
    mod descriptor;
    mod numbers;
    mod parts;
    mod plain;
    mod reader;
    #[rustfmt::skip] // its text is not ours to change
    mod seed;
    mod trees;
}
