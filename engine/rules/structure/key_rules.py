"""# unknown-key

An unknown key, such as `shoud:` or a prompt's `tags:`.

Its value has no effect: points under a misspelt `should` are never checked. Reported once per file and key, with a
count. So is a second name for the same thing: of `should` and `points` in one prompt, only `should` is read.

Bad:

    - id: capital
      prompt: What is the capital of Kenya?
      shoud:
        - Names Nairobi

Good:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - Names Nairobi

Fix (safe where one letter is off): the key that was meant, if Weval accepts the value there. For the argument of a
check, the check has to accept it too. A second check in one item becomes an item of its own. Unsafe: `prompts:`
inside a list becomes a key of the header, and a whole blueprint that is the only item of a list is taken out of it.

Documents: Blueprint format, Configuration Header Fields; Blueprint format, Prompt Fields; Blueprint format, Point
Definition Formats.

# deprecated-key

A deprecated key: a header's `id`, `judgeModels`, `judgeMode` or `defs`, a prompt's `expect`, `expects` or
`expectations`.

Most of these still work, but the documents ask for other keys in new blueprints. `id` and `judgeMode` have no effect
any more. No score changes. Reported once per file and key, with a count.

Bad:

    id: capitals-v1
    title: Capitals
    ---
    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - Names Nairobi

Good:

    title: Capitals
    ---
    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - Names Nairobi

Fix: none. Remove the key, or use its replacement.

Documents: Blueprint format, Configuration Header Fields, `id`; Blueprint format, LLM Coverage Evaluation Options,
`judgeModels`, `judgeMode`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from engine import functions
from engine.blueprint import normal_function_name
from engine.parsing import Parsed, parse
from engine.parsing.demands import Finding, Kind
from engine.parsing.fields import truthy
from engine.parsing.normalised_form import POINT_KEYS, blueprint_id
from engine.rules.rule import RUN_REFUSED, FileView, Report, file_rule, nearest_names, one_letter_off
from engine.rules.source.named_models import coverage_of, joined_name
from engine.rules.source.prompt_texts import ASKING, misspells
from engine.text import Fix, Span, TextEdit, lazy, replace
from engine.yaml.edit import key_like
from engine.yaml.keys import Part, find_key, names_read, suggested_names
from engine.yaml.layout import line_start, reindented
from engine.yaml.nodes import MERGE, MappingNode, Node, Pair, ScalarNode, SequenceNode, property_name, resolved, to_data
from engine.yaml.slips import ALL_KEYS
from engine.yaml.tree_loader import enclosing_mapping
from engine.yaml.trial import works

_SEPARATOR = lazy(r"^(---[ \t]*\r?\n)(?:[ \t]*(?:#[^\n]*)?\r?\n)*\Z", re.MULTILINE)
"""The separator above the first prompt, with nothing but comments between."""
_ITEM_AT_MARGIN = lazy(r"^-(?=[ \t\r\n])", re.MULTILINE)
_NOTED_BY_THE_PARSER = (Part.PROMPT, Part.POINT, Part.MESSAGE, Part.FREE)
_HEADER = suggested_names(Part.HEADER)
_PROMPT = suggested_names(Part.PROMPT)
_POINT = suggested_names(Part.POINT)
_EVALUATION = suggested_names(Part.EVALUATION)


# Keys of a prompt that nobody reads: misspelt ones, and those that mean the same as another key beside them.


_SAME = (POINT_KEYS, ("ideal", "idealResponse"))
"""Names for the same thing, in the order in which Weval looks for them."""


def _unread_keys(view: FileView) -> Iterator[tuple[Pair, str]]:
    """Each pair of a prompt that nobody reads, and the name of the key that is read in its place."""
    for names in _SAME:
        present = [name for name in names if view.holds(f"{name}:", f'{name}"', f"{name}'")]
        for prompt in view.blueprint.prompts if len(present) > 1 else ():
            pairs = [pair for name in present if (pair := prompt.node.pair(name)) is not None and truthy(pair)]
            yield from ((pair, property_name(pairs[0].key)) for pair in pairs[1:])


@file_rule()
def unknown_key(view: FileView) -> Iterator[Report]:
    correction = _Correction(view)
    unasked = {each.prompt for each in view.findings_of(Kind.NO_QUESTION) if misspells(view, each.prompt, ASKING)}
    by_key: dict[tuple[tuple[str, ...], str], list[Finding]] = {}
    seen: set[Span] = set()  # aliases repeat a key
    for known, finding in (*_noted_by_the_parser(view), *_within(view.header, Part.HEADER)):
        if finding.prompt is None or finding.span not in seen:
            seen.add(finding.span)
            by_key.setdefault((known, finding.detail), []).append(finding)
    for (known, key), findings in by_key.items():
        if key.startswith("$") and known == _POINT:
            yield from (_second_check(view, finding) for finding in findings)
            continue
        if known == _PROMPT and key == "prompts":
            yield from (_with_refusal([finding], _nested_prompts(view, finding), unasked) for finding in findings)
            continue
        if known == _PROMPT and key in names_read(Part.HEADER):
            # where a list of prompts is beside it, the item is a whole blueprint: reported at `prompts`
            findings = [each for each in findings if enclosing_mapping(view.tree, each.span).pair("prompts") is None]
        if findings:
            yield _with_refusal(findings, _key_report(correction, key, known, findings), unasked)
    for pair, name in _unread_keys(view):
        written = property_name(pair.key)
        what = "its criteria count in no score: move them there" if name in POINT_KEYS else "remove one of the two"
        yield Report(pair.key.span, f"`{written}` is not read beside `{name}`: {what}")


def _noted_by_the_parser(view: FileView) -> Iterator[tuple[tuple[str, ...], Finding]]:
    """The unknown keys of the header, of prompts and of points, with the names that are known there."""
    messages: dict[Span, bool] = {}  # a mapping is asked once, however many unknown keys it has
    for finding in view.findings_of(Kind.UNKNOWN_KEY):
        if not _is_reported_as_lost(view, finding):
            yield _known_beside(view, finding, messages), finding


def _with_refusal(findings: Sequence[Finding], report: Report, unasked: Collection[int | None]) -> Report:
    """The report with Weval's refusal where the key should have been that of the question."""
    is_refused = any(finding.prompt in unasked for finding in findings)
    return replace(report, flagged=True, why=RUN_REFUSED) if is_refused else report


