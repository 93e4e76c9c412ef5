"""What a reviewer of a blueprint wants to know of its text before it is merged. Nothing is sent.

The code that it runs and whom it calls, prompts that ask almost the same, what its rubrics cite and leave, the web
addresses that it cites, and comments to paste into the review.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from engine.blueprint import ABSENT, Blueprint, FunctionCall, Point, Prompt
from engine.evaluation.point_assessment import assess
from engine.evaluation.sources import ControlKind, control_answer
from engine.models.definitions import variables_in
from engine.models.service_client import Host, hosts
from engine.scoring.explanation_builder import explain
from engine.scoring.sums import place, severities
from engine.study.pairing import likeness, trigrams
from engine.text.diagnostics import Diagnostic, Fix, Severity
from engine.text.patterns import lazy
from engine.text.record import Record
from engine.text.spans import LineIndex, Position, Span, TextEdit, apply_edits
from engine.yaml.nodes import Data

if TYPE_CHECKING:
    from engine.functions.tasks import TaskRunner

ALIKE = 0.85
"""The likeness from which two prompts count as near-duplicates: the Dice coefficient of their groups of three
characters."""
_INLINE = lazy(r"\[cite\b|§\s*\d|\b(?:Art|Article|Section|Sec)\b\.?\s*\d|https?://")
"""How a criterion quotes a source in its text."""
_ADDRESS = re.compile(r"https?://[^\s<>\"'`\\|^{}]+", re.IGNORECASE)
_AFTER = ".,;:!?*_~…"
_HEADER_FIELDS = ("description", "author", "references", "reference", "citations", "citation")
_SCRIPTS = frozenset(("js", "expr", "not_js", "not_expr"))


class Script(Record):
    """One script: its code, the function that runs it, and where it first stands. `uses` counts its points."""

    code: str
    function: str
    span: Span
    uses: int


class OwnModel(Record):
    """A model that the blueprint defines: its id, its address as written, and the variables that go with it."""

    id: str
    url: str
    variables: tuple[str, ...]


class CodeAndHosts(Record):
    """Scripts, the hosts of services, services whose address holds a variable, and models of the blueprint's own."""

    scripts: tuple[Script, ...]
    hosts: tuple[Host, ...]
    variable_services: tuple[str, ...]
    models: tuple[OwnModel, ...]


def code_and_hosts(blueprint: Blueprint) -> CodeAndHosts:
    """What `blueprint` runs and whom it calls."""
    return CodeAndHosts(
        tuple(_scripts(blueprint)),
        hosts(blueprint.header, blueprint.prompts, keyless=True),
        tuple(_variable_services(blueprint)),
        tuple(_own_models(blueprint)),
    )


def _scripts(blueprint: Blueprint) -> Iterator[Script]:
    found: dict[tuple[str, str], Script] = {}
    for prompt in blueprint.prompts:
        for point in prompt.points():
            for code in () if point.function is None else _code_in(point.function):
                assert point.function is not None
                key = (point.function.name, code)
                before = found.get(key)
                span = point.subject_span if before is None else before.span
                found[key] = Script(code, point.function.name, span, 1 if before is None else before.uses + 1)
    yield from found.values()


def _code_in(call: FunctionCall) -> Iterator[str]:
    """The scripts of one check: that of `$js`, and `where` in a check of tool arguments."""
    if call.name in _SCRIPTS and isinstance(call.args, str):
        yield call.args
    elif call.name.removeprefix("not_") == "tool_args_match" and isinstance(call.args, dict):
        where = call.args.get("where")
        if isinstance(where, str):
            yield where


def _variable_services(blueprint: Blueprint) -> Iterator[str]:
    services = blueprint.header.fields.get("externalServices")
    for name, service in services.items() if isinstance(services, dict) else ():
        url = service.get("url") if isinstance(service, dict) else None
        if isinstance(url, str) and variables_in(url):
            yield str(name)


