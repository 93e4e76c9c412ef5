"""The result of reading one text."""

from __future__ import annotations

from pathlib import Path

from engine.blueprint import Blueprint
from engine.parsing.findings import Finding
from engine.parsing.parser_notes import Notes
from engine.parsing.soundness import Broken
from engine.parsing.structure import Structure, find_structure
from engine.parsing.weval import WevalResult, read_as_weval
from engine.record import Record, field
from engine.yaml_nodes.nodes import NodeTree


class Parsed(Record):
    """The result of reading one text. `blueprint` always exists, with the prompts that could be read.

    `broken` names the parts that a YAML error cuts off. They have no findings, and rules should not report anything as
    missing there.
    """

    text: str
    path: Path | None
    tree: NodeTree
    blueprint: Blueprint
    findings: tuple[Finding, ...]
    broken: Broken = field(default_factory=Broken)

    @property
    def structure(self) -> Structure:
        """The nodes of the header and the prompts; computed at each call."""
        return find_structure(self.tree, Notes())

    @property
    def weval(self) -> WevalResult:
        """Whether Weval refuses this text; computed at each call, in a third of the time that reading takes."""
        return read_as_weval(self.tree)
