r"""# bad-arguments

A check whose argument has the wrong shape: a text instead of a list, a number instead of a text, a minimum above the
maximum.

The check cannot run. It counts 0 here, also under `should_not`; Weval leaves some of these out of the score and gives
others a meaningless number.

Bad:

    - id: capital
      prompt: Describe Nairobi in fifty words.
      should:
        - $word_count_between: 50

Good:

    - id: capital
      prompt: Describe Nairobi in fifty words.
      should:
        - $word_count_between: [45, 55]

Fix (unsafe): a text where a list is due becomes a list, parted at its commas; for a list where a text is due, the check
that takes one. Safe: a number or a date where a text is due (`$contains: 2019`) is put in quotation marks.

Documents: Blueprint format, Point Definition Formats 3; The `should` system, Part 1, Idiomatic Function Call.

# falsy-argument-lost: Empty or zero argument that Weval drops

`fnArgs: 0` or `fnArgs: ""` in the full form of a check.

Here, the argument counts as written. Weval drops it and runs the check without one.

Bad:

    - id: brief
      prompt: Say nothing.
      should:
        - fn: ends_with
          fnArgs: ""

Good:

    - id: brief
      prompt: Say nothing.
      should:
        - fn: ends_with
          arg: ""

Fix (safe): `arg`, which Weval reads.

Documents: Blueprint format, Point Definition Formats 4, "`arg` for `fnArgs`".

# legacy-tuple: Check in the old form of a list

`["contains", "Nairobi"]`, the old way to write a check, is read as an alternative path of two texts.

The check does not run. Instead, a judge grades whether the answer expresses "contains", and whether it expresses
"Nairobi". Beside required points, the path is also half of the score.

Bad:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - ["contains", "Nairobi"]

Good:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - $contains: "Nairobi"

Fix (safe): the check in its current form.

Documents: The `points` system, Part 1, Function Tuple; Blueprint format, Point Definition Formats 3.

# undefined-ref: Reference to a definition that does not exist

A `$ref` to a name that `point_defs` does not define, or a definition that cannot be a point.

Weval refuses the whole file, so nothing in it is scored.

Bad:

    title: Capitals
    point_defs:
      brief: r.length < 100
    ---
    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - $ref: breif

Good:

    title: Capitals
    point_defs:
      brief: r.length < 100
    ---
    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - $ref: brief

Fix (safe if only one name is close): the name of the definition.

Documents: Blueprint format, Configuration Header Fields, `point_defs`.

# circular-ref: Definitions that refer to each other

A definition that leads back to itself.

It never reaches a point, so nothing is checked.

Bad:

    title: Capitals
    point_defs:
      brief:
        $ref: short
      short:
        $ref: brief
    ---
    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - $ref: brief

Good:

    title: Capitals
    point_defs:
      brief: r.length < 100
    ---
    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - $ref: brief

Fix: none.

Documents: Blueprint format, Configuration Header Fields, `point_defs`.

# ref-attributes-ignored: Fields beside a reference that have no effect

A weight or a citation beside a `$ref` whose definition is a full point, or a definition that Weval cannot follow.

Here both count, as documented. Weval ignores them and uses the weight of the definition. It copies a definition
unchanged: in it, `weight` must be `multiplier`, `point` must be `text`, and a `$ref` has no effect.

Bad:

    title: Capitals
    point_defs:
      brief:
        $word_count_between: [1, 20]
    ---
    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - Names Nairobi
        - $ref: brief
          weight: 3

Good:

    title: Capitals
    point_defs:
      brief:
        $word_count_between: [1, 20]
    ---
    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - Names Nairobi
        - $ref: brief

Fix: none.

Documents: Blueprint format, Configuration Header Fields, `point_defs`, "full point objects".

# unused-definition

A definition of `point_defs` that no `$ref` names.

It is never checked. Either it is a leftover, or a `$ref` to it is missing and the score lacks a point.

Bad:

    title: Capitals
    point_defs:
      brief: r.length < 100
      polite: /please/.test(r)
    ---
    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - $ref: brief

Good:

    title: Capitals
    point_defs:
      brief: r.length < 100
      polite: /please/.test(r)
    ---
    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - $ref: brief
        - $ref: polite

Fix: none.

Documents: Blueprint format, Configuration Header Fields, `point_defs`.

# js-syntax: JavaScript that does not compile

A `$js` script that JavaScript cannot read, for example because of a bracket that is never closed.

The script never runs. The point counts 0 here, and Weval leaves it out of the score, so the other points decide alone.

Bad:

    - id: brief
      prompt: Describe Nairobi in a sentence.
      should:
        - $js: "r.length < 300 &&"

Good:

    - id: brief
      prompt: Describe Nairobi in a sentence.
      should:
        - $js: "r.length < 300"

Fix: none. The message is V8's own, at its position in the script.

Documents: The `should` system, Part 1, Idiomatic Function Call, `$js`; Blueprint format, Point Definition Formats 3.

# js-returns: JavaScript that returns no score

A `$js` script that gave no score for any test answer: no number, no true or false, no `{score}`.

The result of a script is its score. A script that returns text, a list of matches or nothing, or that fails on every
answer, counts 0 here; Weval leaves an error out of the score, and counts no result as 0. The rule runs the script on an
empty answer, an ordinary one, a short one, JSON, and the prompt's ideal if it has one. In a conversation of several
turns the earlier turns that a model writes hold such an answer, too.

If the patterns and scripts of a file take more than half a second to try, those that follow are not tried, so what may
be wrong with them is not reported. Nor is a pattern tried that has over twenty parts that may be left out, or groups
within each other a hundred deep: compiling it can take seconds. One report says so, at the first prompt that it
concerns.

Bad:

    - id: numbers
      prompt: Name the year.
      should:
        - $js: "r.match(/[0-9]{4}/)"

Good:

    - id: numbers
      prompt: Name the year.
      should:
        - $js: "/[0-9]{4}/.test(r)"

Fix: none.

Documents: The `should` system, Part 1, Idiomatic Function Call, `$js`; Blueprint format, Point Definition Formats 3.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence

from engine import functions
from engine.blueprint import ABSENT, Point, Prompt
from engine.functions.point_function import Checked, CheckError, NotCalled, Subject
from engine.functions.tasks import JsError, Outcome, SyntaxTask, Value
from engine.parsing.demands import Finding, Kind
from engine.rules.checks import (
    argument_span,
    check_rule,
    definitions,
    outcomes_of,
    renamed,
    subjects,
)
from engine.rules.refusals import cut
from engine.rules.rule import FileView, Report, file_rule, finding_rule, nearest_names
from engine.rules.source.check_names import accepting, checks_of, function_of
from engine.text import Fix, Span, TextEdit, lazy
from engine.text.spans import count
from engine.yaml.edit import quote, rename
from engine.yaml.layout import dash_before, first_line, source_offset
from engine.yaml.nodes import Data, MappingNode, ScalarNode, SequenceNode, property_name, resolved, to_data
from engine.yaml.tree_loader import enclosing_mapping

_THOUSANDS = lazy(r",\d{3}(?!\d)")
"""The rest of a number whose comma parts a list."""


def _of_point(view: FileView, point: Point) -> Iterator[Report]:
    call, function = point.call, functions.find(point.call.name)
    if function is None:
        return
    is_left_to_service = function.by_service and (call.args is ABSENT or call.args is None)  # as with `$factcheck`
    is_call = function.name == "call" and isinstance(call.args, dict)  # `call-target` reports it
    problem = None if is_left_to_service or is_call else function.problem(call.args)
    if problem is None or view.is_reported(point.span, Kind.FALSY_ARGUMENT_LOST):
        return
    positive = None if function.negates is None else functions.find(function.negates)
    if positive is not None:
        problem = problem.replace(positive.example, function.example)
    message = f"${function.name}: {problem[:1].lower()}{problem[1:]}"
    why = f"The check cannot run and counts 0. It takes {function.argument}, such as `{function.example}`."
    fixes = _in_quotes(view, point, function) or tuple(_of_another_shape(view, point, function))
    yield Report(argument_span(view, point), message, why, fixes=fixes)


def _in_quotes(view: FileView, point: Point, function: functions.PointFunction) -> tuple[Fix, ...]:
    """The fix that puts numbers, dates and truth values in quotation marks; none if the check needs more than that."""
    argument: Data
    match point.argument:
        case ScalarNode() as node:
            scalars, argument = [node], node.text
        case SequenceNode(items=items):
            scalars = [item for item in items if isinstance(item, ScalarNode)]
            argument = [*(item.text for item in scalars)]
            if len(scalars) != len(items):
                return ()
        case _:
            return ()
    untyped = [node for node in scalars if node.value is not None and not isinstance(node.value, str)]
    if not untyped or function.problem(argument) is not None:
        return ()
    edits = (edit for node in untyped for edit in quote(node, node.span.of(view.text), is_json=view.is_json))
    is_cut = any(_THOUSANDS.match(view.text, node.span.end) for node in untyped)
    return (Fix("put it in quotation marks", not is_cut, tuple(edits)),)


def _of_another_shape(view: FileView, point: Point, function: functions.PointFunction) -> Iterator[Fix]:
    """The fix that writes a text as the list that it may mean, or those that name a check for the list."""
    node, args = point.argument, point.call.args
    if isinstance(args, str) and node is not None:
        alone: list[Data] = [args]
        meant = next((each.argument for each in checks_of(function.name, function, args)), alone)
        if function.problem(meant) is None:
            written = json.dumps(meant, ensure_ascii=False)
            yield Fix(f"write {cut(written)}", False, (TextEdit(node.span, written),))
    for each in accepting(function.name, args) if isinstance(args, list) else ():
        yield Fix(f"use ${each.name}", False, renamed(view, point, each.name))


@finding_rule(Kind.FALSY_ARGUMENT_LOST)
def falsy_argument_lost(finding: Finding, view: FileView) -> Report:
    mapping = enclosing_mapping(view.tree, finding.span)
    pair, name, written = mapping.pair("fnArgs"), mapping.get("fn"), finding.span.of(view.text)
    function = functions.find(name.text) if isinstance(name, ScalarNode) else None
    can_run = pair is not None and (function is None or function.problem(to_data(pair.value)) is None)
    edits = rename(view.text, pair.key, "arg") if pair is not None and can_run and mapping.pair("arg") is None else ()
    message = f"Weval drops `fnArgs: {written}` and runs the check without an argument"
    return Report(finding.span, message, fixes=(Fix("write arg", True, edits),))


@finding_rule(Kind.LEGACY_TUPLE)
def legacy_tuple(finding: Finding, view: FileView) -> Report:
    node = finding.node
    first, *others = node.items if isinstance(node, SequenceNode) else (None,)
    name, fixes = "", ()
    if isinstance(node, SequenceNode) and node.flow and isinstance(first, ScalarNode):
        function = function_of(first.text)
        name = first.text.removeprefix("$") if function is None else function[0]
        is_sound = len(others) == 1 and function is not None and function[1].problem(to_data(others[0])) is None
        key = f'"${name}"' if view.is_json else f"${name}"
        written = f"{key}: {others[0].span.of(view.text)}" if is_sound else ""
        in_block = dash_before(view.text, node.span.start) is not None
        edits = (TextEdit(node.span, written if in_block else f"{{{written}}}"),) if is_sound else ()
        fixes = (Fix(f"write it as ${name}: …", True, edits),)
    is_of_texts = all(isinstance(item, ScalarNode) for item in (first, *others))
    count = "two " if len(others) == 1 else ""
    read_as = f"{count}texts for a judge" if is_of_texts else "an alternative path"
    return Report(finding.span, f"this is read as {read_as}, not as the check “{name}”", fixes=fixes)


@check_rule()
def bad_arguments(view: FileView, points: Sequence[Point], prompt: Prompt | None) -> Iterator[Report]:
    is_cut_off = prompt is not None and prompt.index in view.parsed.broken.prompts
    for point in points:
        if not (is_cut_off and point.call.args in (None, ABSENT)):
            yield from _of_point(view, point)


_REFERENCE = lazy(
    r"""\$ref["']?[ \t]*:[ \t]*(?:\{[ \t]*["']?name["']?[ \t]*:[ \t]*)?"""
    r"""(?:"([^"\n]*)"|'([^'\n]*)'|([^\s"',}#](?:[^\n,}#]*[^\s,}#])?))"""
)
"""A reference and its name, quoted or not."""


