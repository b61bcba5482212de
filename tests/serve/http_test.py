#!/usr/bin/env python3
"""Every address of the playground, and every bad use of it, by HTTP.

    http_test.py NVM ROOT
"""

import json
import os
import resource
import signal
import socket
import subprocess
import time

from common import ENDLESS, NVM, ROOT, Playground, children, expect, finish, until

WAYS = ROOT / "vm/interp/ways_out.def"


def raw(playground, data, shut=False):
    """All that comes back for these bytes."""
    with socket.create_connection(("127.0.0.1", playground.port), timeout=30) as s:
        s.sendall(data)
        if shut:
            s.shutdown(socket.SHUT_WR)
        got = b""
        try:
            while piece := s.recv(65536):
                got += piece
        except ConnectionError:
            pass
        return got.decode(errors="replace")


def check_pages(p):
    for target, kind, words in (("/", "text/html", "<textarea"), ("/page.js", "text/javascript", "fetch('/run'"),
                                ("/page.css", "text/css", "#program"), ("/highlight.js", "text/javascript", "compileGrammar"),
                                ("/nesl.json", "application/json", "source.nesl"), ("/remora.json", "application/json", "source.remora"),
                                ("/examples.json", "application/json", "quicksort")):
        status, headers, text = p.ask("GET", target)
        expect(target, status == 200 and headers["Content-Type"].startswith(kind) and words in text, (status, dict(headers)))
        policy = headers["Content-Security-Policy"]
        expect(f"{target}: nothing from elsewhere", "default-src 'none'" in policy and "frame-ancestors 'none'" in policy, policy)
        expect(f"{target}: no other origin", "Access-Control-Allow-Origin" not in headers, dict(headers))
    page = p.ask("GET", "/")[2]
    expect("the page does not know the token", p.token not in page)
    expect("and has nothing from elsewhere", "http:" not in page and "https:" not in page)
    expect("an unknown page", p.ask("GET", "/passwd")[0] == 404)
    expect("a path", p.ask("GET", "/../../etc/passwd")[0] == 404)


def check_programs(p):
    done = p.run("{x * x : x in [1:6]};\n\"h\" ++ \"i\";\n")
    expect("a program", done["out"] == 'it = [1, 4, 9, 16, 25] : [int]\nit = "hi" : [char]\n' and done["end"] == "good", done)
    done = p.run("(+ 1 [1 2 3])\n", "remora")
    expect("Remora", done["end"] == "good" and "[2 3 4]" in done["out"], done)
    done = p.run("x = 1;\nx + 2.5;\n")
    expect("a wrong one", done["end"] == "refused" and done["err"].startswith("standard input:2:5: error: ") and done["out"] == "", done)
    done = p.run("x = 1;\n[1, 2][x + 4];\n")
    expect("one that fails", done["end"] == "failed" and done["err"].startswith("standard input:2: run-time error: "), done)
    done = p.run("plot([1, 4, 9]);\n")
    expect("a chart", done["out"].startswith("it : chart\n<svg ") and done["out"].endswith("</svg>\n"), done)
    done = p.run("print_string(\"" + 20000 * "\u00e9\u2014\u4e2d" + "\");\n")
    expect("UTF-8, in many pieces", done["err"] == 20000 * "\u00e9\u2014\u4e2d" + "\n", done)
    done = p.run("print_char(code_char(200));\n")
    expect("bytes that are no UTF-8", done["end"] == "good" and "\ufffd" in done["err"], done)
    expect("an empty program", p.run("")["end"] == "good")
    expect("the events have one end", done["order"].count("end") == 1 and done["order"][-1] == "end", done)


def check_profile(p):
    done = p.run((ROOT / "programs/quicksort.nesl").read_text(), profile=True)
    expect("a profile", done["end"] == "good" and "quicksort:" in done["report"] and "it = [" in done["err"], done)
    status, headers, text = p.ask("GET", done["page"])
    expect("its page", status == 200 and "flame-graph" in text and "quicksort" in text, status)
    expect("it has no rights", headers["Content-Security-Policy"].startswith("sandbox allow-scripts; default-src 'none'"), dict(headers))
    status, headers, text = p.ask("GET", done["trace"])
    expect("its trace", status == 200 and len(json.loads(text)) > 10, status)
    expect("nobody guesses it", p.ask("GET", "/profile/" + "0" * 32)[0] == 404)
    for _ in range(4):
        p.run("1;", profile=True)
    expect("old ones go", p.ask("GET", done["page"])[0] == 404)


