"""Recordings of what the commands print: what differs between two of them."""

from __future__ import annotations

from pathlib import Path

from tests.recordings.__main__ import differences


def test_only_what_differs_is_printed(tmp_path: Path) -> None:
    for folder, score in (("before", "62.5"), ("now", "75")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "check").write_text("exit 0\n", "utf-8")
        (tmp_path / folder / "run").write_text(f"exit 0\nscore {score}\n", "utf-8")
    (tmp_path / "now" / "review").write_text("exit 0\n", "utf-8")
    found = list(differences(tmp_path / "before", tmp_path / "now"))
    assert [line for line in found if line[0] in "+-" and line[:3] not in ("+++", "---")] == [
        "+exit 0", "-score 62.5", "+score 75",
    ]  # fmt: skip
