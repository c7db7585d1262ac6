#!/usr/bin/env bash
# Measures the sensor and the receiver on mps2-an386, and prints a line for each figure: an image or a call, what of
# it, and a number. Bytes of flash and of static memory by section, the deepest stack of a run, and instructions.
# docs/footprint.md holds the figures.
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "${BASH_SOURCE[0]}")"

board=mps2-an386
target=thumbv7em-none-eabi
size=$(rustc --print sysroot)/lib/rustlib/$(rustc -vV | sed -n 's/^host: //p')/bin/llvm-size

# image NAME [FEATURE]: builds it and says where it is.
image() {
    (cd device && cargo build --quiet --locked --release --bin "$1" --target $target --features "${2:-}")
    echo "${CARGO_TARGET_DIR:-device/target}/$target/release/$1"
}

emulator() {
    timeout -k 5 60 qemu-system-arm -machine $board -nographic -monitor none -serial null \
        -semihosting-config enable=on,target=native "$@" </dev/null
}

# sections IMAGE
sections() {
    local elf
    elf=$(image "$1")
    "$size" -A "$elf" | awk -v image="$1" '
        $1 ~ /^\.(vector_table|text|rodata)$/ { print image, $1, $2; flash += $2 }
        $1 ~ /^\.(data|bss|uninit)$/ { print image, $1, $2; static += $2 }
        $1 == ".data" { flash += $2 }
        END { print image, "flash", flash; print image, "static", static }'
}

sections sensor
sections receiver

elf=$(image sensor measure)
emulator -kernel "$elf" | sed 's/^/sensor /'

elf=$(image receiver measure)
(cd host && cargo build --quiet --locked)
timeout -k 5 90 "${CARGO_TARGET_DIR:-host/target}/debug/hrry-firmware-host" receiver $board "$elf" |
    sed -n 's/^stack /receiver stack /p' | tail -1

elf=$(image counts measure)
emulator -icount shift=6,align=off,sleep=off -kernel "$elf" | sed 's/^/instructions /'
