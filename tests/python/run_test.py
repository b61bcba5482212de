#!/usr/bin/env python3
"""The environment for the package's tests is made anew for another list of packages."""

import pathlib
import tempfile
import unittest
from unittest import mock

import run


class Environment(unittest.TestCase):
    def test_it_is_made_once_for_a_list_of_packages(self):
        with tempfile.TemporaryDirectory() as scratch, mock.patch("run.subprocess.run") as command:
            folder = pathlib.Path(scratch) / "venv"

            def made(words, **_):
                folder.mkdir(exist_ok=True)
                return mock.Mock(returncode=0)

            command.side_effect = made
            run.prepare(folder)
            first = command.call_count
            self.assertGreater(first, 0)
            run.prepare(folder)
            self.assertEqual(command.call_count, first)
            with mock.patch("run.PACKAGES", [*run.PACKAGES, "another"]):
                run.prepare(folder)
                self.assertEqual(command.call_count, 2 * first)
            (folder / "complete").write_text("")  # as it was marked before
            run.prepare(folder)
            self.assertEqual(command.call_count, 3 * first)


if __name__ == "__main__":
    unittest.main()
