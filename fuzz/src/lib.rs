//! The bodies of the fuzz targets: ordinary functions that panic where two ways to the same answer differ.

mod address;
mod composite;
mod container;
mod content;
mod descriptor;
mod fields;
mod file_push_vs_view;
mod file_view;
mod messages;
mod session;
mod source;
mod spec_roundtrip;
mod stream_cuts;
mod values;

pub use address::address;
pub use composite::composite;
pub use content::content;
pub use descriptor::descriptor;
pub use file_push_vs_view::file_push_vs_view;
pub use file_view::file_view;
pub use messages::messages;
pub use session::session;
pub use spec_roundtrip::spec_roundtrip;
pub use stream_cuts::stream_cuts;
pub use values::values;

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    /// Runs a target on every prefix of every seed.
    fn seeds(name: &str, target: fn(&[u8])) {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("corpus")
            .join(name);
        let mut count = 0;
        for entry in fs::read_dir(folder).unwrap() {
            let bytes = fs::read(entry.unwrap().path()).unwrap();
            // long seeds repeat what short ones have
            let step = 1 + bytes.len() / 512;
            for len in (0..bytes.len()).step_by(step).chain([bytes.len()]) {
                target(&bytes[..len]);
            }
            count += 1;
        }
        assert!(count >= 10, "only {count} seeds for {name}");
    }

    #[test]
    fn address() {
        seeds("address", super::address);
    }

    #[test]
    fn descriptor() {
        seeds("descriptor", super::descriptor);
    }

    #[test]
    fn content() {
        seeds("content", super::content);
    }

    #[test]
    fn file_view() {
        seeds("file_view", super::file_view);
    }

    #[test]
    fn file_push_vs_view() {
        seeds("file_push_vs_view", super::file_push_vs_view);
    }

    #[test]
    fn messages() {
        seeds("messages", super::messages);
    }

    #[test]
    fn stream_cuts() {
        seeds("stream_cuts", super::stream_cuts);
    }

    #[test]
    fn composite() {
        seeds("composite", super::composite);
    }

    #[test]
    fn spec_roundtrip() {
        seeds("spec_roundtrip", super::spec_roundtrip);
    }

    #[test]
    fn values() {
        seeds("values", super::values);
    }

    #[test]
    fn session() {
        seeds("session", super::session);
    }
}
