//! A stack of 16 KiB instead of 1 MiB, so that memory starts small. It lies at address 0, so a stack that does not
//! suffice traps. Here and not in `.cargo/config.toml`, which cargo does not read from another folder.

fn main() {
    println!("cargo::rustc-link-arg=-zstack-size=16384");
    println!("cargo::rerun-if-changed=build.rs");
}
