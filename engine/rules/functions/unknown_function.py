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

# quoted-function: Check written as text

A check that is written as one text: in quotation marks, `- "$icontains: 'Article 19'"`; without the space after its
colon, `- $icontains:notary`; without its colon, `- $icontains notary`; with another sign for the colon,
`- $icontains： clerk`; in quotation marks and without its `$`, `- "icontains: INR"`.

The check never runs. With a `$`, the text is the name of a function that does not exist: Weval leaves the point out of
the score, so the other points decide alone, and here it is an error and counts 0. Without a `$`, inside an alternative
path and after `text:`, it is a criterion, and a judge grades whether the answer expresses it.

Bad:

    - id: article-19
      prompt: Which article protects freedom of expression?
      should:
        - "$icontains: 'Article 19'"

Good:

    - id: article-19
      prompt: Which article protects freedom of expression?
      should:
        - $icontains: 'Article 19'

Fix (safe): the check, with exactly the argument as written. Unsafe if the name is also an ordinary word (`call`,
`match`, `contain`, `external`), if a sentence may be meant, after `text:`, and if two functions are close. None if the
function does not accept the argument.

Documents: Blueprint format, Point Definition Formats 3, "All idiomatic function calls must be prefixed with a `$`".

# dollar-text: Text that begins with `$`

A text that begins with `$`, such as `- $100 is named as the fee`, is read as a function of that name.

There is no such function, so the point is never checked: it counts 0 here, and Weval leaves it out of the score. A text
that begins with the name of a function, such as `- $icontains notary`, was meant as a check: see quoted-function.

Bad:

    - id: fee
      prompt: What does the licence cost?
      should:
        - $100 is named as the fee

Good:

    - id: fee
      prompt: What does the licence cost?
      should:
        - text: $100 is named as the fee

Fix (safe): the full form with `text`, which is never read as a function.

Documents: Blueprint format, Point Definition Formats 3 and 4.

# text-in-path-function: Function name read as text in a path

`"$is_json"` inside an alternative path is a text for a judge, while the same line outside a path is a check.

The check does not run. Instead, a judge grades whether the answer expresses "$is_json".

Bad:

    - id: data
      prompt: Give the data as JSON.
      should:
        - - $is_json
          - Has a field for the name
        - - Says that it cannot be done
          - Says why

Good:

    - id: data
      prompt: Give the data as JSON.
      should:
        - - $is_json: true
          - Has a field for the name
        - - Says that it cannot be done
          - Says why

Fix (safe): the form with a colon, which is a check everywhere.

Documents: The `should` system, Part 1, Idiomatic Function Call, "Object syntax".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from engine import functions
from engine.blueprint import ABSENT, FunctionCall, Point, Prompt
from engine.parsing.demands import Finding, Kind
from engine.rules.checks import check_rule, checks_in, defined_checks, definitions, renamed, text_place
from engine.rules.functions.literal_forms import rewritten
from engine.rules.rule import REFUSED, FileView, PromptView, Report, finding_rule, fix_at, prompt_rule
from engine.rules.source import misspelt_checks
from engine.rules.source.check_names import named_by, named_for, slashed_pattern
from engine.text import Fix, Span, lazy
from engine.yaml.layout import dash_before, is_one_line, line_end, quoted
from engine.yaml.nodes import MappingNode, Pair, ScalarNode, Style, property_name, resolved, to_data
from engine.yaml.tree_loader import enclosing_mapping

_CURLY = "“”„‟‘’‚‛"
_NAME = lazy(r"[\w$\"'“‘«-]+")
_OTHER_KEY = lazy(rf"(?:{'|'.join(map(re.escape, misspelt_checks.NAME_KEYS))})[\"']?[ \t]*:")
_REPORTED_ELSEWHERE = (Kind.QUOTED_FUNCTION, Kind.DOLLAR_TEXT, Kind.DOLLAR_IN_FN, Kind.UNDEFINED_REF, Kind.CIRCULAR_REF)


def _unknown(view: FileView, points: Sequence[Point]) -> Iterator[Report]:
    for point in points:
        if functions.find(point.call.name) is not None:
            yield from _between_slashes(view, point, point.call)
        elif point.call.name != "ref" and not view.is_reported(point.span, *_REPORTED_ELSEWHERE):
            yield _report(view, point)


def _report(view: FileView, point: Point) -> Report:
    written = point.subject_span.of(view.text).strip("'\"").removeprefix("$")
    found = _meant(view, point, written)
    if found is None:
        return Report(point.subject_span, f"there is no function ${written}: it is never checked")
    nearest = functions.find(found.names[0])
    hint = f"did you mean {' or '.join(f'${name}' for name in found.names)}?"
    if not found.edits and nearest is not None:
        hint = f"${found.names[0]} is the nearest, and takes {nearest.argument}, such as `{nearest.example}`"
    return Report(point.subject_span, f"there is no function ${written}: {hint}", fixes=_naming_fixes(found))


