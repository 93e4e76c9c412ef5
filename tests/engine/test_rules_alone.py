"""What single rules say: of points, paths, patterns and wording, of rubrics that are missing, and of keys; and that
whatever Weval refuses is told."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import functions
from engine.blueprint import FunctionCall, Prompt
from engine.evaluation.point_assessment import assess_functions
from engine.functions.point_function import Checked, Subject
from engine.functions.tasks import Budget, Killed, Outcome, ScriptTask, SyntaxTask, Task, TimedOut, Value
from engine.functions.v8 import JavaScript
from engine.judging.panel import panel
from engine.models.secret import keys_in, without_keys
from engine.parsing import parse
from engine.rules import ALL, Checker, check
from engine.rules.checks import CachedRunner
from engine.rules.functions.literal_forms import plain_form
from engine.rules.phrases import words_span
from engine.scoring.sums import aggregate
from engine.study.case_reader import GoodAnswers
from engine.study.case_scoring import CaseCheck
from engine.study.file_places import beside
from engine.text.diagnostics import Diagnostic, Severity
from engine.text.spans import LineIndex, apply_edits
from engine.yaml.layout import quoted as quoted_text
from tests.engine.rule_reports import HEAD, checker_of, fixed, found, only, reported, rubric, should
from tests.many_cases import every
from tests.processor_time import costs_less_than
from tests.thoroughness import one_in, tried
from tests.world import golden, needs_shared

# What rules say of points that repeat, contradict or exclude one another


# contradiction


def test_the_same_check_asked_for_and_forbidden_is_found_among_thousands() -> None:
    wanted = [f"$contains: asked {number:04}" for number in range(1_000)]
    forbidden = [f"$contains: barred {number:04}" for number in range(1_000)]
    one = only(rubric([*wanted, "$contains: duty"], [*forbidden, "$contains: duty"]), "contradiction")
    assert len(one.related) == 1


# What the rules of phrases make of what they find: where, how often, unless what, and with which fix


# placeholders


@every(
    "part", ["_____ ", "{ ", "{ % ", "[ ", "' a ", "“ ", "< example ", "[ long text ", "not and ", "is , ", "[ a / "]
)
def test_long_lines_of_signs_are_read_in_time(part: str) -> None:
    line = (part * 30_000)[:30_000]
    text = f"- prompt: |\n    {line}\n  should:\n    - |\n      {line}\n"
    with costs_less_than(0.75):
        check(parse(text))


# single-element-path


LITERALS = st.lists(st.sampled_from(["a", "B", "ab", "a b"]), min_size=2, max_size=4)


@given(
    st.sampled_from(["contains", "icontains", "matches", "imatches"]),
    LITERALS,
    st.sampled_from([1, 0.5, 3]),
    st.text("abAB ", max_size=6),
)
def test_one_check_in_place_of_a_block_that_stands_alone_keeps_every_score(
    javascript: JavaScript, name: str, literals: list[str], weight: float, answer: str
) -> None:
    text = should(*(f"- ${name}: {literal}\n        weight: {weight}" for literal in literals))
    [fix] = [fix for fix in only(text, "single-element-path").fixes if "any will do" in fix.title]
    [before], [after] = parse(text).blueprint.prompts, parse(apply_edits(text, fix.edits)).blueprint.prompts
    assert len(after.points()) == 1
    assert score(before, answer, javascript) == score(after, answer, javascript)


def score(prompt: Prompt, answer: str, javascript: JavaScript) -> float:
    return aggregate(assess_functions(prompt, answer, javascript))


# ascii-boundary


@pytest.mark.parametrize(("answer", "score"), [("un café noir", True), ("deux cafés", False)])
def test_the_edge_that_is_offered_knows_accents(answer: str, score: bool, javascript: JavaScript) -> None:
    from engine import functions
    from engine.functions.point_function import Checked, Subject

    after = parse(fixed(should(r"$matches: '(?:un|deux) café\b'"), "ascii-boundary"))
    call = after.blueprint.prompts[0].points()[0].function
    assert call is not None
    [result] = functions.run([call], Subject(answer), javascript)
    assert isinstance(result, Checked)
    assert bool(result.extent) is score


# Literals that a right answer misses by its format alone


SLUG = "format-fragile-literal"


def asked(point: str, prompt: str = "q", ideal: str = "") -> str:
    written = f"  ideal: |\n    {ideal}\n" if ideal else ""
    return f"- id: p\n  prompt: {prompt}\n{written}  should:\n    - Says it\n    - {point}\n"


FORMS = [("30 days", "30 **days**"), ("1967-1970", "1967–1970"), ("KES 5000", "KES 5,000"), ("don't", "don’t"),
         ("x=5", "x = 5"), ("50%", "50 %"), ("CO2", "CO₂")]  # fmt: skip


@every(("literal", "form"), FORMS)
@every("name", ["contains", "icontains"])
def test_the_pattern_that_is_offered_finds_both_forms(
    name: str, literal: str, form: str, javascript: JavaScript
) -> None:
    after = parse(fixed(asked(f"${name}: {literal}", ideal=f"It is {form}."), SLUG))
    call = after.blueprint.prompts[0].points()[1].function
    assert isinstance(call, FunctionCall)
    for answer in (literal, form):
        [result] = functions.run([call], Subject(f"Say {answer} now"), javascript)
        assert isinstance(result, Checked)
        assert result.extent == 1


@settings(max_examples=tried(50, 300), deadline=None)
@given(st.text(max_size=40))
def test_a_plain_form_has_a_place_for_each_character_and_is_plain(text: str) -> None:
    plain = plain_form(text)
    assert len(plain.text) == len(plain.places)
    assert list(plain.places) == sorted(plain.places)
    assert all(0 <= place < len(text) for place in plain.places)
    assert "  " not in plain.text


# js-syntax, js-returns


def test_what_a_script_was_told_of_stays_without_being_run_again(javascript: JavaScript) -> None:
    checker = Checker()
    parsed = parse(should("$js: '\"text\"'"))
    told = [one.slug for one in checker.check(parsed, javascript)]
    assert [one.slug for one in checker.check(parsed)] == told


# definitions are told of where they stand


# Characters inside literals and ids that are not seen, or not typed: no-break spaces, joiners, curly quotes


INVISIBLE = "invisible-character"


@settings(max_examples=tried(50, 300), deadline=None)
@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=1, max_size=8))
def test_a_fix_leaves_no_unseen_character(text: str) -> None:
    before = f"{HEAD}  should:\n    - b\n    - $contains: {json.dumps('a' + text + 'z', ensure_ascii=False)}\n"
    for _ in found(before, INVISIBLE):
        assert found(fixed(before, INVISIBLE), INVISIBLE) == []


# What rules remember of V8's answers: the same question only, and only what would be answered so again


@dataclass
class Answering:
    """Answers every task with `outcome`, and counts them."""

    outcome: Outcome
    asked: list[Task] = field(default_factory=list[Task])

    def run_within(
        self, tasks: Sequence[Task], budget: Budget, meanwhile: Callable[[], None] | None = None
    ) -> list[Outcome | None]:
        self.asked += tasks
        return [self.outcome] * len(tasks)


@every(
    "source",
    [
        r"\u0072 === 'x'",
        "eval('con' + 'text').a === 'x'",
        "[]['fla' + 't']['const' + 'ructor']('return con' + 'text.a')() === 'x'",
        "const {context: seen} = globalThis; seen.a === 'x'",
    ],
)
def test_a_script_that_reaches_what_it_is_given_by_another_name_is_run_again(
    source: str, javascript: JavaScript
) -> None:
    rules = CachedRunner(javascript)
    given = [ScriptTask(source, (("r", value), ("context", {"a": value}))) for value in "xy"]
    assert [rules.run([task]) for task in given] == [[Value("boolean", True)], [Value("boolean", False)]]


@every("outcome", [Killed("it was stopped"), Killed("it used too much memory"), TimedOut(30_000)])
def test_what_the_machine_failed_is_asked_again(outcome: Outcome) -> None:
    behind = Answering(outcome)
    task = SyntaxTask(f"a script that meets {outcome}")
    CachedRunner(behind).run([task])
    CachedRunner(behind).run([task])
    assert behind.asked == [task, task]


@pytest.mark.parametrize("outcome", [Value("boolean", True), TimedOut(100)])
def test_what_would_be_answered_so_again_is_not(outcome: Outcome) -> None:
    behind = Answering(outcome)
    task = SyntaxTask(f"a script that is answered by {outcome}")
    CachedRunner(behind).run([task])
    CachedRunner(behind).run([task])
    assert behind.asked == [task]


# whatever is written

WORDS = """The response|answer|it|should|does not|must not|doesn't just|Don't share|never|no|avoids|should not fail to
contain|contains no|errors|harmful content|and|or|but|then provide|May mention|could offer|Optionally|If the user asks,
gives|otherwise|Is good|uses a proper tone|accurate|.|?|,|:|;|(|)|'|"|Score 1:|Level 2:|equivalent to|the ideal response
does not contain|does not include any|the ground truth|Article 9|¿|é|\t|\n"""
TEXTS = st.lists(st.sampled_from([word for line in WORDS.split("\n") for word in line.split("|")]), max_size=12)


@settings(max_examples=tried(37, 150))
@given(st.lists(TEXTS.map(" ".join), min_size=1, max_size=4), st.booleans())
def test_whatever_is_written_each_fix_leaves_a_blueprint_without_that_problem(texts: list[str], single: bool) -> None:
    quoted = [quoted_text(text) if single else json.dumps(text) for text in texts]
    text = should(*quoted, "Names the fee")
    for told in check(parse(text)):
        for fix in told.fixes:
            fixed = parse(apply_edits(text, fix.edits))
            after = check(fixed)
            assert fixed.tree.error is None
            assert sum(one.slug == told.slug for one in after) < sum(
                one.slug == told.slug for one in check(parse(text))
            )


def test_words_are_found_behind_an_escape_only_where_it_is_certain() -> None:
    text = should('"Does not say \\"no\\" or not"')
    [point] = parse(text).blueprint.prompts[0].points()
    place = words_span(text, point, 5, 8)
    assert place is not None
    assert (place.of(text), place.start) == ("not", text.index("not"))


def test_words_over_a_line_break_are_not_placed() -> None:
    text = should("Does not\n      say so")
    [point] = parse(text).blueprint.prompts[0].points()
    assert words_span(text, point, 0, 12) is None


# counts


def test_a_file_of_prompts_without_any_rubric_is_a_hint_by_default() -> None:
    text = "".join(f'- prompt: "Tell me joke {number}."\n' for number in range(60))
    [one] = [each for each in check(parse(text)) if each.slug == "no-rubric"]
    assert one.severity is Severity.HINT
    assert one.message.startswith("nothing is scored in 60 of 60 prompts")


# with JavaScript


def ideal(answer: str, *points: str) -> str:
    return should(*points) + f"  ideal: {answer}\n"


class Untouched(JavaScript):
    """JavaScript that must not be needed."""

    def run(self, tasks: object, meanwhile: Callable[[], None] | None = None) -> list[object]:  # type: ignore[override]
        assert not tasks
        if meanwhile is not None:
            meanwhile()
        return []


def test_v8_is_not_asked_where_there_is_nothing_to_run() -> None:
    text = ideal("Nairobi, in Kenya.", "Names the city", "$icontains: nairobi")
    assert check(parse(text), Untouched()) == ()


BODY = "Ab3dEf6hIj9lMn2pQr5tUv8xYz1cDe4gHi7"
KEYS = {
    f"sk-proj-{BODY}": "OpenAI",
    f"sk-{BODY}": "OpenAI",
    f"sk-ant-api03-{BODY}-_x": "Anthropic",
    f"sk-or-v1-{BODY.lower()}": "OpenRouter",
    f"AIza{BODY}": "Google",
    f"xai-{BODY}": "xAI",
    f"tgp_v1_{BODY}": "Together",
    f"gsk_{BODY}": "Groq",
    f"hf_{BODY}": "Hugging_Face",
    f"ghp_{BODY}": "GitHub",
    f"github_pat_{BODY}": "GitHub",
    f"AKIA{BODY.upper()[:16]}": "AWS",
}
NONE = (
    "task-sk-1",
    "sk-learn-and-sk-image-and-more",
    f"disk-{BODY}",
    "sk-" + "x" * 40,
    "AKIAIOSFODNN7EXAMPLE",
    "${OPENAI_API_KEY}",
    "hf_hub_download_of_a_model_card",
)


@every(("key", "provider"), KEYS.items())
def test_the_form_of_a_key_tells_its_provider(key: str, provider: str) -> None:
    assert [match.lastgroup for match in keys_in(f"(key: {key}, kept)")] == [provider]
    assert without_keys(f"a {key}.") == f"a {'*' * len(key)}."


@every("text", NONE)
def test_other_texts_are_no_keys(text: str) -> None:
    assert list(keys_in(text)) == []


@every("key", KEYS)
@every(
    "text",
    [
        "# {}\n- id: a\n  prompt: b\n  should: [c]\n",
        "title: {}\nprompts: {}\n",
        '- id: a\n  prompt: b\n  should:\n    - "$contains: {}"\n    - $icontans: {}\n    - {}: x\n      y: z\n',
        '- id: a\n  prompt: "{}\n  should: [c]\n',
        "- id: {0}\n  prompt: b\n  should: [c]\n- id: {0}\n  prompt: c\n  should: [c]\n",
        "models: [{}, 'x: {}']\n---\n- id: a\n  prompt: b\n  should: [c]\n",
    ],
)
def test_a_key_is_reported_and_repeated_nowhere(text: str, key: str) -> None:
    found = check(parse(text.replace("{0}", key).replace("{}", key)))
    assert "secret-in-file" in {each.slug for each in found}
    said = [each.message + each.why for each in found]
    said += [one.message for each in found for one in each.related]
    said += [fix.title + "".join(edit.text for edit in fix.edits) for each in found for fix in each.fixes]
    assert [each for each in said if key[8:24] in each] == []


# What a header and its prompts lack, or hold in vain


PROMPT = "- id: a\n  prompt: b\n  should:\n    - c\n"


def of(slug: str, text: str, path: Path | None = None) -> list[Diagnostic]:
    return reported(parse(text, path), slug)


# bad-structure


def test_weval_refuses_it_at_the_same_place() -> None:
    text = "context: &c\n  own: *c\n---\n- id: a\n  prompt: b\n"
    parsed = parse(text)
    assert parsed.weval.error is not None
    assert parsed.weval.error.offset == text.index("*c")


# unknown-key


def test_keys_beyond_what_may_be_read_again_have_no_fix() -> None:
    text = "".join(f"temperaturs{number}: {'x' * 20_000}\n" for number in range(120)) + f"---\n{PROMPT}"
    reported = of("unknown-key", text)
    assert len(reported) == 120
    assert all("did you mean `temperatures`" in found.message for found in reported)
    assert not reported[-1].fixes


# Whatever Weval refuses is told here: as an error, or as what works here and is refused there


CASES = {row["name"]: row for row in golden("parse_cases")}
EXAMPLES = golden("docs_examples")
RUN_REFUSED = [row for row in golden("validate_prompts") if row["error"] and row["prompts_from"] != "parse_corpus"]
NO_LIST = "hand/prompts not a list"
NULL_WEIGHT = {53, 54}
"""A null `multiplier`: the platform's parser makes it 1 before the criteria are evaluated (platform.md, A17)."""
POINTS_REFUSED = [row for row in golden("normalize_points") if row["error"] and row["id"] not in NULL_WEIGHT]
WITH_UNWRITTEN = checker_of("not-written-yet")
UNREADABLE_EXAMPLES = {
    22: ("yaml-syntax", 11),
    36: ("duplicate-key", 10),
    38: ("duplicate-key", 9),
    46: ("undefined-ref", 34),
    69: ("undefined-ref", 23),
}
"""golden/README.md: the examples that nobody can read whole; what is wrong there, and in which line."""


