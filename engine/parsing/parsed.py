"""What is known of a text once it was read."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from engine.blueprint import Blueprint
from engine.parsing.findings import Finding
from engine.parsing.notes import Notes
from engine.parsing.soundness import Broken
from engine.parsing.structure import Structure, find_structure
from engine.record import Record, field
from engine.yaml_nodes.nodes import NodeTree


class WevalError(Record):
    """Why Weval refuses a text, in its words, and the offset of what it refuses."""

    message: str
    offset: int


class WevalAnswer(Record):
    """Whether Weval reads the text, and its first refusal where it does not.

    `run_error` is the first refusal that comes only when it runs what it has read.
    """

    ok: bool
    error: WevalError | None = None
    run_error: WevalError | None = None


class Parsed(Record):
    """One text as it was read. `blueprint` is always there, with the prompts that could be read.

    `broken` tells what of it was read only up to a YAML error: there are no findings on that, and a rule had better
    not speak of what it misses there.
    """

    text: str
    path: Path | None
    tree: NodeTree
    blueprint: Blueprint
    findings: tuple[Finding, ...]
    weval: WevalAnswer
    broken: Broken = field(default_factory=Broken)

    @property
    def structure(self) -> Structure:
        """Which nodes are the header and the prompts; found anew at each call."""
        return find_structure(self.tree, Notes())


def answer(tree: NodeTree, findings: Iterable[Finding]) -> WevalAnswer:
    """What Weval says to a text in which `findings` were met, in the order of its own reading."""
    if tree.error is not None:
        reason = f"Failed to parse {'JSON' if tree.is_json else 'YAML'} blueprint: {tree.error.reason}"
        return WevalAnswer(False, WevalError(reason, tree.error.offset))
    refusals = [finding for finding in findings if finding.refusal is not None]
    error = _first(refusals, when_run=False)
    return WevalAnswer(error is None, error, _first(refusals, when_run=True))


def _first(refusals: Iterable[Finding], *, when_run: bool) -> WevalError | None:
    for finding in refusals:
        if finding.refusal is not None and finding.when_run is when_run:
            return WevalError(finding.refusal, finding.span.start)
    return None