def check_strangers(p):
    """Other pages, other names, and who does not know the token."""
    body = json.dumps({"program": "1;", "language": "nesl"})
    good = p.headers()
    expect("as it should be", p.ask("POST", "/run", body, good)[0] == 200)
    own = f"http://127.0.0.1:{p.port}"
    name = f"localhost:{p.port}"
    expect("localhost", p.ask("POST", "/run", body, {**good, "Host": name, "Origin": f"http://{name}"})[0] == 200)
    expect("its own page", p.ask("POST", "/run", body, {**good, "Origin": own, "Sec-Fetch-Site": "same-origin"})[0] == 200)
    for what, headers, status, words in (
            ("another name", {**good, "Host": f"evil.example:{p.port}"}, 403, "and nothing else"),
            ("another port", {**good, "Host": "127.0.0.1:1"}, 403, "and nothing else"),
            ("no name", {**good, "Host": ""}, 403, "and nothing else"),
            ("another page", {**good, "Origin": "http://evil.example"}, 403, "only the page of this server"),
            ("a page of another port", {**good, "Origin": "http://127.0.0.1:1"}, 403, "only the page of this server"),
            ("a page without origin", {**good, "Origin": "null"}, 403, "only the page of this server"),
            ("another site", {**good, "Sec-Fetch-Site": "cross-site"}, 403, "only the page of this server"),
            ("no token", {**good, "X-Nvm-Token": ""}, 403, "behind the #"),
            ("another token", {**good, "X-Nvm-Token": "0" * 32}, 403, "behind the #"),
            ("the beginning of it", {**good, "X-Nvm-Token": p.token[:-1]}, 403, "behind the #"),
            ("a form", {**good, "Content-Type": "text/plain"}, 415, "application/json")):
        got, answered, text = p.ask("POST", "/run", body, headers)
        expect(what, got == status and words in json.loads(text)["error"] and "Access-Control-Allow-Origin" not in answered, (got, text))
    two = (f"POST /run HTTP/1.1\r\nHost: 127.0.0.1:{p.port}\r\nHost: evil.example\r\nContent-Type: application/json\r\n"
           f"X-Nvm-Token: {p.token}\r\nContent-Length: {len(body)}\r\n\r\n{body}")
    expect("two names", " 403 " in raw(p, two.encode(), shut=True).split("\n")[0])
    expect("what a browser asks first", p.ask("OPTIONS", "/run", headers={"Origin": "http://evil.example"})[0] == 405)
    expect("the page by another name", p.ask("GET", "/", headers={"Host": "evil.example"})[0] == 403)
    expect("the loopback device only", subprocess.run(["ss", "-ltnH", f"sport = :{p.port}"], capture_output=True, text=True, check=False)
           .stdout.count("0.0.0.0:*") <= 1)
    with open("/proc/net/tcp", encoding="ascii") as table:
        listening = [line.split()[1] for line in table if line.split()[3] == "0A" and line.split()[1].endswith(f":{p.port:04X}")]
    expect("127.0.0.1 and no other", listening == [f"0100007F:{p.port:04X}"], listening)


