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

# argument-slip: Slip in the argument of a check

An argument that a check cannot mean as it is written.

- A blank or a line break at either end that no answer has at that place: before the text of `$starts_with`, behind that
  of `$ends_with`, around a whole word, or behind a block text (`|`), which ends in a line break. Anywhere else, a blank
  may be meant as the edge of a word (`" no "`), so it is reported only if the prompt's own ideal has the text without
  it, and fails.
- An item twice in a list, also in another case if the check ignores case.
- An item of `_all_of` or `_at_least_n_of` that is found wherever another one is: the text is counted twice.
- A sign of another dialect of patterns. JavaScript takes `\A`, `\Z`, `\h`, `\R`, `\Q` and `\p{L}` for letters, and
  `[:digit:]` for these six signs; `\<` and `\>` for `<` and `>`.
- An HTML entity in what an answer should have, such as `R&amp;D`, if neither the prompt nor the ideal speaks of markup.
- A name in braces in a `$call` that nothing fills in: `{respnse}`, `{{response}}`, `${response}`. The names are
  `{response}`, `{modelId}`, `{promptId}`, `{messages}` and `{promptText}`. In a literal of another check,
  `${response}` is looked for as it stands.

Right answers lose the point, or an item of the list counts for nothing.

Bad:

    - id: founder
      prompt: Who is the boss of the research department?
      should:
        - Names her
        - $icontains: head of R&amp;D
        - $matches: '\AThe'
        - $icontains_any_of: [INR, inr]

Good:

    - id: founder
      prompt: Who is the boss of the research department?
      should:
        - Names her
        - $icontains: head of R&D
        - $matches: '^The'
        - $icontains_any_of: [INR, rupee]

Fix (unsafe): the argument without the slip, or the list without the item.

Documents: Blueprint format, Point Definition Formats 3; Blueprint format, Troubleshooting 5.

# pattern-in-literal: Pattern in a check for plain text

The signs of a pattern in a text that a check looks for as it stands: `refugee*`, `^Yes`, `.*persecut.*`,
`Sucre|La Paz`.

`$contains` and its kin compare characters. An answer would have to write the sign itself, `Sucre|La Paz` with the `|`,
so every right answer loses the point: with two points, half of the score. Under `should_not`, and as `$not_…`, nothing
is ever found.

Bold and italic text (`**yes**`), code and formulas are fine, and so is a text that stands in the prompt or in its
ideal, or a sign that is used there in the same way.

Bad:

    - id: capital
      prompt: What is the capital of Bolivia?
      should:
        - Says that there are two
        - $icontains: Sucre|La Paz

Good:

    - id: capital
      prompt: What is the capital of Bolivia?
      should:
        - Says that there are two
        - $imatches: Sucre|La Paz

Fix (unsafe): the check of the same kind that takes patterns; `refugee*` becomes `refugee\w*`.

Documents: Blueprint format, Point Definition Formats 3; Blueprint format, Troubleshooting 5.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from engine import functions
from engine.blueprint import ABSENT, Point, Prompt
from engine.functions.point_function import Args
from engine.parsing.findings import Finding, Kind
from engine.rules.checks import (
    argument_span,
    checks_in,
    defined_checks,
    forbidden_places,
    hooked_rule,
    is_negated,
    prompt_check_hooks,
    renamed_function,
    text_place,
)
from engine.rules.functions.argument_slips import item_slips, text_slips
from engine.rules.functions.rewritten_checks import as_patterns, meant_as_patterns
from engine.rules.refusals import cut
from engine.rules.rule import Report, finding_rule, prompt_rule
from engine.rules.source.check_arguments import arguments
from engine.rules.source.function_names import accepting, function_of
from engine.rules.source.pattern_signs import pattern_signs
from engine.rules.source.prompt_texts import known_text
from engine.rules.source.regex_parser import parse_regex
from engine.rules.views import FileView, PromptView
from engine.text.diagnostics import Fix, Severity
from engine.text.patterns import lazy
from engine.text.spans import TextEdit, in_quotes
from engine.yaml.edit import quote
from engine.yaml.layout import dash_before
from engine.yaml.node_search import enclosing_mapping
from engine.yaml.nodes import Data, MappingNode, Node, ScalarNode, SequenceNode
from engine.yaml.values import to_data

_THOUSANDS = lazy(r",\d{3}(?!\d)")
"""The rest of a number whose comma parts a list."""


def _check_definitions(view: FileView) -> Iterator[Report]:
    for point in defined_checks(view):
        yield from _of_point(view, point)


def _of_point(view: FileView, point: Point) -> Iterator[Report]:
    call = point.function
    function = functions.find(call.name) if call is not None else None
    if call is None or function is None:
        return
    is_reported_elsewhere = _is_left_to_service(function, call.args) or _is_mapping_of_call(function, call.args)
    problem = None if is_reported_elsewhere else function.problem(call.args)
    if problem is None or view.is_reported(point.span, Kind.FALSY_ARGUMENT_LOST):
        return
    positive = None if function.negates is None else functions.find(function.negates)
    if positive is not None:
        problem = problem.replace(positive.example, function.example)
    message = f"${function.name}: {problem[:1].lower()}{problem[1:]}"
    fixes = _in_quotes(view, point, function) or tuple(_of_another_shape(view, point, function))
    yield Report(argument_span(view, point), message, _why(function), fixes=fixes)


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
    node, args = point.argument, None if point.function is None else point.function.args
    if isinstance(args, str) and node is not None:
        alone: list[Data] = [args]
        meant = next((each.value for each in arguments(function, args)), alone)
        if function.problem(meant) is None:
            written = json.dumps(meant, ensure_ascii=False)
            yield Fix(f"write {cut(written)}", False, (TextEdit(node.span, written),))
    for each in accepting(function.name, args) if isinstance(args, list) else ():
        if (naming := renamed_function(view, point, each.name)) is not None:
            yield Fix(f"use ${each.name}", False, (naming,))


