"""What a rule is, and what it sees: its names, its level, the functions that report problems, and the views of a file.

A rule is a function, named as its slug, under the decorator that says what it examines: a finding of the parser
(`finding_rule`), a prompt (`prompt_rule`) or the whole file (`file_rule`). Its page is in the docstring of its module.
`rules.txt` has its code, such as `S002`, its level and its reason, and the rules that are gone: where one is named
nothing is wrong. By signs, rules pass over most texts before they try a pattern.
"""

from __future__ import annotations

import ast
import inspect
import sys
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import cache, cached_property, lru_cache
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias, TypedDict, TypeVar, Unpack

from engine.blueprint import Point, Prompt
from engine.parsing.demands import Finding, Kind
from engine.text import Diagnostic, Fix, Record, Related, Severity, Span, TextEdit, replace
from engine.yaml.nodes import MappingNode

if TYPE_CHECKING:
    from engine.functions.tasks import TaskRunner
    from engine.parsing import Parsed
    from engine.study.case_reader import GoodAnswers


_NEAR = 0.75
_LONGEST = 100
"""Longer words are no misspelt names."""


def nearest_names(word: str, known: Sequence[str]) -> tuple[str, ...]:
    """At most two of the `known` names that are close to `word`, the nearest first.

    Just one if it is the only name that differs in case alone, or in one letter alone.
    """
    return () if len(word) > _LONGEST else _nearest(word, tuple(known))


@lru_cache(4096)
def _nearest(word: str, known: tuple[str, ...]) -> tuple[str, ...]:
    lower = word.lower()
    same = [name for name in known if name.lower() == lower]
    for found in (same, [name for name in known if one_letter_off(lower, name.lower())]):
        if len(found) == 1:
            return (found[0],)
    return tuple(get_close_matches(word, known, n=2, cutoff=_NEAR))


def suggestion(name: str, known: Sequence[str]) -> str:
    """The end of a message about an unknown name: the known names that are near, else the first five of all."""
    near = nearest_names(name, known)
    if near:
        return f": did you mean {' or '.join(f'“{each}”' for each in near)}?"
    return f": there is {', '.join(f'“{each}”' for each in known[:5])}" if known else ": none is declared"


def one_letter_off(one: str, other: str) -> bool:
    """Whether the names differ by one added, missing or changed letter, or by two swapped letters."""
    if abs(len(one) - len(other)) > 1:
        return False
    short, long = sorted((one, other), key=len)
    at = next((index for index, pair in enumerate(zip(short, long, strict=False)) if pair[0] != pair[1]), len(short))
    if len(short) < len(long):
        return short[at:] == long[at + 1 :]
    swapped = short[:at] + short[at + 1 : at + 2] + short[at : at + 1] + short[at + 2 :]
    return short[at + 1 :] == long[at + 1 :] or swapped == long


class RuleNames(Record):
    """The slugs of all rules, and their other names: the codes, and the slugs and codes of retired rules."""

    slugs: tuple[str, ...] = ()
    others: tuple[str, ...] = ()

    def __contains__(self, name: str) -> bool:
        """Whether a rule has or had this slug or code; case and surrounding blanks do not matter."""
        return self.spelled(name) is not None

    def spelled(self, name: str) -> str | None:
        """The slug or code `name` of a rule, also of a retired one, as it is written; None if no rule has it."""
        name = name.strip()
        known = (*self.slugs, *self.others)
        return next((each for each in (name.lower(), name.upper()) if each in known), None)

    def nearest(self, name: str) -> tuple[str, ...]:
        """At most two slugs of rules that are not retired and close to `name`, the nearest first."""
        return nearest_names(name.strip(), self.slugs)


_NO_NAMES = RuleNames()
_Key = TypeVar("_Key")
_Value = TypeVar("_Value")
_DECIDED_BY_OTHERS = frozenset({Kind.STRAY_ITEM})
"""Findings in a prompt whose report depends on other prompts: it is not remembered with the text of its own."""


