"""What commands print of answers counts as shown, so that a later criterion is not tested on them as on fresh ones."""

from __future__ import annotations

from pathlib import Path

from engine.digests import text_digest
from engine.store import PromptPlace, Store
from engine.store.shown_answers import UNKNOWN
from tests.studio.command_line import studio

BLUEPRINT = "- id: rent\n  prompt: When is the rent due?\n  ideal: On the 3rd.\n  should:\n    - $contains: 3rd\n"
CASES = "version: 1\ncases:\n  - prompt: rent\n    answer: On the 5th.\n    label: bad\n    score: [0, 40]\n"


def shown(path: Path) -> dict[str, str]:
    return dict(Store().first_shown(PromptPlace(str(path), "rent")))


def test_a_run_shows_the_verdicts_on_its_answers(tmp_path: Path) -> None:
    path = tmp_path / "rent.yml"
    path.write_text(BLUEPRINT, "utf-8")
    assert studio("run", path, "--ideal").exit_code == 0
    assert shown(path) == {text_digest("On the 3rd."): UNKNOWN}


def test_a_test_shows_the_verdicts_on_its_cases(tmp_path: Path) -> None:
    path = tmp_path / "rent.yml"
    path.write_text(BLUEPRINT, "utf-8")
    path.with_name("rent.yml.cases").write_text(CASES, "utf-8")
    assert studio("test", path).exit_code == 0
    assert shown(path) == {text_digest("On the 5th."): UNKNOWN, text_digest("On the 3rd."): UNKNOWN}