def is_told(text: str, path: Path) -> bool:
    """Whether a rule reports it; what is not written yet is off by default, and refused when it runs."""
    found = WITH_UNWRITTEN.check(parse(text, path))
    return any(each.severity is Severity.ERROR or each.flagged for each in found)


@every("row", one_in(5, [row for row in CASES.values() if not row["ok"]]), ids=lambda row: row["name"])
def test_a_file_that_weval_refuses_to_read_is_told(row: dict[str, Any]) -> None:
    assert is_told(row["content"], Path("x.json" if row["file_type"] == "json" else "x.yml"))


@needs_shared
@every("row", [row for row in EXAMPLES if not row["ok"]], ids=lambda row: row["id"])
def test_an_example_of_the_documents_that_weval_refuses_to_read_is_told(row: dict[str, Any]) -> None:
    assert is_told(row["content"], Path("x.json" if row["file_type"] == "json" else "x.yml"))


@needs_shared
@every("row", [row for row in RUN_REFUSED if row["source"] in CASES], ids=lambda row: row["source"])
def test_a_file_that_weval_reads_and_refuses_to_run_is_told(row: dict[str, Any]) -> None:
    case = CASES[row["source"]]
    assert is_told(case["content"], Path("x.json" if case["file_type"] == "json" else "x.yml"))