@finding_rule(Kind.UNDEFINED_REF)
def undefined_ref(finding: Finding, view: FileView) -> Report:
    node = None if finding.node is None else resolved(finding.node)
    if isinstance(node, MappingNode) and (value := node.get("$ref")) is not None:
        node = resolved(value)
    if not finding.detail or not isinstance(node, ScalarNode) or not isinstance(node.value, str):
        span = first_line(view.text, finding.span)
        return Report(span, "a `$ref` must be the name of a definition")
    names = [property_name(each.key) for each in definitions(view)]
    near = nearest_names(node.value, names)
    if not near:
        are = "is" if len(names) == 1 else "are"
        there = f"there {are} {', '.join(f'`{name}`' for name in names[:5])}" if names else "there are no definitions"
        return Report(node.span, f"`{node.value}` is not defined in `point_defs`: {there}")
    fixes = tuple(Fix(f"use {name}", len(near) == 1, rename(view.text, node, name)) for name in near)
    named = " or ".join(f"`{name}`" for name in near)
    return Report(node.span, f"`{node.value}` is not defined in `point_defs`: did you mean {named}?", fixes=fixes)


@finding_rule(Kind.CIRCULAR_REF)
def circular_ref(finding: Finding, view: FileView) -> Report:
    return Report(finding.span, f"the definition `{finding.detail}` leads back to itself and never reaches a criterion")


