#!/usr/bin/env bash
# Runs the images on emulated boards:
#
#   examples/firmware/run.sh sensor|receiver|selftest [mps2-an386|lm3s6965evb]
#   examples/firmware/run.sh all
#   examples/firmware/run.sh log         the receiver with its lines of log, in words if defmt-print is there
#   examples/firmware/run.sh bless       writes captures/sensor.bin, after every check but the comparison with it
#
# Needs qemu-system-arm, and the targets thumbv7em-none-eabi and thumbv7m-none-eabi.
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "${BASH_SOURCE[0]}")"

# Everything is dead after so many seconds, the emulator included.
most=90

target() {
    case $1 in
    mps2-an386) echo thumbv7em-none-eabi ;;
    lm3s6965evb) echo thumbv7m-none-eabi ;;
    *) echo "no such board: $1" >&2 && exit 2 ;;
    esac
}

# image NAME BOARD [FEATURE]: builds it and says where it is.
image() {
    local target
    target=$(target "$2")
    (cd device && cargo build --quiet --locked --release --bin "$1" --target "$target" --features "${3:-}")
    echo "${CARGO_TARGET_DIR:-device/target}/$target/release/$1"
}

# at_the_line NAME BOARD ELF [ARGUMENT...]: runs the image with the host at the other end of its line.
at_the_line() {
    (cd host && cargo build --quiet --locked)
    timeout -k 5 $most "${CARGO_TARGET_DIR:-host/target}/debug/hrry-firmware-host" "$@"
}

# selftest BOARD ELF
selftest() {
    # the timer of the one board complains that nobody set it
    timeout -k 5 $most qemu-system-arm -machine "$1" -nographic -monitor none -serial null \
        -semihosting-config enable=on,target=native -kernel "$2" </dev/null
}

one() {
    local elf
    elf=$(image "$1" "$2")
    case $1 in
    selftest) selftest "$2" "$elf" ;;
    sensor | receiver) at_the_line "$1" "$2" "$elf" ;;
    esac
}

# The lines come as numbers; the image says what they mean.
log() {
    local elf
    elf=$(DEFMT_LOG=info image receiver mps2-an386 log)
    if command -v defmt-print >/dev/null; then
        at_the_line receiver mps2-an386 "$elf" | defmt-print -e "$elf"
    else
        echo "defmt-print is not there (cargo install defmt-print): bytes of log"
        at_the_line receiver mps2-an386 "$elf" | wc -c
    fi
}

case ${1:-} in
sensor | receiver | selftest) one "$1" "${2:-mps2-an386}" ;;
log) log ;;
bless)
    elf=$(image sensor mps2-an386)
    at_the_line sensor mps2-an386 "$elf" --bless
    ;;
all)
    for board in mps2-an386 lm3s6965evb; do
        echo "-- $board"
        for name in selftest sensor receiver; do
            one $name $board
        done
    done
    ;;
*)
    echo "usage: run.sh sensor|receiver|selftest [mps2-an386|lm3s6965evb], or run.sh all|log|bless" >&2
    exit 2
    ;;
esac
