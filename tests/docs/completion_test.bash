#!/usr/bin/env bash
# completion_test.bash NVM: what the generated completion of bash offers.
set -euo pipefail
# shellcheck disable=SC1090
source <("$1" help --bash)
failed=0

# offers WORD -- COMMAND LINE...: whether WORD is among the completions of the last word.
offers() {
  local wanted=$1
  shift 2
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
  _neslvm
  printf '%s\n' "${COMPREPLY[@]}" | grep -qxF -- "$wanted" || { echo "$*: no $wanted among: ${COMPREPLY[*]}"; failed=1; }
}
refuses() {
  if said=$(failed=0; offers "$@"); [ -z "$said" ]; then echo "$*: is offered"; failed=1; fi
}

offers run -- nvm r
offers vinterp -- neslvm help v
offers --jit -- nvm run --j
offers compare -- nvm run --jit c
offers --jit -- nvm replay r.rec --
offers --ranks -- nvm resume r.state --r
offers all -- nvm run --print-length ''
offers all -- nvm bench --size ''
refuses N -- nvm run --print-length ''
refuses N -- nvm bench --size ''
offers --stages -- nvm disasm --
cd "$(dirname "$0")"
offers blocks.py -- nvm run blo
exit $failed