def _is_left_to_service(function: functions.PointFunction, args: Args) -> bool:
    """Whether a service decides what a missing argument means, as with a bare `$factcheck`."""
    return function.by_service and (args is ABSENT or args is None)


def _is_mapping_of_call(function: functions.PointFunction, args: Args) -> bool:
    """Whether it is a mapping for `$call` without service and URL, which `call-target` reports."""
    return function.name == "call" and isinstance(args, dict)


def _why(function: functions.PointFunction) -> str:
    return f"The check cannot run and counts 0. It takes {function.argument}, such as `{function.example}`."


@finding_rule("F005", Severity.WARNING, Kind.FALSY_ARGUMENT_LOST, why="The check gives a different result on Weval.")
def falsy_argument_lost(finding: Finding, view: FileView) -> Report:
    fixes: tuple[Fix, ...] = ()
    mapping = enclosing_mapping(view.tree, finding.span)
    pair = mapping.pair("fnArgs")
    if pair is not None and mapping.pair("arg") is None and _can_run(mapping, pair.value):
        written = pair.key.span.of(view.text)
        fixes = (Fix("write arg", True, (TextEdit(pair.key.span, written.replace("fnArgs", "arg")),)),)
    written = finding.span.of(view.text)
    return Report(finding.span, f"Weval drops `fnArgs: {written}` and runs the check without an argument", fixes=fixes)


def _can_run(mapping: MappingNode, value: Node) -> bool:
    """Whether the check in the full form accepts `value`, so that only the key is wrong."""
    name = mapping.get("fn")
    function = functions.find(name.text) if isinstance(name, ScalarNode) else None
    return function is None or function.problem(to_data(value)) is None


_LENGTH = 2


@finding_rule(
    "Y007",
    Severity.ERROR,
    Kind.LEGACY_TUPLE,
    why="The check does not run: a judge grades the two words as criteria of an alternative path.",
)
def legacy_tuple(finding: Finding, view: FileView) -> Report:
    node = finding.node
    fixes: tuple[Fix, ...] = ()
    name = ""
    first = node.items[0] if isinstance(node, SequenceNode) and node.flow else None
    if isinstance(node, SequenceNode) and isinstance(first, ScalarNode):
        function = function_of(first.text)
        name = first.text.removeprefix("$") if function is None else function[0]
        argument = node.items[1]
        is_sound = function is not None and function[1].problem(to_data(argument)) is None
        written = f"${name}: {argument.span.of(view.text)}"
        in_block = dash_before(view.text, node.span.start) is not None
        if view.is_json:
            written = f'"${name}": {argument.span.of(view.text)}'
        edit = TextEdit(node.span, written if in_block else f"{{{written}}}")
        if is_sound and len(node.items) == _LENGTH:
            fixes = (Fix(f"write it as ${name}: …", True, (edit,)),)
    items = node.items if isinstance(node, SequenceNode) else ()
    count = "two " if len(items) == _LENGTH else ""
    is_of_texts = all(isinstance(item, ScalarNode) for item in items)
    read_as = f"{count}texts for a judge" if is_of_texts else "an alternative path"
    return Report(finding.span, f"this is read as {read_as}, not as the check “{name}”", fixes=fixes)


@prompt_rule("F002", Severity.ERROR, why="The check cannot run and counts 0.", on_file=_check_definitions)
def bad_arguments(view: PromptView) -> Iterator[Report]:
    for point in checks_in(view):
        call = point.function
        if call is not None and not (call.args in (None, ABSENT) and view.is_cut_off):
            yield from _of_point(view.file, point)


@hooked_rule(
    prompt_check_hooks,
    "F090",
    Severity.WARNING,
    why="The check does not look for what its argument says, or counts one text twice.",
)
def argument_slip(view: FileView, points: Sequence[Point], prompt: Prompt | None) -> Iterator[Report]:
    forbidden = () if prompt is None else forbidden_places(prompt)
    for point in points:
        yield from text_slips(view, point, prompt if is_negated(point) is (point.span in forbidden) else None)
        yield from item_slips(view, point)


@hooked_rule(
    prompt_check_hooks,
    "F097",
    Severity.WARNING,
    why="No answer writes such a sign, so the check gives every answer the same result.",
)
def pattern_in_literal(view: FileView, points: Sequence[Point], prompt: Prompt | None) -> Iterator[Report]:
    known = "" if prompt is None else known_text(prompt)
    for point in points:
        if meant := meant_as_patterns(point, known):
            text, sign = next(iter(meant.items()))
            patterns = {each: _pattern(each) for each in meant}
            is_sound = None not in map(parse_regex, patterns.values())
            yield Report(
                text_place(view, point, text),
                f"{in_quotes(cut(text))} is looked for with its `{sign[-1] if sign[0].isalpha() else sign}`: "
                "only `$matches` and its kin take patterns",
                fixes=as_patterns(view, point, patterns, "as a pattern") if is_sound else (),
            )


def _pattern(text: str) -> str:
    for sign in pattern_signs(text):
        text = text.replace(sign, rf"{sign[:-1]}\w*") if sign[0].isalpha() else text
    return text
