#!/usr/bin/env bash
# The C interface from C: is the header that of the sources, does a program on the host and one on an emulated
# Cortex-M say of all streams what the codec says, and does no call go wrong that should not be made.
#
#   bindings/c/test.sh            everything
#   bindings/c/test.sh --bless    writes include/hrry.h
source "$(dirname "${BASH_SOURCE[0]}")/../../.ci/lib.sh"

work=$c_binding/target/check
device=thumbv7em-none-eabi
flags="-std=c99 -pedantic -Wall -Wextra -Werror -O1 -g -I $c_binding/include"

# told WHERE TEXT: what a program printed has to be what the codec says, followed by the count of failures.
told() {
    diff "$work/codec.txt" <(head -n -1 "$2") >&2 || fail "$1: differs from what the codec says"
    echo "$1: $(tail -n 1 "$2")"
}

header() {
    (cd "$c_binding/header" && cargo fetch --quiet --locked) || {
        echo "SKIPPED: header (cbindgen cannot be had)"
        return
    }
    (cd "$c_binding/header" && cargo run --quiet --locked -- "$@")
    echo "include/hrry.h is that of the sources"
}

on_host() {
    local library kind
    have gcc || fail "there is no gcc"
    # with the assertions of a debug build, also those about pointers
    library=$(c_archive dev "$host")
    # an optimised library has no use for it
    local no_unwinding=-Wl,--gc-sections,--defsym=rust_eh_personality=0
    for kind in plain "-fsanitize=address,undefined -fno-sanitize-recover"; do
        # shellcheck disable=SC2086
        gcc $flags ${kind#plain} "$c_binding/tests/check.c" "$library" $no_unwinding -o "$work/host"
        (cd "$work" && ./host >host.txt) || fail "$(grep '^line' "$work/host.txt" || echo "the program on the host")"
        told "host, $kind" "$work/host.txt"
    done
    decode_example
    encode_examples
    ! have g++ || echo '#include "hrry.h"' | g++ -pedantic -Wall -Wextra -Werror -I "$c_binding/include" -fsyntax-only -x c++ -
}

# The program that docs/c.md shows, on a stream, on one that is cut, and with too little room.
decode_example() {
    local stream=$root/tests/vectors/streams/s-ok-ov-spqr.bin printed
    sed -n '/^## Decode/,/^## Encode/{/^```c$/,/^```$/{/^```/d;p}}' "$root/docs/c.md" >"$work/example.c"
    # shellcheck disable=SC2086
    gcc $flags "$work/example.c" "$library" $no_unwinding -o "$work/example"
    printed=$("$work/example" <"$stream" | tail -n 1)
    [ "$printed" = "1 closed" ] || fail "the example printed: $printed"
    printed=$(head -c 400 "$stream" | "$work/example" | tail -n 1) && fail "the example takes a stream that is cut"
    [[ $printed = "STREAM-04: "*", at byte 400" ]] || fail "the example printed: $printed"
    sed -i 's/frame\[256\]/frame[40]/' "$work/example.c"
    # shellcheck disable=SC2086
    gcc $flags "$work/example.c" "$library" $no_unwinding -o "$work/example"
    printed=$("$work/example" <"$stream") && fail "the example takes a descriptor that does not fit"
    # the head: a header of 20 bytes, 2 dimensions, byte_offset, 8 bytes of its own, a count of buffers
    [ "$printed" = "kind 3, resource 0: 53 needed, 40 there" ] || fail "the example printed: $printed"
    echo "host, example of docs/c.md that decodes: as it should"
}

# The pieces of docs/c.md that encode: what is said of their lengths is so.
encode_examples() {
    local printed page=$root/docs/c.md tell='printf("%d %d ", (int)status, (int)written);'
    {
        printf '#include <stdio.h>\n#include "hrry.h"\nint main(void) {\n'
        sed -n '/^## Encode/,/^## Memory/{/^```c$/,/^```$/p}' "$page" | sed "s/^\`\`\`c$/{/;s/^\`\`\`$/$tell}/"
        printf 'return 0;\n}\n'
    } >"$work/encode.c"
    # shellcheck disable=SC2086
    gcc $flags "$work/encode.c" "$library" $no_unwinding -o "$work/encode"
    printed=$("$work/encode")
    [ "$printed" = "0 61 0 105 " ] || fail "the examples printed: $printed"
    echo "host, examples of docs/c.md that encode: as they should"
}

on_cortex_m() {
    local library symbols
    have arm-none-eabi-gcc && have qemu-system-arm || {
        echo "SKIPPED: Cortex-M (arm-none-eabi-gcc or qemu-system-arm is not there)"
        return
    }
    library=$(c_archive release $device)
    # shellcheck disable=SC2086
    arm-none-eabi-gcc $flags -mcpu=cortex-m4 -mthumb -mfloat-abi=soft -ffunction-sections -nostartfiles \
        --specs=rdimon.specs -T "$c_binding/cortex-m/mps2.ld" -Wl,--gc-sections -Wl,--no-warn-execstack \
        -Wl,--no-warn-rwx-segments "$c_binding/cortex-m/startup.c" "$c_binding/tests/check.c" "$library" -o "$work/device.elf"
    (cd "$work" && timeout 120 qemu-system-arm -machine mps2-an386 -nographic -monitor none -serial null \
        -semihosting-config enable=on,target=native -kernel device.elf >device.txt) ||
        fail "$(grep '^line' "$work/device.txt" || echo "the program on the device")"
    told Cortex-M "$work/device.txt"
    symbols=$("$llvm/llvm-nm" --demangle --defined-only "$work/device.elf")
    grep -q 'hrry_decoder_next' <<<"$symbols" || fail "the program on the device has no symbols"
    ! grep -E 'core::panicking|rust_begin_unwind' <<<"$symbols" || fail "the program on the device can panic"
}

header "$@"
mkdir -p "$work"
(cd "$root" && printf "$root/%s\n" tests/vectors/streams/*.bin) >"$work/vectors.list"
(cd "$c_binding" && cargo build --quiet --locked --target "$host" --example digest)
(cd "$work" && "../$host/debug/examples/digest" >codec.txt)
on_host
on_cortex_m
