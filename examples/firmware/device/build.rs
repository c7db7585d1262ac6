//! The board follows from the target, and so does what the linker is told. Link arguments stand here because
//! an environment's `RUSTFLAGS` would replace those of a configuration file.

use std::{env, fs, path::PathBuf};

fn main() {
    println!("cargo:rerun-if-changed=memory.x");
    println!("cargo:rustc-check-cfg=cfg(board, values(\"mps2_an386\", \"lm3s6965evb\"))");
    let target = env::var("TARGET").unwrap();
    let board = match target.as_str() {
        "thumbv7em-none-eabi" => "mps2_an386",
        "thumbv7m-none-eabi" => "lm3s6965evb",
        _ => panic!("there is no board for {target}"),
    };
    println!("cargo:rustc-cfg=board=\"{board}\"");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap());
    fs::write(out.join("memory.x"), include_bytes!("memory.x")).unwrap();
    // no interrupt has a handler of its own
    fs::write(out.join("device.x"), "").unwrap();
    println!("cargo:rustc-link-search={}", out.display());
    println!("cargo:rustc-link-arg-bins=-Tlink.x");
    println!("cargo:rustc-link-arg-bins=--nmagic");
    if env::var_os("CARGO_FEATURE_LOG").is_some() {
        println!("cargo:rustc-link-arg-bins=-Tdefmt.x");
    }
}
