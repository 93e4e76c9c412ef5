"""The views that rules examine: a parsed file, or one prompt of it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING

from engine.blueprint import Blueprint, Point, Prompt
from engine.parsing.demands import Finding, Kind
from engine.rules.words import NO_NAMES, RuleNames
from engine.text.spans import Span
from engine.yaml.nodes import MappingNode, NodeTree

if TYPE_CHECKING:
    from pathlib import Path

    from engine.functions.tasks import TaskRunner
    from engine.parsing import Parsed
    from engine.study.good_answers import GoodAnswers


_DECIDED_BY_OTHERS = frozenset({Kind.STRAY_ITEM})
"""Findings in a prompt whose report depends on other prompts: it is not remembered with the text of its own."""


class FileView:
    """A parsed file, as rules see it."""

    def __init__(
        self,
        parsed: Parsed,
        javascript: TaskRunner | None = None,
        collections: Path | None = None,
        names: RuleNames = NO_NAMES,
        good_answers: GoodAnswers | None = None,
    ) -> None:
        """`collections` is the folder of the model collections; by default, any `models` folder above the file.

        `names` are the names of all rules. With None as `good_answers`, the ideals are.
        """
        self.names = names
        self.parsed = parsed
        self.javascript = javascript
        self.collections = collections
        self.good_answers = good_answers
        self._prompt_views: dict[int, PromptView] = {}

    @property
    def text(self) -> str:
        """The source."""
        return self.parsed.text

    @property
    def path(self) -> Path | None:
        """The file's path, None if it has no name yet."""
        return self.parsed.path

    @property
    def tree(self) -> NodeTree:
        """The nodes of the source."""
        return self.parsed.tree

    @property
    def is_json(self) -> bool:
        """Whether the file is JSON, so that fixes must write JSON."""
        return self.parsed.tree.is_json

    @property
    def is_collection(self) -> bool:
        """Whether the file is a collection of models and not a blueprint: `models/NAME.json` without prompts (004)."""
        path = self.path
        if path is None or path.suffix.lower() != ".json" or path.parent.name != "models":
            return False
        root = self.tree.documents[0].root if self.tree.documents else None
        return not isinstance(root, MappingNode) or root.pair("prompts") is None

    @property
    def blueprint(self) -> Blueprint:
        """The blueprint that was parsed from the source."""
        return self.parsed.blueprint

    @property
    def header(self) -> MappingNode:
        """The mapping that the header was read from; an empty one where none is written."""
        return self.blueprint.header.node

    @cached_property
    def findings(self) -> dict[int | None, list[Finding]]:
        """The parser's findings by the index of their prompt, None for the header and for what other prompts decide."""
        by_prompt: dict[int | None, list[Finding]] = {}
        for finding in self.parsed.findings:
            prompt = None if finding.kind in _DECIDED_BY_OTHERS else finding.prompt
            by_prompt.setdefault(prompt, []).append(finding)
        return by_prompt

    def prompt(self, index: int | None) -> Prompt | None:
        """The prompt with this index; None if it could not be read, or for no index."""
        if index is None:
            return None
        prompts = self.blueprint.prompts
        at = bisect_left(prompts, index, key=lambda prompt: prompt.index)
        return prompts[at] if at < len(prompts) and prompts[at].index == index else None

    def findings_of(self, *kinds: Kind) -> Iterator[Finding]:
        """All findings of these kinds, in the parser's order."""
        if len(kinds) == 1:
            return iter(self._by_kind.get(kinds[0], ()))
        return (finding for finding in self.parsed.findings if finding.kind in kinds)

    @cached_property
    def _by_kind(self) -> dict[Kind, list[Finding]]:
        found: dict[Kind, list[Finding]] = {}
        for finding in self.parsed.findings:
            found.setdefault(finding.kind, []).append(finding)
        return found

    def is_reported(self, span: Span, *kinds: Kind) -> bool:
        """Whether the parser has a finding of these kinds that overlaps `span`, so that it is already reported."""
        return any(kind in self._places and self._places[kind].overlap(span) for kind in kinds)

    @cached_property
    def _places(self) -> dict[Kind, _Places]:
        return {kind: _Places(each.span for each in found) for kind, found in self._by_kind.items()}

    def holds(self, *signs: str) -> bool:
        """Whether one of `signs` stands in the source."""
        return any(sign in self.text for sign in signs)

    def in_prompt(self, prompt: Prompt) -> PromptView:
        """The view of one prompt."""
        view = self._prompt_views.get(prompt.index)
        if view is None:
            view = self._prompt_views[prompt.index] = PromptView(self, prompt)
        return view

    def close(self) -> None:
        """Forget the views of prompts, which refer to this one: else only the collector frees the whole text."""
        self._prompt_views.clear()

    def outside_prompts(self) -> Iterator[Span]:
        """The parts of the source that belong to no prompt: the header, and what is around and between prompts."""
        end = 0
        for prompt in self.blueprint.prompts:
            yield Span(end, max(end, prompt.span.start))
            end = max(end, prompt.span.end)
        yield Span(end, len(self.text))

    @cached_property
    def functions(self) -> frozenset[str]:
        """The names of the functions that the points of all prompts call."""
        checks = (point for prompt in self.blueprint.prompts for point in self.in_prompt(prompt).checks)
        return frozenset(point.function.name for point in checks if point.function is not None)


class PromptView:
    """One prompt of a file, as rules see it."""

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
        """V8, None if the rule must not use it now."""
        return self.file.javascript

    @property
    def findings(self) -> list[Finding]:
        """The parser's findings in this prompt."""
        return self.file.findings.get(self.prompt.index, [])

    @property
    def is_cut_off(self) -> bool:
        """Whether a YAML error, reported elsewhere, cuts the prompt off: missing parts may follow the error."""
        return self.prompt.index in self.file.parsed.broken.prompts

    @cached_property
    def checks(self) -> tuple[Point, ...]:
        """The points that a function checks, in the order of `Prompt.points`."""
        text, start, end = self.file.text, self.prompt.span.start, self.prompt.span.end
        if all(text.find(sign, start, end) < 0 for sign in ("$", "fn", "*")):  # quick: most prompts have no check
            return ()
        return tuple(point for point in self.prompt.points() if point.function is not None)

    def is_reported(self, span: Span, *kinds: Kind) -> bool:
        """As `FileView.is_reported`, for a `span` of this prompt."""
        return self.file.is_reported(span, *kinds)


class _Places:
    """Some spans, and whether one of them overlaps another span, without comparing all."""

    def __init__(self, spans: Iterable[Span]) -> None:
        ordered = sorted(spans)
        self._starts = [span.start for span in ordered]
        self._ends = list(accumulate((span.end for span in ordered), max))

    def overlap(self, span: Span) -> bool:
        """Whether one of the spans overlaps `span`; an empty `span` counts as one character."""
        before = bisect_left(self._starts, max(span.end, span.start + 1))
        return before > 0 and self._ends[before - 1] > span.start
