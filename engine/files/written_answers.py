"""Answers that the author writes or edits, as they are being written: files of their own for each blueprint.

They are in the database only once they are run or accepted. Until then they are here, so that no end of the studio
loses them.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping
from pathlib import Path

from engine.files.own_files import Damaged, OwnFile, parse_as
from engine.files.places import state_dir
from engine.text.record import Record

_MAX_BYTES = 256 << 20
_LONE_SURROGATES = re.compile("[\ud800-\udfff]")


def written_answers(blueprint: Path) -> dict[str, str]:
    """The answers by the keys of their prompts (`PromptPlace.prompt`). A damaged file is set aside. Blocks."""
    return _file(blueprint, ".json").load() or {}


def save_written_answers(blueprint: Path, answers: Mapping[str, str]) -> None:
    """Save `answers` beside those that are there; an empty one is removed. Blocks. Raises `OSError`."""
    _save_beside(_file(blueprint, ".json"), blueprint, answers)


def answer_drafts(blueprint: Path) -> dict[str, str]:
    """The answers that were being edited, by keys of the caller. A damaged file is set aside. Blocks."""
    return _file(blueprint, ".drafts.json").load() or {}


def save_answer_drafts(blueprint: Path, drafts: Mapping[str, str]) -> None:
    """Save `drafts` beside those that are there; an empty one is removed. Blocks. Raises `OSError`."""
    _save_beside(_file(blueprint, ".drafts.json"), blueprint, drafts)


def _save_beside(file: OwnFile[dict[str, str]], blueprint: Path, answers: Mapping[str, str]) -> None:
    there = file.load() or {}
    merged = {key: text for key, text in {**there, **answers}.items() if text}
    if merged == there:
        return
    said = {"path": os.fsencode(blueprint).decode("utf-8", "replace"), "answers": merged}
    file.write(_LONE_SURROGATES.sub("\ufffd", json.dumps(said, ensure_ascii=False)).encode())


def _file(blueprint: Path, suffix: str) -> OwnFile[dict[str, str]]:
    name = hashlib.sha256(os.path.realpath(blueprint).encode("utf-8", "surrogateescape")).hexdigest()
    return OwnFile(state_dir() / "answers" / f"{name}{suffix}", _parse, _MAX_BYTES)


class _Saved(Record):
    answers: dict[str, str]


def _parse(content: bytes) -> dict[str, str]:
    answers = parse_as(_Saved, content, "it holds no answers").answers
    if any(_LONE_SURROGATES.search(key + text) for key, text in answers.items()):
        raise Damaged("it holds no answers")
    return answers
