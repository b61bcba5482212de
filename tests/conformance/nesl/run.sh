#!/bin/bash
# usage: run.sh 'COMMAND' [NAME ...]
# Runs COMMAND NAME.nesl for the rows of index.tsv beside this script (all, or the named ones).
#   ok     exit status 0, and standard output equal to NAME.out up to blanks, folded lines (indented), notices
#          of redefinition and the names of type variables
#   error  exit status 2 (or 1 for a run-time error) and standard error with NAME.nesl:LINE
# Prints what fails, with the reason, and last "N passed, M failed".
dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 2
[ $# -ge 1 ] || { echo "usage: $0 'COMMAND' [NAME ...]" >&2; exit 2; }
command=$1
shift
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT

passed=0 failed=0
bad() { failed=$((failed + 1)); printf '%s\t%s\n' "$1" "$2"; }
while IFS=$'\t' read -r name category expect class line _; do
  [ "$name" = name ] && continue
  [ $# -eq 0 ] || [[ " $* " == *" $name "* ]] || continue
  (cd "$dir" && bash -c "$command \"\$0\"" "$name.nesl") >"$tmp/out" 2>"$tmp/err" </dev/null
  rc=$?
  case $class in runtime-* | other) allowed='1 2' ;; *) allowed=2 ;; esac
  if [ $rc -ge 124 ]; then bad "$name" "died, status $rc"
  elif [ "$expect" = ok ]; then
    if [ $rc -ne 0 ]; then bad "$name" "exit status $rc: $(head -1 "$tmp/err")"
    elif ! cmp -s "$dir/$name.out" "$tmp/out" && ! "$dir/compare.py" "$dir/$name.out" "$tmp/out"; then bad "$name" "output differs"
    else passed=$((passed + 1)); fi
  elif [[ " $allowed " != *" $rc "* ]]; then bad "$name" "exit status $rc, expected $allowed ($class)"
  elif ! grep -qE "(^|[^A-Za-z0-9_])$name\.nesl:$line([^0-9]|\$)" "$tmp/err"; then
    bad "$name" "message without $name.nesl:$line: $(head -1 "$tmp/err")"
  else passed=$((passed + 1)); fi
done <"$dir/index.tsv"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