@needs_shared
@every(
    "row",
    [row for row in RUN_REFUSED if row["prompts_from"] == "inline" and row["source"] != NO_LIST],
    ids=lambda row: row["source"],
)
def test_a_conversation_that_weval_refuses_is_told(row: dict[str, Any]) -> None:
    assert is_told(json.dumps({"prompts": row["prompts"]}), Path("x.yml"))


def test_prompts_that_are_no_list_are_told() -> None:
    assert is_told(json.dumps({"prompts": "What is this?"}), Path("x.json"))


@every("row", POINTS_REFUSED, ids=lambda row: row["id"])
def test_a_point_that_weval_refuses_to_evaluate_is_told(row: dict[str, Any]) -> None:
    block = "should_not" if row["should_not"] else "should"
    text = json.dumps({"prompts": [{"id": "p", "prompt": "x", block: row["points"]}]})
    assert check(parse(text, Path("x.json")))


@needs_shared
@every("row", [row for row in EXAMPLES if row["id"] in UNREADABLE_EXAMPLES])
def test_an_example_that_nobody_can_read_whole_has_its_first_error_at_the_line_at_fault(row: dict[str, Any]) -> None:
    lines = LineIndex(row["content"])
    errors = [each for each in check(parse(row["content"])) if each.severity is Severity.ERROR]
    told = [(each.slug, lines.position(each.span.start).line + 1) for each in errors]
    assert told[0] == UNREADABLE_EXAMPLES[row["id"]]


