"""What messages tell an author to install can be installed: the package itself is on no index."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine.models.embedded import INSTALL_LOCAL
from tests.many_cases import every

ROOT = Path(__file__).parent.parent
PAGES = (ROOT / "README.md", *(ROOT / "docs").glob("*.md"))
SOURCES = sorted((*(ROOT / "engine").rglob("*.py"), *(ROOT / "studio").rglob("*.py"), *PAGES))
_FROM_AN_INDEX = re.compile(r"\binstall\b[^\n`]*[\s'\"`]blueprint[-_]studio\b", re.I)


@every("source", SOURCES, ids=lambda path: path.relative_to(ROOT))
def test_nothing_tells_to_install_the_package_from_an_index(source: Path) -> None:
    assert not _FROM_AN_INDEX.search(source.read_text("utf-8"))


@pytest.mark.parametrize(
    "line",
    ['pip install "blueprint-studio[local]"', "pipx install blueprint-studio", "uv tool install 'blueprint_studio[x]'"],
)
def test_that_would_be_seen(line: str) -> None:
    assert _FROM_AN_INDEX.search(line)


def test_the_line_for_the_extra_is_the_readme_s() -> None:
    line = INSTALL_LOCAL.split("`")[1]
    assert f"{line} &&" in (ROOT / "README.md").read_text("utf-8")
