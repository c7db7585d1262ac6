#!/usr/bin/env bash
# Measures what the codec takes of flash and memory and prints the table of docs/footprint.md.
#
#   .ci/footprint.sh            compares with docs/footprint.md: no figure may differ by more than 2 %; of the
#                               flash figures those of one target
#   .ci/footprint.sh --bless    writes docs/footprint.md
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

doc=$root/docs/footprint.md
variants="view parser keyed exact encoder file_view file_scratch file_parser file_writer content locate messages session integers"
# those that compute with what elements hold
numbers="values canvas quantize"
targets="thumbv6m-none-eabi thumbv7em-none-eabi riscv32imc-unknown-none-elf x86_64-unknown-none"
reference=thumbv7em-none-eabi
[ "${1:-}" = --bless ] || targets=$reference

flash_budget() {
    case $1 in
    view) echo 4096 ;;
    parser) echo 5632 ;;
    keyed) echo 8192 ;;
    *) echo - ;;
    esac
}

# row FIGURE WHERE BYTES BUDGET
row() {
    local note=-
    [ "$4" = - ] || note="$4$([ "$3" -le "$4" ] || echo ' (over)')"
    echo "| $1 | $2 | $3 | $note |"
}

# table TITLE TEXT [UNIT]
table() {
    printf '\n## %s\n\n%s\n\n| figure | target | %s | budget |\n|---|---|---|---|\n' "$1" "$2" "${3:-bytes}"
}