def _second_check(view: FileView, finding: Finding) -> Report:
    """The report of a second check in one item: only the first one runs."""
    text, start = view.text, finding.span.start
    at = line_start(text, start)
    mapping = enclosing_mapping(view.tree, finding.span)
    message = f"only the first check of this item runs: start a new `- ` for `{finding.detail}`"
    has_room = not (mapping.flow or view.is_json or text[at:start].strip() or start - at < 2)
    edits = (TextEdit(Span(start - 2, start), "- "),) if has_room else ()
    is_last = mapping.pairs[-1].key.span == finding.span  # else a weight or a citation would go with it
    title = "start a new item" if is_last else "start a new item, with the keys below"
    return Report(finding.span, message, fixes=(Fix(title, is_last, edits),))


def _nested_prompts(view: FileView, finding: Finding) -> Report:
    """The report of the list `prompts` inside an item of the list of prompts."""
    message = "`prompts` cannot be an item of a list: it is a key of the header, or is left out"
    mapping = enclosing_mapping(view.tree, finding.span)
    is_only = (
        view.prompt(finding.prompt) is not None
        and len(view.blueprint.prompts) == 1
        and len(_ITEM_AT_MARGIN.findall(view.text)) == 1  # an item that an error hides is no prompt of the blueprint
    )
    return Report(finding.span, message, fixes=(_taken_out(view, mapping),) if is_only else ())


def _taken_out(view: FileView, mapping: MappingNode) -> Fix:
    """The fix that takes `prompts`, or a whole blueprint, out of the list of which it is the only item."""
    text, start, header = view.text, mapping.span.start, view.blueprint.header.fields
    edits, title = (TextEdit(Span(start - 2, start), ""),), "make it a key of the header"
    if len(mapping.pairs) > 1:
        title = "take the blueprint out of the list"
        is_header = set(mapping.keys()) <= {*names_read(Part.HEADER), "prompts"} and not header
        edits = (*edits, *reindented(text, mapping.span, -2)) if is_header else ()
    elif header:
        title += ", without the `---`"
        separator = _SEPARATOR.search(text[: start - 2])
        edits = (TextEdit(Span(*separator.span(1)), ""), *edits) if separator else ()
    is_item = text[line_start(text, start) : start] == "- " and not mapping.flow
    return Fix(title, False, edits if is_item else ())


