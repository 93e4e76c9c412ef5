"""What a rule is: what it is called, how much it matters, and how it is found.

A rule looks at one of three things: a fact that the parser noted (`on_finding`), a prompt (`on_prompt`) or the whole
file (`on_file`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final, TypeAlias

from engine.diagnostics import Diagnostic, Fix, Related, Severity
from engine.parsing.findings import Finding, Kind
from engine.rules.suppression import Name, Suppression
from engine.rules.views import FileView, PromptView
from engine.text import Span


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
    module's docstring by `discover`, and `family` the package that holds the module. A rule of `kinds` reports these
    facts of the parser. `needs_javascript` marks what takes V8: a rule `on_prompt` is then called only with it; one
    `on_file` is called without it on a keystroke, and reports what it knows already. `on_idle` is called last, with
    each comment that silences nothing by some of the rules that it names, and with those. `on_collection` is what it
    reports of a file that is a collection of models; no other rule looks at such a file. A rule that is `off` runs only
    where a project or a command asks for it. `taken` replaces a `why` of `REFUSED` where Weval takes the file all the
    same.
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
    family: str = ""
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
