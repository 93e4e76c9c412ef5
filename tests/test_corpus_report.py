"""The effects of problems on scores are those that the engine computes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine.evaluation.headline import effect_of
from engine.functions.v8 import JavaScript
from engine.parsing import parse
from engine.rules import Checker
from engine.text.spans import LineIndex
from tests.corpus_report.__main__ import main, table
from tests.corpus_report.demonstrations import demonstration
from tests.corpus_report.effects import Effect, effects, examples
from tests.many_cases import every
from tests.precision.reports import Found
from tests.recall.cases import rows_of
from tests.world import CORPUS, needs_corpus

CASES: dict[str, dict[str, Any]] = {
    case["slug"]: case for case in rows_of(Path(__file__).parent / "corpus_report" / "cases.yml")
}


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


@every("slug", CASES)
def test_the_effect_of_a_problem_is_that_on_the_answer_which_shows_it(slug: str) -> None:
    effect = only_effect(CASES[slug]["blueprint"], slug)
    assert [effect.before, effect.after] == CASES[slug]["scores"]


def test_a_check_that_passes_too_often_is_not_shown_by_the_ideal_that_passes_it() -> None:
    assert demonstration("short-substring", has_fix=False) is None


@needs_corpus
def test_the_scores_of_ideals_are_those_that_the_engine_gives_for_the_fix() -> None:
    name = "benchmarks/discriminating-similar-languages-dsl-shared-task.yml"
    text = (CORPUS / name).read_text("utf-8")
    with JavaScript() as javascript:
        found = effects(found_in(text, name, "quoted-function"), javascript)
        decided = [one for one in found if one.in_words == 0 and len(one.reports) == 1]
        assert decided
        for one in decided:
            (report,) = one.reports
            prompt = report.parsed.blueprint.prompt_at(report.diagnostic.span.start)
            assert prompt is not None
            assert prompt.ideal is not None
            fix = report.diagnostic.fixes[0]
            effect = effect_of(report.parsed, prompt.index, fix.edits, prompt.ideal, javascript)
            assert effect is not None
            assert (effect.before.figure, effect.after.figure) == (f"{one.before:.1%}"[:-1], f"{one.after:.1%}"[:-1])


def test_each_rule_has_one_example_and_the_largest_change_is_first() -> None:
    both = [only_effect(CASES[slug]["blueprint"], slug) for slug in ("optional-point", "double-negative")]
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