def _meant(view: FileView, point: Point, written: str) -> misspelt_checks.KeyCheck | None:
    mapping = point.mapping
    if mapping is None:  # a name alone: `- $is_jsn`
        found = named_by(written)
        edits = (renamed(view, point, each.name) if each.function.problem(ABSENT) is None else () for each in found)
        is_certain = len(found) == 1 and found[0].likeness.is_certain
        return (
            misspelt_checks.KeyCheck(point.node, tuple(each.name for each in found), tuple(edits), is_certain)
            if found
            else None
        )
    for pair in mapping.pairs:
        if pair.key.span == point.subject_span:
            found = named_for(misspelt_checks.bare_name(property_name(pair.key)), to_data(resolved(pair.value)))
            if found:
                return misspelt_checks.renamed_check(view.text, pair.key, found, pair.value, certain=True)
            return misspelt_checks.argument_in_key(view.text, mapping, pair, is_json=view.is_json)
        if property_name(pair.key) == "fn" and isinstance(pair.value, ScalarNode):
            return misspelt_checks.renamed_value(view.text, mapping, pair.value)
    return None


def _naming_fixes(found: misspelt_checks.KeyCheck) -> tuple[Fix, ...]:
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
    return point.text in misspelt_checks.NAME_KEYS or misspelt_checks.may_be_check(point.text)


def _of_mapping(view: FileView, mapping: MappingNode, why: str) -> Iterator[Report]:
    found = misspelt_checks.check_of_mapping(view.text, mapping, is_json=view.is_json)
    if found is None:
        return
    written, correct, function = found.written, found.correct_form, functions.find(found.names[0])
    if not found.edits:
        example = f"a check is `{function.example}`" if function is not None else f"write `{correct}`"
        message = f"“{written}” alone is a criterion here, not a check: {example}; put a whole criterion in quotes"
    else:
        place = "has its name after `fn`" if found.is_in_full else "begins with `$`"
        place += f", not with the curly quote `{written[0]}`" if written[0] in _CURLY else ""
        message = f"`{written}` is not a check, because a check {place}: write `{correct}`"
    yield Report(found.node.span, message, why=why, fixes=_naming_fixes(found))


# -- patterns between slashes


def _between_slashes(view: FileView, point: Point, call: FunctionCall) -> Iterator[Report]:
    texts = [*call.texts()]
    found = {text: pattern for text in texts if (pattern := slashed_pattern(text, call.name)) is not None}
    if not found:
        return
    text, first = next(iter(found.items()))
    shown = f"${first.name}: {first.pattern}" if first.name is not None else first.pattern
    flags = " and flags" if first.flags else ""
    instead = f"write `{shown}`" if first.name is not None else f"no function takes the flags `{first.flags}`"
    message = f"`{text}` looks for the slashes{flags} as well: {instead}"
    name = None if first.name == call.name else first.name
    title = "remove the slashes" if name is None else f"use ${name}"
    is_one = first.name is not None and len(found) == len(texts) and len({each.name for each in found.values()}) == 1
    bare = {text: each.pattern for text, each in found.items()}
    fix = Fix(title, all(each.is_certain for each in found.values()), rewritten(view, point, bare, name))
    yield Report(text_place(view, point, text), message, why=_SLASHES, fixes=(fix,) if is_one else ())


def _dollar_in_fn(finding: Finding, view: FileView) -> Report:
    node, mapping = finding.node, enclosing_mapping(view.tree, finding.span)
    found = misspelt_checks.renamed_value(view.text, mapping, node) if isinstance(node, ScalarNode) else None
    if found is None:
        return Report(finding.span, f"there is no function {finding.detail}: it is never checked")
    named = " or ".join(f"`fn: {name}`" for name in found.names)
    fixes = tuple(
        Fix("remove the $" if f"${name}" == finding.detail else f"use {name}", found.is_certain, edits)
        for name, edits in zip(found.names, found.edits, strict=False)
    )
    return Report(finding.span, f"after `fn:`, a name has no `$`: write {named}", fixes=fixes)


def _on_file(view: FileView) -> Iterator[Report]:
    yield from _unknown(view, defined_checks(view))
    for pair in definitions(view):
        if isinstance(pair.value, MappingNode):
            yield from _of_mapping(view, pair.value, _CITED)


_CITED = "The check never runs: a judge grades whether the answer expresses its name."
_SLASHES = "The check never finds what it looks for: slashes and flags are part of the pattern here and on Weval."


