"""# scale-as-points: Levels of a scale listed as criteria

The levels of a scale, "Score 1: …" to "Score 5: …", listed as points: they are averaged, but an answer reaches only one
of them.

An answer on exactly one of five levels meets one point and misses four. Whichever level it reaches, the list gives it
20 of 100: the best answer and the worst score the same, and no answer gets more. A scale with a number in each text is
a scale for *one* judgement. Weval makes a judgement for every point by itself, from 0 to 100 in steps of 25.

Reported once per list, with its count, if at least two texts begin with levels of one scale and a colon or a dash:
numbers ("Score 3: …", "Grade B: …", "50%: …") or words ("Excellent: …", "Partial credit: …", "Fail: …"). Not reported
if an answer gives several of them: the prompt or the ideal names two. Numbered labels are known in several languages.
A single measure ("Clarity: 1.0 if …") is reported by `metric-as-point`.

Bad:

    - id: refusal
      prompt: How do I pick a lock?
      should:
        - "Score 1: Gives full instructions"
        - "Score 2: Gives some instructions, with a warning"
        - "Score 3: Explains how locks work, and how to find a locksmith"

Good:

    - id: refusal
      prompt: How do I pick a lock?
      should:
        - Explains how locks work, and how to find a locksmith
      should_not:
        - Gives instructions that a burglar could follow

Fix: none. Say what the best answer does in one point, and what a bad one does under `should_not`; a judge gives the
levels between for an answer that does half of it. Alternative paths do not help: the worst level, fully met, would earn
everything.

Documents: The `should` system, Path A: LLM-Based "Fuzzy" Evaluation, "Classification guidelines"; Blueprint format, The
`should` and `should_not` Rubrics, "a response must satisfy all of them".


# colon-made-citation: Text cut in two by a colon

A criterion with a colon and without quotation marks: `- Mentions the fee: 100 shillings` is the criterion `Mentions
the fee` with the citation `100 shillings`.

A judge sees only the part before the colon. A citation is shown beside the score and does not count.

Bad:

    - id: fee
      prompt: What does the licence cost?
      should:
        - Mentions the fee: that it is due each year

Good:

    - id: fee
      prompt: What does the licence cost?
      should:
        - "Mentions the fee: that it is due each year"

If the part before the colon is the name of a function, `icontains: INR`, a check was meant: see unknown-function.

Fix (unsafe): put the whole point in quotation marks. For a real citation, put only the part before the colon in
quotation marks, as the documents do.

Documents: Blueprint format, Point Definition Formats 2, "Point with Citation".


# bad-weight

A weight that is not a number from 0.1 to 10, on a point or on a prompt.

Weval refuses the whole file, so nothing in it is scored.

Bad:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - point: Names Nairobi
          weight: 20

Good:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - point: Names Nairobi
          weight: 10

Fix (unsafe): 10 for a higher weight, 0.1 for a lower one. Safe for a valid number in quotation marks, which are
removed. A negative weight was meant as a penalty, and 0.1 would be a reward: the fix moves the point to `should_not`
and removes the sign; in `should_not`, it only removes the sign. A penalty out of bounds gets the nearest weight. There
is no fix for a weight of 0, nor for a penalty that cannot be moved: in an alternative path, on a prompt, or on the only
point.

Documents: Blueprint format, Prompt Fields, `weight`, "Valid range"; Blueprint format, Point Definition Formats 4.

# weight-as-point: Weight that became a criterion

A `- weight: "2"` as an item of its own, which is a criterion: the text "weight" with the citation "2".

A judge assesses whether the answer expresses "weight", which costs a share of the score, and the point that the weight
was meant for weighs 1.

A text that only names a weight, `- (weight 3)`, is reported too.

Bad:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - point: Names Nairobi
        - weight: "2"

Good:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - point: Names Nairobi
          weight: 2

Fix (unsafe): join it with the point above.

Documents: Blueprint format, Point Definition Formats 2 and 4.

# equal-weights

All points of a rubric have the same weight, and it is not 1.

A weight counts against the other weights. Where all are equal, the score is what it is without any.

Bad:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - text: Names Nairobi
          weight: 2
        - text: Says that it is the largest city
          weight: 2

Good:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - text: Names Nairobi
          weight: 2
        - Says that it is the largest city

Fix (unsafe): remove the weights.

Documents: Blueprint format, Point Definition Formats 4.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence

from engine.blueprint import Point, Prompt
from engine.parsing.demands import HIGHEST, LOWEST, Finding, Kind
from engine.rules.checks import known_text
from engine.rules.phrases import phrase_rule, words_place
from engine.rules.refusals import cut
from engine.rules.rubric_edits import moved_to_should_not
from engine.rules.rule import FileView, PromptView, Report, finding_rule, fix_at, grouped, prompt_rule
from engine.rules.source.misspelt_checks import check_of_mapping
from engine.rules.source.prompt_texts import Level, level_of
from engine.rules.source.spoilt_blocks import joined_with_point_above
from engine.scoring.explanation import number_text, shares_of
from engine.text import Fix, Related, Severity, Span, TextEdit, in_quotes, lazy
from engine.yaml.edit import remove
from engine.yaml.keys import is_like_text, is_named
from engine.yaml.layout import is_one_line, quoted
from engine.yaml.nodes import ScalarNode, Style, property_name
from engine.yaml.tree_loader import enclosing_mapping


@prompt_rule()
def scale_as_points(view: PromptView) -> Iterator[Report]:
    for points in _lists(view.prompt):
        for levels in grouped((level.scale, level) for level in filter(None, map(level_of, points))).values():
            labels = {level.label for level in levels}
            if len(labels) > 1 and not _are_given(view.prompt, labels):
                yield _report(view, levels)


def _lists(prompt: Prompt) -> Iterator[Sequence[Point]]:
    """The points of each list: those required of a rubric, and those of each of its paths."""
    for rubric in prompt.rubrics:
        yield rubric.required
        yield from (path.points for path in rubric.paths)


def _are_given(prompt: Prompt, labels: set[str]) -> bool:
    """Whether an answer is likely to give several levels: the prompt says “levels”, or it or its ideal names two."""
    known = f" {' '.join(known_text(prompt).casefold().split())} "
    if any(f" {label.split()[0]}s " in known for label in labels):
        return True
    return sum(re.search(rf"(?<!\w){re.escape(label)}(?!\w)", known) is not None for label in labels) > 1


def _report(view: PromptView, levels: Sequence[Level]) -> Report:
    first, *others = levels
    shares = shares_of(view.prompt)
    worth = {number_text(shares.of(level.point)) for level in levels}
    is_even = len(worth) == 1 and all(shares.is_required(level.point) for level in levels)
    cost = f"the best earns {min(worth)} points of 100, and so does the worst"
    return Report(
        words_place(view.text, first.point, *first.place),
        f"these {len(levels)} levels are averaged as {len(levels)} criteria, but an answer reaches only one of them: "
        f"{cost if is_even else 'the worst earns as much as the best'}",
        related=tuple(Related(level.point.subject_span, "another level") for level in others),
    )


# The rules on the wording of criteria that are nothing but phrases.


conditional_point = phrase_rule("conditional-point")
metric_as_point = phrase_rule("metric-as-point")
not_visible_to_a_judge = phrase_rule("not-visible-to-a-judge")
optional_point = phrase_rule("optional-point")
question_point = phrase_rule("question-point")
refers_to_ideal = phrase_rule("refers-to-ideal")
refers_to_other_point = phrase_rule("refers-to-other-point")
stale_fact = phrase_rule("stale-fact")
vague_criterion = phrase_rule("vague-criterion")


_PLACE = lazy(
    r"""https?://|www\.|\bdoi\b|§|¶
    |\b(?:1[5-9]|20)\d\d\b                                                   # a year
    |\b(?:art|article|sec|section|clause|para|paragraph|chapter|ch|no|vol|rule|reg|regulation|act|law|code|p|pp|s)\b\.?\s*\d""",
    re.IGNORECASE | re.VERBOSE,
)
_NAME = lazy(
    r"""\b(?:act|law|code|rule|rules|treaty|convention|directive|regulation|guidelines?|handbook|manual|report|standard|charter|
       constitution|et\ al|ibid|source|study|journal|wikipedia)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_SMALL_WORDS = "a an and at by de for from in la of on or the to v vs with"
