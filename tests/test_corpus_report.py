"""The effects of problems on scores are those that the engine computes."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from engine.evaluation.headline import effect_of
from engine.functions.v8 import JavaScript
from engine.parsing import parse
from engine.rules import Checker
from engine.text.spans import LineIndex
from tests.corpus_report.__main__ import main, table
from tests.corpus_report.demonstrations import demonstration
from tests.corpus_report.effects import Effect, effects, examples
from tests.precision.reports import Found
from tests.world import CORPUS, needs_corpus

QUOTED = """\
- prompt: What is the capital of Kenya?
  ideal: Nairobi
  should:
    - "$contains: 'Nairobi'"
    - $contains: Nairobi
"""

OPTIONAL = """\
- prompt: How do I complain about my bank?
  should:
    - Suggests a letter to the bank.
    - Names a waiting time of eight weeks.
    - Says that a complaint is free.
    - May mention the ombudsman.
"""

LEVELS = """\
- prompt: Translate the sentence into German.
  should:
    - "Score 1: wrong meaning"
    - "Score 2: right meaning, wrong grammar"
    - "Score 3: right meaning and grammar"
    - "Score 4: fluent"
"""

INVERTED = """\
- prompt: I have a cold. Which antibiotic should I buy?
  should:
    - Explains that antibiotics do not help against viruses.
  should_not:
    - The response should not recommend an antibiotic.
"""

LONE = """\
- prompt: My bank does not answer.
  should:
    - Suggests a second letter.
    - Says that it is free.
    - Says how long it takes.
    - - Names the ombudsman.
"""

SINGLE = """\
- prompt: Name the capitals of Rwanda, Burundi and Uganda.
  should:
    - Writes a list.
    - - $contains: Kigali
    - - $contains: Gitega
    - - $contains: Kampala
"""


def found_in(text: str, name: str = "draft.yml", slug: str | None = None) -> list[Found]:
    parsed = parse(text, Path(name))
    lines = LineIndex(parsed.text)
    with JavaScript() as javascript:
        reported = Checker().check(parsed, javascript)
    found = [Found(name, lines.position(one.span.start).line + 1, one, parsed) for one in reported]
    return [one for one in found if slug is None or one.slug == slug]


def only_effect(text: str, slug: str, name: str = "draft.yml") -> Effect:
    with JavaScript() as javascript:
        (effect,) = effects(found_in(text, name, slug), javascript)
    return effect


@cache
def of_corpus(name: str, slug: str) -> list[Effect]:
    text = (CORPUS / name).read_text("utf-8")
    with JavaScript() as javascript:
        return list(effects(found_in(text, name, slug), javascript))


def test_a_quoted_check_is_shown_by_the_ideal_and_its_fix() -> None:
    effect = only_effect(QUOTED, "quoted-function")
    assert (effect.before, effect.after) == (0.5, 1.0)


def test_an_optional_point_is_shown_by_an_answer_without_it() -> None:
    effect = only_effect(OPTIONAL, "optional-point")
    assert (effect.before, effect.after) == (0.75, 1.0)


def test_levels_are_shown_by_an_answer_that_reaches_one() -> None:
    effect = only_effect(LEVELS, "scale-as-points")
    assert (effect.before, effect.after) == (0.25, 1.0)


def test_an_inverted_point_is_shown_by_an_answer_that_does_as_it_says() -> None:
    effect = only_effect(INVERTED, "double-negative")
    assert (effect.before, effect.after) == (0.5, 1.0)


def test_a_lone_path_is_shown_by_an_answer_that_misses_it() -> None:
    effect = only_effect(LONE, "lone-path")
    assert (effect.before, effect.after) == (0.5, 0.75)


def test_paths_of_one_point_are_shown_by_an_answer_that_meets_one() -> None:
    effect = only_effect(SINGLE, "single-element-path")
    assert (effect.before, effect.after) == (1.0, 0.5)


def test_a_check_that_passes_too_often_is_not_shown_by_the_ideal_that_passes_it() -> None:
    assert demonstration("short-substring", has_fix=False) is None


@needs_corpus
@pytest.mark.parametrize(
    "name",
    ["benchmarks/olymmath.yml", "benchmarks/discriminating-similar-languages-dsl-shared-task.yml"],
)
def test_the_scores_of_ideals_are_those_that_the_engine_gives_for_the_fix(name: str) -> None:
    text = (CORPUS / name).read_text("utf-8")
    decided = [one for one in of_corpus(name, "quoted-function") if one.in_words == 0 and len(one.reports) == 1]
    assert decided
    with JavaScript() as javascript:
        for one in decided:
            (report,) = one.reports
            prompt = report.parsed.blueprint.prompt_at(report.diagnostic.span.start)
            assert prompt is not None
            assert prompt.ideal is not None
            fix = report.diagnostic.fixes[0]
            effect = effect_of(parse(text, Path(name)), prompt.index, fix.edits, prompt.ideal, javascript)
            assert effect is not None
            assert (effect.before.figure, effect.after.figure) == (f"{one.before:.1%}"[:-1], f"{one.after:.1%}"[:-1])


def test_each_rule_has_one_example_and_the_largest_change_is_first() -> None:
    both = [only_effect(OPTIONAL, "optional-point"), only_effect(INVERTED, "double-negative")]
    chosen = examples([*both, *both])
    assert [(one.effect.slug, one.prompts) for one in chosen] == [("double-negative", 2), ("optional-point", 2)]


def test_what_the_judge_has_to_guess_is_shown_as_a_range() -> None:
    text = "- prompt: p\n  ideal: i\n  should:\n    - Names the form.\n    - The answer matches the reference answer.\n"
    [_, _, row] = table(examples([only_effect(text, "refers-to-ideal")]))
    assert row.startswith("| `refers-to-ideal` | 50 to 100 | 1 | `draft.yml`:5 |")


def test_without_a_corpus_there_is_no_table(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tests.corpus_report.__main__.corpus_files", list)
    assert main() == 2
    assert "no corpus" in capsys.readouterr().err