def _of_coverage(key: str) -> str:
    """Where a key belongs that was written beside `llm-coverage`."""
    if key in suggested_names(Part.COVERAGE):
        return "it belongs one level deeper, under `llm-coverage`"
    if key == "judgeMode":
        return "remove it, as all judges grade, and their mean counts"
    return "judges are listed in `judges`, under `llm-coverage`"


def _within(node: MappingNode, part: Part) -> Iterator[tuple[tuple[str, ...], Finding]]:
    """The unknown keys of the mappings within `node` that the parser does not check, with the known names."""
    for pair in node.pairs:
        key = find_key(part, property_name(pair.key))
        if key is None or key.part is None or key.part in _NOTED_BY_THE_PARSER:
            continue
        known, read = suggested_names(key.part), names_read(key.part)
        for inner in _mappings(resolved(pair.value), named=key.named):
            if key.part is Part.MODEL and joined_name(inner) is not None:
                continue  # `openai: gpt-4o-mini`: reported by `model-format`
            for each in inner.pairs:
                name = property_name(each.key)
                if name not in read and name != MERGE:
                    yield known, Finding(Kind.UNKNOWN_KEY, each.key.span, each.key, None, name)
            yield from _within(inner, key.part)


def _mappings(node: Node, *, named: bool) -> Iterator[MappingNode]:
    """The mappings under a key: its value, the items of its list, or with `named` the values of its own keys."""
    match node:
        case MappingNode(pairs=pairs) if named:
            yield from (inner for pair in pairs if isinstance(inner := resolved(pair.value), MappingNode))
        case MappingNode():
            yield node
        case SequenceNode(items=items):
            yield from (inner for item in items if isinstance(inner := resolved(item), MappingNode))
        case _:
            return


def _is_reported_as_lost(view: FileView, finding: Finding) -> bool:
    """Whether the key is unknown only because a header was read as a prompt, or a prompt as the header."""
    if finding.prompt is None:
        return finding.detail in _PROMPT and any(view.findings_of(Kind.PROMPT_LOST))
    return finding.prompt == 0 and finding.detail in _HEADER and any(view.findings_of(Kind.HEADER_LOST))


def _known_beside(view: FileView, finding: Finding, messages: dict[Span, bool]) -> tuple[str, ...]:
    """The keys that can have been meant in the header, prompt or point of the unknown key.

    `messages` remembers of each mapping whether it is a message.
    """
    if finding.prompt is None:
        return _HEADER
    beside = enclosing_mapping(view.tree, finding.span)
    if beside.span not in messages:
        messages[beside.span] = not {"role", "content"}.isdisjoint(beside.keys())
    if messages[beside.span]:
        return suggested_names(Part.MESSAGE)
    prompt = view.prompt(finding.prompt)
    in_point = prompt is not None and any(
        rubric.span.start <= finding.span.start < rubric.span.end for rubric in prompt.rubrics
    )
    return _POINT if in_point else _PROMPT


def _key_report(correction: _Correction, key: str, known: tuple[str, ...], findings: list[Finding]) -> Report:
    times = "" if len(findings) == 1 else f", {len(findings)} times in this file"
    if known == _EVALUATION and key in names_read(Part.COVERAGE):
        return Report(findings[0].span, f"unknown key `{key}` here: {_of_coverage(key)}")
    if key in known:
        advice = "an item is a text or a check: start a new `- ` for one of them" if known == _POINT else "remove it"
        return Report(findings[0].span, f"`{key}` has no effect beside the other keys of this item{times}: {advice}")
    name = next(iter(nearest_names(key, known)), None)
    if name is None:
        return Report(findings[0].span, f"unknown key `{key}` here{times}{_OF_OTHERS.get(key, '')}")
    edits = correction.edits(findings, name)
    is_safe = one_letter_off(key, name) and key not in ALL_KEYS  # a key of another place is no misspelt one
    message = f"unknown key `{key}` here{times}: did you mean `{name}`?"
    return Report(findings[0].span, message, fixes=(Fix(f"write {name}", is_safe, edits),))


_OF_OTHERS = {"parts": ": other programs send the parts of a message like that; write its text alone, as `content: …`"}
"""What is known of keys of other programs."""
_MOST_READ = 500_000
"""Characters that are read again for one check: this runs at every keystroke. Further keys have no fix."""
_PER_ERROR = 8_000
"""As how many characters a YAML error counts: reading on behind it takes as long."""