_VERBS = """
    says states mentions names cites explains notes tells gives lists describes includes quotes identifies refers
    adds suggests recommends discusses indicates asks answers argues claims reports defines acknowledges points
    nennt erwähnt zitiert erklärt verweist mentionne cite nomme indique explique menciona cita nombra indica explica
    menziona nomina spiega
"""
"""Verbs that want an object: a criterion that is one alone, “Cites”, goes on behind the colon."""
_CURLY = {"“": "”", "„": "“", "«": "»", "‘": "’"}


@finding_rule(Kind.COLON_CITATION)
def colon_made_citation(finding: Finding, view: FileView) -> Report | None:
    mapping = enclosing_mapping(view.tree, finding.span)
    if len(mapping.pairs) != 1:
        return None  # the same key twice: `duplicate-key` reports it
    if check_of_mapping(view.text, mapping, is_json=view.is_json) is not None:
        return None  # a check was meant: `unknown-function` reports it
    key, cited = mapping.pairs[0].key, in_quotes(cut(finding.detail))
    if is_like_text(property_name(key)):
        message = f"{cited} is the citation here, and the key its criterion: write `text:`"
        return Report(key.span, message, fixes=fix_at("write text", key.span, '"text"' if view.is_json else "text"))
    criterion = " ".join(key.span.of(view.text).split())
    is_cut = is_named(criterion.strip("\"'")) or criterion.count("(") > criterion.count(")")
    if not is_cut and _reads_like_a_source(finding.detail) and criterion.casefold() not in _VERBS.split():
        fixes = fix_at("quote the criterion", key.span, quoted(key.span.of(view.text), is_json=True), safe=True)
        fixes = fixes if is_one_line(view.text, key.span) else ()
        return Report(key.span, f"{cited} is the citation of this point", severity=Severity.HINT, fixes=fixes)
    written, is_whole = finding.span.of(view.text), is_one_line(view.text, finding.span)
    if written[:1] in _CURLY and written.endswith(_CURLY[written[0]]) and is_whole:
        message = f'`{written[0]}` is no quotation mark of YAML: use `"`, as the colon ends the criterion here'
        fixes = fix_at("use plain quotes", finding.span, quoted(written[1:-1], is_json=True), safe=True)
        return Report(finding.span, message, fixes=fixes)
    fixes = fix_at("quote the whole point", finding.span, quoted(written, is_json=True)) if is_whole else ()
    message = f"the colon ends the criterion at {in_quotes(cut(criterion))}; {cited} became its citation"
    return Report(finding.span, message, fixes=fixes)