def _own_models(blueprint: Blueprint) -> Iterator[OwnModel]:
    for model in blueprint.header.models:
        if isinstance(model, dict):
            url = model.get("url")
            yield OwnModel(str(model.get("id") or ""), url if isinstance(url, str) else "", variables_in(model))


class DuplicateGroup(Record):
    """Prompts that ask almost the same, each alike to another one of the group. `least` is the least such likeness."""

    prompts: tuple[Prompt, ...]
    least: float

    @property
    def is_exact(self) -> bool:
        """Whether they differ at most in case and white space."""
        return self.least >= 1


def near_duplicates(prompts: Sequence[Prompt]) -> tuple[DuplicateGroup, ...]:
    """The groups of prompts that ask almost the same, in the order of the file."""
    grams = [trigrams(_asked(prompt)) for prompt in prompts]
    groups = list(range(len(prompts)))
    best = [0.0] * len(prompts)
    for number, one in enumerate(grams):
        for other_number, other in enumerate(grams[:number]):
            value = likeness(one, other, ALIKE)
            if value >= ALIKE:
                best[number] = max(best[number], value)
                best[other_number] = max(best[other_number], value)
                joined, group = groups[number], groups[other_number]
                groups = [group if each == joined else each for each in groups]
    members: dict[int, list[int]] = {}
    for number, group in enumerate(groups):
        members.setdefault(group, []).append(number)
    return tuple(
        DuplicateGroup(tuple(prompts[number] for number in each), min(best[number] for number in each))
        for each in members.values()
        if len(each) > 1
    )


def _asked(prompt: Prompt) -> str:
    system = prompt.system if isinstance(prompt.system, str) and prompt.system is not ABSENT else ""
    return "\n".join([system, *(f"{message.role}: {message.content or ''}" for message in prompt.messages)])


class Guard(Record):
    """A required point of `should_not`, and the score (0–1) of an answer that does this and all else right."""

    point: Point
    left: float


class Echo(Record):
    """A prompt with an answer that repeats its text: the least that this earns, 0–1."""

    prompt: Prompt
    earns: float


class RubricFigures(Record):
    """`citing` of the `criteria` name a source: by a citation of their own or of their prompt, or in their text.

    `guards` are those that leave most first, `echoes` those that earn most first, without those that earn nothing.
    """

    criteria: int
    citing: int
    guards: tuple[Guard, ...]
    echoes: tuple[Echo, ...]


def rubric_figures(blueprint: Blueprint, javascript: TaskRunner) -> RubricFigures:
    """The figures of all prompts. Blocks while checks run on their texts; nothing is sent."""
    worded = [(prompt, point) for prompt in blueprint.prompts for point in prompt.points() if point.text is not None]
    guards = [guard for prompt in blueprint.prompts for guard in _guards(prompt)]
    echoes = [echo for prompt in blueprint.prompts for echo in _echoes(prompt, javascript)]
    return RubricFigures(
        len(worded),
        sum(_cites(prompt, point) for prompt, point in worded),
        tuple(sorted(guards, key=lambda guard: -guard.left)),
        tuple(sorted(echoes, key=lambda echo: -echo.earns)),
    )


def _cites(prompt: Prompt, point: Point) -> bool:
    return bool(point.citation is not None or prompt.citation or _INLINE.search(point.text or ""))


def _guards(prompt: Prompt) -> Iterator[Guard]:
    placed = () if prompt.is_cut_off else place(prompt)
    for each, left in zip(placed, severities(placed), strict=True):
        if each.inverted and each.path_id is None and left is not None:
            yield Guard(each.point, left)


def _echoes(prompt: Prompt, javascript: TaskRunner) -> Iterator[Echo]:
    assessments = assess(prompt, control_answer(ControlKind.ECHO, prompt), javascript)
    earns = explain(prompt, assessments).bounds.low
    if earns > 0:
        yield Echo(prompt, earns)


class WebLink(Record):
    """One address, its host with the port if it is not the default, and where it is cited: `header`, or prompt ids."""

    url: str
    host: str
    cited_in: tuple[str, ...]


