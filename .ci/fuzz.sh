#!/usr/bin/env bash
# Runs every fuzz target for some seconds: .ci/fuzz.sh [SECONDS]. Finds go to a scratch corpus; inputs that
# fail go to fuzz/artifacts.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

cd "$root"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for target in $(cargo +nightly fuzz list); do
    mkdir "$scratch/$target"
    cargo +nightly fuzz run "$target" "$scratch/$target" "fuzz/corpus/$target" -- \
        -max_total_time="${1:-10}" -max_len=4096 -timeout=10 -print_final_stats=1 2>"$scratch/log" \
        || { tail -n 60 "$scratch/log"; fail "$target"; }
    sed -n "s/^stat::number_of_executed_units: */$target: runs /p" "$scratch/log"
done
