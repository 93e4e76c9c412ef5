"""# format-fragile-literal

A literal that a right answer misses by its format alone: `1000` and "1,000", `can't` and "can’t", `30 days` and
"30 **days**".

A check for a literal compares characters. Models write curly apostrophes, commas between thousands, dashes between
numbers and bold words, and then the check does not find what the answer says: the point is lost, with two points half
of the score.

Reported if the prompt's own ideal is missed like this; else for apostrophes in phrases of up to five words, for amounts
from 1,000 on (not for years and other numbers that have no commas), and for formulas such as CO2. The message shows the
form that is missed. Nothing is reported if the check accepts that form as well.

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
        - $matches: '30\\W+days'

Fix (unsafe): a pattern that accepts both forms; in a list of which any will do, the other form as well.

Documents: Blueprint format, Troubleshooting 5.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from engine.blueprint import Point, Prompt
from engine.diagnostics import Fix, Severity
from engine.patterns import lazy
from engine.rules.checks import checks_in, forbidden_places, is_negated, text_place
from engine.rules.functions.format_misses import FormatMiss, literal_search, missed_by_format
from engine.rules.functions.literal_forms import either_quote, escaped
from engine.rules.functions.rewritten_checks import OtherForm, tolerant_fixes
from engine.rules.refusals import cut
from engine.rules.rule import Report, Rule
from engine.rules.source.prompt_texts import written_messages
from engine.rules.views import FileView, PromptView
from engine.text import in_quotes

_APOSTROPHE = lazy(r"(?<=[^\W\d_])'(?=[^\W\d_])")
_LONGEST_PHRASE = 5
"""Words of a phrase that answers have in these very words; a longer sentence is missed for more than its apostrophe."""
_CODE = lazy(r"[(){}=;<>\[\]\"\\]")
_AMOUNT = lazy(r"(?<![\w.,:/#-])[1-9]\d{3,11}(?![\w:/-]|[.,]\d)")
_GROUPS = lazy(r"(?<=\d)(?=(?:\d{3})+$)")
_UNIT = lazy(
    r"""[$€£¥₹]\s?$|\b(?:USD|EUR|GBP|KES|INR|NGN|Rs\.?|Ksh|shillings?|dollars?|euros?|pounds?|rupees?)\s?$
    |^\s?(?:%|[$€£¥₹]|km\b|m\b|cm\b|mm\b|kg\b|g\b|mg\b|ml\b|kcal\b|calories|metres|meters|miles|feet|ft\b|hours|days|years\b
    |people|dollars|euros|pounds|rupees|shillings|tons|tonnes|litres|liters|words|steps|USD|EUR|GBP|KES|INR|kWh|MW)""",
    re.IGNORECASE | re.VERBOSE,
)
_ASKS_FOR_AMOUNT = lazy(
    r"""\bhow\s+(?:many|much|far|long|high|large|big|deep|heavy|tall)\b|\b(?:calculate|compute|evaluate|solve|multiply|sum
    |product|total|number\s+of|population|cost|price|amount|income|salary|fee|fine|budget|value\s+of|distance|result
    |altitude|height|area|odds|probability|chances?|what\s+is\s+\d|equals?)\b|\d\s*[*×x+]\s*\d""",
    re.IGNORECASE | re.VERBOSE,
)
_NO_SEPARATORS = lazy(
    r"\b(?:no|without|omit\w*|never)\s+(?:any\s+)?(?:commas?|separators?|punctuation)\b|\bdigits\s+only\b|\bonly\s+digits\b"
    r"|\byear\b|\bcode\b|\bphone\b|\bhotline\b|\bhelpline\b|\bport\b|\bpin\b|\bcsv\b|\bjson\b",
    re.IGNORECASE,
)
_YEARS = range(1000, 2101)
_FORMULA = lazy(r"(?<![A-Za-z0-9])(?:CO2|H2O2?|CH4|N2O|NO2|SO2|SO3|O2|O3|N2|H2|NH3|H2SO4|CaCO3|NaHCO3|C6H12O6|Fe2O3)\b")
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def _check(view: PromptView) -> Iterator[Report]:
    if not view.checks:
        return
    prompt = view.prompt
    forbidden = forbidden_places(prompt)
    asked = written_messages(prompt)
    for point in checks_in(view):
        if literal_search(point) is None:
            continue
        negated = is_negated(point) is not (point.span in forbidden)
        missed = None if negated or not prompt.ideal else missed_by_format(point, prompt.ideal)
        found = list(_missed(point, asked, missed))
        found = [each for each in found if not _accepts(point, prompt, each.form)]
        if found:
            yield _report(view.file, point, found, negated=negated)


def _missed(point: Point, asked: str, by_ideal: FormatMiss | None) -> Iterator[FormatMiss]:
    """What the check misses in the ideal, if anything, and then in ordinary answers, each literal once."""
    if by_ideal is not None:
        yield by_ideal
    yield from (each for each in _ordinary(point, asked) if by_ideal is None or each.literal != by_ideal.literal)


# -- ordinary forms


def _ordinary(point: Point, asked: str) -> Iterator[FormatMiss]:
    """Forms that ordinary answers have, and that a literal of `point` does not find."""
    for text in () if point.function is None else point.function.texts():
        is_phrase = len(text.split()) <= _LONGEST_PHRASE
        if is_phrase and _CODE.search(text) is None and _APOSTROPHE.search(text) is not None:
            form = _APOSTROPHE.sub("\u2019", text)
            yield FormatMiss(text, form, either_quote(escaped(text)), _says(form))
        yield from _amounts(text, asked)
        formula = _FORMULA.search(text)
        if formula is not None:
            written = formula[0].translate(_SUBSCRIPTS)
            form = text.replace(formula[0], written)
            either = "".join(
                f"[{one}{other}]" if one != other else one for one, other in zip(formula[0], written, strict=True)
            )
            yield FormatMiss(text, form, escaped(text).replace(formula[0], either), _says(form))


def _amounts(text: str, asked: str) -> Iterator[FormatMiss]:
    for found in _AMOUNT.finditer(text):
        number = found[0]
        has_unit = any(
            _UNIT.search(part) is not None for part in (text[: found.start()], text[found.end() :]) if part.strip()
        )
        is_amount = has_unit or (text.strip() == number and _ASKS_FOR_AMOUNT.search(asked) is not None)
        is_year = int(number) in _YEARS and not has_unit
        if is_amount and not is_year and _NO_SEPARATORS.search(asked) is None:
            form = text.replace(number, _GROUPS.sub(",", number))
            pattern = escaped(text).replace(number, _GROUPS.sub(",?", number))
            yield FormatMiss(text, form, pattern, _says(form))


def _says(form: str) -> str:
    return f"an answer that writes {in_quotes(cut(form))} is not found"


def _accepts(point: Point, prompt: Prompt, form: str) -> bool:
    """Whether the check itself, or another one of the prompt, looks for `form`, too."""
    wanted = form.strip("*_`").casefold()
    calls = [point.function, *(other.function for other in prompt.points() if other is not point)]
    return any(wanted in str(call.args).casefold() for call in calls if call is not None)


# -- reports


def _report(view: FileView, point: Point, found: Sequence[FormatMiss], *, negated: bool) -> Report:
    first = found[0]
    span = text_place(view, point, first.literal)
    more = len(found) - 1
    also = f", nor {'is' if more == 1 else 'are'} {more} more of the list" if more else ""
    why = _NEGATED if negated else ""
    return Report(span, f"{first.message}{also}", why=why, fixes=_fixes(view, point, found))


def _fixes(view: FileView, point: Point, found: Sequence[FormatMiss]) -> tuple[Fix, ...]:
    forms = {each.literal: OtherForm(each.form.strip("*_`"), each.pattern) for each in reversed(found)}
    return tolerant_fixes(view, point, forms)


_NEGATED = "An answer that says it in this form is not caught."

RULES = (
    Rule(
        code="F083",
        slug="format-fragile-literal",
        title="Text that a check misses by its format alone",
        severity=Severity.WARNING,
        why="A right answer that is only written differently loses the point.",
        on_prompt=_check,
    ),
)