# Lone paths that are the whole rubric: a warning where a good answer meets two of them


CITIES = ("$contains: Lagos", "$icontains: cairo", "$imatches: 'kinshasa.{0,20}congo'")
CRITERIA = ("Names the form", "Names the office", "Says that it is free")


def of_paths(*points: str, ideal: str = "", more: str = "") -> str:
    written = "".join(f"    - - {point}\n" for point in points)
    named = f"  ideal: {ideal}\n" if ideal else ""
    return f"- id: p\n  prompt: Which?\n{named}  should:\n{written}{more}"


def of_rule(found: tuple[Diagnostic, ...]) -> list[Diagnostic]:
    return [one for one in found if one.slug == "single-element-path"]


def only_one(found: tuple[Diagnostic, ...]) -> Diagnostic:
    [one] = of_rule(found)
    return one


def test_the_warning_stays_while_other_prompts_are_edited(javascript: JavaScript) -> None:
    checker, text = Checker(), of_paths(*CITIES, ideal="Lagos, Cairo")
    checker.check(parse(text), javascript)
    assert only_one(checker.check(parse(f"title: T\n---\n{text}"))).severity is Severity.WARNING


def test_a_comment_suppresses_both(javascript: JavaScript) -> None:
    text = of_paths(*CITIES, ideal="Lagos, Cairo").replace("should:", "should: # studio: ignore[R001] any")
    text = text.replace("should: # studio: ignore[R001] any\n", "should:\n    # studio: ignore[R001] any\n")
    assert check(parse(text), javascript) == check(parse(text)) == ()


