"""What is recorded: the corpus, the texts of the tests, and twenty files with labelled and graded answers."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from zlib import crc32

from engine.blueprint import Prompt
from engine.parsing import parse
from engine.study.case import prompt_names
from tests.recall.cases import Half, stored
from tests.world import CORPUS, corpus_files

FILES = 20
_GRADES = ("absent", "slightly present", "partially present", "majorly present", "fully present")
_CASES = Path(__file__).parents[1] / "engine" / "rule_cases"


def write(folder: Path) -> None:
    """Write `corpus`, `texts`, `twenty`, and `after`, which is `twenty` in other words, below `folder`."""
    if CORPUS.is_dir():
        shutil.copytree(CORPUS.parent, folder / "corpus")
    texts = folder / "texts"
    shutil.copytree(_CASES, texts)
    for case in stored(Half.TUNING):
        (texts / f"recall-{case.id}.yml").write_text(case.blueprint, "utf-8")
    _twenty(folder / "twenty")
    (folder / "after").mkdir()
    for path in (folder / "twenty").glob("*.yml"):
        (folder / "after" / path.name).write_text(_reworded(path.read_text("utf-8")), "utf-8")


def _twenty(folder: Path) -> None:
    folder.mkdir()
    known = [path for path in corpus_files() if " ideal:" in (text := path.read_text("utf-8")) and "$" in text]
    for path in sorted(known, key=lambda path: (path.stat().st_size, path.name))[:FILES]:
        copy = folder / path.name
        shutil.copy(path, copy)
        copy.with_name(f"{path.name}.cases").write_text(json.dumps(_answers(path)), "utf-8")


def _reworded(text: str) -> str:
    """`text` with another word here and there, in questions, ideals and criteria, and a point less."""
    lines = text.replace(" the ", " a ", 12).replace(" is ", " was ", 12).splitlines(keepends=True)
    points = [number for number, line in enumerate(lines) if line.lstrip().startswith("- $")]
    return "".join(line for number, line in enumerate(lines) if number not in points[-1:])


def _answers(path: Path) -> object:
    blueprint = parse(path.read_text("utf-8"), path).blueprint
    return {
        "version": 1,
        "cases": [
            case
            for prompt, name in zip(blueprint.prompts, prompt_names(blueprint).values(), strict=True)
            for case in (_good(prompt, name), {"prompt": name, "answer": "It depends.", "label": "bad"})
        ],
    }


def _good(prompt: Prompt, name: str) -> object:
    criteria = [point.text for point in prompt.points() if point.text]
    grades = [{"criterion": text, "grade": _GRADES[crc32(text.encode()) % 5]} for text in dict.fromkeys(criteria)]
    return {"prompt": name, "answer": prompt.ideal or "Yes.", "label": "good", "score": [60, 100], "grades": grades}