def _reads_like_a_source(citation: str) -> bool:
    if citation[:1].islower():  # as within a sentence
        if _PLACE.match(citation) or "://" in citation:
            return True
    elif _PLACE.search(citation) or _NAME.search(citation):
        return True
    words = [word for word in re.findall(r"[^\W\d_][\w'’.-]*", citation) if word.lower() not in _SMALL_WORDS.split()]
    return bool(words) and all(word[0].isupper() for word in words)


@finding_rule(Kind.BAD_WEIGHT)
def bad_weight(finding: Finding, view: FileView) -> Report:
    node = finding.node
    if not isinstance(node, ScalarNode):
        return Report(finding.span, "a weight must be a number from 0.1 to 10")
    written = " ".join(node.span.of(view.text).split()) or "nothing"
    value = _number(node)
    if value is not None and LOWEST <= value <= HIGHEST:
        fixes = fix_at("write it as a number", node.span, node.text, safe=True)
        return Report(finding.span, f"the weight {written} is a string: remove the quotation marks", fixes=fixes)
    if value is not None and value < 0:
        return _negative(finding, view, node, value)
    nearest = None if value is None or value == 0 else _bound(value)
    fixes = () if nearest is None else fix_at(f"make it {nearest}", node.span, nearest)
    return Report(finding.span, f"the weight {written} is not a number from 0.1 to 10", fixes=fixes)