@check_rule()
def documented_only(view: FileView, points: Sequence[Point], _: Prompt | None) -> Iterator[Report]:
    for point in points:
        name, function = point.call.name, functions.find(point.call.name)
        if function is None or functions.known_to_weval(name):
            continue
        twin = function.weval_name
        named = f": it knows ${twin}" if twin is not None else ""
        message = f"${name} works here, but Weval does not know it{named}"
        fix = Fix(f"use ${twin}", True, renamed(view, point, twin))
        yield Report(point.subject_span, message, flagged=True, fixes=(fix,))


@prompt_rule(kinds=(Kind.DOLLAR_IN_FN,), on_finding=_dollar_in_fn, on_file=_on_file)
def unknown_function(view: PromptView) -> Iterator[Report]:
    without_sign = [report for report in _without_sign(view) if report.fixes or not view.is_cut_off]
    for report in (*(_unknown(view.file, tuple(checks_in(view))) if view.checks else ()), *without_sign):
        if not view.is_cut_off or _NAME.fullmatch(report.span.of(view.text)) is not None:
            yield report  # otherwise a YAML error, reported elsewhere, may have cut the key off


_TITLE = "make it a check"
_ITEM_END = lazy(r"[ \t]*(?:[ \t]#|\r?$)")
"""What may follow the quotes of an item with a dash: the end of the line, or a comment."""
_NO_SPACE = lazy(r":\S")
_BRACKETS_GO_ON = lazy(r"[ \t]*[,\]}]")


def _quoted(finding: Finding, view: FileView) -> Report:
    node = finding.node
    assert isinstance(node, ScalarNode)
    found = misspelt_checks.read_check_node(node)
    if found is None:
        return Report(finding.span, f"{_shown(node, view)} is one unknown name")
    return _of_text(node, found, view, is_judged=False)


def _check_fixes(node: ScalarNode, found: misspelt_checks.CheckText, view: FileView) -> tuple[Fix, ...]:
    """The fix that replaces the text at `node` by a check; none if the check would not be valid."""
    span, check = node.span, found.check
    if check is None or _is_cut(check, node) or view.text[span.start] in "&!" or _is_followed(node, view):
        return ()
    in_brackets = dash_before(view.text, span.start) is None
    written = misspelt_checks.as_mapping(check, in_brackets=in_brackets, is_json=view.is_json)
    return fix_at(_TITLE, span, written, safe=check.is_certain)


def _is_followed(node: ScalarNode, view: FileView) -> bool:
    """Whether more than a comment follows its quotes, which YAML cannot read."""
    rest = Span(node.span.end, line_end(view.text, node.span.end)).of(view.text)
    is_quoted = node.style in (Style.SINGLE, Style.DOUBLE)
    goes_on = dash_before(view.text, node.span.start) is None and _BRACKETS_GO_ON.match(rest) is not None
    return is_quoted and not goes_on and _ITEM_END.match(rest) is None


def _is_cut(check: misspelt_checks.Check, node: ScalarNode) -> bool:
    """Whether a quotation mark opens the argument and none closes it: a ` #` inside may have begun a comment."""
    argument = check.argument
    is_open = isinstance(argument, str) and argument[:1] in ("'", '"') and argument.count(argument[0]) == 1
    return is_open and node.style is Style.PLAIN


def _of_prompt(view: PromptView) -> Iterator[Report]:
    for finding in view.findings:
        node = finding.node
        if finding.kind in (Kind.DOLLAR_TEXT, Kind.TEXT_IN_PATH_FUNCTION) and isinstance(node, ScalarNode):
            found = misspelt_checks.read_check_node(node)
            if found is not None and found.separator is not misspelt_checks.Separator.NOTHING:
                yield _of_text(node, found, view.file, is_judged=finding.kind is Kind.TEXT_IN_PATH_FUNCTION)
    for point in view.prompt.points():
        text = point.text
        if (
            text is not None
            and misspelt_checks.may_be_check(text)
            and misspelt_checks.read_check(text.rstrip("\n")) is not None
        ):
            yield from _of_point(point, view)


def _of_point(point: Point, view: PromptView) -> Iterator[Report]:
    """The report on a text point: a check without `$`, or after `text:`."""
    node = point.node
    if isinstance(node, ScalarNode):
        found = misspelt_checks.read_check_node(node)
        kinds = (Kind.LEGACY_TUPLE, Kind.TEXT_IN_PATH_FUNCTION)[: 1 + node.text.startswith("$")]
        if found is not None and not view.is_reported(node.span, *kinds):
            yield _of_text(node, found, view.file, is_judged=True)
    elif isinstance(node, MappingNode):
        for pair in node.pairs:
            is_text = property_name(pair.key) in ("text", "point") and pair.value.span == point.subject_span
            if is_text and isinstance(pair.value, ScalarNode):
                yield from _behind_text(node, pair, pair.value, view.file)