_IN_A_DEFINITION = {
    "$ref": "Weval does not follow a `$ref` in a definition and leaves the check out; here it is followed",
    "point": "Weval does not know `point` in a definition and fails; write `text`",
    "weight": "Weval ignores `weight` in a definition; here it counts. Write `multiplier`",
}


@finding_rule(Kind.REF_ATTRIBUTES_IGNORED, Kind.DEFINITION_COPIED)
def ref_attributes_ignored(finding: Finding, view: FileView) -> Report:
    if finding.kind is Kind.DEFINITION_COPIED:
        return Report(finding.span, _IN_A_DEFINITION[finding.detail])
    return Report(finding.span, f"Weval ignores `{finding.detail}` beside a `$ref` to a full criterion; here it counts")


@file_rule()
def unused_definition(view: FileView) -> Iterator[Report]:
    defined = definitions(view)
    if not defined or any(finding.kind is Kind.UNDEFINED_REF for finding in view.parsed.findings):
        return
    used = {name for found in _REFERENCE.finditer(view.text) for name in found.groups() if name is not None}
    for key in (each.key for each in defined if property_name(each.key) not in used):
        yield Report(key.span, f"no `$ref` names the definition `{property_name(key)}`: it is never checked")


def _scripts(points: Iterable[Point]) -> list[tuple[Point, str]]:
    calls = ((point, point.call) for point in points)
    return [(point, call.args) for point, call in calls if call.name in ("js", "expr") and isinstance(call.args, str)]


