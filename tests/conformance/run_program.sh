#!/bin/sh
# run_program.sh NVM PROGRAM.nesl: what a program of the gallery prints, in every tier, against PROGRAM.nesl.out.
# Options stand in its first line: "#!/usr/bin/env -S neslvm run OPTION ...". It runs in a folder of its own that has its data.
set -eu
nvm=$1 program=$2 name=$(basename "$2")
options=$(sed -n '1s/^#!.*neslvm run//p' "$program")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp "$(dirname "$program")"/*.csv "$(dirname "$program")"/*.txt "$folder" 2>/dev/null || true
cd "$folder"
failed=0
for tier in NVM_JIT=off NVM_JIT=hot NVM_JIT=always NVM_JIT=compare NVM_BLOCK_THRESHOLD=1 NVM_THREADS=1 \
  "NVM_JIT=always NVM_BLOCK_THRESHOLD=1 NVM_THREADS=2" "NVM_JIT=always NVM_BLOCK_THRESHOLD=off NVM_GUARD_AFTER=1"; do
  # shellcheck disable=SC2086 # the options are words, and so are settings
  if ! env $tier "$nvm" run $options "$program" >out 2>err; then
    echo "$name with $tier: exit status $?" && cat err && failed=1
  elif ! cmp -s out "$program.out"; then
    echo "$name with $tier:" && diff out "$program.out" && failed=1 || failed=1
  fi
done
exit $failed