def _of_text(node: ScalarNode, found: misspelt_checks.CheckText, view: FileView, *, is_judged: bool) -> Report:
    what, why = ("a text for a judge, not a check", _JUDGED) if is_judged else ("one unknown name", "")
    message = f"{_shown(node, view)} is {what}: {_advice(node, found, view)}"
    return Report(node.span, message, why=why, fixes=_check_fixes(node, found, view))


def _advice(node: ScalarNode, found: misspelt_checks.CheckText, view: FileView) -> str:
    """What to do: the one thing that is wrong on the line, or else the form that the check should have."""
    behind_name = node.text.removeprefix(f"${found.named.name}")
    if found.check is not None and node.style is Style.PLAIN and _NO_SPACE.match(behind_name):
        return "put a space after the colon"
    is_quoted = node.span.of(view.text)[1:-1] == node.text and not view.is_json
    if found.check is not None and is_quoted and behind_name.startswith(": "):
        return "remove the quotes around it"
    name = f"${found.named.name}"
    if found.check is None:
        return f"write `{found.named.function.example}`"
    if found.separator is misspelt_checks.Separator.NOTHING:
        return f"write `{name}: true`"
    return f'write `{{"{name}": …}}`' if view.is_json else f"write `{name}: …`"


def _behind_text(mapping: MappingNode, pair: Pair, node: ScalarNode, view: FileView) -> Iterator[Report]:
    """The report on `text: "$icontains: INR"`, which is a text for a judge."""
    found = misspelt_checks.read_check_node(node)
    is_code = found is not None and found.named.is_unmistakable and found.separator is misspelt_checks.Separator.COLON
    if found is None or not (found.has_dollar or is_code) or not found.named.likeness.is_certain:
        return
    fixes: tuple[Fix, ...] = ()
    if found.check is not None and found.separator is not misspelt_checks.Separator.NOTHING:
        written = misspelt_checks.as_mapping(found.check, in_brackets=mapping.flow, is_json=view.is_json)
        inner = written[1:-1] if view.is_json or mapping.flow else written
        fixes = fix_at(_TITLE, pair.span, inner)
    name = property_name(pair.key)
    message = f"after `{name}:` this is a text for a judge, not a check: write `${found.named.name}: …` instead"
    yield Report(node.span, message, why=_JUDGED, fixes=fixes)


def _shown(node: ScalarNode, view: FileView) -> str:
    text = node.span.of(view.text) if is_one_line(view.text, node.span) else " ".join(node.text.split())
    return text if len(text) <= 60 else f"{text[:57]}…"


_JUDGED = "The check never runs: a judge grades whether the answer expresses these words."


_SIGNED = lazy(r"\$[^\w\s]{1,2}\s*(\w+)")


@finding_rule(Kind.DOLLAR_TEXT)
def dollar_text(finding: Finding, view: FileView) -> Report | None:
    node = finding.node
    if isinstance(node, ScalarNode) and misspelt_checks.read_check_node(node) is not None:
        return None  # a check was meant: `quoted-function` reports it
    message = "this text begins with `$`, so it is read as a function, but no function has that name"
    return Report(finding.span, message, fixes=_text_fixes(node, view) if isinstance(node, ScalarNode) else ())


def _text_fixes(node: ScalarNode, view: FileView) -> tuple[Fix, ...]:
    named = _SIGNED.match(node.text)
    names_a_check = named is not None and functions.find(named[1]) is not None  # `$!icontains: fee`
    if node.style in (Style.LITERAL, Style.FOLDED) or names_a_check:
        return ()
    written = quoted(node.text) if node.style is Style.PLAIN else node.span.of(view.text)
    whole = f'"text": {written}' if view.is_json else f"text: {written}"
    whole = whole if dash_before(view.text, node.span.start) is not None else f"{{{whole}}}"
    return fix_at("make it text", node.span, whole, safe=True)


@finding_rule(Kind.TEXT_IN_PATH_FUNCTION)
def text_in_path_function(finding: Finding, view: FileView) -> Report | None:
    """The report on a bare `$name`; `quoted-function` reports one with an argument, and any other is a text."""
    node = finding.node
    found = misspelt_checks.read_check_node(node) if isinstance(node, ScalarNode) else None
    if found is None or found.separator is not misspelt_checks.Separator.NOTHING:
        return None
    fixes = _check_fixes(node, found, view) if isinstance(node, ScalarNode) else ()
    return Report(finding.span, "inside a path this is a text for a judge, not a check", fixes=fixes)


@prompt_rule(kinds=(Kind.QUOTED_FUNCTION,), on_finding=_quoted)
def quoted_function(view: PromptView) -> Iterator[Report]:
    for report in _of_prompt(view):
        if not view.is_cut_off or (report.fixes and is_one_line(view.text, report.span)):
            yield report  # otherwise a YAML error, reported elsewhere, may have cut the argument off
