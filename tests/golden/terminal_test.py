#!/usr/bin/env python3
"""nvm repl at a terminal: colours where they are wanted, and forms of several lines that come back with one key.

    terminal_test.py NVM
"""

import os
import pty
import select
import signal
import sys
import tempfile
import time
import unittest

NVM = sys.argv[1]
TIMEOUT = 120


class Session:
    def __init__(self, home, **environment):
        self.text = ""
        pid, self.terminal = pty.fork()
        if pid == 0:
            kept = {k: v for k, v in os.environ.items() if k != "NO_COLOR" and not k.startswith("NVM_")}
            os.execve(NVM, [NVM, "repl"], {**kept, "HOME": home, "TERM": "xterm", "LC_ALL": "C.UTF-8", **environment})
        self.pid = pid

    def until(self, mark):
        """What comes up to a mark, with it."""
        end = time.monotonic() + TIMEOUT
        while mark not in self.text:
            ready, _, _ = select.select([self.terminal], [], [], end - time.monotonic())
            if not ready:
                raise TimeoutError(f"no {mark!r} in {self.text!r}")
            self.text += os.read(self.terminal, 65536).decode()
        found, mark, self.text = self.text.partition(mark)
        return found + mark

    def type(self, keys):
        os.write(self.terminal, keys.encode())

    def leave(self):
        self.type("exit\r")
        self.until("Leaving")
        os.waitpid(self.pid, 0)
        os.close(self.terminal)


class Terminal(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.home = place.name

    def shown(self, form, mark, **environment):
        session = Session(self.home, **environment)
        session.until("> ")
        session.type(form + "\r")
        found = session.until(mark)
        session.leave()
        return found

    def test_colours(self):
        self.assertIn("\x1b[1mit\x1b[0m = [2, 3]\x1b[2m : [int]\x1b[0m", self.shown("{x + 1 : x in [1, 2]};", "[int]\x1b[0m"))
        self.assertIn("input:1:1: \x1b[1;31merror:\x1b[0m FOO", self.shown("foo;", "FOO"))
        # A value that looks like a type, and one that would move the cursor, are values.
        self.assertIn('it\x1b[0m = "a : [int]"\x1b[2m : [char]', self.shown('"a : [" ++ "int]";', " : [char]"))
        self.assertIn('"\\x1b[31m"', self.shown("\"\" ++ {code_char(c) : c in [27, 91, 51, 49, 109]};", "[char]"))

    def test_no_colours(self):
        for environment in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            self.assertIn("it = 3 : int", self.shown("1 + 2;", ": int", **environment))

    def test_characters_beyond_ascii(self):
        for locale in ("C.UTF-8", "C", "xx_XX"):
            self.assertIn('it = ("é😀", 6)', self.shown('("é😀", #"é😀");', "int\r", NO_COLOR="1", LC_ALL=locale))

    def test_names_are_completed_wherever_they_begin(self):
        with open(os.path.join(self.home, "m.nesl"), "w", encoding="utf-8") as module:
            module.write("function meanest(v) = 7;\n")
        session = Session(self.home, NO_COLOR="1")
        session.until("> ")
        session.type(f'import "{self.home}/m";\r')
        session.until("> ")
        for typed, shown in (("[2]++[m.mea\t(1)];", "[2, 7]"), ("1+m.\t(1);", "8 : int"), ("{sqr\t(x):x in [4.0]};", "[2.0]")):
            session.type(typed + "\r")
            session.until("it = " + shown)
        session.leave()

    def test_a_form_of_several_lines_comes_back_with_one_key(self):
        session = Session(self.home, NO_COLOR="1")
        session.until("> ")
        session.type("sum({x * x :\r x in\r [1:4]});\r")
        session.until("it = 14 : int")
        session.type("\x1b[A\r")
        session.until("it = 14 : int")
        session.leave()
        with open(os.path.join(self.home, ".nvm_history"), encoding="utf-8") as history:
            self.assertEqual(len(set(history.read().splitlines()) - {"_HiStOrY_V2_"}), 2)  # with exit


    def test_what_is_typed_is_kept_at_once(self):
        one, other = Session(self.home, NO_COLOR="1"), Session(self.home, NO_COLOR="1")
        for session, form in ((one, "1111"), (other, '"\u00e9 \\\\2"'), (one, "3333")):
            session.until("> ")
            session.type(form + ";\r")
            session.until("it = ")
        one.leave()
        os.kill(other.pid, signal.SIGHUP)
        os.waitpid(other.pid, 0)
        os.close(other.terminal)
        later = Session(self.home, NO_COLOR="1")
        later.until("> ")
        later.type("\x1b[A\x1b[A\x1b[A\r")  # before exit and 3333
        later.until('it = "\u00e9 \\\\2"')
        later.type("\x1b[A\x1b[A\x1b[A\x1b[A\x1b[A\r")
        later.until("it = 1111")
        later.leave()

    def test_a_command_ends_with_its_line(self):
        session = Session(self.home, NO_COLOR="1")
        session.until("> ")
        for typed, shown in (("help", "help, ?"), ("apropos cumsum", "cumsum : "), ("x = 3; show status", "print_length = 100"),
                             ("load (\r1)", "Bad type for load"), ("help % a\r%", "help, ?"), ("help; % a\r%", "help, ?")):
            session.type(typed + "\r")
            session.until(shown)
            session.until("<Nesl> ")
            session.type("41 + 1;\r")
            session.until("it = 42 : int")
            session.until("<Nesl> ")
        session.leave()

    def test_keys_that_end(self):
        session = Session(self.home, NO_COLOR="1")
        session.until("> ")
        session.type("\x1a")  # no shell is there to stop for
        session.until("> ")
        session.type("41 + 1;\r")
        session.until("it = 42 : int")
        session.type("x = 1\r")
        session.until("\n> ")
        session.type("\x04")
        session.until("Leaving")
        self.assertEqual(os.waitpid(session.pid, 0)[1], 0)
        os.close(session.terminal)

    def test_a_long_history_is_cut(self):
        path = os.path.join(self.home, ".nvm_history")
        with open(path, "w", encoding="utf-8") as history:
            history.write("_HiStOrY_V2_\n" + "".join(f"{n};\n" for n in range(2001)))
        self.shown("1;", "it = 1 : int", NO_COLOR="1")
        with open(path, encoding="utf-8") as history:
            self.assertEqual(history.read().splitlines()[1:], [f"{n};" for n in range(1001, 2001)] + ["1;", "exit"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
