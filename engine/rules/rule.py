"""The definition of a rule: its names, its level, and the functions that report problems.

A rule is a function, named as its slug, under the decorator that says what it examines: a finding of the parser
(`finding_rule`), a prompt (`prompt_rule`) or the whole file (`file_rule`). Its page is in the docstring of its module.
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Final, TypeAlias, TypedDict, TypeVar, Unpack

from engine.parsing.demands import Finding, Kind
from engine.rules.suppression import MalformedSuppression, Name, Suppression
from engine.rules.views import FileView, PromptView
from engine.text.diagnostics import Diagnostic, Fix, Related, Severity
from engine.text.record import Record, replace
from engine.text.spans import Span

# The pages of the rules, read from the source of their modules.
#
# What Python keeps of a docstring differs: 3.13 expands the tabs of examples, and `-OO` drops it.


_QUOTES = '"""'


def docstring_of(module: str) -> str:
    """The docstring of a loaded module as it is written, without the blanks around it."""
    source = inspect.getsource(sys.modules[module])
    end = source.index(_QUOTES, source.index(_QUOTES) + len(_QUOTES)) + len(_QUOTES)
    return str(ast.literal_eval(source[:end])).strip()


@cache
def pages_in(module: str) -> Mapping[str, str]:
    """The pages in the docstring of a loaded module, by the slug in the heading of each: `# slug` or `# slug: Title`.

    Raises `ValueError` if the docstring does not begin with a heading.
    """
    pages: dict[str, str] = {}
    slug = None
    for line in docstring_of(module).splitlines():
        if line.startswith("# "):
            slug = line.removeprefix("# ").partition(":")[0].strip()
            pages[slug] = ""
        if slug is None:
            raise ValueError("the docstring of a rule's module begins with `# slug`")
        pages[slug] += f"{line}\n"
    return {slug: page.strip() + "\n" for slug, page in pages.items()}


class Report(Record):
    """A problem that a rule found at `span`. The rule's own level and reason apply if the report has none.

    A fix without edits is left out, so that a rule need not ask whether its edits could be made. With `off`, it is
    reported only if the rule is selected by name: for what most authors mean as they wrote it.
    """

    span: Span
    message: str
    why: str = ""
    severity: Severity | None = None
    flagged: bool = False
    fixes: tuple[Fix, ...] = ()
    related: tuple[Related, ...] = ()
    off: bool = False


REFUSED: Final = "Weval refuses the whole file: nothing in it is scored."
RUN_REFUSED: Final = "Weval reads the file and refuses to run it: nothing in it is scored."


OnFinding: TypeAlias = Callable[[Finding, FileView], Report | None]
OnPrompt: TypeAlias = Callable[[PromptView], Iterable[Report]]
OnFile: TypeAlias = Callable[[FileView], Iterable[Report]]
OnUntried: TypeAlias = Callable[[Span, FileView], Report]
OnUnusedSuppression: TypeAlias = Callable[[Suppression, Sequence[Name], FileView], Report]
_Check = TypeVar("_Check", bound=Callable[..., object])
OnMalformedSuppression: TypeAlias = Callable[[MalformedSuppression, Sequence[Diagnostic], FileView], Report]