class FileView:
    """A parsed file, as rules see it."""

    def __init__(
        self,
        parsed: Parsed,
        javascript: TaskRunner | None = None,
        collections: Path | None = None,
        names: RuleNames = _NO_NAMES,
        good_answers: GoodAnswers | None = None,
    ) -> None:
        """`collections` is the folder of the model collections; by default, any `models` folder above the file.

        `names` are the names of all rules. With None as `good_answers`, the ideals are.
        """
        self.names = names
        self.parsed = parsed
        self.text, self.tree, self.blueprint = parsed.text, parsed.tree, parsed.blueprint
        self.path = parsed.path
        """The file's path, None if it has no name yet."""
        self.is_json = parsed.tree.is_json
        """Whether the file is JSON, so that fixes must write JSON."""
        self.header: MappingNode = parsed.blueprint.header.node
        """The mapping that the header was read from; an empty one where none is written."""
        self.javascript = javascript
        self.collections = collections
        self.good_answers = good_answers
        self._prompt_views: dict[int, PromptView] = {}

    @property
    def is_collection(self) -> bool:
        """Whether the file is a collection of models and not a blueprint: `models/NAME.json` without prompts (004)."""
        path = self.path
        if path is None or path.suffix.lower() != ".json" or path.parent.name != "models":
            return False
        root = self.tree.documents[0].root if self.tree.documents else None
        return not isinstance(root, MappingNode) or root.pair("prompts") is None

    @cached_property
    def findings(self) -> dict[int | None, list[Finding]]:
        """The parser's findings by the index of their prompt, None for the header and for what other prompts decide."""
        found = self.parsed.findings
        return grouped((None if each.kind in _DECIDED_BY_OTHERS else each.prompt, each) for each in found)

    def prompt(self, index: int | None) -> Prompt | None:
        """The prompt with this index; None if it could not be read, or for no index."""
        if index is None:
            return None
        prompts = self.blueprint.prompts
        at = bisect_left(prompts, index, key=lambda prompt: prompt.index)
        return prompts[at] if at < len(prompts) and prompts[at].index == index else None

    def findings_of(self, *kinds: Kind) -> Iterator[Finding]:
        """All findings of these kinds, those of each in the parser's order."""
        return (finding for kind in kinds for finding in self._by_kind.get(kind, ()))

    @cached_property
    def _by_kind(self) -> dict[Kind, list[Finding]]:
        return grouped((finding.kind, finding) for finding in self.parsed.findings)

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


class PromptView:
    """One prompt of a file, as rules see it."""

    def __init__(self, file: FileView, prompt: Prompt) -> None:
        self.file = file
        self.prompt = prompt
        self.text, self.tree = file.text, file.tree
        """The source of the whole file, to which spans refer, and its nodes."""

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