flash() {
    local target variant elf budget static=0
    table "Flash" "Text and read-only data together of everything that the entry points reach, \`memcpy\` and the
arithmetic helpers of the compiler included. \`keyed\` and \`exact\` are decoders of streams with nested
composites. \`file_view\` opens a container, finds a name and looks at its tensor; \`file_scratch\` does so with a
table of names, and validates composites; a table for the checksum is part of all the
\`file\` figures, of 1 KiB, or of 8 KiB on 64-bit targets.
\`content\` judges what is inside buffers, \`locate\` says where an element is; \`values\` reads the numbers of
a tensor of any type, layout and scheme, \`canvas\` those of a composite, \`quantize\` writes codes: these three
hold the arithmetic of floats that the targets lack.
\`messages\` reads one direction of a link, \`session\` is a client or server with both.
\`integers\` is every variant but these three in one image."
    for target in $targets; do
        for variant in $variants $([ "$target" != $reference ] || echo $numbers); do
            elf=$(probe_elf "$target" "$variant")
            budget=-
            [ "$target" = $reference ] && budget=$(flash_budget "$variant")
            row "$variant" "$target" "$(section_bytes "$elf" .text .rodata .data.rel.ro)" "$budget"
            static=$((static + $(section_bytes "$elf" .data .bss)))
        done
    done
    table "Static memory" "Initialised and zeroed data of all those images."
    row "static memory" "all of the above" $static 0
}

wasm() {
    local variant module budget
    table "WebAssembly" "The whole module without names, as it is loaded; it imports nothing."
    for variant in $variants $numbers; do
        module=$(probe_wasm wasm32-unknown-unknown "$variant")
        budget=-
        [ "$variant" = keyed ] && budget=10240
        row "$variant" wasm32-unknown-unknown "$(stat -c %s "$module")" "$budget"
    done
}

# Sizes of types and painted stack, from a run on an emulated Cortex-M.
memory() {
    local lines total
    lines=$(cd "$root/tests/bare/firmware" && cargo run --quiet --locked --release --bin stack)
    table "State and stack" "The size of a value on a 32-bit target, and the deepest stack while it decodes a partition of rank 8 in
pieces of 50 bytes, or reads a container of keys and one tensor, or writes one tensor. Decoders and the
container parser hold a frame of 256 bytes and 64 words for composites, the parser 64 words for places as well,
the writer 256 bytes of index and 64 words; they are part of the size. \`state and stack\` is the sum for the
decoder with the keyed cover."
    while read -r kind name bytes; do
        row "$kind of \`$name\`" thumbv7m-none-eabi "$bytes" -
    done <<<"$lines"
    total=$(awk '$2 == "Decoder<Keyed>" { sum += $3 } END { print sum }' <<<"$lines")
    row "state and stack" thumbv7m-none-eabi "$total" 1536
}

# The images of examples/firmware, and what decoding costs on their processor.
firmware() {
    local lines image section
    lines=$("$firmware/measure.sh")
    of() { awk -v image="$1" -v what="$2" '$1 == image && $2 == what { print $3 }' <<<"$lines"; }
    table "Firmware" "The images of \`examples/firmware\`: everything that is in them, and the deepest stack of a run, measured by
painting. RAM is static memory and stack together: decoder and writer are on the stack. The sensor chooses
scales and writes groups of three tensors of 64 codes; the receiver reads a damaged line with a frame of 256
bytes and 48 words, and answers in postcard."
    for image in sensor receiver; do
        for section in vector_table text rodata data bss; do
            row "$image: .$section" mps2-an386 "$(of $image .$section)" -
        done
        row "$image: flash" mps2-an386 "$(of $image flash)" $([ $image = sensor ] && echo 16384 || echo 20480)
        row "$image: stack" mps2-an386 "$(of $image stack)" -
        row "$image: RAM" mps2-an386 $(($(of $image static) + $(of $image stack))) \
            $([ $image = sensor ] && echo 4096 || echo 6144)
    done
    table "Instructions" "Of code for size, counted by a timer that an instruction moves on: a descriptor of 61 bytes and a payload of
48, from the call to its return. By byte: fed in pieces of one, with the loop that feeds them." instructions
    row "descriptor, \`DescriptorView\`" mps2-an386 "$(of instructions one-shot)" 400
    row "descriptor in one piece, \`FixedStream\`" mps2-an386 "$(of instructions parser)" -
    row "descriptor in one piece, \`FixedDecoder\`" mps2-an386 "$(of instructions decoder)" -
    row "payload in one piece, \`FixedDecoder\`" mps2-an386 "$(of instructions payload)" -
    row "byte of a descriptor, \`FixedDecoder\`" mps2-an386 "$(of instructions descriptor-byte)" 50
    row "byte of a payload, \`FixedDecoder\`" mps2-an386 "$(of instructions payload-byte)" 50
}

document() {
    cat <<EOF
# Footprint

Printed by \`.ci/footprint.sh --bless\`; CI measures again and allows 2 % of difference.

Configuration of every figure: Rust $toolchain with its prebuilt \`core\`, no cargo features, \`opt-level = "z"\`,
\`lto = "fat"\`, \`codegen-units = 1\`, \`panic = "abort"\`. Flash and static memory: the static library of
\`examples/size_probe\` with the feature that the figure names, linked with \`--gc-sections\` from its entry
points. State and stack: \`tests/bare/firmware\`, run on an emulated Cortex-M. Firmware and instructions:
\`examples/firmware\`, with the feature \`embedded-io-07\`. Budgets are the project's own, set
from prototypes that read descriptors and checked little. Those marked (over) are kept, and not kept to: all rules of a
descriptor, about 130, are in every build, since one that left some out would accept what others refuse.
EOF
    flash
    [ "$targets" = $reference ] || wasm
    memory
    firmware
}

# figures FILE: "figure, target=bytes" for each row.
figures() { sed -nE 's/^\| ([^|]+) \| ([^|]+) \| ([0-9]+) \| .*/\1, \2=\3/p' "$1"; }

compare() {
    awk -F= '
        NR == FNR { old[$1] = $2; next }
        { seen[$1] = 1; split($1, part, ", "); measured[part[2]] = 1 }
        !($1 in old) { print "new: " $1 " is " $2; bad = 1; next }
        { d = $2 - old[$1]; if (d < 0) d = -d
          if (d * 50 > old[$1]) { print "changed: " $1 " was " old[$1] ", is " $2; bad = 1 } }
        END {
            for (k in old) {
                split(k, part, ", ")
                if (!(k in seen) && part[2] in measured) { print "gone: " k; bad = 1 }
            }
            exit bad
        }
    ' <(figures "$doc") <(figures "$1")
}

have qemu-system-arm || fail "qemu-system-arm is needed to measure the stack"
fresh=$(mktemp)
trap 'rm -f "$fresh"' EXIT
document >"$fresh"
cat "$fresh"
case ${1:-} in
--bless) cp "$fresh" "$doc" && chmod 644 "$doc" ;;
"") compare "$fresh" || fail "docs/footprint.md is out of date; look at the difference and run .ci/footprint.sh --bless" ;;
*) fail "unknown argument $1" ;;
esac
