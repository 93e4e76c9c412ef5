"""Arguments of checks that cannot be meant as they are written: signs in their texts, blanks around them, and items."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from engine import functions
from engine.blueprint import Point, Prompt
from engine.diagnostics import Fix, Severity
from engine.functions.point_function import Quantifier, SearchTraits, Target
from engine.patterns import lazy
from engine.record import Record
from engine.rules.functions.format_misses import finds
from engine.rules.refusals import cut
from engine.rules.rule import Report
from engine.rules.source.layout import first_line, quoted
from engine.rules.source.list_levels import item_removed
from engine.rules.source.node_search import argument_pair
from engine.rules.source.prompt_texts import sent_text
from engine.rules.spelling import nearest_names
from engine.rules.views import FileView
from engine.services.definitions import SETTINGS
from engine.services.templates import NAMES
from engine.text import Span, TextEdit, in_quotes
from engine.yaml_nodes.nodes import MappingNode, Node, ScalarNode, SequenceNode, Style, property_name, resolved

_MOST_ITEMS = 100
"""How many items of a list are compared with each other: the pairs are counted by the square."""
_SUSPECT = lazy(r"\A\s|\s\Z|[&\\]|\[:")
_ENTITY = lazy(r"(?=&\S+;\s?\w|(?<=\w)&|(?<=\w\s)&)&(?:#\d{2,6}|#[xX][0-9a-fA-F]{2,6}|[A-Za-z][A-Za-z0-9]{1,30});")
_MARKUP = lazy(
    r"\b(?:x?html?|xml|svg|entit(?:y|ies)|escap\w*|encod\w*|markup|web\w*|code)\b|&#?\w+;|</?\w+", re.IGNORECASE
)
_TEMPLATE = lazy(rf"(?<![\w\\${{}}])(?!\{{(?:{'|'.join(NAMES)})\}})\{{\{{?\s*(?P<name>[A-Za-z_]\w+)\s*\}}\}}?")
_DIALECT = lazy(
    r"(?<!\\)(?:(?P<start>(?:^|(?<=[(|:]))\\A)|(?P<end>\\[Zz](?=$|[)|]))|(?P<blank>\\h(?![a-z]))|(?P<break>\\R(?![a-z]))"
    r"|\\Q|\\[pP]\{\w+(?:=\w+)?\}|\[:(?:al(?:pha|num)|x?digit|upper|lower|space|blank|punct|print|graph|cntrl|word):\])"
)
_INSTEAD = {"start": "^", "end": "$", "blank": r"[ \t]", "break": r"(?:\r?\n)"}


class _Row(Record):
    """A sign that is none in an argument: what to say of it, and what to write for it, itself if that is not known."""

    sign: re.Pattern[str]
    message: Callable[[re.Match[str]], str]
    instead: Callable[[re.Match[str]], str]

    def slips(self, view: FileView, node: ScalarNode) -> Iterator[Report]:
        """The report on the first such sign of a text, with the fix for all of them."""
        found = self.sign.search(node.text)
        if found is not None:
            at = view.text.find(found[0], node.span.start, node.span.end)
            place = first_line(view.text, node.span) if at < 0 else Span(at, at + len(found[0]))
            text = self.sign.sub(self.instead, node.text)
            fix = () if self.sign.search(text) else _replaced(view, node, text, f"write {cut(text)}")
            yield Report(place, self.message(found), fixes=fix)


_TEMPLATES = _Row(
    _TEMPLATE,
    lambda each: f"`{each[0]}` is not filled in like that: the names are {', '.join(f'{{{name}}}' for name in NAMES)}",
    lambda each: f"{{{(*nearest_names(each['name'], NAMES), each['name'])[0]}}}",
)
_ENTITIES = _Row(
    _ENTITY,
    lambda each: f"`{each[0]}` is how HTML writes {in_quotes(html.unescape(each[0]))}: answers have the sign itself",
    lambda each: html.unescape(each[0]).replace("\xa0", " "),
)
_DIALECTS = _Row(
    _DIALECT,
    lambda each: f"`{each[0]}` is of another dialect of patterns: JavaScript takes it for letters",
    lambda each: _INSTEAD.get(each.lastgroup or "", each[0]),
)


def text_slips(view: FileView, point: Point, wanting: Prompt | None) -> Iterator[Report]:
    """The slips in the texts of a check, because of which it misses answers.

    `wanting` is the prompt, None if it is not known, or if its answers should not have what the check looks for.
    """
    search, nodes = _searched(view, point)
    has_entity = search is not None and any("&" in node.text for node in nodes)
    rows = (
        (_TEMPLATES, search is None),
        (_DIALECTS, search is not None and not search.is_literal),
        (
            _ENTITIES,
            wanting is not None and has_entity and not _MARKUP.search(f"{sent_text(wanting)}\n{wanting.ideal}"),
        ),
    )
    yield from (slip for node in nodes for row, applies in rows if applies for slip in row.slips(view, node))
    if search is not None:
        ideal = (wanting and wanting.ideal) or ""
        is_met = search.quantifier is Quantifier.ANY and any(finds(node.text, ideal, search) for node in nodes)
        yield from (slip for node in nodes for slip in _blanks(view, node, search, "" if is_met else ideal))


def _searched(view: FileView, point: Point) -> tuple[SearchTraits | None, list[ScalarNode]]:
    """How the check of `point` searches an answer, and for what; None for a `$call`, and the texts that it sends."""
    call = point.function
    function = None if call is None or _is_plain(call.args) else functions.find(call.name)
    pair = None if function is None else argument_pair(view.tree, point)
    is_examined = function is not None and (function.search is not None or "call" in (function.name, function.negates))
    if function is None or pair is None or not is_examined:
        return None, []
    return function.search, [*_strings(pair.value)]


def _is_plain(argument: object) -> bool:
    """Whether it is one text in which nothing is to be looked for: most are, and finding their places takes time."""
    return isinstance(argument, str) and _SUSPECT.search(argument) is None


def _strings(argument: Node) -> Iterator[ScalarNode]:
    match resolved(argument):
        case ScalarNode(value=str()) as node:
            yield node
        case SequenceNode(items=items):
            yield from (text for item in items for text in _strings(item))
        case MappingNode(pairs=pairs):
            sent = (pair.value for pair in pairs if property_name(pair.key) not in SETTINGS)
            yield from (text for value in sent for text in _strings(value))
        case _:
            pass


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
    """The items of a list that are there already, or that are found wherever another one is."""
    search, nodes = _searched(view, point)
    if search is None or search.quantifier is Quantifier.ONE:
        return
    any_will_do = search.quantifier is Quantifier.ANY
    effect = "has no effect" if any_will_do else "is no item of its own"
    any_case = search.ignores_case and search.is_literal
    folded = [node.text.lower() if any_case else node.text for node in nodes[:_MOST_ITEMS]]
    for at, text in enumerate(folded):
        twin = folded.index(text)
        if twin == at and search.is_literal and text:
            others = ((other, one) for other, one in enumerate(folded) if one and one != text)
            twin = next((other for other, one in others if (one in text if any_will_do else text in one)), at)
        if twin == at:
            continue
        own, other = in_quotes(nodes[at].text), in_quotes(nodes[twin].text)
        if folded[twin] != text:
            reason = f"{other} is found wherever it is" if any_will_do else f"it is found wherever {other} is"
        else:
            reason = f"it is {other} again{', as the check ignores case' if own != other else ''}"
        removed = item_removed(view.tree, nodes[at].span)
        yield Report(
            first_line(view.text, nodes[at].span),
            f"{own} {effect}: {reason}",
            severity=Severity.HINT if any_will_do and folded[twin] != text else None,
            fixes=() if removed is None else (Fix("remove it", False, (removed,)),),
        )


def _replaced(view: FileView, node: ScalarNode, text: str, title: str) -> tuple[Fix, ...]:
    return (Fix(title, False, (TextEdit(node.span, quoted(text, is_json=view.is_json)),)),)