def web_links(blueprint: Blueprint) -> tuple[WebLink, ...]:
    """The addresses that `blueprint` cites, each once, in the order of the file."""
    found: dict[str, list[str]] = {}
    for where, text in _cited(blueprint):
        for match in _ADDRESS.finditer(text):
            url = _trimmed(match[0])
            places = found.setdefault(url, [])
            if where not in places:
                places.append(where)
    return tuple(WebLink(url, _host(url), tuple(places)) for url, places in found.items() if _host(url))


def _cited(blueprint: Blueprint) -> Iterator[tuple[str, str]]:
    for name in _HEADER_FIELDS:
        for text in _texts(blueprint.header.fields.get(name)):
            yield "header", text
    for prompt in blueprint.prompts:
        for data in (prompt.description, prompt.citation, *(point.citation for point in prompt.points())):
            for text in _texts(data):
                yield prompt.id, text


def _texts(data: Data) -> Iterator[str]:
    match data:
        case str():
            yield data
        case list():
            for each in data:
                yield from _texts(each)
        case dict():
            for each in data.values():
                yield from _texts(each)
        case _:
            pass


def _trimmed(url: str) -> str:
    """`url` without the punctuation of the sentence around it; a closing bracket stays if it was opened within."""
    while True:
        url = url.rstrip(_AFTER)
        for opened, closed in (("(", ")"), ("[", "]")):
            if url.endswith(closed) and url.count(closed) > url.count(opened):
                url = url[:-1]
                break
        else:
            return url


def _host(url: str) -> str:
    """The host of `url` in lower case, "" if it has none."""
    rest = url.partition("://")[2]
    return re.split(r"[/?#]", rest, maxsplit=1)[0].rpartition("@")[2].lower()


class Suggestion(Record):
    """One comment on the lines `first` to `last`, from 1. `lines` replace them; None where there is no one fix."""

    diagnostic: Diagnostic
    first: int
    last: int
    title: str
    lines: tuple[str, ...] | None


def suggestions(text: str, diagnostics: Iterable[Diagnostic]) -> Iterator[Suggestion]:
    """A comment for each error and warning, in the order of the text.

    Its replacement is that of its fix, where there is one safe fix or only one.
    """
    index = LineIndex(text)
    for diagnostic in diagnostics:
        if diagnostic.severity is Severity.HINT:
            continue
        fix = _fix(diagnostic)
        if fix is None or not fix.edits:
            place = index.position(diagnostic.span.start).line + 1
            yield Suggestion(diagnostic, place, place, "", None)
        else:
            yield _replacement(text, index, diagnostic, fix)


def _fix(diagnostic: Diagnostic) -> Fix | None:
    safe = [fix for fix in diagnostic.fixes if fix.safe]
    if len(safe) == 1:
        return safe[0]
    return diagnostic.fixes[0] if len(diagnostic.fixes) == 1 else None


def _replacement(text: str, index: LineIndex, diagnostic: Diagnostic, fix: Fix) -> Suggestion:
    first = index.position(min(edit.span.start for edit in fix.edits)).line
    if first and first == index.line_count - 1 and not index.line(first):
        first -= 1  # what is added at the end of a file belongs to its last line
    last = max(first, _last_line(index, max(fix.edits, key=lambda edit: edit.span.end)))
    start, end = index.offset(Position(first, 0)), index.line_span(last).end
    end = max(end, max(edit.span.end for edit in fix.edits))
    within = [TextEdit(Span(edit.span.start - start, edit.span.end - start), edit.text) for edit in fix.edits]
    changed = apply_edits(text[start:end], within)
    return Suggestion(diagnostic, first + 1, last + 1, fix.title, tuple(changed.splitlines()))


def _last_line(index: LineIndex, edit: TextEdit) -> int:
    """The last line that `edit` touches: one that ends between two lines, and leaves a line end there, touches none."""
    end, start = index.position(edit.span.end), index.position(edit.span.start)
    ends_a_line = edit.text.endswith("\n") or (edit.text == "" and start.column == 0)
    return end.line - 1 if end.column == 0 and end.line and ends_a_line else end.line
