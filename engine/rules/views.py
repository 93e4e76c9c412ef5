"""What a rule is shown: a parsed file, or one prompt of it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from engine.blueprint import Blueprint, Point, Prompt
from engine.parsing.findings import Finding, Kind
from engine.rules.rule_names import NO_NAMES, RuleNames
from engine.text import Span
from engine.yaml_nodes.nodes import MappingNode, NodeTree

if TYPE_CHECKING:
    from pathlib import Path

    from engine.javascript.tasks import TaskRunner
    from engine.parsing import Parsed


class FileView:
    """A parsed file, as rules look at it."""

    def __init__(
        self,
        parsed: Parsed,
        javascript: TaskRunner | None = None,
        collections: Path | None = None,
        names: RuleNames = NO_NAMES,
    ) -> None:
        """`collections` is the folder of the model collections, where it is not any `models` above the file.

        `names` are the names of all rules.
        """
        self.names = names
        self.parsed = parsed
        self.javascript = javascript
        self.collections = collections

    @property
    def text(self) -> str:
        """The source."""
        return self.parsed.text

    @property
    def path(self) -> Path | None:
        """Where the file lies, None where it has no name yet."""
        return self.parsed.path

    @property
    def tree(self) -> NodeTree:
        """The nodes of the source."""
        return self.parsed.tree

    @property
    def is_json(self) -> bool:
        """Whether fixes have to write JSON."""
        return self.parsed.tree.is_json

    @property
    def is_collection(self) -> bool:
        """Whether the file is no blueprint but a collection of models: `models/NAME.json` without prompts (004)."""
        path = self.path
        if path is None or path.suffix.lower() != ".json" or path.parent.name != "models":
            return False
        root = self.tree.documents[0].root if self.tree.documents else None
        return not isinstance(root, MappingNode) or root.pair("prompts") is None

    @property
    def blueprint(self) -> Blueprint:
        """What the source says."""
        return self.parsed.blueprint

    @cached_property
    def findings(self) -> dict[int | None, list[Finding]]:
        """The parser's facts by the index of the prompt they lie in, None for the header."""
        by_prompt: dict[int | None, list[Finding]] = {}
        for finding in self.parsed.findings:
            by_prompt.setdefault(finding.prompt, []).append(finding)
        return by_prompt

    def findings_of(self, *kinds: Kind) -> Iterator[Finding]:
        """All facts of these kinds, in the parser's order."""
        return (finding for finding in self.parsed.findings if finding.kind in kinds)

    def in_prompt(self, prompt: Prompt) -> PromptView:
        """The view of one prompt."""
        return PromptView(self, prompt)


class PromptView:
    """One prompt of a file, as rules look at it."""

    def __init__(self, file: FileView, prompt: Prompt) -> None:
        self.file = file
        self.prompt = prompt

    @property
    def text(self) -> str:
        """The source of the whole file: spans refer to it."""
        return self.file.text

    @property
    def tree(self) -> NodeTree:
        """The nodes of the whole file."""
        return self.file.tree

    @property
    def javascript(self) -> TaskRunner | None:
        """V8, where the rule may use it."""
        return self.file.javascript

    @property
    def findings(self) -> list[Finding]:
        """The parser's facts about this prompt."""
        return self.file.findings.get(self.prompt.index, [])

    @property
    def is_cut_off(self) -> bool:
        """Whether the prompt was read only up to a YAML error, which is reported: what is missing may be behind it."""
        return self.prompt.index in self.file.parsed.broken.prompts

    @cached_property
    def checks(self) -> tuple[Point, ...]:
        """The points that are checked by a function, in the order of `Prompt.points`; most prompts have none."""
        text, start, end = self.file.text, self.prompt.span.start, self.prompt.span.end
        if all(text.find(sign, start, end) < 0 for sign in ("$", "fn", "*")):  # nor is one repeated by an alias
            return ()
        return tuple(point for point in self.prompt.points() if point.function is not None)

    def is_reported(self, span: Span, *kinds: Kind) -> bool:
        """Whether the parser noted one of these facts on a place that touches `span`: it is reported there."""
        return any(
            finding.kind in kinds
            and finding.span.start < max(span.end, span.start + 1)
            and span.start < finding.span.end
            for finding in self.findings
        )
