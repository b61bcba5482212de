"""A playground that serves, and asking it."""

import http.client
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

NVM = pathlib.Path(sys.argv[1]).resolve()
ROOT = pathlib.Path(sys.argv[2]).resolve()
ENDLESS = "function twice(n) = if n == 0 then 1 else twice(n - 1) + twice(n - 1) $\ntwice(80);\n"  # as good as
problems = []


def expect(what, good, detail=""):
    if not good:
        problems.append(f"{what}: {str(detail)[:1500]}")


def finish():
    print("\n".join(problems) or "good")
    sys.exit(1 if problems else 0)


def until(condition, seconds=20):
    """Whether it comes true; what others do takes a while."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def children(pid):
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text(errors="replace").rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[1]) == pid and fields[0] != "Z":
            found.append(int(path.parent.name))
    return found


class Playground:
    def __init__(self, *words, env=None):
        self.place = tempfile.TemporaryDirectory(prefix="nvm_serve_")
        environment = {k: v for k, v in os.environ.items() if not k.startswith("NVM_")}
        environment.update(XDG_CACHE_HOME=self.place.name, **(env or {}))
        # The search for leaks at the end of an instrumented process traces it, which the filter of system calls refuses.
        environment["ASAN_OPTIONS"] = environment.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
        self.process = subprocess.Popen([NVM, "serve", "--port", "0", *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True, cwd=self.place.name, env=environment)
        line = self.process.stdout.readline()
        found = re.fullmatch(r"open (http://127\.0\.0\.1:(\d+)/#([0-9a-f]{32}))\n", line)
        if not found:
            sys.exit(f"it does not serve: {line} {self.process.stderr.read()}")
        self.address, self.port, self.token = found[1], int(found[2]), found[3]

    def __enter__(self):
        return self

    def __exit__(self, *ignored):
        if self.process.poll() is None:
            self.end(signal.SIGINT)
        self.place.cleanup()

    def end(self, how):
        self.process.send_signal(how)
        self.process.wait(30)

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)

    def ask(self, method, target, body=None, headers=None):
        """Status, headers and text of one answer."""
        connection = self.connect()
        connection.request(method, target, body=body, headers=headers or {})
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, answer.headers, text

    def headers(self, **others):
        return {"Content-Type": "application/json", "X-Nvm-Token": self.token, **others}

    def start(self, program, language="nesl", profile=False):
        """The answer of a program that runs, to be read, and its connection."""
        connection = self.connect()
        connection.request("POST", "/run", json.dumps({"program": program, "language": language, "profile": profile}), self.headers())
        return connection, connection.getresponse()

    def run(self, program, language="nesl", profile=False):
        """What a program has written, by stream, and how it ended."""
        connection, answer = self.start(program, language, profile)
        text = answer.read().decode()
        connection.close()
        if answer.status != 200:
            return {"status": answer.status, "error": json.loads(text)["error"]}
        found = {"status": 200, "out": "", "err": "", "report": "", "order": []}
        for line in text.splitlines():
            for key, value in json.loads(line).items():
                found["order"].append(key)
                found[key] = found[key] + value if key in ("out", "err", "report") else value
        return found