class Rule(Record, kw_only=True):
    """One pitfall: its code and slug, its level, the reason, and the functions that report it.

    `why` is one sentence on the effect on the score. `why_accepted` replaces a `why` of `REFUSED` where Weval accepts
    the file all the same. `discover` sets the `module` that defines the rule, and the `family`, which is its package.
    `on_finding` gets the parser's findings of these `kinds`.

    With `needs_javascript`, `on_prompt` is called only when V8 is there; `on_file` is called without it on a keystroke,
    and reports from cached outcomes. `on_good_answers` is called when V8 is there, beside `on_prompt`: it reports what
    good answers show, in the place of the report that `on_prompt` makes at the same span. `on_unused_suppression` is
    called last, with each suppression that has unused names, and with these names; `on_malformed_suppression` with each
    comment that was meant as a suppression, and with the diagnostics that begin in what it would cover. `on_untried` is
    called with the start of the first part of a file whose patterns and scripts were not all tried, because they used
    up the time of one check. `on_collection` checks a file that is a collection of models; no other hook sees such a
    file. A rule that is `off` runs only if a project or a command selects it. One that `is_selected` by name also makes
    the reports that are `off` by default.
    """

    code: str
    slug: str
    severity: Severity
    why: str
    kinds: tuple[Kind, ...] = ()
    on_finding: OnFinding | None = None
    on_prompt: OnPrompt | None = None
    on_good_answers: OnPrompt | None = None
    on_file: OnFile | None = None
    on_unused_suppression: OnUnusedSuppression | None = None
    on_malformed_suppression: OnMalformedSuppression | None = None
    on_untried: OnUntried | None = None
    on_collection: OnFile | None = None
    needs_javascript: bool = False
    off: bool = False
    is_selected: bool = False
    why_accepted: str = ""
    family: str = ""
    module: str = ""
    written_page: str = ""

    def selected(self) -> Rule:
        """The rule as if selected by name."""
        return replace(self, is_selected=True)

    @property
    def page(self) -> str:
        """The reference page in Markdown, from its family of phrases or the docstring of the module; "" without one."""
        if self.written_page:
            return self.written_page
        return pages_in(self.module)[self.slug] if self.module else ""

    @property
    def title(self) -> str:
        """What a slug of jargon means, from the heading of the page: `# slug: Title`; "" where the slug says it."""
        return self.page.partition("\n")[0].partition(": ")[2]

    @property
    def heading(self) -> str:
        """The title with the slug behind it, or the slug alone."""
        return f"{self.title} ({self.slug})" if self.title else self.slug

    @property
    def summary(self) -> str:
        """The page's first sentence or paragraph, on one line."""
        return " ".join(self.page.split("\n\n")[1].split()) if "\n\n" in self.page else ""

    def _why(self, finding: Finding) -> str:
        """The reason for `finding`: whether Weval refuses the file, and whether on reading or on running it."""
        if self.why != REFUSED:
            return self.why
        if not finding.refused:
            return self.why_accepted
        why = RUN_REFUSED if finding.when_run else REFUSED
        return f"{why.removesuffix('.')} there." if finding.flagged else why

    def diagnostic(self, report: Report, finding: Finding | None = None) -> Diagnostic:
        """The diagnostic for a report. What Weval refuses is an error; what works only here is flagged."""
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
            related=tuple(dict.fromkeys(report.related)),  # an alias repeats a place
            fixes=tuple(sorted((fix for fix in report.fixes if fix.edits), key=lambda fix: not fix.safe)),
            off=report.off and not self.is_selected,
        )


class Further(TypedDict, total=False):
    """What a rule may have beside its code, its level and its reason: the fields of `Rule`."""

    kinds: tuple[Kind, ...]
    on_finding: OnFinding
    on_prompt: OnPrompt
    on_good_answers: OnPrompt
    on_file: OnFile
    on_unused_suppression: OnUnusedSuppression
    on_malformed_suppression: OnMalformedSuppression
    on_untried: OnUntried
    on_collection: OnFile
    needs_javascript: bool
    off: bool
    why_accepted: str


def prompt_rule(code: str, level: Severity, *, why: str, **further: Unpack[Further]) -> Callable[[OnPrompt], Rule]:
    """The rule that a function on a prompt makes, named as its slug."""

    return rule_by(lambda check: Further(on_prompt=check), code, level, why, further)


def file_rule(code: str, level: Severity, *, why: str, **further: Unpack[Further]) -> Callable[[OnFile], Rule]:
    """The rule that a function on a file makes, named as its slug."""

    return rule_by(lambda check: Further(on_file=check), code, level, why, further)


def finding_rule(
    code: str, level: Severity, *kinds: Kind, why: str, **further: Unpack[Further]
) -> Callable[[OnFinding], Rule]:
    """The rule that a function on the parser's findings of `kinds` makes, named as its slug."""

    return rule_by(lambda check: Further(kinds=kinds, on_finding=check), code, level, why, further)


def rule_by(
    hooks: Callable[[_Check], Further], code: str, level: Severity, why: str, further: Further
) -> Callable[[_Check], Rule]:
    """The rule that a function makes through its `hooks`, with the slug that its name says."""

    def made(check: _Check) -> Rule:
        further.update(hooks(check))
        return Rule(code=code, slug=check.__name__.replace("_", "-"), severity=level, why=why, **further)

    return made


def reference_page(rule: Rule) -> str:
    """The page of a rule in Markdown as it is shown: its heading, its text, and how to suppress its reports."""
    _, _, text = rule.page.partition("\n")
    return f"# {rule.heading}\n{text.rstrip()}\n\n{_suppress_line(rule)}\n"


def _suppress_line(rule: Rule) -> str:
    """How to suppress the reports of a rule. A comment cannot suppress what is reported about comments."""
    project = f'`ignore = ["{rule.slug}"]` in the settings of the project'
    if rule.on_unused_suppression is not None:
        return f"Suppress: {project}."
    line = f"`# studio: ignore[{rule.slug}] reason` at the end of the line, or on a line of its own above the item"
    file = f"`# studio: ignore-file[{rule.slug}] reason` at the top"
    return f"Suppress: {line}. In the whole file: {file}. Everywhere: {project}."


def level_line(rule: Rule) -> str:
    """A rule's level and code, as the line below its page."""
    off = " Off by default: a project or a command can select it." if rule.off else ""
    return f"Level: {rule.severity.value}. Code: {rule.code}.{off}"
