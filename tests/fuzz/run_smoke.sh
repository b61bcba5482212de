#!/bin/sh
# Runs every fuzz target for some seconds on its seeds: run_smoke.sh BUILD_DIR [SECONDS]. BUILD_DIR was configured
# with -DNVM_FUZZ=ON. New inputs stay in BUILD_DIR; a failing one is written to BUILD_DIR/fuzz-NAME-crash-*.
set -eu
build=$(cd "$1" && pwd)
seconds=${2:-30}
here=$(cd "$(dirname "$0")" && pwd)
found=0
for seeds in "$here"/corpus/*/; do
  name=$(basename "$seeds")
  target="$build/tests/fuzz/$name"
  [ -x "$target" ] || { echo "run_smoke.sh: $target is not built" >&2; exit 1; }
  found=$((found + 1))
  mkdir -p "$build/fuzz-corpus/$name"
  set --
  [ -f "$target.dict" ] && set -- "-dict=$target.dict"
  echo "== $name, $seconds s"
  "$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=4096 -print_final_stats=1 \
    -artifact_prefix="$build/fuzz-$name-" "$@" "$build/fuzz-corpus/$name" "$seeds"
done
echo "$found fuzz targets, no failure"
