"""The playground as a command that ends: it is asked for a page and for a program, and interrupted."""

import http.client
import json
import os
import re
import select
import signal
import subprocess
import time

PATIENCE = 60  # seconds


def ask(port, method, target, body=None, token=""):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        connection.request(method, target, body, {"Content-Type": "application/json", "X-Nvm-Token": token})
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    except (http.client.HTTPException, OSError) as lost:
        return 0, f"lost: {lost!r}"
    finally:
        connection.close()


def first_line(process):
    end = time.monotonic() + PATIENCE
    line = b""
    while not line.endswith(b"\n") and time.monotonic() < end:
        if not select.select([process.stdout], [], [], 0.1)[0]:
            continue
        piece = os.read(process.stdout.fileno(), 1)
        if not piece:
            break
        line += piece
    return line.decode()


def run(words, folder, environment):
    """As subprocess.run(). What the client got is its output; what he was told of a failure is among its messages."""
    process = subprocess.Popen(words, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    found = re.match(r"open http://127\.0\.0\.1:(\d+)/#(\w+)", first_line(process))
    got, told = "", ""
    if found:
        status, text = ask(int(found[1]), "GET", "/")
        got += f"{status} {len(text)}\n"
        told += text if status == 0 else ""
        status, text = ask(int(found[1]), "POST", "/run", json.dumps({"program": "1 + 1;\n", "language": "nesl"}), found[2])
        got += f"{status} {text}"
        told += text if status != 200 or '"stopped"' in text or '"end"' not in text else ""
        process.send_signal(signal.SIGINT)
    try:
        _, messages = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise
    return subprocess.CompletedProcess(words, process.returncode, got.encode(), messages + told.encode())