def grouped(pairs: Iterable[tuple[_Key, _Value]]) -> dict[_Key, list[_Value]]:
    """The values of each key; keys and values are in the order of `pairs`."""
    found: dict[_Key, list[_Value]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found


def fix_at(title: str, span: Span, text: str, *, safe: bool = False) -> tuple[Fix, ...]:
    """The fix that writes `text` at `span`; one that is not safe changes what is scored or what a text says."""
    return (Fix(title, safe, (TextEdit(span, text),)),)


REFUSED: Final = "Weval refuses the whole file: nothing in it is scored."
RUN_REFUSED: Final = "Weval reads the file and refuses to run it: nothing in it is scored."


UNUSED: Final = "unused-suppression"
MALFORMED: Final = "malformed-suppression"


OnFinding: TypeAlias = Callable[[Finding, FileView], Report | None]
OnPrompt: TypeAlias = Callable[[PromptView], Iterable[Report]]
OnFile: TypeAlias = Callable[[FileView], Iterable[Report]]
_Check = TypeVar("_Check", bound=Callable[..., object])


class Rule(Record, kw_only=True):
    """One pitfall: its code and slug, its level, the reason, and the functions that report it.

    `why` is one sentence on the effect on the score. `why_accepted` replaces a `why` of `REFUSED` where Weval accepts
    the file all the same. `discover` sets the `module` that defines the rule, and the `family`, which is its package.
    `on_finding` gets the parser's findings of these `kinds`.

    With `needs_javascript`, `on_prompt` is called only when V8 is there; `on_file` is called without it on a keystroke,
    and reports from cached outcomes. `on_good_answers` is called when V8 is there, beside `on_prompt`: it reports what
    good answers show, in the place of the report that `on_prompt` makes at the same span. `on_collection` checks a file
    that is a collection of models; no other hook sees such a file. A rule without hooks holds the page of what is found
    elsewhere: by `engine.yaml`, or by the checker of comments. A rule that is `off` runs only if a project or a command
    selects it. One that `is_selected` by name also makes the reports that are `off` by default.
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


class RuleRow(Record):
    """What `rules.txt` says of a rule. Of one that is gone, `level` is None, and `why` names what takes its place."""

    code: str
    slug: str
    level: Severity | None
    why: str
    is_off: bool = False
    since: str = ""


def row_in(line: str) -> RuleRow:
    """The row that a line of `rules.txt` is."""
    named, _, why = line.partition(":")
    code, level, *more, slug = named.split()
    if level == "gone":
        return RuleRow(code, slug, None, why.strip(), since=more[0])
    return RuleRow(code, slug, Severity(level), why.strip(), is_off=bool(more))


_LINES = Path(__file__).with_name("rules.txt").read_text("utf-8").splitlines()
ROWS = {row.slug: row for row in (row_in(line) for line in _LINES if line[:1].isalpha())}
"""All rules by slug, also those that are gone, in the order of their codes."""


class Further(TypedDict, total=False):
    """What a rule may have beside its row: the fields of `Rule`."""

    kinds: tuple[Kind, ...]
    on_finding: OnFinding
    on_prompt: OnPrompt | None
    on_good_answers: OnPrompt
    on_file: OnFile | None
    on_collection: OnFile
    needs_javascript: bool
    written_page: str


def rule_of(slug: str, **further: Unpack[Further]) -> Rule:
    """The rule of this slug, as its row says."""
    row = ROWS[slug]
    assert row.level is not None
    why, _, why_accepted = row.why.partition(" // ")
    return Rule(
        slug=slug, why=why, why_accepted=why_accepted, code=row.code, severity=row.level, off=row.is_off, **further
    )


def prompt_rule(**further: Unpack[Further]) -> Callable[[OnPrompt], Rule]:
    """The rule that a function on a prompt makes, named as its slug."""
    return rule_by(lambda check: Further(on_prompt=check), further)


def file_rule(**further: Unpack[Further]) -> Callable[[OnFile], Rule]:
    """The rule that a function on a file makes, named as its slug."""
    return rule_by(lambda check: Further(on_file=check), further)


def finding_rule(*kinds: Kind, **further: Unpack[Further]) -> Callable[[OnFinding], Rule]:
    """The rule that a function on the parser's findings of `kinds` makes, named as its slug."""
    return rule_by(lambda check: Further(kinds=kinds, on_finding=check), further)


def rule_by(hooks: Callable[[_Check], Further], further: Further) -> Callable[[_Check], Rule]:
    """The rule that a function makes through its `hooks`, with the slug that its name says."""

    def made(check: _Check) -> Rule:
        further.update(hooks(check))
        return rule_of(check.__name__.replace("_", "-"), **further)

    return made


def reference_page(rule: Rule) -> str:
    """The page of a rule in Markdown as it is shown: its heading, its text, and how to suppress its reports."""
    _, _, text = rule.page.partition("\n")
    return f"# {rule.heading}\n{text.rstrip()}\n\n{_suppress_line(rule)}\n"


def _suppress_line(rule: Rule) -> str:
    """How to suppress the reports of a rule. A comment cannot suppress what is reported about comments."""
    project = f'`ignore = ["{rule.slug}"]` in the settings of the project'
    if rule.slug == UNUSED:
        return f"Suppress: {project}."
    line = f"`# studio: ignore[{rule.slug}] reason` at the end of the line, or on a line of its own above the item"
    file = f"`# studio: ignore-file[{rule.slug}] reason` at the top"
    return f"Suppress: {line}. In the whole file: {file}. Everywhere: {project}."


def level_line(rule: Rule) -> str:
    """A rule's level and code, as the line below its page."""
    off = " Off by default: a project or a command can select it." if rule.off else ""
    return f"Level: {rule.severity.value}. Code: {rule.code}.{off}"
