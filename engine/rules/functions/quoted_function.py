"""# quoted-function: Check written as text

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

from collections.abc import Iterator

from engine import functions
from engine.blueprint import Point
from engine.parsing.findings import Finding, Kind
from engine.rules.rule import Report, finding_rule, prompt_rule
from engine.rules.source.check_texts import (
    Check,
    CheckText,
    Separator,
    as_mapping,
    may_be_check,
    read_check,
    read_check_node,
)
from engine.rules.views import FileView, PromptView
from engine.text.diagnostics import Fix, Severity
from engine.text.patterns import lazy
from engine.text.spans import Span, TextEdit
from engine.yaml.layout import (
    dash_before,
    is_one_line,
    line_end,
    quoted,
)
from engine.yaml.nodes import MappingNode, Pair, ScalarNode, Style, property_name

_TITLE = "make it a check"
_ITEM_END = lazy(r"[ \t]*(?:[ \t]#|\r?$)")
"""What may follow the quotes of an item with a dash: the end of the line, or a comment."""
_NO_SPACE = lazy(r":\S")
_BRACKETS_GO_ON = lazy(r"[ \t]*[,\]}]")


def _check(finding: Finding, view: FileView) -> Report:
    node = finding.node
    assert isinstance(node, ScalarNode)
    found = read_check_node(node)
    if found is None:
        return Report(finding.span, f"{_shown(node, view)} is one unknown name")
    return _of_text(node, found, view, is_judged=False)


def _fixes(node: ScalarNode, found: CheckText, view: FileView) -> tuple[Fix, ...]:
    """The fix that replaces the text at `node` by a check; none if the check would not be valid."""
    span, check = node.span, found.check
    if check is None or _is_cut(check, node) or view.text[span.start] in "&!" or _is_followed(node, view):
        return ()
    in_brackets = dash_before(view.text, span.start) is None
    written = as_mapping(check, in_brackets=in_brackets, is_json=view.is_json)
    return (Fix(_TITLE, check.is_certain, (TextEdit(span, written),)),)


def _is_followed(node: ScalarNode, view: FileView) -> bool:
    """Whether more than a comment follows its quotes, which YAML cannot read."""
    rest = Span(node.span.end, line_end(view.text, node.span.end)).of(view.text)
    is_quoted = node.style in (Style.SINGLE, Style.DOUBLE)
    goes_on = dash_before(view.text, node.span.start) is None and _BRACKETS_GO_ON.match(rest) is not None
    return is_quoted and not goes_on and _ITEM_END.match(rest) is None


def _is_cut(check: Check, node: ScalarNode) -> bool:
    """Whether a quotation mark opens the argument and none closes it: a ` #` inside may have begun a comment."""
    argument = check.argument
    is_open = isinstance(argument, str) and argument[:1] in ("'", '"') and argument.count(argument[0]) == 1
    return is_open and node.style is Style.PLAIN


def _of_prompt(view: PromptView) -> Iterator[Report]:
    for finding in view.findings:
        node = finding.node
        if finding.kind in (Kind.DOLLAR_TEXT, Kind.TEXT_IN_PATH_FUNCTION) and isinstance(node, ScalarNode):
            found = read_check_node(node)
            if found is not None and found.separator is not Separator.NOTHING:
                yield _of_text(node, found, view.file, is_judged=finding.kind is Kind.TEXT_IN_PATH_FUNCTION)
    for point in view.prompt.points():
        text = point.text
        if text is not None and may_be_check(text) and read_check(text.rstrip("\n")) is not None:
            yield from _of_point(point, view)


def _of_point(point: Point, view: PromptView) -> Iterator[Report]:
    """The report on a text point: a check without `$`, or after `text:`."""
    node = point.node
    if isinstance(node, ScalarNode):
        found = read_check_node(node)
        is_reported_elsewhere = node.text.startswith("$") and view.is_reported(node.span, Kind.TEXT_IN_PATH_FUNCTION)
        is_reported_elsewhere = is_reported_elsewhere or view.is_reported(node.span, Kind.LEGACY_TUPLE)
        if found is not None and not is_reported_elsewhere:
            yield _of_text(node, found, view.file, is_judged=True)
    elif isinstance(node, MappingNode):
        for pair in node.pairs:
            is_text = property_name(pair.key) in ("text", "point") and pair.value.span == point.subject_span
            if is_text and isinstance(pair.value, ScalarNode):
                yield from _behind_text(node, pair, pair.value, view.file)


def _of_text(node: ScalarNode, found: CheckText, view: FileView, *, is_judged: bool) -> Report:
    what, why = ("a text for a judge, not a check", _JUDGED) if is_judged else ("one unknown name", "")
    message = f"{_shown(node, view)} is {what}: {_advice(node, found, view)}"
    return Report(node.span, message, why=why, fixes=_fixes(node, found, view))


def _advice(node: ScalarNode, found: CheckText, view: FileView) -> str:
    """What to do: the one thing that is wrong on the line, or else the form that the check should have."""
    behind_name = node.text.removeprefix(f"${found.named.name}")
    if found.check is not None and node.style is Style.PLAIN and _NO_SPACE.match(behind_name):
        return "put a space after the colon"
    is_quoted = node.span.of(view.text)[1:-1] == node.text and not view.is_json
    if found.check is not None and is_quoted and behind_name.startswith(": "):
        return "remove the quotes around it"
    return _form(found, view)


def _form(found: CheckText, view: FileView) -> str:
    """The form that the check should have."""
    name = f"${found.named.name}"
    if found.check is None:
        return f"write `{found.named.function.example}`"
    if found.separator is Separator.NOTHING:
        return f"write `{name}: true`"
    return f'write `{{"{name}": …}}`' if view.is_json else f"write `{name}: …`"


def _behind_text(mapping: MappingNode, pair: Pair, node: ScalarNode, view: FileView) -> Iterator[Report]:
    """The report on `text: "$icontains: INR"`, which is a text for a judge."""
    found = read_check_node(node)
    is_code = found is not None and found.named.is_unmistakable and found.separator is Separator.COLON
    if found is None or not (found.has_dollar or is_code) or not found.named.likeness.is_certain:
        return
    fixes: tuple[Fix, ...] = ()
    if found.check is not None and found.separator is not Separator.NOTHING:
        written = as_mapping(found.check, in_brackets=mapping.flow, is_json=view.is_json)
        if view.is_json or mapping.flow:
            written = written[1:-1]
        fixes = (Fix(_TITLE, False, (TextEdit(pair.span, written),)),)
    name = property_name(pair.key)
    message = f"after `{name}:` this is a text for a judge, not a check: write `${found.named.name}: …` instead"
    yield Report(node.span, message, why=_JUDGED, fixes=fixes)


def _shown(node: ScalarNode, view: FileView) -> str:
    text = node.span.of(view.text) if is_one_line(view.text, node.span) else " ".join(node.text.split())
    return text if len(text) <= 60 else f"{text[:57]}…"


_WHY = "The check never runs: it counts 0 here, and Weval leaves it out, so a wrong answer may still score 100."
_JUDGED = "The check never runs: a judge grades whether the answer expresses these words."


_SIGNED = lazy(r"\$[^\w\s]{1,2}\s*(\w+)")


@finding_rule(
    "Y004",
    Severity.ERROR,
    Kind.DOLLAR_TEXT,
    why="The point is never checked: here it counts 0, and Weval leaves it out of the score.",
)
def dollar_text(finding: Finding, view: FileView) -> Report | None:
    node = finding.node
    if isinstance(node, ScalarNode) and read_check_node(node) is not None:
        return None  # a check was meant: `quoted-function` reports it
    fixes = _text_fixes(node, view) if isinstance(node, ScalarNode) else ()
    return Report(
        finding.span,
        "this text begins with `$`, so it is read as a function, but no function has that name",
        fixes=fixes,
    )


def _names_a_check(text: str) -> bool:
    """Whether a check was meant, in a form that has no fix: `$!icontains: fee`."""
    named = _SIGNED.match(text)
    return named is not None and functions.find(named[1]) is not None


def _text_fixes(node: ScalarNode, view: FileView) -> tuple[Fix, ...]:
    if node.style in (Style.LITERAL, Style.FOLDED) or _names_a_check(node.text):
        return ()
    written = quoted(node.text) if node.style is Style.PLAIN else node.span.of(view.text)
    if view.is_json:
        whole = f'{{"text": {written}}}'
    elif dash_before(view.text, node.span.start) is None:
        whole = f"{{text: {written}}}"
    else:
        whole = f"text: {written}"
    return (Fix("make it text", True, (TextEdit(node.span, whole),)),)


@finding_rule(
    "F004",
    Severity.WARNING,
    Kind.TEXT_IN_PATH_FUNCTION,
    why="The check does not run; a judge grades its name as a criterion.",
)
def text_in_path_function(finding: Finding, view: FileView) -> Report | None:
    """The report on a bare `$name`; `quoted-function` reports one with an argument, and any other is a text."""
    node = finding.node
    found = read_check_node(node) if isinstance(node, ScalarNode) else None
    if found is None or found.separator is not Separator.NOTHING:
        return None
    fixes: tuple[Fix, ...] = ()
    if found.check is not None:
        in_brackets = dash_before(view.text, finding.span.start) is None
        written = as_mapping(found.check, in_brackets=in_brackets, is_json=view.is_json)
        fixes = (Fix("make it a check", found.check.is_certain, (TextEdit(finding.span, written),)),)
    return Report(finding.span, "inside a path this is a text for a judge, not a check", fixes=fixes)


@prompt_rule("Y003", Severity.ERROR, why=_WHY, kinds=(Kind.QUOTED_FUNCTION,), on_finding=_check)
def quoted_function(view: PromptView) -> Iterator[Report]:
    for report in _of_prompt(view):
        if not view.is_cut_off or (report.fixes and is_one_line(view.text, report.span)):
            yield report  # otherwise a YAML error, reported elsewhere, may have cut the argument off
