#!/usr/bin/env bash
# What linked images must not hold: panics, an allocator, floating point; firmware, formatting; wasm, imports. Each search
# first has to find what it looks for in a control image that holds it.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# one image with every entry point, and one with those that do not compute with what elements hold
everything=all
integers=integers
targets="thumbv7em-none-eabi x86_64-unknown-none"

# Of symbols:
panic='core::panicking|core::(option|result|slice|str|cell|num|char)::.*fail|rust_begin_unwind'
allocator='__rust_(alloc|dealloc|realloc)|__rg_|__rdl_|alloc::(alloc|raw_vec|vec)|\b(malloc|free|realloc)$'
# A panic handler that nothing reaches is not linked either, so images may not even hold their own.
formatting='core::fmt'
# Soft-float helpers among the symbols, floating-point registers and mnemonics in x86 code:
float='__aeabi_[fd]|__(add|sub|mul|div|neg|eq|ne|lt|le|gt|ge|unord|cmp|fix|fixuns|float|floatun|extend|trunc|powi)[a-z]*[sdth]f|compiler_builtins::(float|math)'
float+='|%[xyz]?mm[0-9]|%st\b|\s(fld|fst|fild|fist|fadd|fsub|fmul|fdiv|fcom|fucom|fxch|fchs|fabs)'

symbols() { "$llvm/llvm-nm" --demangle --defined-only "$1"; }

code() {
    symbols "$1"
    case $1 in *x86_64*) "$llvm/llvm-objdump" --disassemble --no-show-raw-insn "$1" ;; esac
}

imports() {
    node -e '
        const module = new WebAssembly.Module(require("fs").readFileSync(process.argv[1]));
        console.log("exports:", WebAssembly.Module.exports(module).length);
        for (const i of WebAssembly.Module.imports(module)) console.log("import", i.module, i.name);' "$1"
}

# c_elf TARGET VARIANT: the C interface with all its functions, or a control.
c_elf() {
    local archive
    case $2 in
    c_interface)
        archive=$(c_archive release "$1")
        link_entries "$archive" hrry "${archive%.a}.elf"
        ;;
    *) probe_elf "$@" ;;
    esac
}

# search IMAGE LISTING PATTERN: what of the listing matches. An empty listing is an error, not a pass.
search() {
    local text
    text=$("$2" "$1")
    [ -n "$text" ] || fail "$2 of $1 is empty"
    grep -E -- "$3" <<<"$text" || true
}

# gate NAME LISTING PATTERN CONTROL BUILD TARGET VARIANT
gate() {
    local name=$1 listing=$2 pattern=$3 control=$4 build=$5 target=$6 variant=$7 image found
    image=$("$build" "$target" "$control")
    found=$(search "$image" "$listing" "$pattern")
    [ -n "$found" ] || fail "the control of '$name' on $target was not found"
    image=$("$build" "$target" "$variant")
    found=$(search "$image" "$listing" "$pattern")
    if [ -n "$found" ]; then
        wrong+=("$name: $variant on $target")
        sed "s/^/    $variant: /" <<<"$found"
    fi
    echo "searched $variant on $target: $name"
}

wrong=()
for target in $targets; do
    gate "no panic" symbols "$panic" control_panic probe_elf "$target" $everything
    gate "no allocator" symbols "$allocator" control_alloc probe_elf "$target" $everything
    gate "no floating point" code "$float" control_float probe_elf "$target" $integers
done
target=${targets%% *}
gate "no panic" symbols "$panic" control_panic c_elf "$target" c_interface
gate "no allocator" symbols "$allocator" control_alloc c_elf "$target" c_interface
gate "no floating point" code "$float" control_float c_elf "$target" c_interface
for target in thumbv7em-none-eabi thumbv7m-none-eabi; do
    for image in sensor receiver selftest; do
        gate "no panic" symbols "$panic" control_panic firmware_elf "$target" $image
        gate "no formatting" symbols "$formatting" control_format firmware_elf "$target" $image
        gate "no allocator" symbols "$allocator" control_alloc firmware_elf "$target" $image
    done
done
gate "no formatting" symbols "$formatting" control_format firmware_elf "${targets%% *}" log
if have node; then
    gate "no imports" imports '^import' control_import probe_wasm wasm32-unknown-unknown $everything
else
    echo "SKIPPED: no imports (node is not there)"
fi

if [ ${#wrong[@]} -gt 0 ]; then
    printf 'FAILED: %s\n' "${wrong[@]}" >&2
    exit 1
fi
echo "gates: all passed"
