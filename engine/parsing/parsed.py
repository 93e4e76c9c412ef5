"""What is known of a text once it was read."""

from __future__ import annotations

from pathlib import Path

from engine.blueprint import Blueprint
from engine.parsing.findings import Finding
from engine.parsing.parser_notes import Notes
from engine.parsing.soundness import Broken
from engine.parsing.structure import Structure, find_structure
from engine.parsing.weval import WevalAnswer, ask
from engine.record import Record, field
from engine.yaml_nodes.nodes import NodeTree


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
    broken: Broken = field(default_factory=Broken)

    @property
    def structure(self) -> Structure:
        """Which nodes are the header and the prompts; found anew at each call."""
        return find_structure(self.tree, Notes())

    @property
    def weval(self) -> WevalAnswer:
        """What Weval says to this text; asked anew at each call, a third of the time that reading it takes."""
        return ask(self.tree)