# js-syntax


@check_rule(needs_javascript=True)
def js_syntax(view: FileView, points: Sequence[Point], _: Prompt | None) -> Iterator[Report]:
    scripts = _scripts(points)
    for (point, source), error in zip(scripts, _errors(view, [source for _, source in scripts]), strict=True):
        if error is not None:
            yield Report(_place(view, point, source, error.at), f"this JavaScript cannot be read: {error.message}")


def _errors(view: FileView, sources: Sequence[str]) -> list[JsError | None]:
    """V8's syntax error for each script; None if there is none, or if the script was not compiled."""
    outcomes = outcomes_of(view.javascript, [SyntaxTask(source) for source in sources])
    return [outcome if isinstance(outcome, JsError) else None for outcome in outcomes]


def _place(view: FileView, point: Point, source: str, at: int | None) -> Span:
    """The character of the script where V8 reports the error; the first line of the script if that is unknown."""
    node = resolved(point.argument or point.node)
    if not isinstance(node, ScalarNode) or node.value != source:
        return point.subject_span
    last = max(len(source.rstrip()) - 1, 0)
    start = None if at is None else source_offset(view.text, node, min(at, last))
    return first_line(view.text, node.span) if start is None else Span(start, start + 1)


# js-returns


def _problem(view: FileView, point: Point, tried: Sequence[Subject]) -> str | None:
    """What the script does instead of giving a score; None if it gives a score for one of the answers `tried`."""
    call, function = point.call, functions.find(point.call.name)
    if function is None:
        return None
    outcomes: list[Outcome] = []
    for subject in tried:  # one at a time: most scripts give a score for the first
        (outcome,) = outcomes_of(view.javascript, function.plan(call.args, subject))
        if outcome is None or _is_score(outcome):
            return None
        outcomes.append(outcome)
    answers = count(len(outcomes), "answer")
    result = function.conclude(call.args, tried[0], outcomes[:1])
    match result:
        case CheckError(message) | NotCalled(message):
            return f"no score for any of {answers} tried: {message[:1].lower()}{message[1:].rstrip('.')}"
        case Checked(detail=detail):
            return f"no score for any of {answers} tried: it {detail}"


def _is_score(outcome: Outcome) -> bool:
    """Whether a script gave a score, or reported an error of its own."""
    match outcome:
        case Value("boolean" | "number"):
            return True
        case Value("object", dict() as value):
            return "error" in value or isinstance(value.get("score"), int | float)
        case _:
            return False


@check_rule(needs_javascript=True)
def js_returns(view: FileView, points: Sequence[Point], prompt: Prompt | None) -> Iterator[Report]:
    """Reports on the valid scripts that gave no score for any test answer to the `prompt`, if there is one."""
    scripts = _scripts(points)
    if not scripts:
        return
    refused = _errors(view, [source for _, source in scripts])
    tried = [*subjects(prompt)]
    for (point, source), error in zip(scripts, refused, strict=True):
        problem = None if error is not None or not source.strip() else _problem(view, point, tried)
        if problem is not None and _problem(view, point, [*subjects(prompt, after_system=True)]) is not None:
            yield Report(_place(view, point, source, None), problem)