# --- Labelled answers


def judged(text: str, cases: str, folder: Path, javascript: JavaScript, *, stored: bool = False) -> Diagnostic:
    path = folder / "p.yml"
    beside(path).write_text(f"version: 1\ncases:\n{cases}", "utf-8")
    verdicts = (lambda blueprint, js: CaseCheck(blueprint, js, panel(blueprint.header)).outcome) if stored else None
    checker = Checker(ALL, good_answers=GoodAnswers(path, verdicts))
    return only_one(checker.check(parse(text, path), javascript))


def test_an_answer_labelled_good_is_evidence(tmp_path: Path, javascript: JavaScript) -> None:
    cases = "  - {prompt: p, answer: Lagos, label: good}\n  - {prompt: p, answer: 'Lagos, Cairo', label: good}\n"
    one = judged(of_paths(*CITIES), cases, tmp_path, javascript)
    assert one.severity is Severity.WARNING
    assert one.message == "any one of these 3 earns the whole score, and case 2, a good answer, meets 2 of them"


@pytest.mark.parametrize(
    "case",
    [
        "{prompt: p, answer: 'Lagos, Cairo', label: bad}",
        "{prompt: p, answer: 'Lagos, Cairo', score: 100}",
        "{prompt: q, answer: 'Lagos, Cairo', label: good}",
        "[",
    ],
)
def test_other_answers_are_none(tmp_path: Path, javascript: JavaScript, case: str) -> None:
    assert judged(of_paths(*CITIES), f"  - {case}\n", tmp_path, javascript).severity is Severity.HINT


