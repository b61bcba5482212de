"""The ways in which nvm can execute a program: options and environment for each name."""

MODES = {
    "off": "--jit off",
    "hot": "--jit hot",
    "always": "--jit always",
    "compare": "--jit compare",
    "greedy": "--jit always --fusion greedy",
    "unfused": "--jit always --fusion off",
    "plain": "--jit off --optimise off",
    "plain-always": "--jit always --optimise off",
    "avx2": "--jit always --isa avx2",
    "avx512": "--jit always --isa avx512",
    "portable": "--jit off --isa portable",
    "avx2-off": "--jit off --isa avx2",
    "blocks": "--jit off --block-threshold 1 --threads 2",
    "blocks-always": "--jit always --block-threshold 1 --threads 2",
    "no-blocks": "--jit always --block-threshold off",
    "threads1": "--jit always --threads 1",
    "threads2": "--jit off --threads 2",
    "threads5": "--jit always --threads 5",
    "ranks": "--ranks 3 --spread 20",
    "ranks-always": "--jit always --ranks 2 --spread 500",
    "devices": "--jit always --devices cpu*2 --threads 2",
    "devices-unequal": "--jit always --devices cpu*3=1:2:5 --threads 3",
    "guards": "--jit always --guard-after 1 --block-threshold off",
    "tiny": "--jit always --region-limit 2 --region-variants 1 --code-memory 4k",
    "small": "--jit always --region-limit 7",
  "ranks": "--ranks 2 --spread 2",
  "parts": "--jit always --devices cpu*3",
}

# The stack machine of the legacy interpreter, for VCODE only.
LEGACY = {"vinterp": "", "vinterp-checked": "-c"}

def options(mode, bits):
  if mode in LEGACY:
    return ["vinterp"] + LEGACY[mode].split()
  return MODES[mode].split() + ["--int-bits", str(bits)]
