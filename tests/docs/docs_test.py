#!/usr/bin/env python3
"""The checks of documents find what is wrong."""

import pathlib
import tempfile
import unittest

import blocks
import commands_test
import names


class Blocks(unittest.TestCase):
    def test_steps(self):
        self.assertEqual(blocks.steps("$ a\n1\n2\n$ b\n"), [("a", ["1", "2"]), ("b", [])])
        with self.assertRaises(ValueError):
            blocks.steps("1\n$ a\n")

    def test_matches(self):
        self.assertTrue(blocks.matches(["a", "...", "b"], ["a", "b"]))
        self.assertTrue(blocks.matches(["a", "...", "b"], ["a", "x", "y", "b"]))
        self.assertFalse(blocks.matches(["a", "...", "b"], ["a", "x"]))
        self.assertFalse(blocks.matches(["a"], ["a", "b"]))
        self.assertFalse(blocks.matches(["a.c"], ["abc"]))

    def test_document(self):
        with tempfile.TemporaryDirectory() as place:
            root = pathlib.Path(place)
            (root / "programs").mkdir()
            page = root / "page.md"
            page.write_text("```nesl f.nesl\n1;\n```\n\n```console\n$ cat f.nesl\n1;\n$ echo b\nc\n```\n")
            problems, count, fresh = blocks.check_document(page, pathlib.Path("/bin/true"), root)
            self.assertEqual(count, 2)
            self.assertIn("$ echo b", problems[0])
            self.assertIn("$ echo b\nb\n```\n", fresh)


    def test_measured(self):
        self.assertTrue(blocks.same_shape(["a", "1 ms", "...", "b"], ["x", "a", "2 ms", "b"]))
        self.assertFalse(blocks.same_shape(["a", "b"], ["b", "a"]))
        self.assertTrue(blocks.same_shape(["wall  calls"], ["wall share calls line"]))
        self.assertFalse(blocks.same_shape(["calls wall"], ["wall share calls line"]))
        with tempfile.TemporaryDirectory() as place:
            root = pathlib.Path(place)
            (root / "programs").mkdir()
            page = root / "page.md"
            page.write_text("```console measured\n$ echo b; echo 5\nb\n7\n$ echo no; false\nc\n9\n```\n")
            problems, _, fresh = blocks.check_document(page, pathlib.Path("/bin/true"), root)
            self.assertIn("$ echo no; false", problems[0])
            self.assertEqual(page.read_text(), fresh)  # what could not be measured replaces no figures

    def test_excuses(self):
        self.assertEqual(blocks.neither_run_nor_excused("```console\n$ a\n```\n"), [])
        self.assertEqual(blocks.neither_run_nor_excused("```sh\nmake\n```\n"), ["```sh make"])
        self.assertEqual(blocks.neither_run_nor_excused("<!-- not run: takes an hour -->\n```sh\nmake\n```\n"), [])
        self.assertEqual(blocks.neither_run_nor_excused("```c f.c\nx\n```\n```console\n$ a\n```\n"), [])
        self.assertEqual(blocks.neither_run_nor_excused("```c f.c\nx\n```\n"), ["```c x"])
        self.assertEqual(blocks.neither_run_nor_excused("a\n\n    make\n"), ["    make"])
        generated = "<!-- generated: x -->\n```\na\n```\n<!-- end: x -->\n"
        self.assertEqual(blocks.neither_run_nor_excused(generated), [])


class Names(unittest.TestCase):
    def test_missing(self):
        with tempfile.TemporaryDirectory() as place:
            root = pathlib.Path(place)
            (root / "vm").mkdir()
            (root / "vm" / "a.h").touch()
            page = root / "page.md"
            page.write_text("[a](vm/a.h) [b](vm/b.h#x) [c](https://x/y) `vm/{a,c}.h` `vm/*.h` `vm/*.d` `vm/FILE`\n")
            self.assertEqual(names.missing(page, root), ["vm/b.h#x", "vm/c.h", "vm/*.d"])

    def test_sections(self):
        with tempfile.TemporaryDirectory() as place:
            root = pathlib.Path(place)
            page = root / "page.md"
            page.write_text("# One `x`, two\n```\n# three\n```\n[a](#one-x-two) [b](page.md#one-x-two) [c](#three)\n")
            self.assertEqual(names.missing(page, root), ["#three"])


class Commands(unittest.TestCase):
    def test_unknown(self):
        pages = {"run": "  --jit off|hot\n  --stats\n"}.get
        text = "`nvm run --jit off FILE`, nvm go\n```\nnvm run --jti x | grep --color\nneslvm stop\n./nvmw test --all\n```\n"
        self.assertEqual(commands_test.unknown(text, pages), ["nvm run --jti", "nvm stop"])

    def test_examples(self):
        self.assertEqual(commands_test.examples("usage\n\nexamples:\n  a b\n  c\n"), ["a b", "c"])
        self.assertEqual(commands_test.examples("usage\n"), [])


if __name__ == "__main__":
    unittest.main()