class _Correction:
    """Corrects keys of one file, where Weval accepts the result."""

    def __init__(self, view: FileView) -> None:
        self._view = view
        self._left = _MOST_READ
        self._keys: dict[int, Counter[str]] = {}
        """The keys of mappings, by the identity of the mapping."""

    def edits(self, findings: Sequence[Finding], name: str) -> tuple[TextEdit, ...]:
        """The edits that call the keys `name`; empty if one of them cannot be called so."""
        view = self._view
        if not all(self._is_free(finding, name) and _is_sound(view, finding, name) for finding in findings):
            return ()
        keys = ((finding, finding.node) for finding in findings)
        edits = tuple(TextEdit(each.span, key_like(view.text, node, name)) for each, node in keys if node is not None)
        return edits if self._is_accepted_by_weval(edits) else ()

    def _is_free(self, finding: Finding, name: str) -> bool:
        """Whether the mapping has no key `name` or another name for it yet, and the misspelt key only once."""
        mapping = enclosing_mapping(self._view.tree, finding.span)
        keys = self._keys.get(id(mapping))
        if keys is None:
            keys = self._keys[id(mapping)] = Counter(mapping.keys())
        names = POINT_KEYS if name in POINT_KEYS else (name,)
        return keys[finding.detail] < 2 and not any(each in keys for each in names)

    def _is_accepted_by_weval(self, edits: Sequence[TextEdit]) -> bool:
        """Whether Weval refuses no more than before."""
        before = self._view.parsed
        self._left -= len(before.text) + len(before.tree.diagnostics) * _PER_ERROR

        def is_no_worse(corrected: str) -> bool:
            after = parse(corrected, before.path)
            return _refusals(after) <= _refusals(before) and (after.weval.ok or not before.weval.ok)

        return self._left >= 0 and works(before.text, edits, is_no_worse)


def _refusals(parsed: Parsed) -> int:
    return sum(each.refused for each in parsed.findings)


def _is_sound(view: FileView, finding: Finding, name: str) -> bool:
    """Whether the check accepts the value, where `name` is the key of its argument."""
    mapping = enclosing_mapping(view.tree, finding.span)
    named, value = mapping.get("fn") if name in ("arg", "fnArgs") else None, mapping.get(finding.detail)
    function = functions.find(normal_function_name(named.text)) if isinstance(named, ScalarNode) else None
    return function is None or value is None or function.problem(to_data(value)) is None


_EXPECT = ("expect", "expects", "expectations")
_EXPECTED = lazy(r"expect(?:s|ations)?[\"']?[ \t]*:")
"""Starts with a literal word, for speed: it is searched at every keystroke."""


@file_rule()
def deprecated_key(view: FileView) -> Iterator[Report]:
    for mapping, name, successor, message in _deprecated(view):
        if (pair := mapping.pair(name)) is not None:
            is_idle = successor and mapping.pair(successor) is not None
            yield Report(pair.key.span, f"`{name}` has no effect beside `{successor}`" if is_idle else message)
    if _EXPECTED.search(view.text) is None:
        return
    for name in _EXPECT:
        pairs = [pair for prompt in view.blueprint.prompts if (pair := prompt.node.pair(name)) is not None]
        if pairs:
            times = "" if len(pairs) == 1 else f", {len(pairs)} times in this file"
            yield Report(pairs[0].key.span, f"`{name}` is an old name of `should`{times}")


def _deprecated(view: FileView) -> Iterator[tuple[MappingNode, str, str, str]]:
    """Each deprecated key of the header: its mapping, its name, the key beside which it is not read, the message."""
    header, coverage = view.header, coverage_of(view.header)
    known = "the file's path" if view.path is None else f"the file's path, here `{blueprint_id(view.path)}`"
    for name in ("id", "configId"):
        yield header, name, "", f"`{name}` has no effect: the id of a blueprint comes from {known}"
    yield header, "defs", "point_defs", "`defs` is now called `point_defs`"
    now = "`judgeModels` is now `judges`, a list that gives each judge a `model` and an `approach`"
    yield coverage, "judgeModels", "judges", now
    yield coverage, "judgeMode", "", "`judgeMode` has no effect any more: all judges grade, and their mean counts"