def check_nonsense(p):
    good = p.headers()
    for what, body, status, words in (
            ("no JSON", "{", 400, "object of JSON"), ("no object", "[1]", 400, "object of JSON"), ("nothing", "", 400, "object of JSON"),
            ("no UTF-8", b'{"program": "\xff", "language": "nesl"}', 400, "object of JSON"),
            ("depth", "[" * 500000, 400, "object of JSON"), ("depth in it", '{"program": ' + "[" * 200000 + "]" * 200000 + "}", 400, "expected program"),
            ("no program", '{"language": "nesl"}', 400, "missing"), ("no language", '{"program": "1;"}', 400, "missing"),
            ("a number", '{"program": 1, "language": "nesl"}', 400, "expected program"),
            ("another language", '{"program": "1;", "language": "--allow"}', 400, "expected program"),
            ("an option", '{"program": "1;", "language": "nesl", "allow": "read"}', 400, "expected program"),
            ("a long program", json.dumps({"program": " " * 300000, "language": "nesl"}), 413, "262144 bytes"),
            ("a long body", "x" * 3000000, 413, "1048576 bytes")):
        got, _, text = p.ask("POST", "/run", body, good)
        expect(what, got == status and words in json.loads(text)["error"], (got, text))
    expect("a GET", p.ask("GET", "/run", headers=good)[0] == 405)
    expect("a PUT", p.ask("PUT", "/", "x")[0] == 405)
    for what, data, words in (("noise", b"\x00\x01\x02\r\n\r\n", " 400 "), ("another protocol", b"SSH-2.0-x\r\n\r\n", " 400 "),
                              ("TLS", b"\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03" + b"\r\n" * 50, " 400 "),
                              ("a long header", b"GET / HTTP/1.1\r\nX: " + b"y" * 20000 + b"\r\n\r\n", " 431 "),
                              ("a wrong length", b"POST /run HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n", " 400 "),
                              ("a giant", b"POST /run HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999\r\n\r\n", " 413 ")):
        got = raw(p, data)
        expect(what, words in got.split("\r\n")[0] and '{"error":' in got, got)
    got = raw(p, b"POST /run HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\nabc", shut=True)
    expect("half a request", " 400 " in got, got)
    raw(p, b"", shut=True)
    crowd = [socket.create_connection(("127.0.0.1", p.port), timeout=30) for _ in range(100)]
    crowd[0].sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    expect("who came first is served in a crowd", b" 403 " in crowd[0].recv(1000))
    for s in crowd:
        s.close()
    crowd = [socket.create_connection(("127.0.0.1", p.port), timeout=30) for _ in range(100)]
    for s in crowd:
        s.sendall(b"GET / HT")
    begin = time.monotonic()
    expect("a crowd that asks for nothing", p.ask("GET", "/")[0] == 200 and time.monotonic() - begin < 6, time.monotonic() - begin)
    for s in crowd:
        s.close()
    expect("it serves on", p.run("1;")["end"] == "good")


def check_limits():
    with Playground("--time-limit", "1", "--output-limit", "10k", "--memory", "100M") as p:
        done = p.run(ENDLESS)
        expect("no end", done["end"] == "failed" and "time limit" in done["err"], done)
        done = p.run("sum(dist(1.5, 100000000));")
        expect("memory", done["end"] == "failed" and "memory" in done["err"], done)
        done = p.run("function say(n) = let x = print_string(\"0123456789abcdef\") in say(n + 1) $\nsay(0);\n")
        expect("output", done["end"] == "failed" and len(done["out"]) < 20000 and "output" in done["err"], done)
        expect("a good one after them", p.run("1 + 1;")["out"] == "it = 2 : int\n")
        expect("nothing is left", until(lambda: children(p.process.pid) == []), children(p.process.pid))
    with Playground("--fuel", "1000") as p:
        done = p.run(ENDLESS)
        expect("fuel", done["end"] == "failed" and "fuel" in done["err"], done)


def check_endless():
    """Several endless programs, clients that go away, and the end of it all."""
    with Playground("--time-limit", "300", "--fuel", "1000000000000000") as p:
        pid = p.process.pid
        running = [p.start(ENDLESS) for _ in range(4)]
        expect("four run", until(lambda: len(children(pid)) == 4), children(pid))
        done = p.run("1;")
        expect("a fifth does not", done["status"] == 503 and "stop one" in done["error"], done)
        expect("pages are served", p.ask("GET", "/")[0] == 200)
        for connection, answer in running[:2]:
            answer.close()
            connection.close()
        expect("who goes away takes his program along", until(lambda: len(children(pid)) == 2), children(pid))
        expect("there is room again", p.run("1;")["end"] == "good")
        outside = int(p.process.pid)
        p.end(signal.SIGINT)
        expect("it ends in order", p.process.returncode == 0, (p.process.returncode, p.process.stderr.read()))
        expect("and leaves nothing", children(outside) == [] and alone(running[2:]))
    with Playground("--time-limit", "300", "--fuel", "1000000000000000") as p:
        keep = p.start(ENDLESS)
        expect("one runs", until(lambda: len(children(p.process.pid)) == 1))
        child = children(p.process.pid)[0]
        p.end(signal.SIGKILL)
        expect("killed, it leaves nothing either", until(lambda: not is_nvm(child)), child)
        keep[0].close()


