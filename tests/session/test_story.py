"""The session is whole without a terminal."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer

from tests.studio.model_server import ModelServer

ROOT = Path(__file__).parents[2]

BLOCKED = """
import sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "textual" or name.startswith("studio.tui"):
            raise ImportError(f"the session must not import {name}")
sys.meta_path.insert(0, Refuse())
"""

EVERY_MODULE = """
import importlib, pkgutil
import studio.session
for module in pkgutil.walk_packages(studio.session.__path__, "studio.session."):
    importlib.import_module(module.name)
print("all imported")
"""

STORY = """
sys.argv = ["story", {url!r}]
from tests.session import story
story.main()
"""


def program(code: str) -> subprocess.CompletedProcess[str]:
    """What a Python program prints that refuses to import Textual."""
    return subprocess.run(
        [sys.executable, "-c", BLOCKED + code], cwd=ROOT, env=os.environ, capture_output=True, text=True, check=False
    )


def test_every_module_of_the_session_imports_with_textual_blocked() -> None:
    done = program(EVERY_MODULE)
    assert done.stdout.strip() == "all imported", done.stderr


def test_a_whole_story_needs_no_terminal(httpserver: HTTPServer, capsys: pytest.CaptureFixture[str]) -> None:
    server = ModelServer(httpserver, lambda _body: "It is 30 days, as the lease says.")
    server.held = True
    done = program(STORY.format(url=server.url.removesuffix("/chat/completions")))
    server.release()
    with capsys.disabled():
        print(f" {done.stdout.strip()}", end="")
    assert done.stdout.startswith("the story took"), done.stderr
