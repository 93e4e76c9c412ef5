"""# swallowed-point: Criteria and keys that became part of a text

A point, a key or a prompt that became part of the text above it: a quotation mark is closed too late, a dash is missing
or stands too far right, or the lines stand below a `|`.

The two are one text: a judge grades them as one point, or the model is sent the points as part of its question, and
the points count in no score.

Bad:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - Names Nairobi
          Says that it is the seat of government
        - Gives a source

Good:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - Names Nairobi
        - Says that it is the seat of government
        - Gives a source

A line of a quoted or plain text is reported if it begins with a dash, a bullet, a number, a key, a message or a check,
or as the other points of the rubric do. Lines of a wrapped text are left alone. Where only a list may have been meant,
whose lines YAML joins, it is a warning. In a block text (`|`), where lists are usual, it is a warning too, and only for
lines that begin as the points do, and for keys, also misspelt ones, and messages: below `prompt: |`, every line that is
indented deeper than `prompt` is text, also `should:` and its points. In the header, `tags:`, `models:` or `---` that
are indented below `description: |` are text. Keys of another file that the text quotes or announces with a colon, and
lines that are indented by four columns, as examples are, are left alone. Two points on one line are reported too,
and points or prompts that follow an empty dash of an inner list, which YAML reads as items of that list.

Fix (unsafe): a point of its own; for keys, indent the lines like the keys of the prompt or of the header.

Documents: Blueprint format, Prompt Fields.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from functools import cache
from typing import TypeAlias

from engine.parsing.demands import Kind
from engine.parsing.normalised_form import POINT_KEYS
from engine.parsing.structure import Swallowed, swallowed_items
from engine.rules.rule import FileView, PromptView, Report, one_letter_off, prompt_rule
from engine.rules.source.misspelt_checks import UNSEEN
from engine.text import Fix, Record, Severity, Span, TextEdit, lazy
from engine.yaml.keys import Part, is_like_text, names_read
from engine.yaml.layout import (
    column,
    dash_before,
    least_indent,
    line_end,
    line_start,
    newline_of,
    next_line_start,
    reindented,
)
from engine.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode, Style, property_name, resolved
from engine.yaml.rows import ROUND_BULLETS, SIGNS
from engine.yaml.slips import LIST_KEYS

# How points begin
#
# A line that begins like a point is told from a line of a wrapped text. No language is known here: a line begins like a
# point if its first word is capitalised like those of the points, is the first word of one of them, ends in their most
# common letter or is followed by a short word that is common in them, and stands within none of them, as names do.
# Without capitals, the line above it must also be too short for a wrapped one.

_WORD = lazy(r"[^\W_]+(?:['’-][^\W_]+)*")
_SENTENCE_END = ".!?…。"
_SENTENCES = lazy(rf"[{_SENTENCE_END}][\"'”»)*]*[ \t]+\S")
_WITHIN_SENTENCE = ",;:(-–—/&"
_LONGEST_LINK = 5
"""Letters of the words that link others, such as `of` and `under`, in the languages that have them."""
_LONGEST_ARTICLE = 3
"""Letters of the words that hardly end a sentence, in the same languages."""
_FEWEST = 2
_NARROWEST = 30
"""Characters of the lines to which hardly anybody wraps a text."""


class _Openings(Record):
    """The first words of points, the last letter of most of them ("" if they differ), and the words inside points.

    `last` are their last words. `are_capital`: most begin with a capital letter. `are_phrases`: a point may end without
    a full stop. `are_sentences`: with a full stop the point ends, as none has a second sentence.
    """

    first: frozenset[str]
    ending: str
    within: Counter[str]
    last: frozenset[str]
    are_capital: bool
    are_phrases: bool
    are_sentences: bool

    def begins(self, line: str, above: str) -> bool:
        """Whether `line` begins like a point, below the line `above` of another one."""
        word, *others = _words(line)[:2] or [""]
        if not word or word[0].isupper() is not self.are_capital or self.within[word] or not self.ends(above):
            return False
        if word in self.first:
            return True
        last = above.split()[-1]
        if not _may_end(above) and last not in self.last:
            return False  # what follows `of`, `que` or `der` may be a name
        is_alike = word.isalpha() and word[-1] == self.ending
        if not self.are_capital:
            is_caseless = word.isalpha() and not word[0].islower()
            is_alike = is_alike or (is_caseless and any(each[0] == word[0] for each in self.first))
            return is_alike and len(above) + len(word) < _NARROWEST
        is_linked = len(last) >= _LONGEST_LINK and last.islower() and any(map(self._links, others))
        return is_alike or is_linked

    def ends(self, line: str) -> bool:
        """Whether a point may end with `line`: not within brackets, nor with a short word found only inside points."""
        line = line.rstrip()
        if not line or line[-1] in _WITHIN_SENTENCE or line.count("(") > line.count(")"):
            return False
        word = line.split()[-1]
        if self._links(word) and word not in self.last:
            return False
        return self.are_sentences if _ends_sentence(line) else self.are_phrases

    def _links(self, word: str) -> bool:
        return len(word) <= _LONGEST_LINK and word.islower() and self.within[word] > 1


def _openings_of(points: Iterable[list[str]]) -> _Openings:
    """The openings of points, each given by its lines: the first word of a line is not taken for one inside a point."""
    written = [lines for lines in points if lines]
    first = [word for lines in written if (word := _first_word(lines[0]))]
    ending, count = Counter(word[-1] for word in first).most_common(1)[0] if first else ("", 0)
    stopped = [_ends_sentence(lines[-1]) for lines in written]
    return _Openings(
        first=frozenset(first),
        ending=ending if 2 * count >= len(first) else "",
        within=Counter(word for lines in written for line in lines for word in _WORD.findall(line)[1:]),
        last=frozenset(found[-1] for lines in written if (found := _WORD.findall(lines[-1]))),
        are_capital=2 * sum(word[0].isupper() for word in first) > len(first),
        are_phrases=not all(stopped) or len(stopped) < _FEWEST,
        are_sentences=not any(_SENTENCES.search(line) for lines in written for line in lines),
    )


def _may_end(line: str) -> bool:
    """Whether a line ends with a longer word than those that link others, such as `of` and `dem`."""
    return len(line.split()[-1]) > _LONGEST_ARTICLE or not line[-1].islower()


def _first_word(text: str) -> str:
    """The first word of `text`, behind marks of emphasis and quotation; empty if it begins with none."""
    return (_words(text) or [""])[0]


def _words(text: str) -> list[str]:
    """The words of `text`; none if it begins with another sign."""
    return _WORD.findall(text) if text.lstrip("*_\"'“‘„«")[:1].isalnum() else []


def _ends_sentence(line: str) -> bool:
    return line.rstrip("\"'”»)*").endswith(tuple(_SENTENCE_END))


# Lines that begin as a point, an item or a key does

_RUBRICS = frozenset((*POINT_KEYS, "should_not"))
_ROW = lazy(
    rf"""(?P<item> (?: (?P<listed> (?P<strong> -[ \t\u00a0]+(?=\S) | [-–—·](?=[A-Z$]) | [{ROUND_BULLETS}][ \t\u00a0]* )
                                 | (?P<number> \(?\d{{1,2}}[.)][ \t\u00a0]+ ) )
                   | (?: [^\w\s"'\[\](){{}}$\\-]{{1,4}} | [=-]{{1,3}}>? | \d\ufe0f?\u20e3 | \(?[a-z][.)]
                       | \[[ xX✓]\] )[ \t\u00a0]+ )
                   {SIGNS} (?: ["'“‘„«&*!@%`{{] | \[(?!\w+\]) )? (?:(?:\[\w+\]|[?~=|>*])[ \t]+)? (?P<text>\S.*) )
      | \(?(?P<key> weight | multiplier )[ \t]*[=:]?[ \t]*\d[\d.]*\)?\Z
      | (?P<check> ["']?\$[A-Za-z_]\w*[ \t]*[:：(] | \$(?:not_)?i?(?:contains|starts|ends|match|word)\w*[ \t] )""",
    re.VERBOSE,
)
"""A line that begins as an item, a key or a check does; only a `strong` sign never stands within a sentence."""
_JOINED = lazy(r"(?P<above>\S)(?P<gap>[ \t]*)(?P<row>-[ \t]+[\"'“‘„«&*!@%`]?(?P<text>\S.*))")
"""A dash within a line, and the text behind it."""
_BLOCK_HEAD = lazy(r"[|>][-+0-9]{0,2}")
_SCRIPTS = frozenset(("$js", "$expr", "js", "expr"))


_ADVICE = {
    Style.PLAIN: "begin it with a `-` in the column of the other criteria, or join the two lines",
    Style.SINGLE: "close the quotation marks before it",
    Style.DOUBLE: "close the quotation marks before it",
    Style.LITERAL: "indent it like the lines that it belongs to",
    Style.FOLDED: "indent it like the lines that it belongs to",
}

_Text: TypeAlias = tuple[ScalarNode, str, Node | None]
"""A scalar of several lines, the key that holds it, and the item of its point; None outside rubrics."""
_Line: TypeAlias = tuple[int, str, str]
"""A later line of a scalar: where its content starts, its content, and that of the line above ("" if it is blank).

In a block text, of the line above its list."""
_Swallowed: TypeAlias = tuple[int, str, str, Severity | None]
"""A line that begins a point or a key, with the level of its report if it is not that of the rule."""
_BLANKS = f" \t\r\n{UNSEEN}"


def _in_file(view: FileView) -> Iterator[Report]:
    yield from _keys_in_header(view)
    yield from _in_lists(view)


def _point_lines(source: str) -> list[str]:
    lines = [line.strip().strip("\"'") for line in re.split(r"\n|[ \t]*-[ \t]", source)]
    if lines[0][:1] in ("|", ">"):
        return [line for line in lines[1:] if line][:1]  # lists and further sentences are usual there
    return lines


def _texts(text: str, node: Node, name: str = "", item: Node | None = None, *, lists: bool = False) -> Iterator[_Text]:
    """The scalars of several lines in a prompt, but for those of scripts. `lists`: `node` is a list of points."""
    if text.find("\n", node.span.start, node.span.end) < 0:
        return
    match node:
        case ScalarNode() if not lists:
            behind = text[node.span.end : line_end(text, node.span.end)].lstrip()[:1]
            if node.style in _BLOCKS or behind in ("", "#", ",", "]", "}"):  # else `yaml-syntax` reports the quotes
                yield node, name, item
        case SequenceNode(items=items):
            for each in items:
                is_path = lists and isinstance(each, SequenceNode)
                yield from _texts(text, each, name, each if lists and not is_path else item, lists=is_path)
        case MappingNode(pairs=pairs) if item is None or not _SCRIPTS & {*node.keys(), _function(node)}:
            for pair in pairs:
                key = property_name(pair.key)
                yield from _texts(text, pair.value, key, item, lists=item is None and key in _RUBRICS)
        case _:
            return


def _function(node: MappingNode) -> str:
    named = node.get("fn")
    return named.text if isinstance(named, ScalarNode) else ""


def _lines(text: str, node: ScalarNode) -> Iterator[_Line]:
    start = line_end(text, node.span.start)
    above = "" if node.style in _BLOCKS else text[node.span.start : start].strip()
    while (start := next_line_start(text, start)) < node.span.end:
        line = text[start : min(line_end(text, start), node.span.end)]
        written = line.strip(_BLANKS)
        if written:
            yield start + len(line) - len(line.lstrip(_BLANKS)), written, above
        above = above if node.style in _BLOCKS and _ROW.match(written) else written


def _swallowed(text: str, found: _Text, openings: Callable[[], _Openings]) -> Iterator[_Swallowed]:
    """The lines of a text that begin a point or a key of one, or an item of a list that YAML joins."""
    node, _, item = found
    rows = [(line, _ROW.match(line[1])) for line in _lines(text, node)]
    margin = least_indent(text, node.span) or 0
    is_list = sum(row is not None and row["listed"] is not None for _, row in rows) > 1
    last = text[node.span.start : line_end(text, node.span.start)].strip()
    for line, row in rows:
        start, written, above = line
        before, last = above or last, written
        if written == "-" and node.style is Style.PLAIN:  # a comment is behind it
            yield *line, None
        elif row is None:
            if item is not None and node.style not in _BLOCKS and openings().begins(written, before):
                yield *line, None
        elif node.style in _BLOCKS:
            is_deeper = column(text, start) > margin  # as lists in a text are
            is_shown = above.endswith(":") or _is_fenced(text, node, start)
            is_later = line is not rows[0][0] and not is_shown
            if is_later and _begins_in_block(row, above, item, openings(), is_deeper=is_deeper):
                yield *line, Severity.WARNING
        elif _begins(row, above, item, openings()):
            yield *line, None
        elif row["listed"] and above and above.rfind("(") <= above.rfind(")"):
            is_numbered = row["number"] and _may_end(above) and (item is None or row["text"][0].islower())
            is_dashed = row["strong"] and _first_word(row["text"]).isalpha() and " - " not in row["text"]
            if is_list or is_numbered or is_dashed:
                yield *line, Severity.WARNING


def _begins_in_block(
    row: re.Match[str], above: str, item: Node | None, openings: _Openings, *, is_deeper: bool
) -> bool:
    """Whether a line of a block text, where lists are usual, begins a point or a key of one."""
    if not row["strong"]:
        return item is not None and not row["item"]
    is_known = _first_word(row["text"]) in openings.first if item is None else not is_deeper
    is_certain = row["text"].startswith("$") or _BLOCK_HEAD.fullmatch(row["text"]) is not None
    return is_certain or (is_known and openings.begins(row["text"], above))


def _begins(row: re.Match[str], above: str, item: Node | None, openings: _Openings) -> bool:
    """Whether a line of a plain or quoted text begins a point or a key of one."""
    if row["key"]:
        return item is not None and (not above or openings.ends(above))
    if not row["item"] or (row["strong"] and (item is not None or row["text"][0] == "$")):
        return item is not None or bool(above)
    is_sentence = openings.ends(above) and row["text"][0].isupper() and (item is not None or _may_end(above))
    return is_sentence or openings.begins(row["text"], above)


def _is_joined(dash: re.Match[str], openings: Callable[[], _Openings]) -> bool:
    """Whether the text behind a `dash` within a line begins as another point does."""
    above = dash.string[: dash.end("above")].strip("\"'")
    if above[:1] in ("|", ">"):
        return False
    key, colon, _ = dash["text"].partition(":")
    if dash["text"][0] == "$" or (colon and (key in _KEY_NAMES or is_like_text(key))):
        return True
    if len(dash["gap"]) > 1 and dash["text"][0].isupper() and openings().are_capital:
        return True  # the indentation of a line whose line break is gone
    is_likely = not dash["gap"] or _first_word(dash["text"]) in openings().first
    return is_likely and openings().begins(dash["text"], above)


def _report(text: str, found: _Text, lines: Sequence[_Swallowed]) -> Report:
    """The report of the first of `lines`, the rest of those to report."""
    node, name, item = found
    start, written, _, level = lines[0]
    row = _ROW.match(written)
    key = None if row is None else row["key"]
    holder = f"the text of `{name}`" if item is None else "the criterion above"
    message = f"{'this line' if key is None else f'`{key}`'} is a part of {holder}: {_ADVICE[node.style]}"
    if level is Severity.WARNING and node.style not in _BLOCKS:
        message = f"this line is joined to {holder}: write the whole text below a `|` to keep its lines"
    elif node.style is Style.PLAIN and written[0] == "-" and (row is None or row["item"]):
        message = f"this `-` stands too far right: its text is a part of {holder}"
    is_last = item is not None and key is None and item.span.end <= node.span.end  # else its keys would go astray
    dash = dash_before(text, item.span.start) if item is not None and is_last else None
    fixes = (
        () if dash is None else (Fix("a criterion of its own", False, _split(text, node, column(text, dash), lines)),)
    )
    return Report(Span(start, start + len(written)), message, severity=level, fixes=fixes)


def _split(text: str, node: ScalarNode, margin: int, lines: Sequence[_Swallowed]) -> tuple[TextEdit, ...]:
    """The edits that make an item at the column `margin` of the first of `lines`, or of all where quotes are closed."""
    is_quoted = node.style in (Style.SINGLE, Style.DOUBLE)
    edits: list[TextEdit] = []
    for start, written, *_ in lines if is_quoted else lines[:1]:
        row = _ROW.match(written)
        begins = start + (row.start("text") if row is not None and row["item"] else 0)
        edits.append(TextEdit(Span(start - column(text, start), begins), f"{' ' * margin}- "))
    if is_quoted:
        end = edits[0].span.start - len(newline_of(text))
        edits.insert(0, TextEdit(Span(end, end), text[node.span.start]))
        edits.append(TextEdit(Span(node.span.end - 1, node.span.end), ""))
    return tuple(edits)


def _in_lists(view: FileView) -> Iterator[Report]:
    """The reports of swallowed items, but for those that are read as where they belong to."""
    released = {finding.span for finding in view.findings_of(Kind.NOT_WRITTEN) if finding.refused}
    for found in swallowed_items(view.tree):
        dash = dash_before(view.text, found.item.span.start)
        if dash is not None and found.empty.span not in released:
            yield _dash_report(view.text, found, dash)


def _dash_report(text: str, found: Swallowed, dash: int) -> Report:
    is_prompt = isinstance(found.item, MappingNode) and found.item.pair("prompt") is not None
    what = "this prompt" if is_prompt else "this item" if found.name else "this criterion"
    where = f"the list of `{found.name}`" if found.name else "the path above"
    start = line_start(text, found.empty.span.start)
    written = text[start : line_end(text, start)]
    is_bare = not written.strip(" \t-")
    edit = TextEdit(Span(start, next_line_start(text, start)), "")
    fixes = (Fix("delete the empty dash", False, (edit,)),) if is_bare and written.count("-") == 1 else ()
    message = f"{what} became a part of {where}: write a text behind its empty dash above, or delete that dash"
    return Report(Span(dash, line_end(text, dash)), message, fixes=fixes)


@prompt_rule(on_file=_in_file)
def swallowed_point(view: PromptView) -> Iterator[Report]:
    texts = [] if view.file.is_json else list(_texts(view.text, view.prompt.node))
    spans = (point.subject_span for point in view.prompt.points() if point.text is not None)
    openings = cache(lambda: _openings_of(_point_lines(span.of(view.text)) for span in spans))
    for found in texts:
        keys = list(_keys_in_text(view.text, view.prompt.node, found))
        yield from keys
        told = {report.span.start for report in keys}
        lines = [line for line in _swallowed(view.text, found, openings) if line[0] not in told]
        yield from (_report(view.text, found, lines[number:]) for number in range(len(lines)))
    for span in {point.subject_span: None for point in view.prompt.points() if point.text is not None}:
        start, end = span.start, span.end + 1  # a colon may follow
        joined = _JOINED.search(view.text[start:end])
        if joined is not None and _is_joined(joined, openings):
            place = Span(*joined.span("row")).shifted(start)
            yield Report(place, "this begins a criterion of its own: put it on a new line")


# Keys, messages, prompts and separators that a text of the place that they belong to has swallowed


_BLOCKS = (Style.LITERAL, Style.FOLDED)
_CODE = 4
"""The columns by which Markdown indents an example."""
_LINE = lazy(
    r"""^(?P<margin>[ ]*)["']?(?P<name>(?:-[ ]+)?[A-Za-z]\w+(?:[ -]\w+)?|---)["']?[ \t\r]*(?:(?P<colon>[:：])|$)""",
    re.MULTILINE | re.VERBOSE,
)
"""A line that may begin with a key or a turn, or separates documents."""
_LIST = lazy(r"[ \t]*(?:\[\S|(?:#.*)?\r?\n\s*[-•*][ \t])")
_TEXT = lazy(r"[ \t]+\S")
_ANY = lazy(r"\s*[^\s/]")
_NO_PROSE = lazy(r"\s*[^\s/a-z]")
_NUMBER = lazy(r"[ \t]*[\d.]+[\"']?[ \t\r]*$", re.MULTILINE)
_ROLE = lazy(r"[ \t]*[\"']?(?:user|assistant|system)\b")
_SEPARATOR = lazy(r"[ \t]*(?:\n(?:[ \t]*\n)*)?(?:\Z|[ ]*(?:-[ ])?(?:id|prompt|prompts|messages):)")
_LISTS_OF_POINTS = ("should", "should_not")
_WHOLE = ("- id", "- prompt", "---")
_PROMPT = {
    **dict.fromkeys(("points", "expect", "expectations", "models", "prompts"), _LIST),
    **dict.fromkeys(("ideal", "idealResponse"), _ANY),
    **dict.fromkeys(("- id", "- prompt"), _TEXT),
    "messages": lazy(r"[ \t]*\r?\n[ \t]*-[ ]\w+:"),
    "prompt": lazy(r"[ \t]*[|>][-+]?[ \t\r]*\n"),
}
"""The keys of a prompt, each with the shape of what follows it: only together they are a part of the blueprint."""
_WEAK = {"weight": _NUMBER, "temperature": _NUMBER, "system": _TEXT, "citation": _ANY, "tools": _LIST}
"""Keys that are likelier than others to be those of something else that a text shows."""
_TURNS = dict.fromkeys(("- user", "- assistant", "- ai", "- system", "- role", "content"), _TEXT)
_OF_MESSAGE = {**_TURNS, "role": _ROLE}
_OF_HEADER = {**_PROMPT, **dict.fromkeys(LIST_KEYS, _LIST), **_WEAK, "title": _TEXT, "prompt": _TEXT, "---": _SEPARATOR}
_KEY_NAMES = names_read(Part.PROMPT) | names_read(Part.HEADER) | names_read(Part.POINT)
_OF_POINT = dict.fromkeys(names_read(Part.PROMPT) | names_read(Part.POINT), lazy(r"(?=\s|\Z)"))
_Shapes: TypeAlias = dict[str, re.Pattern[str]]
"""The keys of a place, each with the shape of what follows its colon."""
_QUOTED_FILE = lazy(r"\b(?:ya?ml|json|toml|config\w*|file|snippet|schema|manifest|parse|convert)\b", re.IGNORECASE)
"""A word with which a text speaks of a file, so that it may quote one."""
_BLANK = lazy(r"\n[ \t\r]*\n")
_NEXT_LINE = lazy(r"\n( *)[^\s#]")
_KEY_ABOVE = lazy(r"^[ \t]*(?:- )?[a-z][\w.-]*:(?:\s|$)")


def _keys_in_text(text: str, mapping: MappingNode, found: tuple[ScalarNode, str, Node | None]) -> Iterator[Report]:
    """The reports of the lines of a text in a prompt that are part of the blueprint.

    The text is the value of a key, or belongs to an item of a rubric.
    """
    node, name, item = found
    if item is not None:
        for line in _key_lines(text, node, _OF_POINT, _OF_POINT):
            yield _key_report(text, node, line, "", "the lines that it belongs to", -1)
        return
    joined = names_read(Part.PROMPT) - _PROMPT.keys() if node.style not in _BLOCKS else ()
    weak = {**dict.fromkeys(joined, _TEXT), **_WEAK, **(_OF_MESSAGE if name in names_read(Part.MESSAGE) else {})}
    if joined or not any(map(mapping.pair, ("prompt", "messages", "promptText"))):
        weak["prompt"] = _TEXT
    target = column(text, mapping.pairs[0].key.span.start)
    for key, line in _key_lines(text, node, {**_PROMPT, **weak}, weak):
        is_turn = key in _OF_MESSAGE
        if is_turn or mapping.pair(key) is None or not _QUOTED_FILE.search(text, node.span.start, line.start):
            beside = "the other messages" if is_turn else "the keys of the prompt"
            at = -1 if is_turn else target - 2 * key.startswith("- ")
            yield _key_report(text, node, (key, line), name, beside, at)


def _keys_in_header(view: FileView) -> Iterator[Report]:
    """The reports of the lines of each text of the header that are part of the blueprint."""
    for pair in () if view.is_json else view.header.pairs:
        value = resolved(pair.value)
        if isinstance(value, ScalarNode):
            for found in _key_lines(view.text, value, _OF_HEADER, _OF_HEADER):
                yield _key_report(view.text, value, found, property_name(pair.key), "the other keys", 0)


def _key_report(text: str, node: ScalarNode, found: tuple[str, Span], name: str, beside: str, target: int) -> Report:
    """The report of a swallowed line of the text of `name`, "" for a point.

    Its fix moves the rest of a block to `target`, -1 for none.
    """
    key, line = found
    is_block = node.style in _BLOCKS
    what = "this prompt" if key in ("- id", "- prompt") else "this message" if key in _OF_MESSAGE else f"`{key}`"
    edits = reindented(text, Span(line_start(text, line.start) - 1, node.span.end), target - column(text, line.start))
    below = _NEXT_LINE.search(text, node.span.end)
    is_free = is_block and target >= 0 and (below is None or len(below[1]) <= target)
    is_quoted = node.style in (Style.SINGLE, Style.DOUBLE)
    title = "close the quotation marks before it" if is_quoted else f"indent it like {beside}"
    fixes = (Fix(title, False, tuple(edits)),) if edits and is_free else ()
    message = f"{what} is a part of {f'the text of `{name}`' if name else 'the criterion above'}: {title}"
    return Report(line, message, severity=Severity.WARNING if is_block else None, fixes=fixes)


def _key_lines(text: str, node: ScalarNode, keys: _Shapes, weak: Container[str]) -> Iterator[tuple[str, Span]]:
    """Each of `keys`, some of them `weak`, with which a line of a text begins, and that line, up to a whole prompt."""
    margin = least_indent(text, node.span) or 0
    below = quoted = line_end(text, node.span.start) + 1
    for line in _LINE.finditer(text, below, node.span.end):
        key = " ".join(line["name"].split())
        shape = keys.get(key) if line["colon"] or key == "---" else None
        if _is_rubric(key):
            shape = (_NO_PROSE if node.style in _BLOCKS else _ANY) if line["colon"] else _LIST
        is_code = node.style in _BLOCKS and not 0 <= len(line["margin"]) - margin < _CODE
        if shape is None or line.start() < quoted or is_code or not shape.match(text, line.end(), node.span.end):
            continue
        paragraph = _BLANK.split(text[line.start() : node.span.end], maxsplit=1)[0]
        others = re.split(f"\n{line['margin']}(?=[a-z])", paragraph)[1:]
        before = text[node.span.start : line.start()]
        if _is_fenced(text, node, line.start()) or _is_of_other_file(before, others, is_weak=key in weak):
            quoted = line.start() + len(paragraph)
            continue
        yield key, Span(line.end("margin"), line_end(text, line.start()))
        if key in _WHOLE:
            return


def _is_fenced(text: str, node: ScalarNode, at: int) -> bool:
    """Whether the line of a text at `at` is in a fence of Markdown."""
    return text.count("```", node.span.start, at) % 2 == 1


def _is_of_other_file(before: str, below: list[str], *, is_weak: bool) -> bool:
    """Whether a line is a part of an example: of another file, by the keys beside it, or of one that is announced."""
    if before.rstrip().endswith(":") and (is_weak or _QUOTED_FILE.search(before)):
        return True
    lines = [*_BLANK.split(before.rstrip("\n"))[-1].split("\n"), *below]
    keys = [line.split(":", 1)[0].strip() for line in lines if _KEY_ABOVE.match(line) is not None]
    return any(key not in _OF_MESSAGE and key.strip(" -") not in _KEY_NAMES and not _is_rubric(key) for key in keys)


def _is_rubric(key: str) -> bool:
    """Whether a key is `should` or `should_not`, also misspelt."""
    return any(one_letter_off(key.lower(), each) for each in _LISTS_OF_POINTS)