def is_nvm(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as f:
            return f.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def alone(running):
    """Whether the answers end without an end of a program."""
    return all(b'"end"' not in rest_of(answer) for _, answer in running)


def rest_of(answer):
    try:
        return answer.read()
    except Exception:  # of a broken connection, whatever it is called
        return b""


def check_walls(p):
    """Programs get out by none of the ways there are (tests/sandbox goes through them, too)."""
    for text in ('read_string_from_file("/etc/passwd");', 'write_string_to_file("a", "/tmp/nvm_serve_marker");', 'shell_command("id", "");',
                 'load "/etc/passwd";', 'import "/etc/passwd";', 'shell "id";', 'edit;', 'dump world "/tmp/nvm_serve_marker";',
                 'dump vcode "/tmp/nvm_serve_marker" 1;', 'load "nvm_serve_secret.nesl";'):
        done = p.run("x = 1;\n" + text + "\n")
        expect(text, done["end"] in ("failed", "refused") and ("not permitted" in done["err"] or "cannot be" in done["err"])
               and "root:" not in json.dumps(done), done)
    done = p.run("#get_environment_variable(\"PATH\");")
    expect("the environment", "not permitted" in done["err"] or "it = 0" in done["out"], done)
    rows = [line for line in WAYS.read_text().splitlines() if line.startswith("WAY_OUT(")]
    expect("ways out that are tried here: all but the page's source, which is VCODE's", len(rows) == 10, len(rows))


def check_examples(p):
    for example in json.loads(p.ask("GET", "/examples.json")[2]):
        done = p.run(example["text"], example["language"])
        expect(f"example {example['name']}", done["end"] == "good" and done["out"] != "" and done["err"] == "", done)


def check_command():
    for words, said in ((["--port", "70000"], "expected an integer from 0 to 65535"), (["x"], "unexpected operand"), (["--time-limit", "x"], "--time-limit x")):
        done = subprocess.run([NVM, "serve", *words], capture_output=True, text=True, check=False, timeout=60)
        expect(f"serve {words}", done.returncode == 2 and said in done.stderr, done)
    with open("/dev/full", "w", encoding="ascii") as full:
        done = subprocess.run([NVM, "serve", "--port", "0"], stdout=full, stderr=subprocess.PIPE, text=True, check=False, timeout=60)
        expect("nobody is told where", done.returncode == 1 and done.stderr == "nvm: cannot write standard output: No space left on device\n", done)
    with Playground() as p:
        done = subprocess.run([NVM, "serve", "--port", str(p.port)], capture_output=True, text=True, check=False, timeout=60)
        expect("a port in use", done.returncode == 1 and f"port {p.port}: Address already in use" in done.stderr, done)
    if "NVM_SANITIZED" not in os.environ:  # which looks at memory through pipes
        done = subprocess.run([NVM, "serve", "--port", "0"], capture_output=True, text=True, check=False, timeout=60,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (4, 4)))
        expect("no descriptors", done.returncode == 1 and done.stderr == "nvm: cannot serve: epoll: Too many open files\n", done)
    with Playground(env={"NVM_ALLOW": "read", "NVM_JIT": "nonsense"}) as p:
        expect("options of the environment are not the programs'", p.run("1;")["end"] == "good")


def main():
    with Playground() as p:
        check_pages(p)
        check_programs(p)
        check_profile(p)
        check_strangers(p)
        check_nonsense(p)
        check_walls(p)
        check_examples(p)
    check_limits()
    check_endless()
    check_command()
    finish()


if __name__ == "__main__":
    main()
