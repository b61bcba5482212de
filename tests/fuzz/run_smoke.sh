#!/bin/sh
# Runs every fuzz target on its seeds and then on RUNS inputs made from them (one seed of the generator, but what
# coverage it meets, and so the inputs, may differ from build to build):
# run_smoke.sh BUILD_DIR [RUNS]. BUILD_DIR was configured with -DNVM_FUZZ=ON. A failing input is written to
# BUILD_DIR/fuzz-NAME-*; the exit status is 1 if there is one.
set -eu
build=$(cd "$1" && pwd)
runs=${2:-3000}
here=$(cd "$(dirname "$0")" && pwd)
count=0
failed=
for seeds in "$here"/corpus/*/; do
  name=$(basename "$seeds")
  target="$build/tests/fuzz/$name"
  [ -x "$target" ] || { echo "run_smoke.sh: $target is not built" >&2; exit 1; }
  count=$((count + 1))
  set --
  if [ -f "$target.dict" ]; then set -- "-dict=$target.dict"; fi
  # Machine code and plans have features by the ten thousand: to weigh them would take most of the time.
  if [ "$name" = tier_fuzz ]; then set -- "$@" -entropic=0; fi
  echo "== $name, $runs runs"
  mkdir -p "$build/fuzz-corpus/$name"
  "$target" -seed=1 -runs="$runs" -rss_limit_mb=2048 -max_len=4096 -verbosity=0 -print_funcs=0 -print_final_stats=1 \
    -artifact_prefix="$build/fuzz-$name-" "$@" "$build/fuzz-corpus/$name" "$seeds" || failed="$failed $name"
done
if [ -n "$failed" ]; then
  echo "failed:$failed"
  exit 1
fi
echo "$count fuzz targets, no failure"
