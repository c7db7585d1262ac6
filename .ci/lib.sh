# Sourced by the scripts beside it: where the tools are, how the probe is built and linked.
set -euo pipefail
shopt -s inherit_errexit
# images are looked for where their crates build them
unset CARGO_TARGET_DIR

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
toolchain=$(sed -n 's/^channel = "\(.*\)"/\1/p' "$root/rust-toolchain.toml")
host=$(rustc -vV | sed -n 's/^host: //p')
llvm=$(rustc --print sysroot)/lib/rustlib/$host/bin
probe=$root/examples/size_probe
c_binding=$root/bindings/c
firmware=$root/examples/firmware

have() { command -v "$1" >/dev/null 2>&1; }

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

# probe_build TARGET VARIANT CRATE_TYPE [RUSTC_ARG...]
probe_build() {
    local target=$1 variant=$2 kind=$3
    shift 3
    (cd "$probe" && cargo rustc --quiet --locked --release --lib --crate-type "$kind" \
        --target "$target" --features "$variant" -- "$@")
}

# link_entries ARCHIVE PREFIX ELF: links so that only what the functions with that prefix reach is left.
link_entries() {
    local archive=$1 prefix=$2 elf=$3 entries
    entries=$("$llvm/llvm-nm" --defined-only "$archive" 2>/dev/null | sed -n "s/.* T \(${prefix}_.*\)/\1/p")
    [ -n "$entries" ] || fail "$archive has no entry points"
    # shellcheck disable=SC2046,SC2086
    "$llvm/rust-lld" -flavor gnu --gc-sections -e ${entries%%$'\n'*} \
        $(printf -- '-u %s ' $entries) -o "$elf" "$archive"
    echo "$elf"
}

# probe_elf TARGET VARIANT: the path of the variant.
probe_elf() {
    local target=$1 variant=$2 built=$probe/target/$1/release
    probe_build "$target" "$variant" staticlib
    link_entries "$built/libsize_probe.a" probe "$built/$variant.elf"
}

# c_archive PROFILE TARGET: the path of the static library for C.
c_archive() {
    local profile=$1 target=$2 folder=${1/#dev/debug}
    (cd "$c_binding" && cargo rustc --quiet --locked --profile "$profile" --lib --crate-type staticlib \
        --features panic-handler --target "$target")
    echo "$c_binding/target/$target/$folder/libhrry_c.a"
}

# firmware_elf TARGET VARIANT: the path of an image of examples/firmware, or of a control for the same processor.
# `log` is the receiver with its lines of log.
firmware_elf() {
    case $2 in
    control_*) probe_elf thumbv7em-none-eabi "$2" ;;
    log)
        (cd "$firmware/device" && DEFMT_LOG=info cargo build --quiet --locked --release --bin receiver \
            --target "$1" --features log)
        echo "$firmware/device/target/$1/release/receiver"
        ;;
    *)
        (cd "$firmware/device" && cargo build --quiet --locked --release --bin "$2" --target "$1")
        echo "$firmware/device/target/$1/release/$2"
        ;;
    esac
}

# probe_wasm TARGET VARIANT: the path of the variant as a stripped wasm module.
probe_wasm() {
    local target=$1 variant=$2 built wasm
    built=$probe/target/$target/release/size_probe.wasm
    wasm=$probe/target/$target/release/$variant.wasm
    probe_build "$target" "$variant" cdylib -C strip=symbols
    cp "$built" "$wasm"
    echo "$wasm"
}

# section_bytes ELF SECTION...
section_bytes() {
    local elf=$1
    shift
    "$llvm/llvm-size" -A "$elf" | awk -v names="$*" '
        BEGIN { split(names, list, " "); for (k in list) want[list[k]] = 1 }
        $1 in want { total += $2 }
        END { print total + 0 }'
}
