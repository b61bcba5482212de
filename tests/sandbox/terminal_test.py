#!/usr/bin/env python3
"""At a terminal the commands that a user types are his own; what he loads, and what programs do, is not.

    terminal_test.py NVM ROOT
"""

import os
import pty
import select
import subprocess
import time

from common import NVM, Place, expect, finish


def typed(place, lines, *words):
    """What the terminal shows of a session."""
    ours, theirs = pty.openpty()
    environment = dict(os.environ, HOME=str(place.top), TERM="dumb")
    process = subprocess.Popen([NVM, "repl", *words], cwd=place.inside, stdin=theirs, stdout=theirs, stderr=theirs,
                               env=environment, close_fds=True, start_new_session=True)
    os.close(theirs)
    os.write(ours, ("\n".join(lines) + "\nexit;\n").encode())
    shown, end = b"", time.monotonic() + 60
    while time.monotonic() < end:
        if select.select([ours], [], [], 0.2)[0]:
            try:
                piece = os.read(ours, 65536)
            except OSError:
                break
            if not piece:
                break
            shown += piece
        elif process.poll() is not None:
            break
    process.kill() if process.poll() is None else None
    process.wait()
    os.close(ours)
    return shown.decode(errors="replace")


def main():
    with Place() as place:
        touch = f'shell "touch {place.marker}";'
        shown = typed(place, [touch])
        expect(f"a typed command: {shown!r}", place.marker.exists())
        place.marker.unlink(missing_ok=True)
        place.write("evil.nesl", touch + "\n")
        for lines, words in ((['load "evil.nesl";'], []), ([], ["evil.nesl"]), ([touch], ["--untrusted"]),
                             ([f'y = write_string_to_file("a", "{place.marker}");'], [])):
            shown = typed(place, lines, *words)
            expect(f"{lines} {words}: {shown!r}", "not permitted" in shown and not place.marker.exists())
    finish()


if __name__ == "__main__":
    main()