GRADED = (
    "  - prompt: p\n    answer: By the form, at the office.\n    label: good\n    grades:\n"
    "      - {criterion: Names the form, grade: fully present}\n"
    "      - {criterion: Names the office, grade: fully present}\n"
    "      - {criterion: Says that it is free, grade: absent}\n"
)


def test_verdicts_count_only_where_they_are_asked_for(tmp_path: Path, javascript: JavaScript) -> None:
    text = of_paths(*CRITERIA)
    assert judged(text, GRADED, tmp_path, javascript).severity is Severity.HINT
    assert judged(text, GRADED, tmp_path, javascript, stored=True).message == (
        "any one of these 3 earns the whole score, and case 1, a good answer, meets 2 of them"
    )


def test_one_grade_is_none(tmp_path: Path, javascript: JavaScript) -> None:
    cases = GRADED.replace("office, grade: fully", "office, grade: slightly")
    assert judged(of_paths(*CRITERIA), cases, tmp_path, javascript, stored=True).severity is Severity.HINT


def test_new_answers_are_seen_by_the_same_checker(tmp_path: Path, javascript: JavaScript) -> None:
    checker, parsed = Checker(), parse(of_paths(*CITIES), tmp_path / "p.yml")
    assert only_one(checker.check(parsed, javascript)).severity is Severity.HINT
    beside(tmp_path / "p.yml").write_text("version: 1\ncases:\n  - {prompt: p, answer: 'Lagos Cairo', label: good}\n")
    checker.good_answers = GoodAnswers(tmp_path / "p.yml")
    assert only_one(checker.check(parsed, javascript)).severity is Severity.WARNING
