r"""# short-substring

One to three letters, or one or two digits, that are looked for anywhere: `no` is in "know", `4` in "1984".

Such a check passes by accident. `$icontains: D` is met by nearly every answer in words, so the point is given away: one
of two points is half of the score. It matters most where the answer is one letter of several.

Bad:

    - id: exists
      prompt: Does the law exist? Answer yes or no.
      should:
        - $icontains: 'no'

Good:

    - id: exists
      prompt: Does the law exist? Answer yes or no.
      should:
        - $icontains_word: 'no'

Fix (unsafe): whole words only. For a single letter also a pattern for an answer that is this letter alone, as the word
"a" is a word of its own in nearly every English answer.

Documents: 000, "Part 1", 3, `$contains_word`; 002, "Troubleshooting", 5.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from engine import functions
from engine.blueprint import Point
from engine.diagnostics import Fix, Severity
from engine.functions.wording import listed
from engine.rules.checks import argument_node, everywhere, renamed
from engine.rules.patterns import patterns_of
from engine.rules.regex_tree import Choice, Repeat, parts, read
from engine.rules.registry import FileView, Report, Rule
from engine.rules.source import function_pair, point_mapping, quoted
from engine.text import TextEdit
from engine.yaml_nodes.nodes import SequenceNode, resolved

_SCRIPTS = ("LATIN", "GREEK", "CYRILLIC", "ARMENIAN")
"""Scripts that put blanks between words and write no endings as words of their own."""
_SINGLE = re.compile(r"(?:not_)?i?contains")
_SEVERAL = re.compile(r"(?:not_)?i?contains_(?:any_of|all_of|at_least_n_of)")
_PATTERN = re.compile(r"(?:not_)?i?matches")
_TWINS = {
    "contains_any_of": "matches",
    "icontains_any_of": "imatches",
    "not_contains_any_of": "not_matches",
    "not_icontains_any_of": "not_imatches",
    "contains_all_of": "matches_all_of",
    "icontains_all_of": "imatch_all_of",
    "contains_at_least_n_of": "matches_at_least_n_of",
    "icontains_at_least_n_of": "imatch_at_least_n_of",
}
"""By which function a list of texts is looked for as whole words; Weval knows each by this name."""
_WORDS_OF_THEIR_OWN = "aAiI"
_EVERYDAY = """
    about another answer because before between case change country different education effect evidence example figure
    general government hundred important increase information knowledge language learn material method minister national
    necessary nothing number office often order other particular percent person population position possible price
    problem process provide question reason research result second social society something statement structure system
    technology therefore together under understand university usually value various without yesterday eyes know notice
    catch dog category begin thing string bring single great threat heart party start smart charge page message average
    notes cannot device advice police service science quality reality action nation region million opinion wonder
    sentence center entry country discount account amount carefully separate brother mother father weather rather either
