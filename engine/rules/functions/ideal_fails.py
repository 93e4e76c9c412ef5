r"""# ideal-fails: Check that a good answer fails

A check that the prompt's own ideal answer does not pass.

The ideal is an example of a good answer, so one of the two is wrong. Either the check requires something else than was
meant, such as another spelling or a word that a good answer need not use: then every good model loses this share of the
score. Or the ideal is not in the form that the prompt asks for: then the score is right, and the ideal is no example.
If what the ideal lacks is in the prompt, the rule says so. Checks on alternative paths are reported only if the ideal
fails every path. If only case differs, `case-alone` reports it; if only the form of its letters does,
`unicode-form`; if only the format does, `format-fragile-literal`; if a pattern was meant, `pattern-in-literal`; a blank
at the end of an argument and the like, `argument-slip`.

An ideal that describes an answer ("A JSON object with two keys") instead of being one is reported once, as that: it
fails the checks whatever they are, so it says nothing about them or about models.

Bad:

    - id: capital
      prompt: What is the capital of Kenya?
      ideal: The capital of Kenya is Nairobi.
      should:
        - $contains: Nairobi City

Good:

    - id: capital
      prompt: What is the capital of Kenya?
      ideal: The capital of Kenya is Nairobi.
      should:
        - $contains: Nairobi

Fix: none. The message shows the most similar passage of the ideal.

Documents: Blueprint format, Prompt Fields, `ideal`; Blueprint format, Troubleshooting 5.

# case-alone: Check that fails by capital letters alone

A check that the prompt's own ideal, or its written last answer, fails only because upper and lower case differ.

The ideal says "Nairobi" and the check looks for "nairobi". A good answer that is written like the ideal loses the point
because of a capital: with two points, half of its score. If the conversation ends with a written answer, that answer is
judged, and the rule compares it with the checks in the same way.

Bad:

    - id: capital
      prompt: What is the capital of Kenya?
      ideal: The capital of Kenya is Nairobi.
      should:
        - $contains: nairobi

Good:

    - id: capital
      prompt: What is the capital of Kenya?
      ideal: The capital of Kenya is Nairobi.
      should:
        - $icontains: nairobi

Fix (unsafe): the check of the same name with an `i`, which ignores case.

Documents: Blueprint format, Point Definition Formats 3, `$icontains`; Blueprint format, Troubleshooting 5.

# unicode-form: Check that fails by how its letters are stored

A check that the prompt's own ideal, or its written last answer, fails only because the same letters are stored in
another way.

Unicode knows two ways to write "é": one character, or an "e" and an accent behind it. They look the same, and a
check compares characters. Names of files on macOS and texts from a PDF often have the accent apart (form NFD);
keyboards and models write one character (NFC). Text from a PDF also has one character for "fi" or "ffi" (a ligature).
A good answer that is written like the ideal loses the point: with two points, half of its score.

Bad:

    - id: city
      prompt: Name the second city of Ivory Coast.
      ideal: It is Bouaké.
      should:
        - Says where it lies
        - $icontains: Bouaké

Good:

    - id: city
      prompt: Name the second city of Ivory Coast.
      ideal: It is Bouaké.
      should:
        - Says where it lies
        - $icontains: Bouaké

Fix (unsafe): one character for each letter, as models write, in the check or in the ideal; there, "fi" for a ligature.

Documents: Blueprint format, Troubleshooting 5.

# format-fragile-literal: Text that a check misses by its format alone

A literal that the prompt's own ideal misses by its format alone: `can't` and "can’t", `5000` and "5,000", `30 days` and
"30 **days**".

A check for a literal compares characters. If the ideal writes a curly apostrophe, a comma between thousands, a dash
between numbers or a word in bold, and the check does not, then the check does not find what the ideal says: a good
answer that is written like the ideal loses the point, with two points half of the score. The message shows the form
that is missed.

Nothing is reported without an ideal that shows the other form, or if the check accepts that form, too. Characters that
nobody sees are reported by `invisible-character`, signs of a pattern by `pattern-in-literal`.

Bad:

    - id: notice
      prompt: How many days of notice do I get?
      ideal: You get 30 **days** of notice.
      should:
        - Says who decides
        - $contains: 30 days

Good:

    - id: notice
      prompt: How many days of notice do I get?
      ideal: You get 30 **days** of notice.
      should:
        - Says who decides
        - $matches: '30\W+days'

Fix (unsafe): a pattern that accepts both forms; in a list of which any will do, the other form as well.

Documents: Blueprint format, Troubleshooting 5.

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

import html
import re
from collections.abc import Callable, Iterator, Sequence
from unicodedata import normalize

from engine import functions
from engine.blueprint import FunctionCall, Point, Prompt, Role
from engine.functions.point_function import Quantifier, SearchTraits, Target
from engine.models.definitions import NAMES, SETTINGS
from engine.parsing.fields import member
from engine.rules.checks import (
    check_rule,
    checks_in,
    failed_checks,
    forbidden_places,
    is_negated,
    known_text,
    renamed,
    sent_text,
    text_place,
)
from engine.rules.functions.literal_forms import (
    as_patterns,
    closest_passage,
    finds,
    meant_as_patterns,
    missed_by_case,
    missed_by_form,
    missed_by_format,
    tolerant_fixes,
    twin_of,
    wanted_texts,
)
from engine.rules.phrases import says
from engine.rules.refusals import cut
from engine.rules.rule import FileView, PromptView, Report, fix_at, nearest_names, prompt_rule
from engine.rules.source.check_names import pattern_signs
from engine.rules.source.regexes import parse_regex
from engine.scoring.assessment import Assessment
from engine.text import Fix, Record, Related, Span, TextEdit, in_quotes, lazy, replace
from engine.yaml.edit import quote, remove_item
from engine.yaml.layout import first_line, place_of
from engine.yaml.nodes import ScalarNode, Style

_MAX_PASSAGE_LENGTH, _MOST_SHOWN = 60, 120
_MOST_RELATED = 4
_COLON_AND_MORE = lazy(r":\s*\S")
_OPENING = "\"'“‘`*{<["
"""Signs before a text that a prompt names as it is to be written."""


@prompt_rule(needs_javascript=True)
def ideal_fails(view: PromptView) -> Iterator[Report]:
    ideal, javascript = view.prompt.ideal, view.javascript
    if not ideal or javascript is None:
        return
    if describes_answer(ideal):
        yield from _described(view, ideal)
        return
    for failed, remark in failed_checks(view):
        point, is_wanted = failed.point, is_negated(failed.point) is failed.placed.inverted
        is_told = (
            missed_by_format(point, ideal)
            or meant_as_patterns(point, known_text(view.prompt))
            or any(text_slips(view.file, point, view.prompt if is_wanted else None))
            or missed_by_case(point, ideal, javascript)
            or missed_by_form(point, ideal, javascript)
        )
        if not is_told:
            yield _report(view, failed, ideal, remark)


def describes_answer(ideal: str) -> bool:
    """Whether `ideal` says what an answer looks like, in English. A definition ("A list is …") is an answer."""
    text = ideal.strip()
    sentence = re.split(r"(?<=[.!?])\s|\n", text, maxsplit=1)[0]
    return says("instructs", sentence) or (says("describes", sentence) and not _COLON_AND_MORE.search(text))


def _described(view: PromptView, ideal: str) -> Iterator[Report]:
    """The report on an ideal that describes an answer, if some check cannot be tried on it."""
    failed = [one for one, _ in failed_checks(view)]
    if not failed:
        return
    node = member(view.prompt.node, "ideal")
    checks = "one check" if len(failed) == 1 else f"{len(failed)} checks"
    yield Report(
        failed[0].point.subject_span if node is None else first_line(view.text, node.span),
        f"this ideal describes an answer and is none, so it fails {checks}: write the answer itself",
        why="A description shows nobody what a good answer looks like, and checks cannot be tried on it.",
        related=tuple(Related(one.point.subject_span, "fails this check") for one in failed[:_MOST_RELATED]),
    )


def _report(view: PromptView, assessment: Assessment, ideal: str, remark: str) -> Report:
    score, detail, call = round((assessment.extent or 0.0) * 100), assessment.detail, assessment.point.call
    why, lacking = "", None
    if found := _found(assessment):
        detail = f"it contains {in_quotes(_excerpt(ideal, found))}"
    else:
        if passage := closest_passage(call, ideal):
            without = f", without {in_quotes(passage.missing)}" if passage.missing else ""
            before = f"{detail}; " if isinstance(call.args, list) else ""
            detail = f"{before}closest is {in_quotes(_excerpt(ideal, passage.span))}{without}"
        lacking = _lacking(view.prompt, call, ideal)
    if lacking is not None:
        why = (
            f"The prompt names {in_quotes(cut(lacking, _MOST_SHOWN))} and the ideal lacks it, so the ideal may be what "
            "is wrong: write it in the form that the prompt asks for. If a good answer needs no such form, change "
            "the check: it costs points."
        )
    message = f"the prompt's own ideal scores {score} of 100 here{remark}: {detail}"
    return Report(assessment.point.subject_span, message, why)


def _lacking(prompt: Prompt, call: FunctionCall, ideal: str) -> str | None:
    """A text that the check looks for, that the prompt names in quotes or brackets, and that the ideal lacks."""
    asked, lowered = sent_text(prompt), ideal.lower()
    for text in wanted_texts(call, ideal):
        is_named = text[0] in _OPENING or any(f"{sign}{text}" in asked for sign in _OPENING)
        if text in asked and is_named and text.lower() not in lowered:
            return text
    return None


def _found(assessment: Assessment) -> Span | None:
    """The forbidden passage that the check found."""
    is_forbidden = assessment.placed.inverted is not is_negated(assessment.point)
    return assessment.evidence[0] if is_forbidden and assessment.evidence else None


def _excerpt(text: str, place: Span) -> str:
    """The whole words that a place covers, short enough for a message."""
    start, end = place.start, min(place.end, place.start + _MAX_PASSAGE_LENGTH)
    left = max(text.rfind(" ", 0, start), text.rfind("\n", 0, start)) + 1
    ends = [at for at in (text.find(" ", end), text.find("\n", end)) if at >= 0]
    right = min(ends, default=len(text))
    return cut(text[left:right], _MOST_SHOWN)


def _once_a_point(view: PromptView, report: Callable[[PromptView, Point, str, str], Report | None]) -> Iterator[Report]:
    """What `report` says of each check that an answer fails by its letters alone; it is told whose answer that is."""
    reported: set[int] = set()
    for point, answer, whose in _failing(view):
        found = None if point.span.start in reported else report(view, point, answer, whose)
        if found is not None:
            reported.add(point.span.start)
            yield found


def _failing(view: PromptView) -> Iterator[tuple[Point, str, str]]:
    """Each check with a text that it may miss, and whose text it is: the ideal, or an answer that is written last."""
    failed = failed_checks(view, passes=1.0)
    yield from ((each.point, view.prompt.ideal or "", "the prompt's own ideal") for each, _ in failed)
    last = _written_last(view)
    yield from ((point, last, "the answer that is written last") for point in view.checks if last)


def _written_last(view: PromptView) -> str:
    last = view.prompt.messages[-1] if view.prompt.messages else None
    return last.content or "" if last is not None and last.role is Role.ASSISTANT else ""


@prompt_rule(needs_javascript=True)
def case_alone(view: PromptView) -> Iterator[Report]:
    if any(twin_of(point.call.name) is not None for point in view.checks):
        yield from _once_a_point(view, _of_case)


def _of_case(view: PromptView, point: Point, answer: str, whose: str) -> Report | None:
    twin = None if view.javascript is None else missed_by_case(point, answer, view.javascript)
    if twin is None:
        return None
    fix = Fix(f"ignore case: ${twin}", False, renamed(view.file, point, twin))
    return Report(point.subject_span, f"{whose} fails this only by its case: ${twin} passes", fixes=(fix,))


@prompt_rule(needs_javascript=True)
def unicode_form(view: PromptView) -> Iterator[Report]:
    if view.checks and not f"{view.prompt.ideal}{_written_last(view)}".isascii():
        yield from _once_a_point(view, _of_form)


def _of_form(view: PromptView, point: Point, answer: str, whose: str) -> Report | None:
    form = None if view.javascript is None else missed_by_form(point, answer, view.javascript)
    if form is None or (form == "NFKC" and missed_by_format(point, answer)):
        return None
    own, way = normalize("NFKC", "".join(point.call.texts())).casefold(), "NFKC" if form == "NFKC" else "NFD"
    changed = [each for each in normalize("NFC", answer) if normalize(way, each) != each] or [answer]
    letter = next((each for each in changed if normalize("NFKC", each).casefold() in own), changed[0])
    plain = normalize("NFKC", letter)
    other = {"NFC": "NFD", "NFD": "NFC"}.get(form)
    stored = f"is stored as {other} there, not here" if other else f"is one character there, for {in_quotes(plain)}"
    message = f"{whose} fails this only by its Unicode form: {in_quotes(letter)} {stored}"
    where = "check" if form == "NFD" else "ideal"
    node = member(view.prompt.node, "ideal") if where == "ideal" else point.argument
    written = "" if node is None else node.span.of(view.text)
    right = normalize("NFC", written.replace(letter, plain) if form == "NFKC" else written)
    edits = () if node is None or right == written else (TextEdit(node.span, right),)
    title = f"write {in_quotes(plain)}" if form == "NFKC" else f"write the {where} in NFC"
    return Report(point.subject_span, message, fixes=(Fix(title, False, edits),))


@prompt_rule()
def format_fragile_literal(view: PromptView) -> Iterator[Report]:
    ideal = view.prompt.ideal if view.checks else None
    forbidden = forbidden_places(view.prompt) if ideal else ()
    for point in checks_in(view) if ideal else ():
        missed = missed_by_format(point, ideal) if ideal and point.span not in forbidden else None
        is_told = missed is not None and (
            not missed.literal.replace("\n", "").isprintable()  # by `invisible-character`
            or missed.literal in meant_as_patterns(point, known_text(view.prompt))
        )
        if missed is not None and not is_told:
            yield Report(
                text_place(view.file, point, missed.literal),
                f"the ideal writes {in_quotes(cut(missed.form))}, which is not found",
                fixes=tolerant_fixes(view.file, point, [replace(missed, form=missed.form.strip("*_`"))]),
            )


# Arguments of checks that cannot be meant as they are written: signs in their texts, blanks around them, and items.


_MOST_ITEMS = 100
"""How many items of a list are compared with each other: the pairs are counted by the square."""
_SUSPECT = lazy(r"\A\s|\s\Z|[&\\]|\[:|\$\{")
_ENTITY = lazy(r"(?=&\S+;\s?\w|(?<=\w)&|(?<=\w\s)&)&(?:#\d{2,6}|#[xX][0-9a-fA-F]{2,6}|[A-Za-z][A-Za-z0-9]{1,30});")
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
            edits = () if self.written.search(text) else quote(node, text, is_json=view.is_json)
            fix = Fix(f"write {cut(text)}", False, edits)
            yield Report(place, f"`{found[0]}` {self.reason}", fixes=(fix,))


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
    search, nodes = _searched(point)
    if search is None:
        yield from (slip for node in nodes for slip in _TEMPLATES.slips(view, node))
        return
    ideal, known = ("", "") if wanting is None else (wanting.ideal or "", f"{sent_text(wanting)}\n{wanting.ideal}")
    is_met = search.quantifier is Quantifier.ANY and any(finds(node.text, ideal, search) for node in nodes)
    for node in nodes:
        if not search.is_literal:
            yield from _DIALECTS.slips(view, node)
        signs = (_ENTITIES, _PLACEHOLDERS if search.is_literal else _EDGES)
        slips = [slip for sign in signs for slip in sign.slips(view, node)] if wanting is not None else []
        yield from slips if slips and not _MARKUP.search(known) else ()
        yield from _blanks(view, node, search, "" if is_met else ideal)


def _searched(point: Point) -> tuple[SearchTraits | None, list[ScalarNode]]:
    """How the check of `point` searches an answer, and for what; None for a `$call`, and the texts that it sends."""
    call = point.call  # most have one text in which nothing is to be looked for, and finding its place takes time
    is_plain = isinstance(call.args, str) and _SUSPECT.search(call.args) is None
    function = None if is_plain else functions.find(call.name)
    if function is None or (function.search is None and "call" not in (function.name, function.negates)):
        return None, []
    return function.search, [*point.argument_texts(besides=SETTINGS)]


def _blanks(view: FileView, node: ScalarNode, search: SearchTraits, ideal: str) -> Iterator[Report]:
    text, bare = node.text, node.text.strip()
    if bare in ("", text):
        return
    if node.style in (Style.LITERAL, Style.FOLDED) and text.endswith("\n"):
        at = node.span.start + 1
        message = "a block text ends in a line break, and an answer has to have it there, too"
        fixes = fix_at("end without the line break", Span(at, at + (view.text[at] == "+")), "-")
        yield Report(first_line(view.text, node.span), message, fixes=fixes)
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
    fix = Fix("without the blank", False, quote(node, bare, is_json=view.is_json))
    yield Report(first_line(view.text, node.span), message, fixes=(fix,))


def item_slips(view: FileView, point: Point) -> Iterator[Report]:
    """The items of a list that are there already, or that count again what another one finds."""
    search, nodes = _searched(point)
    if search is None or search.quantifier is Quantifier.ONE:
        return
    any_case, args = search.ignores_case and search.is_literal, point.call.args
    needs_one = isinstance(args, list) and args[:1] == [1]  # of `$contains_at_least_n_of`
    counts = search.is_literal and search.quantifier is not Quantifier.ANY and not needs_one
    folded = [node.text.lower() if any_case else node.text for node in nodes[:_MOST_ITEMS]]
    for at, text in enumerate(folded):
        longer = (one for one in folded if text and text != one and text in one and counts)
        twin = folded.index(text)
        twin = folded.index(next(longer, text)) if twin == at else twin
        if twin != at:
            own, other = in_quotes(nodes[at].text), in_quotes(nodes[twin].text)
            again = f"it is {other} again{', as the check ignores case' if own != other else ''}"
            reason = again if folded[twin] == text else f"it is found wherever {other} is"
            yield Report(
                first_line(view.text, nodes[at].span),
                f"{own} is no item of its own: {reason}",
                fixes=(Fix("remove it", False, remove_item(view.tree, nodes[at].span)),),
            )


@check_rule()
def argument_slip(view: FileView, points: Sequence[Point], prompt: Prompt | None) -> Iterator[Report]:
    forbidden = () if prompt is None else forbidden_places(prompt)
    for point in points:
        yield from text_slips(view, point, prompt if is_negated(point) is (point.span in forbidden) else None)
        yield from item_slips(view, point)


@check_rule()
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
