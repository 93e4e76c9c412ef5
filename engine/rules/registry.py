"""What a rule is, what it is shown, and how the rules are found.

A rule is one module in `pitfalls` with a tuple `RULES`; nothing else names it. The module's docstring holds the page
of each of its rules: a `# slug` heading, then the page. A rule looks at one of three things: a fact that the parser
noted (`on_finding`), a prompt (`on_prompt`) or the whole file (`on_file`).
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Final, TypeAlias

from engine.blueprint import Blueprint, Point, Prompt
from engine.diagnostics import Diagnostic, Fix, Related, Severity
from engine.parsing.findings import Finding, Kind
from engine.rules.suppression import Name, Suppression
from engine.text import Span
from engine.yaml_nodes.nodes import MappingNode, NodeTree

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

    from engine.javascript.tasks import TaskRunner
    from engine.parsing import Parsed


class Scope(Enum):
    """What a rule is cached by: one prompt's text, or nothing (it runs on every change, so it must be cheap)."""

    PROMPT = "prompt"
    FILE = "file"


@dataclass(frozen=True, slots=True)
class Report:
    """What a rule found at `span`; the rule's own level and reason stand where it gives none."""

    span: Span
    message: str
    why: str = ""
    severity: Severity | None = None
    flagged: bool = False
    fixes: tuple[Fix, ...] = ()
    related: tuple[Related, ...] = ()


class FileView:
    """A parsed file, as rules look at it."""

    def __init__(self, parsed: Parsed, javascript: TaskRunner | None = None, collections: Path | None = None) -> None:
        """`collections` is the folder of the model collections, where it is not any `models` above the file."""
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
        """Whether the prompt was read only up to an error of YAML, which is told: what is missing may be behind it."""
        return self.prompt.index in self.file.parsed.broken.prompts

    @cached_property
    def checks(self) -> tuple[Point, ...]:
        """The points that are checked by a function, in the order of `Prompt.points`; most prompts have none."""
        text, start, end = self.file.text, self.prompt.span.start, self.prompt.span.end
        if all(text.find(sign, start, end) < 0 for sign in ("$", "fn", "*")):  # nor is one repeated by an alias
            return ()
        return tuple(point for point in self.prompt.points() if point.function is not None)

    def told_of(self, span: Span, *kinds: Kind) -> bool:
        """Whether the parser noted one of these facts on a place that touches `span`: then it is told there."""
        return any(
            finding.kind in kinds
            and finding.span.start < max(span.end, span.start + 1)
            and span.start < finding.span.end
            for finding in self.findings
        )


REFUSED: Final = "Weval refuses the whole file: nothing in it is scored."
RUN_REFUSED: Final = "Weval reads the file and refuses to run it: nothing in it is scored."

OnFinding: TypeAlias = Callable[[Finding, FileView], Report | None]
OnPrompt: TypeAlias = Callable[[PromptView], Iterable[Report]]
OnFile: TypeAlias = Callable[[FileView], Iterable[Report]]
OnIdle: TypeAlias = Callable[[Suppression, Sequence[Name], FileView], Report]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One pitfall: what it is called, how much it matters, why, and how it is found.

    `why` is one sentence on what it does to the score. `page` is the reference page in Markdown, taken from the
    module's docstring by `discover`. A rule of `kinds` speaks of these facts of the parser. `needs_javascript` marks
    what takes V8: a rule `on_prompt` is then called only with it; one `on_file` is called without it on a keystroke,
    and tells what it knows already. `on_idle` is called last, with each comment that silences nothing by some of the
    rules that it names, and with those. `on_collection` is what it says of a file that is a collection of models, of
    which nothing else speaks. What is `off` is told only where a project or a command asks for it. `taken` stands for
    a `why` of `REFUSED` where Weval takes the file all the same.
    """

    code: str
    slug: str
    severity: Severity
    why: str
    kinds: tuple[Kind, ...] = ()
    on_finding: OnFinding | None = None
    on_prompt: OnPrompt | None = None
    on_file: OnFile | None = None
    on_idle: OnIdle | None = None
    on_collection: OnFile | None = None
    needs_javascript: bool = False
    off: bool = False
    taken: str = ""
    page: str = ""

    @property
    def scope(self) -> Scope:
        """Per prompt, unless it has to see the whole file at once."""
        return Scope.FILE if self.on_file is not None else Scope.PROMPT

    @property
    def summary(self) -> str:
        """The page's first sentence or paragraph, on one line."""
        return " ".join(self.page.split("\n\n")[1].split()) if "\n\n" in self.page else ""

    def _why(self, finding: Finding) -> str:
        """`why`, where it says that Weval refuses the file: only if it does, and when it does."""
        if self.why != REFUSED:
            return self.why
        if not finding.refused:
            return self.taken
        why = RUN_REFUSED if finding.when_run else REFUSED
        return f"{why.removesuffix('.')} there." if finding.flagged else why

    def diagnostic(self, report: Report, finding: Finding | None = None) -> Diagnostic:
        """The report as it is shown. What Weval refuses is an error; what only works here is flagged."""
        flagged = report.flagged or (finding is not None and finding.flagged)
        refused = finding is not None and finding.refused
        usual = Severity.WARNING if flagged else Severity.ERROR if refused else self.severity
        why = report.why or (self.why if finding is None else self._why(finding))
        return Diagnostic(
            code=self.code,
            slug=self.slug,
            severity=report.severity or usual,
            span=report.span,
            message=report.message,
            why=why,
            flagged=flagged,
            related=report.related,
            fixes=tuple(sorted(report.fixes, key=lambda fix: not fix.safe)),
        )


def standing(rule: Rule) -> str:
    """A rule's level and code, to stand below its page."""
    off = " Off, until a project or a command asks for it." if rule.off else ""
    return f"Level: {rule.severity.value}. Code: {rule.code}.{off}"


def discover() -> tuple[Rule, ...]:
    """Every rule of every module in `pitfalls`, sorted by code, each with its page."""
    from engine.rules import pitfalls

    modules = [
        importlib.import_module(f"{pitfalls.__name__}.{module.name}")
        for module in pkgutil.iter_modules(pitfalls.__path__)
    ]
    return tuple(sorted((rule for module in modules for rule in _rules_of(module)), key=lambda rule: rule.code))


def _rules_of(module: ModuleType) -> Iterator[Rule]:
    rules: tuple[Rule, ...] = module.RULES
    pages = pages_of(module.__doc__ or "")  # as it is: `inspect` would turn the tabs of an example into blanks
    for rule in rules:
        yield replace(rule, page=pages[rule.slug])


def pages_of(docstring: str) -> dict[str, str]:
    """The pages that a docstring holds, by the slug in the heading of each.

    Raises `ValueError` where it does not begin with a heading.
    """
    pages: dict[str, str] = {}
    slug = None
    for line in docstring.splitlines():
        if line.startswith("# "):
            slug = line.removeprefix("# ").strip()
            pages[slug] = ""
        if slug is None:
            raise ValueError("the docstring of a rule's module begins with `# slug`")
        pages[slug] += f"{line}\n"
    return {slug: page.strip() + "\n" for slug, page in pages.items()}
