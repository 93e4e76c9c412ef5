"""The measures of the rules, of slips and of effects on scores count rightly, and their cases are what they say."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from engine.evaluation.headline import effect_of
from engine.functions.v8 import JavaScript
from engine.parsing import parse
from engine.rules import ALL, Checker
from engine.text.diagnostics import Severity
from engine.text.spans import LineIndex
from tests.corpus_report.__main__ import main, table
from tests.corpus_report.demonstrations import demonstration
from tests.corpus_report.effects import Effect, effects, examples
from tests.many_cases import every
from tests.precision.reports import Found
from tests.recall.cases import Case, Half, Tier, rows_of, stored
from tests.recall.outcomes import Count, Outcome, Reported, count, lines_with, outcomes, rules_for
from tests.recordings.__main__ import differences
from tests.slips.operators import Kind, all_kinds
from tests.slips.trials import Shares, Trial, made_trial, verdicts
from tests.thoroughness import one_in, tried
from tests.world import CORPUS, needs_corpus

KINDS = all_kinds()
UNKNOWN = {
    "prompts inside a list": "a prompt before them may be a prompt of its own",
    "a key swallowed by a block text": "its fix makes a key of a text that could be read: it is not safe",
    "all keys below swallowed by a block text": "the same",
    "quote not opened": "the mark may belong to the text",
    "point that begins with an ampersand": "YAML reads a name, and no report tells of it yet",
}
"""Kinds that are not found or not fixed everywhere, and why."""
PLACES = tried(1, 2)
FLOORS = {1: (0.99, 0.99, 0.98), 2: (0.95, 0.94, 0.88), 3: (0.95, 0.94, 0.82)}
"""The least shares that are reported, named and fixed, of one, two and three slips in a prompt (seed 7, 2 places)."""
BY_CHANCE = tried(2, 0)
"""How many slips more may be missed at a single place."""


def made(kind: Kind, several: int, place: int) -> Trial | None:
    return made_trial(kind, KINDS, several, f"7 {kind.name} {several} {place}")


def test_there_are_as_many_kinds_as_the_table_says() -> None:
    assert len({kind.name for kind in KINDS}) == len(KINDS) >= 120


@needs_corpus
@pytest.mark.parametrize("several", one_in(3, tuple(FLOORS)))
def test_the_share_of_slips_that_is_found_and_fixed_does_not_fall(several: int) -> None:
    shares = Shares()
    for kind in one_in(6, KINDS):
        for trial in (made(kind, several, place) for place in range(PLACES) if kind.name not in UNKNOWN):
            if trial is not None:
                shares.add(next(each for each in verdicts(trial) if each.kind is kind))
    found = (shares.reported, shares.named, shares.fixed)
    least = [floor * shares.made for floor in FLOORS[several]]
    assert shares.made
    assert all(count + BY_CHANCE >= floor for count, floor in zip(found, least, strict=True)), shares


@needs_corpus
def test_a_slip_of_each_kind_is_made_somewhere_in_the_corpus() -> None:
    assert [kind.name for kind in KINDS if all(made(kind, 1, place) is None for place in range(PLACES))] == []


CASES: dict[Any, dict[str, Any]] = {
    case["slug"]: dict(case) for case in rows_of(Path(__file__).parent / "corpus_report" / "cases.yml")
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


def test_only_what_differs_is_printed(tmp_path: Path) -> None:
    for folder, score in (("before", "62.5"), ("now", "75")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "check").write_text("exit 0\n", "utf-8")
        (tmp_path / folder / "run").write_text(f"exit 0\nscore {score}\n", "utf-8")
    (tmp_path / "now" / "review").write_text("exit 0\n", "utf-8")
    found = list(differences(tmp_path / "before", tmp_path / "now"))
    assert [line for line in found if line[0] in "+-" and line[:3] not in ("+++", "---")] == [
        "+exit 0", "-score 62.5", "+score 75",
    ]  # fmt: skip


@cache
def all_cases() -> list[Case]:
    return [case for half in Half for case in stored(half)]


def split(half: Half) -> list[Case]:
    return [case for case in all_cases() if case.half is half and not case.added]


REFUSED = {"bad-weight", "key-under-text", "undefined-ref", "wrong-type"}
"""Rules whose faults may make Weval refuse the file."""

A_CASE = Case(
    id="a",
    half=Half.TUNING,
    category="negatives",
    tier=Tier.PROBLEM,
    slugs=("ambiguous-negative",),
    at=("no errors",),
    blueprint="- prompt: p\n  should:\n    - Contains no errors.\n",
    why="…",
)


def case(tier: Tier = Tier.PROBLEM, half: Half = Half.TUNING, slug: str = "ambiguous-negative") -> Case:
    slugs = () if tier is Tier.CLEAN else (slug,)
    return Case("a", half, "negatives", tier, slugs, A_CASE.at, A_CASE.blueprint, "…")


def report(slug: str = "ambiguous-negative", level: Severity = Severity.WARNING, *lines: int) -> Reported:
    return Reported(slug, level, frozenset(lines or (3,)), "a message")


def test_there_are_enough_faults_and_clean_texts() -> None:
    tiers = Counter(case.tier is Tier.CLEAN for case in all_cases())
    assert tiers[False] >= 240
    assert tiers[True] >= 120


def test_ids_are_unique() -> None:
    assert [id for id, number in Counter(case.id for case in all_cases()).items() if number > 1] == []


def test_the_reported_place_stands_in_the_blueprint() -> None:
    assert [case.id for case in all_cases() if not lines_with(case.blueprint, case.at)] == []


def test_every_fault_names_rules_that_exist() -> None:
    slugs = {rule.slug for rule in ALL}
    assert [(case.id, slug) for case in all_cases() for slug in case.slugs if slug not in slugs] == []


def test_no_case_says_the_same_as_another() -> None:
    assert [text for text, number in Counter(case.blueprint for case in all_cases()).items() if number > 1] == []


def test_weval_reads_every_case_but_those_whose_fault_is_its_refusal() -> None:
    refused = [case for case in all_cases() if not parse(case.blueprint, Path("case.yml")).weval.ok]
    assert [case.id for case in refused if not REFUSED.intersection(case.slugs)] == []


def test_every_case_gives_a_reason() -> None:
    assert [case.id for case in all_cases() if len(case.why.split()) < 4] == []


@every("tier", Tier)
def test_what_was_split_has_the_same_spread_in_both_halves(tier: Tier) -> None:
    spread = [Counter(one.category for one in split(half) if one.tier is tier) for half in Half]
    assert [name for name in spread[0] | spread[1] if abs(spread[0][name] - spread[1][name]) > 2] == []


def test_cases_are_added_to_the_open_half_alone() -> None:
    assert [one.id for one in all_cases() if one.added and one.half is not Half.TUNING] == []


def test_what_was_split_has_the_same_rules_in_both_halves() -> None:
    rules = [Counter(one.slugs[0] for one in split(half) if one.slugs) for half in Half]
    assert [slug for slug in rules[0] | rules[1] if abs(rules[0][slug] - rules[1][slug]) > 2] == []


def written(folder: Path, name: str, row: str) -> list[Case]:
    (folder / "tuning").mkdir(exist_ok=True)
    (folder / "tuning" / f"{name}.yml").write_text(row, "utf-8")
    return stored(Half.TUNING, folder)


@every(("name", "added"), [("literals", False), ("literals-2", False), ("literals-added", True)])
def test_a_file_belongs_to_its_category_and_a_code_point_in_brackets_is_that_character(
    name: str, added: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    row = '- {id: a, kind: clean, at: x, blueprint: "x‹U+200B›", why: w}\n'
    (one,) = written(tmp_path_factory.mktemp("recall"), name, row)
    assert (one.category, one.added, one.blueprint) == ("literals", added, "x\u200b")


def test_a_case_without_a_reason_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"literals\.yml, a: KeyError\('why'\)"):
        written(tmp_path, "literals", "- {id: a, kind: clean, at: x, blueprint: x}\n")


HINT, WARNING = Severity.HINT, Severity.WARNING


@every(
    ("tier", "reported", "is_found"),
    [
        (Tier.PROBLEM, report(), True),
        (Tier.PROBLEM, report("vacuous-point"), False),
        (Tier.PROBLEM, report("ambiguous-negative", WARNING, 1, 2), False),
        (Tier.PROBLEM, report("ambiguous-negative", HINT), False),
        (Tier.HINT, report("ambiguous-negative", HINT), True),
    ],
)
def test_a_fault_is_found_by_its_rule_at_its_line_and_level(tier: Tier, reported: Reported, is_found: bool) -> None:
    assert Outcome(case(tier), (reported,)).is_found is is_found


@every(
    ("reported", "is_warned_of"), [(report("vague-criterion", HINT), False), (report("no-rubric", WARNING, 1), True)]
)
def test_a_clean_text_may_have_hints_alone(reported: Reported, is_warned_of: bool) -> None:
    assert Outcome(case(Tier.CLEAN), (reported,)).is_warned_of is is_warned_of


def test_a_rule_that_is_off_is_tried_where_only_a_hint_is_wanted() -> None:
    assert "not-written-yet" in {rule.slug for rule in rules_for(case(Tier.HINT, slug="not-written-yet"))}
    assert "not-written-yet" not in {rule.slug for rule in rules_for(case(slug="not-written-yet"))}


def test_cases_are_checked_by_the_rules_themselves() -> None:
    (outcome,) = outcomes([A_CASE])
    assert {(one.slug, one.lines) for one in outcome.reported} >= {("ambiguous-negative", frozenset({3}))}


SMALL = [
    Outcome(case(), (report(),)),
    Outcome(case(), ()),
    Outcome(case(Tier.CLEAN), (report(),)),
    Outcome(case(half=Half.HELD_APART), (report(),)),
]


def test_found_and_warned_of_are_counted_by_tier() -> None:
    assert [count(SMALL, tier) for tier in Tier] == [Count(3, 2), Count(0, 0), Count(1, 1)]