"""


def _check(view: FileView, points: Sequence[Point]) -> Iterable[Report]:
    reports = tuple(_reports(view, points))
    is_held = reports and any(_holds_the_whole(each.bare) for point in points for each in patterns_of(point))
    return () if is_held else reports


def _reports(view: FileView, points: Sequence[Point]) -> Iterator[Report]:
    for point in points:
        call = point.function
        if call is None:
            continue
        any_case = "icontains" in call.name or "imatch" in call.name
        if _SINGLE.fullmatch(call.name) or _SEVERAL.fullmatch(call.name):
            short = [text for text in call.texts() if _is_short(text, any_case=any_case)]
        elif _PATTERN.fullmatch(call.name):
            short = [each.written for each in patterns_of(point) if _is_short(each.written, any_case=any_case)]
        else:
            continue
        function = functions.find(call.name) if short else None
        if function is not None and function.problem(call.args) is None:
            yield _report(view, point, list(dict.fromkeys(short)))


def _holds_the_whole(pattern: str) -> bool:
    """Whether a pattern says what the whole answer is, and that it is short: then nothing else can be found in it."""
    if not (pattern.startswith("^") and pattern.endswith("$")):
        return False
    tree = read(pattern)
    is_open = tree is None or any(isinstance(part, Repeat) and part.most is None for part in parts(tree))
    return not is_open and not isinstance(tree, Choice)


def _is_short(text: str, *, any_case: bool) -> bool:
    """Whether it is so short that other words hold it; not capitals that are told from small letters, such as `USA`."""
    if text.isdigit() and text.isascii():
        return len(text) <= 2
    if not 1 <= len(text) <= 3 or not text.isalpha():
        return False
    if not any_case and len(text) > 1 and text.isupper():
        return False
    return text.isascii() or all(unicodedata.name(letter, "").startswith(_SCRIPTS) for letter in text)


def _report(view: FileView, point: Point, short: list[str]) -> Report:
    call = point.function
    node = argument_node(view, point, short[0])
    verb = "is" if len(short) == 1 else "are"
    told = f"{listed(short)} {verb} also found {_where(short, any_case=call is not None and 'ico' in call.name)}"
    span = point.subject_span if node is None else node.span
    return Report(span, told, fixes=tuple(_fixes(view, point, short)))


def _where(short: Sequence[str], *, any_case: bool) -> str:
    text = short[0]
    if text.isdigit():
        return f"in longer numbers, such as {text}0 or 1{text}5"
    if len(text) == 1:
        return "in nearly every word" if any_case or text.islower() else "in every word that begins with it"
    wanted = text.lower() if any_case else text
    word = next((each for each in _EVERYDAY.split() if wanted in each), None)
    return "inside other words" if word is None else f"inside other words, such as “{word}”"


def _fixes(view: FileView, point: Point, short: list[str]) -> Iterator[Fix]:
    call = point.function
    if call is None:
        return
    if _SINGLE.fullmatch(call.name):
        text = short[0]
        node = argument_node(view, point, text)
        pattern = call.name.replace("contains", "matches")
        naming = renamed(view, point, pattern)
        if len(text) == 1 and text.isalpha() and text.isascii() and node is not None and naming is not None:
            alone = TextEdit(node.span, quoted(rf"^\W*{text}\W*$", is_json=view.is_json))
            yield Fix(f"the answer is “{text}” alone: ${pattern}", False, (naming, alone))
        word = f"{call.name}_word"
        naming = renamed(view, point, word)
        if naming is not None and text not in _WORDS_OF_THEIR_OWN:
            yield Fix(f"as a whole word: ${word}", False, (naming,))
    elif _PATTERN.fullmatch(call.name):
        node = argument_node(view, point, short[0])
        if node is not None and short[0].isascii():
            edit = TextEdit(node.span, quoted(rf"\b{short[0]}\b", is_json=view.is_json))
            yield Fix(r"as a whole word: \b", False, (edit,))
    else:
        yield from _fixes_of_list(view, point, call.name)


def _fixes_of_list(view: FileView, point: Point, name: str) -> Iterator[Fix]:
    """A list of texts as patterns for whole words, which only letters a to z and digits have."""
    call = point.function
    mapping = point_mapping(view.tree, point)
    pair = None if mapping is None else function_pair(mapping)
    twin = _TWINS.get(name)
    naming = None if twin is None else renamed(view, point, twin)
    if call is None or pair is None or naming is None:
        return
    texts = list(call.texts())
    if not all(text.isascii() and text[:1].isalnum() and text[-1:].isalnum() for text in texts):
        return
    escaped = [re.sub(r"[.*+?^${}()|[\]\\/]", r"\\\g<0>", text) for text in texts]
    if name.endswith("any_of"):
        node = resolved(pair.value)
        if isinstance(node, SequenceNode) and "#" not in node.span.of(view.text):
            pattern = rf"\b(?:{'|'.join(escaped)})\b"
            edit = TextEdit(node.span, quoted(pattern, is_json=view.is_json))
            yield Fix(f"as whole words: ${twin}", False, (naming, edit))
        return
    edits: list[TextEdit] = []
    for text, pattern in zip(texts, escaped, strict=True):
        node = argument_node(view, point, text)
        if node is None or texts.count(text) > 1:
            return
        edits.append(TextEdit(node.span, quoted(rf"\b{pattern}\b", is_json=view.is_json)))
    yield Fix(f"as whole words: ${twin}", False, (naming, *edits))


_on_prompt, _on_file = everywhere(_check)

RULES = (
    Rule(
        code="F016",
        slug="short-substring",
        severity=Severity.WARNING,
        why="A wrong answer passes the check by accident, so the point is given away.",
        on_prompt=_on_prompt,
        on_file=_on_file,
    ),
)