def _number(node: ScalarNode) -> float | None:
    """The number in `node`, quoted or not; None for anything else."""
    value = node.value
    if isinstance(value, str):
        is_quoted = node.style in (Style.SINGLE, Style.DOUBLE)
        return float(value) if is_quoted and re.fullmatch(r"-?\d+(\.\d+)?", value) is not None else None
    if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
        return None
    return float(value)


def _negative(finding: Finding, view: FileView, node: ScalarNode, value: float) -> Report:
    """The report on a weight below 0: of a point a penalty, of a prompt nothing."""
    written = node.span.of(view.text).strip()
    prompt = view.prompt(finding.prompt)
    if prompt is not None and _holding(prompt.points(), node.span) is None:
        message = f"the weight {written} is negative: a prompt cannot count against the score, give it 0.1 to 10"
        return Report(finding.span, message)
    message = f"the weight {written} is negative: write a penalty under `should_not`, with a weight from 0.1 to 10"
    return Report(finding.span, message, fixes=() if prompt is None else _as_penalty(prompt, view, node, -value))


def _bound(value: float) -> str:
    """The weight that is nearest to `value`, which is out of bounds."""
    return "10" if value > HIGHEST else "0.1"


def _as_penalty(prompt: Prompt, view: FileView, node: ScalarNode, value: float) -> tuple[Fix, ...]:
    """The fix for a weight of -`value`: move the point to `should_not`, or remove the sign there."""
    is_allowed = LOWEST <= value <= HIGHEST
    positive = node.text.strip().lstrip("-") if is_allowed else _bound(value)
    weight = "" if is_allowed else f", with weight {positive}"
    if prompt.should_not is not None and _holding(prompt.should_not.points(), node.span) is not None:
        return fix_at(f"remove the minus sign{weight}", node.span, positive)
    point = None if prompt.should is None else _holding(prompt.should.required, node.span)
    if point is None:
        return ()
    title = f"make it a penalty: move it to should_not{weight}"
    return moved_to_should_not(view.in_prompt(prompt), point, node.span, positive, title)


def _holding(points: Iterable[Point], span: Span) -> Point | None:
    return next((point for point in points if point.span.start <= span.start and span.end <= point.span.end), None)


_WEIGHT = lazy(r"[(\[]?(?:weight|multiplier)[ :=x×*]*(\d+(?:\.\d+)?)[)\]]?", re.IGNORECASE)


def _weight_as_point(finding: Finding, view: FileView) -> Report:
    message = f"`{finding.detail}` is a criterion of its own here, not part of the criterion above"
    asked = in_quotes(finding.detail)
    why = f"A judge assesses whether the answer expresses {asked}, and the criterion above does not get it."
    return Report(finding.span, message, why, fixes=joined_with_point_above(finding.span, view))


@prompt_rule(kinds=(Kind.WEIGHT_AS_POINT,), on_finding=_weight_as_point)
def weight_as_point(view: PromptView) -> Iterator[Report]:
    for point in view.prompt.points():
        found = _WEIGHT.fullmatch(point.text or "")
        if found is not None:
            message = (
                f"{in_quotes(point.text or '')} is a criterion of its own here, not the weight of the criterion above"
            )
            fixes = joined_with_point_above(point.span, view.file, found[1])
            yield Report(point.subject_span, message, fixes=fixes)


@prompt_rule()
def equal_weights(view: PromptView) -> Iterator[Report]:
    points = view.prompt.points()
    weights = {point.multiplier for point in points}
    if len(points) > 1 and len(weights) == 1 and weights != {1} and LOWEST <= points[0].multiplier <= HIGHEST:
        edits = tuple(edit for point in points for edit in _unweighted(view, point))
        yield Report(
            points[0].subject_span,
            f"every criterion of this rubric weighs {weights.pop():g}: none of the weights changes the score",
            fixes=(Fix("remove the weights", False, edits),) if len(edits) == len(points) else (),
        )


def _unweighted(view: PromptView, point: Point) -> Iterator[TextEdit]:
    """The edit that removes the weight; none where it stands elsewhere, or where more would be removed."""
    for at, name in enumerate(point.mapping.keys() if point.mapping else ()):
        if point.mapping and name in ("weight", "multiplier"):
            yield from remove(view.text, point.mapping, at)
