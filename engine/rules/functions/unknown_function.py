"""# unknown-function

A check with a name that no function has, such as `$icontain_word: Nairobi`; one without its `$`, `icontains: Nairobi`;
and a pattern with flags, `$matches: /nairobi/i`, whose `i` belongs to the name.

The check never runs. Weval leaves a point with an unknown name out of the score, so the other points decide alone and a
wrong answer may still score 100; here it is an error and counts 0. Without the `$`, a judge grades whether the answer
expresses “icontains”, and “Nairobi” is the citation. A pattern between slashes looks for the slashes, too. Names are
case-sensitive, and after `fn:` they have no `$`.

Bad:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - $icontins: nairobi

Good:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - $icontains: nairobi

Fix (safe if only one name is close): that name. Unsafe if a name without `$` is also an ordinary word (`call`, `match`,
`contain`, `external`), or if a sentence may be meant. None if the function does not accept the argument.

Documents: Blueprint format, Point Definition Formats 3 and 4.

# documented-only: Function that Weval documents and does not run

A function that the documents name and Weval does not know, such as `$imatches_all_of`.

It works here. Weval reports "Unknown point function" and leaves the point out of the score.

Bad:

    - id: ruling
      prompt: Sum up the ruling.
      should:
        - $imatches_all_of: ["^the ruling", "states that$"]

Good:

    - id: ruling
      prompt: Sum up the ruling.
      should:
        - $imatch_all_of: ["^the ruling", "states that$"]

Fix (safe if Weval has an equivalent): the name that Weval knows.

Documents: Blueprint format, Point Definition Formats 3.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from engine import functions
from engine.blueprint import ABSENT, FunctionCall, Point
from engine.parsing.findings import Finding, Kind
from engine.rules.checks import (
    check_hooks,
    checks_in,
    defined_checks,
    definition_nodes,
    hooked_rule,
    renamed_function,
    text_place,
)
from engine.rules.functions.rewritten_checks import rewritten
from engine.rules.rule import REFUSED, Report, prompt_rule
from engine.rules.source.check_keys import (
    NAME_KEYS,
    KeyCheck,
    argument_in_key,
    bare_name,
    check_of_mapping,
    renamed_key,
    renamed_value,
)
from engine.rules.source.check_texts import may_be_check
from engine.rules.source.function_names import named_by, named_for
from engine.rules.source.pattern_signs import SlashedPattern, slashed_pattern
from engine.rules.views import FileView, PromptView
from engine.text.diagnostics import Fix, Severity
from engine.text.patterns import lazy
from engine.yaml.node_search import enclosing_mapping
from engine.yaml.nodes import MappingNode, ScalarNode, property_name, resolved
from engine.yaml.values import to_data

_CURLY = "“”„‟‘’‚‛"
_NAME = lazy(r"[\w$\"'“‘«-]+")
_OTHER_KEY = lazy(rf"(?:{'|'.join(map(re.escape, NAME_KEYS))})[\"']?[ \t]*:")
_REPORTED_ELSEWHERE = (Kind.QUOTED_FUNCTION, Kind.DOLLAR_TEXT, Kind.DOLLAR_IN_FN, Kind.UNDEFINED_REF, Kind.CIRCULAR_REF)


def _check(view: FileView, points: Sequence[Point]) -> Iterator[Report]:
    for point in points:
        call = point.function
        if call is None or call.name == "ref":
            continue
        if functions.find(call.name) is not None:
            yield from _between_slashes(view, point)
        elif not view.is_reported(point.span, *_REPORTED_ELSEWHERE):
            yield _report(view, point)


def _report(view: FileView, point: Point) -> Report:
    mapping = point.mapping
    found = None if mapping is None else _meant(view, mapping, point)
    written = point.subject_span.of(view.text).strip("'\"").removeprefix("$")
    if found is None and point.function is not None and mapping is None:
        return _bare(view, point, written)
    if found is None:
        return Report(point.subject_span, f"there is no function ${written}: it is never checked")
    nearest = functions.find(found.names[0])
    hint = f"did you mean {' or '.join(f'${name}' for name in found.names)}?"
    if not found.edits and nearest is not None:
        hint = f"${found.names[0]} is the nearest, and takes {nearest.argument}, such as `{nearest.example}`"
    return Report(point.subject_span, f"there is no function ${written}: {hint}", fixes=_fixes(found))


def _meant(view: FileView, mapping: MappingNode, point: Point) -> KeyCheck | None:
    for pair in mapping.pairs:
        if pair.key.span == point.subject_span:
            found = named_for(bare_name(property_name(pair.key)), to_data(resolved(pair.value)))
            if found:
                return renamed_key(view.text, pair, found, certain=True)
            return argument_in_key(view.text, mapping, pair, is_json=view.is_json)
        if property_name(pair.key) == "fn" and isinstance(pair.value, ScalarNode):
            return renamed_value(view.text, mapping, pair.value)
    return None


def _bare(view: FileView, point: Point, written: str) -> Report:
    """The report on a name alone: `- $is_jsn`."""
    found = named_by(written)
    names = [each.name for each in found]
    fixes = tuple(
        Fix(f"use ${each.name}", len(found) == 1 and each.likeness.is_certain, (edit,))
        for each in found
        if each.function.problem(ABSENT) is None and (edit := renamed_function(view, point, each.name)) is not None
    )
    hint = f": did you mean {' or '.join(f'${name}' for name in names)}?" if names else ": it is never checked"
    return Report(point.subject_span, f"there is no function ${written}{hint}", fixes=fixes)


def _fixes(found: KeyCheck) -> tuple[Fix, ...]:
    return tuple(
        Fix(f"use ${name}", found.is_certain, edits) for name, edits in zip(found.names, found.edits, strict=False)
    )


# -- names without `$`


def _without_sign(view: PromptView) -> Iterator[Report]:
    refused = {finding.span for finding in view.findings if finding.kind is Kind.BAD_POINT}
    places = refused | {point.span for point in view.prompt.points() if _may_be_check(view, point)}
    for span in sorted(places):
        mapping = enclosing_mapping(view.tree, span)
        if mapping.span.start <= span.start:
            yield from _of_mapping(view.file, mapping, REFUSED if span in refused else _CITED)


def _may_be_check(view: PromptView, point: Point) -> bool:
    """Whether the point may be `name: citation`, or a text beside other keys for name and argument."""
    if point.function is not None or point.text is None or point.span == point.subject_span:
        return False
    if point.subject_span.start > point.span.start and _OTHER_KEY.search(view.text, point.span.start, point.span.end):
        return True
    return point.text in NAME_KEYS or may_be_check(point.text)


def _of_mapping(view: FileView, mapping: MappingNode, why: str) -> Iterator[Report]:
    found = check_of_mapping(view.text, mapping, is_json=view.is_json)
    if found is None:
        return
    if not found.edits:
        function = functions.find(found.names[0])
        example = f"a check is `{function.example}`" if function is not None else f"write `{found.correct_form}`"
        message = (
            f"“{found.written}” alone is a criterion here, not a check: {example}; put a whole criterion in quotes"
        )
    else:
        place = "begins with `$`" if found.correct_form.startswith("$") else "has its name after `fn`"
        place += f", not with the curly quote `{found.written[0]}`" if found.written[0] in _CURLY else ""
        message = f"`{found.written}` is not a check, because a check {place}: write `{found.correct_form}`"
    yield Report(found.place, message, why=why, fixes=_fixes(found))


def _defined_without_sign(view: FileView) -> Iterator[Report]:
    for node in definition_nodes(view):
        if isinstance(node, MappingNode):
            yield from _of_mapping(view, node, _CITED)


# -- patterns between slashes


def _between_slashes(view: FileView, point: Point) -> Iterator[Report]:
    call = point.function
    assert call is not None
    found = {text: pattern for text in call.texts() if (pattern := slashed_pattern(text, call.name)) is not None}
    if not found:
        return
    text, first = next(iter(found.items()))
    shown = f"${first.name}: {first.pattern}" if first.name is not None else first.pattern
    flags = " and flags" if first.flags else ""
    instead = f"write `{shown}`" if first.name is not None else f"no function takes the flags `{first.flags}`"
    message = f"`{text}` looks for the slashes{flags} as well: {instead}"
    yield Report(text_place(view, point, text), message, why=_SLASHES, fixes=_unslashed(view, point, call, found))


def _unslashed(
    view: FileView, point: Point, call: FunctionCall, found: Mapping[str, SlashedPattern]
) -> tuple[Fix, ...]:
    """The fix that removes the slashes; none if a text has no slashes or other flags, or is repeated."""
    names = {each.name for each in found.values()}
    name = next(iter(names))
    if name is None or len(names) > 1 or len(found) < len([*call.texts()]):
        return ()
    new = None if name == call.name else name
    edits = rewritten(view, point, {text: each.pattern for text, each in found.items()}, new)
    title = "remove the slashes" if new is None else f"use ${new}"
    return (Fix(title, all(each.is_certain for each in found.values()), edits),) if edits else ()


def _dollar_in_fn(finding: Finding, view: FileView) -> Report:
    node, mapping = finding.node, enclosing_mapping(view.tree, finding.span)
    found = renamed_value(view.text, mapping, node) if isinstance(node, ScalarNode) else None
    if found is None:
        return Report(finding.span, f"there is no function {finding.detail}: it is never checked")
    named = " or ".join(f"`fn: {name}`" for name in found.names)
    fixes = tuple(
        Fix("remove the $" if f"${name}" == finding.detail else f"use {name}", found.is_certain, edits)
        for name, edits in zip(found.names, found.edits, strict=False)
    )
    return Report(finding.span, f"after `fn:`, a name has no `$`: write {named}", fixes=fixes)


def _on_file(view: FileView) -> Iterator[Report]:
    yield from _check(view, defined_checks(view))
    yield from _defined_without_sign(view)


_WHY = "The check never runs: it counts 0 here, and Weval leaves it out, so a wrong answer may still score 100."
_CITED = "The check never runs: a judge grades whether the answer expresses its name."
_SLASHES = "The check never finds what it looks for: slashes and flags are part of the pattern here and on Weval."


@hooked_rule(
    check_hooks, "F009", Severity.WARNING, why="Weval never runs the check and leaves the point out of the score."
)
def documented_only(view: FileView, points: Sequence[Point]) -> Iterator[Report]:
    for point in points:
        call = point.function
        function = functions.find(call.name) if call is not None else None
        if call is None or function is None or functions.known_to_weval(call.name):
            continue
        twin = function.weval_name
        fixes: tuple[Fix, ...] = ()
        if twin is not None and (edit := renamed_function(view, point, twin)) is not None:
            fixes = (Fix(f"use ${twin}", True, (edit,)),)
        named = f": it knows ${twin}" if twin is not None else ""
        yield Report(
            point.subject_span, f"${call.name} works here, but Weval does not know it{named}", flagged=True, fixes=fixes
        )


@prompt_rule("F001", Severity.ERROR, why=_WHY, kinds=(Kind.DOLLAR_IN_FN,), on_finding=_dollar_in_fn, on_file=_on_file)
def unknown_function(view: PromptView) -> Iterator[Report]:
    without_sign = [report for report in _without_sign(view) if report.fixes or not view.is_cut_off]
    for report in (*(_check(view.file, tuple(checks_in(view))) if view.checks else ()), *without_sign):
        if not view.is_cut_off or _NAME.fullmatch(report.span.of(view.text)) is not None:
            yield report  # otherwise a YAML error, reported elsewhere, may have cut the key off
