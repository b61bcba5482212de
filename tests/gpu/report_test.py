#!/usr/bin/env python3
"""run_all's report is whole if parts of it fail: a benchmark that is ended in the middle, or has nothing to say, and a
machine whose device cannot be used. A program counts only if something of it ran on the device and nothing failed there.

report_test.py RUN_ALL NVM PLANS
"""

import json
import os
import subprocess
import sys
import tempfile

run_all, nvm, plans = sys.argv[1:]
HEAD = '{"device": "D", "nvrtc": "13.0", "elements": 9, "cases": ['
CASE = '  {"name": "axpy", "best_us": 1.0, "equals_cpu": true}'


def report(folder, output, options=("--dry",), found=None):
    """The report with a benchmark that prints this and fails."""
    bench = os.path.join(folder, "bench")
    with open(os.path.join(folder, "output"), "w", encoding="ascii") as f:
        f.write(output)
    with open(bench, "w", encoding="ascii") as f:
        f.write(f"#!/bin/sh\ncat {folder}/output\nexit 3\n")
    os.chmod(bench, 0o755)
    command = nvm
    if found is not None:
        command = os.path.join(folder, "nvm")
        with open(command, "w", encoding="ascii") as f:
            f.write(f"#!/bin/sh\ncat << 'END'\n{found}\nEND\n")
        os.chmod(command, 0o755)
    empty = os.path.join(folder, "empty")
    os.makedirs(empty, exist_ok=True)
    run = subprocess.run(
        [run_all, *options, "--report", os.path.join(folder, "report"), "--nvm", command, "--plans", plans,
         "--bench", bench, "--programs", empty, "--conformance", empty],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    assert run.returncode == 1, run.stdout
    with open(os.path.join(folder, "report.json"), encoding="utf-8") as f:
        return json.load(f)


def programs(folder, said):
    """The report of a device on which every program gives what it should, and says this on standard error."""
    gallery, nvm_file, bench = (os.path.join(folder, name) for name in ("gallery", "nvm", "bench"))
    os.makedirs(gallery, exist_ok=True)
    for name, text in (("a.nesl", "1;\n"), ("a.nesl.out", "it = 1 : int\n")):
        with open(os.path.join(gallery, name), "w", encoding="ascii") as f:
            f.write(text)
    with open(nvm_file, "w", encoding="ascii") as f:
        f.write(f"""#!/bin/sh
if [ "$1" = devices ]; then echo 'device 0: D'; exit; fi
echo 'it = 1 : int'
cat >&2 << 'END'
{said}
END
""")
    with open(bench, "w", encoding="ascii") as f:
        f.write(f"#!/bin/sh\necho '{HEAD}]}}'\n")
    for file in (nvm_file, bench):
        os.chmod(file, 0o755)
    empty = os.path.join(folder, "empty")
    os.makedirs(empty, exist_ok=True)
    subprocess.run([run_all, "--report", os.path.join(folder, "report"), "--nvm", nvm_file, "--plans", "true", "--bench", bench,
                    "--programs", gallery, "--conformance", empty], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    with open(os.path.join(folder, "report.json"), encoding="utf-8") as f:
        return json.load(f)


COUNTED = "instructions    1\ncompiled        2\nfast paths:\n  kernels           2\n"
with tempfile.TemporaryDirectory() as work:
    there = programs(work, COUNTED + "  kernel on device  3")
    assert (there["programs_same"], there["on_device"], there["on_host"], there["programs_differ"]) == (2, 6, "", ""), there
    elsewhere = programs(work, COUNTED)
    assert elsewhere["programs_same"] == 0 and elsewhere["on_host"].count("a.nesl") == 2, elsewhere
    lost = programs(work, "nvm: the GPU failed while launching; the program goes on without it\n" + COUNTED + "  kernel on device  3")
    assert lost["programs_same"] == 0 and lost["programs_differ"].count("a.nesl") == 2, lost

with tempfile.TemporaryDirectory() as work:
    whole = report(work, f'{HEAD}\n{CASE}\n], "copy_gb_per_s": 0.0}}\n')
    assert whole["bench"]["copy_gb_per_s"] == 0, whole
    ended = report(work, f'{HEAD}\n{CASE},\n{CASE},\n  {{"name": "d')
    assert [c["name"] for c in ended["bench"]["cases"]] == ["axpy", "axpy"], ended
    later = report(work, f'{HEAD}\n{CASE}\n], "copy_gb_per_s": 4.0,\n "cubin_load_us": 3.000,\n')
    assert later["bench"]["cubin_load_us"] == 3, later
    assert report(work, "")["bench"] is None
    assert report(work, f"{HEAD}\n")["bench"]["cases"] == []
    words = 'driver:  "old"\ndevice 0: H100\nprograms run on the CPU: nothing can be compiled for the device'
    unusable = report(work, "", (), words)
    assert unusable["device_found"] is False and "H100" in unusable["found"], unusable
print("9 reports")
