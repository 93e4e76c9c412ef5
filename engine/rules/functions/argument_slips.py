"""Arguments of checks that cannot be meant as they are written: signs in their texts, blanks around them, and items."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator

from engine import functions
from engine.blueprint import Point, Prompt
from engine.functions.point_function import Quantifier, SearchTraits, Target
from engine.models.definitions import NAMES, SETTINGS
from engine.rules.functions.literal_forms import finds
from engine.rules.refusals import cut
from engine.rules.rule import Report
from engine.rules.source.prompt_texts import sent_text
from engine.rules.views import FileView
from engine.rules.words import nearest_names
from engine.text.diagnostics import Fix
from engine.text.patterns import lazy
from engine.text.record import Record, replace
from engine.text.spans import Span, TextEdit, in_quotes
from engine.yaml.edit import quote, remove_item
from engine.yaml.layout import first_line, place_of
from engine.yaml.nodes import ScalarNode, Style

_MOST_ITEMS = 100
"""How many items of a list are compared with each other: the pairs are counted by the square."""
_SUSPECT = lazy(r"\A\s|\s\Z|[&\\]|\[:|\$\{")
_ENTITY = lazy(r"(?=&\S+;\s?\w|(?<=\w)&|(?<=\w\s)&)&(?:#\d{2,6}|#[xX][0-9a-fA-F]{2,6}|[A-Za-z][A-Za-z0-9]{1,30});")
_OF_MARKUP = lazy(r"&|\$\{|\\[<>]")
"""What is right in an answer that holds markup or code."""
_MARKUP = lazy(
    r"\b(?:x?html?|xml|svg|entit(?:y|ies)|escap\w*|encod\w*|markup|web\w*|code)\b|&#?\w+;|</?\w+", re.IGNORECASE
)
_FILLED = rf"\$\{{(?P<own>{'|'.join(NAMES)})\}}"
_TEMPLATE = lazy(
    rf"{_FILLED}|(?<![\w\\${{}}])(?!\{{(?:{'|'.join(NAMES)})\}})\{{\{{?\s*(?P<name>[A-Za-z_]\w+)\s*\}}\}}?"
)
_DIALECT = lazy(
    r"(?<!\\)(?:(?P<start>(?:^|(?<=[(|:]))\\A)|(?P<end>\\[Zz](?=$|[)|]))|(?P<blank>\\h(?![a-z]))|(?P<break>\\R(?![a-z]))"
    r"|\\Q|\\[GK](?![a-z])|\\[pP]\{\w+(?:=\w+)?\}|\[:(?:al(?:pha|num)|x?digit|upper|lower|space|blank|punct|print|graph|cntrl|word):\])"
)
_INSTEAD = {"start": "^", "end": "$", "blank": r"[ \t]", "break": r"(?:\r?\n)"}


class _Sign(Record):
    """A sign that is none in an argument, what to write for it, itself if that is not known, and the reason."""

    written: re.Pattern[str]
    instead: Callable[[re.Match[str]], str]
    reason: str

    def slips(self, view: FileView, node: ScalarNode) -> Iterator[Report]:
        """The report on the first such sign of a text, with the fix for all of them."""
        found = self.written.search(node.text)
        if found is not None:
            place = place_of(view.text, found[0], node.span)
            text = self.written.sub(self.instead, node.text)
            fix = () if self.written.search(text) else _replaced(view, node, text, f"write {cut(text)}")
            yield Report(place, f"`{found[0]}` {self.reason}", fixes=fix)


_TEMPLATES = _Sign(
    _TEMPLATE,
    lambda each: f"{{{each['own'] or (*nearest_names(each['name'], NAMES), each['name'])[0]}}}",
    f"is not filled in like that: the names are {', '.join(f'{{{name}}}' for name in NAMES)}",
)
_ENTITIES = _Sign(
    _ENTITY,
    lambda each: html.unescape(each[0]).replace("\xa0", " "),
    "is how HTML writes a sign: answers have the sign itself",
)
_PLACEHOLDERS = _Sign(
    lazy(_FILLED), lambda each: each[0], "is filled in only in what `$call` sends: here, an answer has to write it"
)
_EDGES = _Sign(
    lazy(r"(?<!\\)(?:\\<(?=\w)|(?<=\w)\\>)"),
    lambda _: r"\b",
    "is the edge of a word in other dialects of patterns: JavaScript takes it for the sign itself",
)
_DIALECTS = _Sign(
    _DIALECT,
    lambda each: _INSTEAD.get(each.lastgroup or "", each[0]),
    "is of another dialect of patterns: JavaScript takes it for letters",
)


def text_slips(view: FileView, point: Point, wanting: Prompt | None) -> Iterator[Report]:
    """The slips in the texts of a check, because of which it misses answers.

    `wanting` is the prompt, None if it is not known, or if its answers should not have what the check looks for.
    """
    search, nodes = _searched(view, point)
    if search is None:
        yield from (slip for node in nodes for slip in _TEMPLATES.slips(view, node))
        return
    ideal = (wanting and wanting.ideal) or ""
    is_met = search.quantifier is Quantifier.ANY and any(finds(node.text, ideal, search) for node in nodes)
    for node in nodes:
        if not search.is_literal:
            yield from _DIALECTS.slips(view, node)
        signs = (_ENTITIES, _PLACEHOLDERS) if search.is_literal else (_ENTITIES, _EDGES)
        if (
            wanting is not None
            and _OF_MARKUP.search(node.text)
            and not _MARKUP.search(f"{sent_text(wanting)}\n{ideal}")
        ):
            yield from (slip for sign in signs for slip in sign.slips(view, node))
        yield from _blanks(view, node, search, "" if is_met else ideal)


def _searched(view: FileView, point: Point) -> tuple[SearchTraits | None, list[ScalarNode]]:
    """How the check of `point` searches an answer, and for what; None for a `$call`, and the texts that it sends."""
    call = point.function
    function = None if call is None or _is_plain(call.args) else functions.find(call.name)
    if function is None or (function.search is None and "call" not in (function.name, function.negates)):
        return None, []
    return function.search, [*point.argument_texts(besides=SETTINGS)]


def _is_plain(argument: object) -> bool:
    """Whether it is one text in which nothing is to be looked for: most are, and finding their places takes time."""
    return isinstance(argument, str) and _SUSPECT.search(argument) is None


def _blanks(view: FileView, node: ScalarNode, search: SearchTraits, ideal: str) -> Iterator[Report]:
    text, bare = node.text, node.text.strip()
    if bare in ("", text):
        return
    if node.style in (Style.LITERAL, Style.FOLDED) and text.endswith("\n"):
        at = node.span.start + 1
        edit = TextEdit(Span(at, at + (view.text[at] == "+")), "-")
        message = "a block text ends in a line break, and an answer has to have it there, too"
        fix = Fix("end without the line break", False, (edit,))
        yield Report(first_line(view.text, node.span), message, fixes=(fix,))
        return
    before, behind = text[0].isspace(), text[-1].isspace()
    is_outside = (before and search.target in (Target.START, Target.WORD)) or (
        behind and search.target in (Target.END, Target.WORD)
    )
    as_word = replace(search, target=Target.WORD) if search.target is Target.TEXT else search
    is_missed = bool(ideal) and search.is_literal and not finds(text, ideal, search) and finds(bare, ideal, as_word)
    if not is_outside and not is_missed:
        return
    effect = f"the ideal has {in_quotes(bare)} without it" if is_missed else "answers have none there"
    message = f"{in_quotes(text)} has a blank at {'its start' if before else 'its end'}: {effect}"
    yield Report(first_line(view.text, node.span), message, fixes=_replaced(view, node, bare, "without the blank"))


def item_slips(view: FileView, point: Point) -> Iterator[Report]:
    """The items of a list that are there already, or that count again what another one finds."""
    search, nodes = _searched(view, point)
    if search is None or search.quantifier is Quantifier.ONE:
        return
    any_case = search.ignores_case and search.is_literal
    counts = search.is_literal and search.quantifier is not Quantifier.ANY and not _needs_one(point)
    folded = [node.text.lower() if any_case else node.text for node in nodes[:_MOST_ITEMS]]
    for at, text in enumerate(folded):
        longer = (one for one in folded if text and text != one and text in one and counts)
        twin = folded.index(text)
        twin = folded.index(next(longer, text)) if twin == at else twin
        if twin != at:
            own, other = in_quotes(nodes[at].text), in_quotes(nodes[twin].text)
            again = f"it is {other} again{', as the check ignores case' if own != other else ''}"
            reason = again if folded[twin] == text else f"it is found wherever {other} is"
            removed = remove_item(view.tree, nodes[at].span)
            yield Report(
                first_line(view.text, nodes[at].span),
                f"{own} is no item of its own: {reason}",
                fixes=(Fix("remove it", False, removed),) if removed else (),
            )


def _needs_one(point: Point) -> bool:
    """Whether a single text of `$contains_at_least_n_of` is enough."""
    args = None if point.function is None else point.function.args
    return isinstance(args, list) and args[:1] == [1]


def _replaced(view: FileView, node: ScalarNode, text: str, title: str) -> tuple[Fix, ...]:
    return (Fix(title, False, quote(node, text, is_json=view.is_json)),)
