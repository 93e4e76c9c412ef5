"""js-yaml 4.1.0 itself, in one Node process, for what is held against it.

Install it by `npm install --prefix FOLDER js-yaml@4.1.0`, and set NODE_PATH to FOLDER/node_modules.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pytest

from engine.text.spans import LineIndex
from engine.yaml.nodes import Data, NodeTree, to_data
from engine.yaml.reader import Reader
from engine.yaml.tree_loader import _LONE_RETURN, TooLarge, _error, check_size, load
from tests.pieces import whole_text
from tests.stand_ins import canonical_with_stand_ins

VERSION = "4.1.0"

ANSWERS = whole_text("answers-of-js-yaml.js")


@dataclass(frozen=True, slots=True)
class Answer:
    """What js-yaml makes of a text: the SHA-256 of its documents as canonical JSON, or why it refuses it, and where.

    `line` counts from 0, `at` in UTF-16 units from behind a byte order mark; both are -1 where it names no place.
    """

    digest: str | None
    reason: str | None = None
    line: int = -1
    at: int = -1


def missing() -> str | None:
    """Why js-yaml cannot be asked here; None where it can."""
    if shutil.which("node") is None:
        return "Node is not installed"
    found = _node("process.stdout.write(require('js-yaml/package.json').version)")
    if found.returncode != 0:
        return f"Node finds no js-yaml: npm install --prefix FOLDER js-yaml@{VERSION}, NODE_PATH=FOLDER/node_modules"
    version = found.stdout.decode()
    return None if version == VERSION else f"Node finds js-yaml {version}, not {VERSION}"


def answers(texts: Sequence[str]) -> list[Answer]:
    """What js-yaml makes of each text, all in one process."""
    done = _node(ANSWERS, json.dumps(texts).encode("ascii"))
    done.check_returncode()
    return [Answer(**each) for each in json.loads(done.stdout)]


def disagreements(texts: Sequence[str], read: Callable[[str], NodeTree] = load) -> list[str]:
    """Those of `texts` that we take and js-yaml does not or the reverse, read otherwise, or refuse elsewhere."""
    return [text for text, answer in zip(texts, answers(texts), strict=True) if not _agrees(read(text), answer)]


def without_recovery(text: str) -> NodeTree:
    """The tree up to the error, and the error: a hundredth of the time in which `load` finds all errors and fixes."""
    lined = _LONE_RETURN.sub("\n", text)
    reader = Reader(lined, 0, len(lined), {})
    error = _error(text, reader.read_to_refusal(), reader.duplicates)
    return NodeTree(text, tuple(reader.documents), error=error)


def _agrees(tree: NodeTree, answer: Answer) -> bool:
    text = tree.text
    if tree.error is None or answer.digest is not None:
        return tree.error is None and answer.digest == _digest(tree)
    if answer.reason == tree.error.reason == "duplicated mapping key":
        return True  # js-yaml tells a `? ` key without a value at the next key
    index = LineIndex(text)
    line = min(answer.line, index.position(len(text)).line)  # js-yaml adds a line to a text that ends inside one
    units = text.removeprefix("\ufeff").encode("utf-16-le", "surrogatepass")[: 2 * max(answer.at, 0)]
    offset = len(units.decode("utf-16-le", "replace")) + text.startswith("\ufeff")
    # js-yaml does not count the lines before a null byte, nor those inside of `!<`, but its offset is right.
    return answer.line < 0 or line == index.position(tree.error.offset).line or offset == tree.error.offset


def _digest(tree: NodeTree) -> str:
    try:
        check_size(tree)
        documents: list[Data] = [None if each.root is None else to_data(each.root) for each in tree.documents]
    except TooLarge:
        return "RangeError"  # what contains itself has no end in JavaScript either
    written = re.sub("[\ud800-\udfff]", "\ufffd", canonical_with_stand_ins(documents))
    return hashlib.sha256(written.encode("utf-8")).hexdigest()


def _node(program: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(["node", "-e", program], input=stdin, capture_output=True, check=False, timeout=120)


WHY_MISSING = missing()
needs_js_yaml = pytest.mark.skipif(WHY_MISSING is not None, reason=WHY_MISSING or "")
