#!/usr/bin/env python3
"""The carrier for MPI under a real launcher: random rounds, in one piece and in many; ranks that are killed, fail
or stop; a plug-in of another MPI.

    rounds.py MPI BUILD RANK_ROUNDS
"""

import sys

import launch

FAULTS = (  # words, what is printed; a killed rank leaves the word to the launcher
    ("rank=1 call=50 do=kill", ""),
    ("rank=2 call=50 do=fail", "rank 2 failed at call 50"),
    ("rank=1 call=50 do=stop", "rank 1 does not answer"),
    ("rank=0 call=50 do=stop", "rank 0 does not answer"),
)


def main(mpi, build, program):
    launch.skip_if_missing(build, mpi)
    wrong = []

    def expect(what, good, result):
        if not good:
            wrong.append(f"{what}: status {result[0]}\n{result[1][:1000]}{result[2][:2000]}")

    plugin = str(launch.plugin(build, mpi))
    for ranks in (1, 2, 3):
        for piece in (0, 1000):
            result = launch.run(mpi, ranks, [program, 7 * ranks, 120, 3000, piece], NVM_MPI=plugin)
            said = f"{ranks} ranks: " in result[1] and "rounds, right" in result[1]
            expect(f"{ranks} ranks, pieces of {piece}", result[0] == 0 and said and result[1].count("\n") == 1, result)
    for faults, message in FAULTS:
        result = launch.run(mpi, 3, [program, 5, 120, 3000, 0, faults], NVM_MPI=plugin)
        good = result[0] != 0 and "right" not in result[1] and message in result[2]
        expect(faults, good and result[2].count("broken: ") == (1 if message else 0), result)
    for other in launch.LAUNCHERS:
        if other != mpi and not launch.missing(build, other):
            result = launch.run(mpi, 2, [program, 1, 1, 1, 0], NVM_MPI=str(launch.plugin(build, other)))
            expect(f"the plug-in of {other}", result[0] != 0 and result[2].count("refused: the launcher of") == 1, result)
    result = launch.run(mpi, 2, [program, 1, 1, 1, 0], NVM_MPI="/nowhere.so")
    expect("no plug-in", result[0] != 0 and result[2].count("refused: started by the launcher of") == 1, result)
    print("\n".join(wrong) or "right")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
