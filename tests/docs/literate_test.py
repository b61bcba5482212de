#!/usr/bin/env python3
"""nvm literate: results and pictures stand behind the blocks, stay where nothing changed, and are missed where they are not.

    literate_test.py NVM
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

NVM = sys.argv[1]

PAGE = """# A page

```nesl
function twice(x) = 2 * x;
```
```nesl
twice(21);
"`" ++ "``"
```

The end.
"""
RENEWED = PAGE.replace('"``"\n```\n', '"``"\n```\n\n````output\nit = 42 : int\nit = "```" : [char]\n````\n')


class Literate(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)
        self.environment = dict(os.environ, XDG_CACHE_HOME=str(self.folder / "cache"))

    def literate(self, text, *options, name="page.md"):
        """Status, the page afterwards, messages."""
        page = self.folder / name
        page.write_text(text, encoding="utf-8")
        done = subprocess.run([NVM, "literate", *options, name], cwd=self.folder, env=self.environment,
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.stdout, "")
        return done.returncode, page.read_text(encoding="utf-8"), done.stderr

    def kept(self):
        return len(list((self.folder / "cache").rglob("*.page")))

    def test_results_stand_behind_their_blocks(self):
        self.assertEqual(self.literate(PAGE), (0, RENEWED, ""))
        self.assertEqual(self.literate(RENEWED), (0, RENEWED, ""))
        self.assertEqual(self.literate(RENEWED, "--check"), (0, RENEWED, ""))

    def test_results_that_are_no_longer_right(self):
        stale = RENEWED.replace("twice(21)", "twice(4)")
        status, page, messages = self.literate(stale, "--check")
        self.assertEqual((status, page), (2, stale))
        self.assertIn("page.md:12: the page says\n  it = 42 : int\nand its program\n  it = 8 : int\n", messages)
        self.assertEqual(self.literate(stale), (0, stale.replace("42", "8"), ""))
        # A block that prints nothing any more has no results.
        silent = RENEWED.replace('twice(21);\n"`" ++ "``"', "answer = twice(21);")
        self.assertNotIn("output", self.literate(silent)[1])

    def test_a_mistake_changes_nothing(self):
        for block, status in (("twice(", 2), ("[1, 2][9]", 1)):
            wrong = PAGE.replace("twice(21)", block)
            result, page, messages = self.literate(wrong)
            self.assertEqual((result, page), (status, wrong), messages)
            self.assertIn("page.md:", messages)
            self.assertIn(":7" if status == 1 else "page.md:", messages)

    def test_exit_changes_nothing_and_is_said(self):
        page = PAGE.replace("twice(21)", 'print_line("seen"); exit')
        self.assertEqual(self.literate(page), (1, page, "seen\nit = T : bool\nnvm: page.md:7: this block ends the program "
                                               "(exit), and the page stays as it is\n"))

    def test_what_programs_print_stands_among_the_results(self):
        page = '```nesl\nx = print_string("open");\n```\n```nesl\n1; print_string("hello"); sqrt = 2;\n```\n'
        shown = page.replace(";\n```\n``", ";\n```\n\n```output\nopen\n```\n``") + "\n```output\nit = 1 : int\nhello\nit = T : bool\n```\n"
        status, text, messages = self.literate(page)
        self.assertEqual((status, text), (0, shown))
        self.assertIn("warning", messages)
        self.assertEqual(self.literate(shown), (0, shown, ""))

    def test_pages_that_cannot_show_results(self):
        for text, reason in (("# No blocks\n", "page.md: has no blocks"), ("```nesl\n1;\n", "page.md:2: this block does not end"),
                             ("- ```nesl\n  1;\n  ```\n", "has no place for its results")):
            status, page, messages = self.literate(text)
            self.assertEqual((status, page), (2, text))
            self.assertIn(reason, messages)
        status, _, messages = self.literate("```nesl\n1\n```\n", name="page.txt")
        self.assertEqual(status, 2)
        self.assertIn("expected a document", messages)

    def test_charts_are_pictures_beside_the_page(self):
        page = "```nesl\nplot([1.0, 2.0]);\n1 + 1;\nplot_bars([1, 2])\n```\nText.\n"
        status, text, messages = self.literate(page, "--charts", "svg")
        self.assertEqual((status, messages), (0, ""))
        self.assertTrue(text.endswith("```\n\n![](page-1.svg)\n\n![](page-2.svg)\nText.\n"), text)
        for number in (1, 2):
            self.assertTrue((self.folder / f"page-{number}.svg").read_text().startswith("<svg "))
        self.assertEqual(self.literate(text, "--charts", "svg"), (0, text, ""))
        (self.folder / "page-2.svg").write_text("<svg>another</svg>\n")
        status, _, messages = self.literate(text, "--charts", "svg", "--check")
        self.assertEqual(status, 2)
        self.assertIn("page-2.svg:1: the page says", messages)

    def test_what_nothing_changed_of_is_kept(self):
        (self.folder / "v.csv").write_text("1\n2\n")
        page = "```nesl\nlet (x, seconds) = time(sum({r[0] : r in v})) in (x, seconds)\n```\n"
        first = self.literate(page, "--in", "v=v.csv")[1]
        self.assertIn("(3.0, ", first)
        self.assertEqual(self.literate(first.replace("# ", ""), "--in", "v=v.csv")[1], first)
        self.assertEqual(self.literate(first + "More prose.\n", "--in", "v=v.csv")[1], first + "More prose.\n")
        self.assertEqual(self.kept(), 1)
        (self.folder / "v.csv").write_text("1\n20\n")
        self.assertIn("(21.0, ", self.literate(first, "--in", "v=v.csv")[1])
        self.assertEqual(self.kept(), 2)

    def test_other_files_are_read_each_time(self):
        (self.folder / "part.nesl").write_text("x = 1;")
        page = "```nesl\nload \"part.nesl\";\nx\n```\n"
        self.assertIn("it = 1 : int", self.literate(page)[1])
        (self.folder / "part.nesl").write_text("x = 2;")
        self.assertIn("it = 2 : int", self.literate(page)[1])
        self.assertEqual(self.kept(), 0)

    def test_files_are_those_beside_the_page(self):
        (self.folder / "inner").mkdir()
        (self.folder / "inner" / "part.nesl").write_text("x = 7;")
        self.assertIn("it = 7 : int", self.literate("```nesl\nload \"part.nesl\";\nx\n```\n", name="inner/page.md")[1])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
