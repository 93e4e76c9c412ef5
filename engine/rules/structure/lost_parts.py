"""# header-lost: Header read as a prompt

The first document looks like a header, but has a key (`ideal`, `points`) that makes Weval read it as a prompt.

Its title, its models and all its settings are lost, and one more prompt is run and scored.

Bad:

    title: Capitals of Africa
    ideal: Short answers
    ---
    - id: capital
      prompt: What is the capital of Kenya?

Good:

    title: Capitals of Africa
    description: Short answers
    ---
    - id: capital
      prompt: What is the capital of Kenya?

Fix: none. Move the key to the prompts that it was meant for.

Documents: Blueprint format, How the Parser Interprets Structures. It says the opposite; this is what Weval does.

# prompt-lost: Prompt read as a header

The first document looks like a prompt, but has none of the keys by which Weval recognises one, so it is read as the
header.

This prompt is never run, and its rubric never counts.

Bad:

    promptText: What is the capital of Kenya?
    should_not:
      - Names Mombasa
    ---
    prompt: What is the capital of Ghana?

Good:

    prompt: What is the capital of Kenya?
    should_not:
      - Names Mombasa
    ---
    prompt: What is the capital of Ghana?

Fix: none. Write `prompt:`.

Documents: Blueprint format, How the Parser Interprets Structures.

# bad-structure

The file, or a part of it, has none of the four structures that a blueprint can have.

Weval refuses it, or finds no prompt in it.

Bad:

    just a sentence

Good:

    - id: capital
      prompt: What is the capital of Kenya?

Fix: none.

Documents: Blueprint format, Blueprint Structures.

# stray-item: Document that holds no prompt

An item in the list of prompts that is not a prompt: text, a number, a list, or nothing.

Weval turns it into an empty prompt and refuses to run the blueprint; an empty item is refused at once.

Bad:

    - id: capital
      prompt: What is the capital of Kenya?
    - What is the capital of Ghana?

Good:

    - id: capital
      prompt: What is the capital of Kenya?
    - prompt: What is the capital of Ghana?

Fix: write `prompt:` before it (unsafe), the missing space after `prompt:`, or a plain colon for a wide one.
Below a prompt that ends in an empty `should:`, indent it.

Documents: Blueprint format, Blueprint Structures.

# not-a-blueprint

A file below `blueprints/` that is not a blueprint.

Weval reads every `.yml`, `.yaml` and `.json` file below a folder `blueprints/` as a blueprint and runs it on a
schedule. A result file, a recording of answers, a list of tags or a settings file there is run and scored like one, or
refused. A blueprint is, as for `studio check FOLDER`, a list of prompts, or a header with prompts.

Bad:

    # blueprints/rent.yml
    title: Rent

Good:

    # blueprints/rent.yml
    title: Rent
    ---
    - id: due
      prompt: When is the rent due?
      should:
        - Names the first day of the month

Fix: none. Move the file out of `blueprints/`, or write its prompts.

Documents: Blueprint format, How the Parser Interprets Structures.

# no-prompts: Header without a prompt

A finished header without any prompt, an empty `prompts:`, or an empty list.

Nothing is asked, so nothing is scored. A header is finished at its `---`, or with a title and a description or models.

Bad:

    title: Rent
    prompts: []

Good:

    title: Rent
    prompts:
      - id: due
        prompt: When is the rent due?
        should:
          - Names the first day of the month

Fix: none.

Documents: Blueprint format, Blueprint Structures.

# bad-point

A point in none of the documented forms: a nested value, a colon with nothing after it, text and a function in one, or a
whole prompt.

Weval refuses the whole file, so nothing in it is scored.

Bad:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - Names Nairobi:

Good:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - Names Nairobi

Fix: none in general. A `- weight: 2` is joined with the point above; a text with keys below it gets `text:`. A
prompt is moved to the list of prompts (unsafe).

Documents: Blueprint format, Point Definition Formats.

# rubric-not-a-list

`should:` followed by text or a single check instead of a list.

Weval reads no points from it and reports no error: the prompt is scored as if it had no rubric. A list whose first item
has another bullet than `-`, no space after its `-`, or no dash at all is one text as well.

Bad:

    - id: capital
      prompt: What is the capital of Kenya?
      should: Names Nairobi

Good:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - Names Nairobi

Fix (safe for one line): make it a list with one item; for a spoilt list, write the dashes and correct the other slips
in it.

Documents: Blueprint format, Prompt Fields, `should`, "A list of rubric points".
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.parsing.demands import Finding, Kind
from engine.parsing.recognition import FileKind, kind_of, lies_below_blueprints
from engine.rules.refusals import cut, empty_place, field_rule
from engine.rules.rule import FileView, PromptView, Report, file_rule, fix_at, prompt_rule, rule_of
from engine.rules.source.misspelt_checks import as_mapping, check_of_mapping, read_check_node
from engine.rules.source.spoilt_blocks import Spoilt, joined_with_point_above, spoilt_keys, spoilt_list
from engine.text import Fix, Related, Severity, Span, TextEdit, lazy
from engine.yaml import layout
from engine.yaml.edit import Edits, changed
from engine.yaml.nodes import MappingNode, Node, Pair, ScalarNode, Style, property_name
from engine.yaml.slips import OR_LINE
from engine.yaml.tree_loader import enclosing_mapping

_MOST_RELATED = 9


def _stray_item(finding: Finding, view: FileView) -> Report | None:
    from engine.yaml.margin_slips import all_lost_points  # here, as few files have one

    node = finding.node
    is_text = isinstance(node, ScalarNode) and isinstance(node.value, str)
    dash = None if node is None else layout.dash_before(view.text, node.span.start)
    points = None if dash is None or not is_text else all_lost_points(view.text).get(dash)
    if points is not None:
        if points.span.start != dash:
            return None  # reported with the first of them
        return Report(layout.first_line(view.text, finding.span), points.message, fixes=points.fixes)
    if isinstance(node, ScalarNode) and node.style is Style.PLAIN and (keys := spoilt_keys(view.text, node.span)):
        first, *others = keys.slips
        message = f"{first.message}; as it stands, this is text and not a key"
        related = tuple(Related(slip.span, slip.message) for slip in others[:_MOST_RELATED])
        count = f" in these {len(keys.slips)} lines" if others else ""
        fixes = (Fix(f"{first.title}{count}", True, keys.edits),)
        return Report(layout.first_line(view.text, finding.span), message, related=related, fixes=fixes)
    edits: Edits = ()
    if node is not None and is_text and (dash is not None or view.is_json) and layout.is_one_line(view.text, node.span):
        written = node.span.of(view.text)
        edits = (TextEdit(node.span, f'{{"prompt": {written}}}' if view.is_json else f"prompt: {written}"),)
    what = "this text" if is_text else "this item"
    message, span = f"{what} is in the list of prompts but is not a prompt", empty_place(view.text, finding.span)
    return Report(span, message, fixes=(Fix("make it a prompt", False, edits),))


_LOST = (Kind.BAD_STRUCTURE, Kind.PROMPT_LOST, Kind.STRAY_ITEM)


def _not_a_blueprint(view: FileView) -> Iterator[Report]:
    path = view.path
    if path is None or not lies_below_blueprints(path) or any(each.rubrics for each in view.blueprint.prompts):
        return
    if any(view.findings_of(Kind.BAD_STRUCTURE)) or _is_without_prompts(view):  # reported there
        return
    kind = kind_of(view.parsed)
    if kind is FileKind.UNDECIDED:
        message = "there are no prompts here yet, but Weval runs every file below `blueprints/`"
        yield Report(layout.first_content_line(view.text), message, severity=Severity.HINT, flagged=True)
    elif kind is not FileKind.BLUEPRINT:
        what, how = ("not a blueprint", "one") if kind is FileKind.OTHER else (f"a {kind.value}", "a blueprint")
        message = f"this is {what}, but Weval runs every file below `blueprints/` as {how}"
        yield Report(layout.first_content_line(view.text), message, flagged=True)


_SEPARATOR = lazy(r"^---(?=\s|\Z)", re.MULTILINE)


@file_rule()
def no_prompts(view: FileView) -> Iterator[Report]:
    if _is_without_prompts(view):
        listed = view.header.pair("prompts")
        span = layout.first_content_line(view.text) if listed is None else listed.key.span
        yield Report(span, "there is no prompt here yet: a prompt has an `id`, a question and a rubric")


def _is_without_prompts(view: FileView) -> bool:
    """Whether what should be a blueprint has no prompts, not even lost ones, and its header is finished."""
    if view.blueprint.prompts or view.tree.error is not None or any(view.findings_of(*_LOST)):
        return False
    kind, is_below = kind_of(view.parsed), view.path is not None and lies_below_blueprints(view.path)
    if kind not in (FileKind.BLUEPRINT, FileKind.UNDECIDED) and (kind is not FileKind.OTHER or is_below):
        return False
    mapping = view.header
    if not mapping.pairs or view.is_json or mapping.pair("prompts") is not None:
        return True
    is_described = mapping.pair("description") is not None or mapping.pair("models") is not None
    has_end = _SEPARATOR.search(view.text, mapping.span.end) is not None
    return has_end or (is_described and mapping.pair("title") is not None)


header_lost = field_rule(Kind.HEADER_LOST)
prompt_lost = field_rule(Kind.PROMPT_LOST)
bad_structure = field_rule(Kind.BAD_STRUCTURE)
stray_item = field_rule(Kind.STRAY_ITEM, {"": _stray_item})
not_a_blueprint = rule_of("not-a-blueprint", on_file=_not_a_blueprint, on_collection=_not_a_blueprint)


_OF_PROMPTS = frozenset(("prompt", "promptText", "messages", "should", "should_not"))
_KEYS_OF_TEXT = frozenset(("weight", "multiplier", "citation"))


def _neither(finding: Finding, view: FileView) -> Report | None:
    span = layout.first_line(view.text, finding.span)
    mapping = enclosing_mapping(view.tree, finding.span)
    if check_of_mapping(view.text, mapping, is_json=view.is_json) is not None:
        return None  # a check was meant: `unknown-function` reports it
    names = list(mapping.keys())
    if len(names) == 1 and OR_LINE.match(span.of(view.text)):
        return None  # `or-between-points` reports it
    if len(names) > 1 and _OF_PROMPTS & set(names):
        message = "this is a prompt inside a rubric: move it to the list of prompts"
        return Report(span, message, fixes=_moved_out(finding, view, mapping))
    if (keyed := _keyed_text(mapping, view)) is not None:
        return keyed
    if len(names) == 1 and names[0] in _KEYS_OF_TEXT and not _is_empty(mapping):
        message = f"`{names[0]}` is no criterion of its own: it belongs to the criterion above"
        return Report(span, message, fixes=joined_with_point_above(mapping.pairs[0].span, view))
    return Report(span, _message(mapping))


def _moved_out(finding: Finding, view: FileView, mapping: MappingNode) -> tuple[Fix, ...]:
    """The fix that moves a prompt out of the rubric of another one, below it in the list of prompts."""
    text, prompt = view.text, view.prompt(finding.prompt)
    dash = layout.dash_before(text, mapping.span.start)
    margin = None if prompt is None else layout.dash_before(text, prompt.span.start)
    if prompt is None or dash is None or margin is None:
        return ()
    edits = layout.moved_below(text, Span(dash, mapping.span.end), prompt.span, layout.column(text, margin))
    return (Fix("move it to the list of prompts", False, edits),)


def _keyed_text(mapping: MappingNode, view: FileView) -> Report | None:
    """The report for a text with a colon and the keys of a point below, or with a key of a point on its own line."""
    first, *others = mapping.pairs or (None,)
    if first is None or mapping.flow or view.is_json or not isinstance(first.key, ScalarNode):
        return None
    text = view.text
    whole = first.span.of(text)
    if "\n" in whole or first.key.style is not Style.PLAIN or " " not in first.key.text:
        return None
    names = [property_name(pair.key) for pair in others]
    if names and set(names) <= _KEYS_OF_TEXT:
        fixes = fix_at("write `text:`", first.span, f"text: {layout.quoted(whole)}", safe=True)
        message = f"a criterion with a `{names[0]}` needs `text:`"
        return Report(layout.first_line(text, others[0].key.span), message, fixes=fixes)
    words = first.key.text.rsplit(None, 1)
    if not names and words[-1] in _KEYS_OF_TEXT and isinstance(first.value, ScalarNode) and first.value.text:
        margin = " " * layout.column(text, first.span.start)
        value = first.value.span.of(text)
        new = f"text: {layout.quoted(words[0])}{layout.newline_of(text)}{margin}{words[-1]}: {value}"
        message = f"a criterion with a `{words[-1]}` needs `text:`, and the `{words[-1]}` a line of its own"
        fixes = fix_at("write `text:`", first.span, new, safe=True)
        return Report(layout.first_line(text, first.span), message, fixes=fixes)
    return None


def _message(mapping: MappingNode) -> str:
    names = [property_name(pair.key) for pair in mapping.pairs]
    match names:
        case []:
            return "this criterion is empty"
        case ["$"]:
            return "`$` needs the name of a function after it"
        case [name] if _is_empty(mapping):
            return f"nothing follows the colon after “{cut(name)}”"
        case [name]:
            return f"only a citation can follow “{cut(name)}:”, and a citation must be text"
        case _:
            return f"this criterion has {len(names)} keys, and none of them is `point`, `fn` or a `$function`"


def _is_empty(node: MappingNode) -> bool:
    value = node.pairs[0].value
    return isinstance(value, ScalarNode) and value.value is None


bad_point = field_rule(Kind.BAD_POINT, {"point": _neither})


_DASH = lazy(r"-[^\s-]")
"""A dash without a space, which is text and not an item of a list."""


def _check(finding: Finding, view: FileView) -> Report:
    prompt, node, span = view.prompt(finding.prompt), finding.node, layout.first_line(view.text, finding.span)
    message = f"`{finding.detail}` must be a list: no criteria are read from this"
    if (spoilt := _spoilt_list(finding, view)) is not None:
        return Report(span, spoilt.slips[0].message, fixes=(spoilt.fix,))
    if isinstance(node, ScalarNode) and node.style is Style.PLAIN and _DASH.match(node.text) is not None:
        message = f"put a space after `-`: without it, `{finding.detail}` is not a list"
    pair = None if prompt is None else prompt.node.pair(finding.detail)
    inner = None if pair is None or pair.value is not node else _as_point(pair.value, view)
    if prompt is None or pair is None or inner is None:
        return Report(span, message)
    point, is_certain = inner
    is_safe = is_certain and (not isinstance(node, ScalarNode) or layout.is_one_line(view.text, node.span))
    edits = _as_list(prompt.node, pair, view, point)
    return Report(span, message, fixes=(Fix("make it a list", is_safe, edits),))


def _spoilt_list(finding: Finding, view: FileView) -> Spoilt | None:
    """What spoils the list that a plain text was meant as."""
    node = finding.node
    is_plain = isinstance(node, ScalarNode) and node.style is Style.PLAIN and not view.is_json
    return spoilt_list(view.text, node.span, finding.detail) if node is not None and is_plain else None


@prompt_rule(kinds=(Kind.RUBRIC_NOT_A_LIST,), on_finding=_check)
def rubric_not_a_list(view: PromptView) -> Iterator[Report]:
    """The further slips in a list that is read as one text: none can be corrected without the others."""
    for finding in view.findings:
        spoilt = _spoilt_list(finding, view.file) if finding.kind is Kind.RUBRIC_NOT_A_LIST else None
        if spoilt is not None:
            fix = Fix("correct the whole list", True, spoilt.edits)
            yield from (Report(slip.span, slip.message, fixes=(fix,)) for slip in spoilt.slips[1:])


def _as_point(node: Node, view: FileView) -> tuple[Edits, bool] | None:
    """The edits that make `node` one point, a misspelt check a working one, and whether nothing else can be meant.

    None where only the author can decide.
    """
    match node:
        case ScalarNode(value=str()) if (found := read_check_node(node)) is not None:
            if found.check is None or not layout.is_one_line(view.text, node.span):
                return None
            written = as_mapping(found.check, in_brackets=False, is_json=view.is_json)
            return (TextEdit(node.span, written),), found.check.is_certain
        case MappingNode() if (check := check_of_mapping(view.text, node, is_json=view.is_json)) is not None:
            return (check.edits[0], check.is_certain) if len(check.edits) == 1 else None
        case MappingNode() if sum(map(_is_of_a_point, node.pairs)) > 1:
            return None  # several points: as one item, all but the first would be lost
        case MappingNode() if len(node.pairs) > 1 and not any(map(_is_of_a_point, node.pairs)):
            return None
        case _:
            return (), True


def _is_of_a_point(pair: Pair) -> bool:
    name = property_name(pair.key)
    return name in ("text", "point", "fn") or name.startswith("$")


def _as_list(mapping: MappingNode, pair: Pair, view: FileView, inner: Edits) -> Edits:
    """Edits that make the value of a `pair` of `mapping`, after the edits `inner` of it, the only item of a list.

    None where it would not be a point there.
    """
    text, node, start = view.text, pair.value, pair.value.span.start
    has_own_line = not text[layout.line_start(text, start) : start].strip()
    match node:
        case MappingNode() | ScalarNode(value=str()) if view.is_json:
            return (TextEdit(node.span, f"[{changed(text, node.span, inner)}]"),)
        case MappingNode(flow=False) if has_own_line:
            return (TextEdit(Span(start, start), "- "), *layout.reindented(text, node.span, 2), *inner)
        case ScalarNode(style=Style.LITERAL | Style.FOLDED):
            return ()  # its lines were meant as points
        case MappingNode(flow=True) | ScalarNode(value=str()) if not has_own_line and not mapping.flow:
            colon, margin = text.index(":", pair.key.span.end) + 1, layout.column(text, pair.key.span.start) + 2
            least = layout.least_indent(text, node.span)
            deeper = () if least is None else layout.reindented(text, node.span, max(0, margin + 2 - least))
            dash = TextEdit(Span(colon, start), f"{layout.newline_of(text)}{' ' * margin}- ")
            return () if text[colon:start].strip() else (dash, *deeper, *inner)
        case _:
            return ()
