"""Laws of the comparison: nothing between equal versions, mirrored when turned round, and each seeded edit is found."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path as FilePath
from zlib import crc32

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.blueprint import Block, Blueprint, Message, Path, Point, Prompt, Role, Rubric
from engine.parsing import Parsed, parse
from engine.study.changes import (
    BlueprintChanges,
    NamedPrompt,
    PointChange,
    PointChangeKind,
    PromptChange,
    PromptState,
    changes_between,
    only_in_one,
    prompt_lines,
)
from engine.text.record import replace
from engine.text.spans import NOWHERE
from engine.yaml.nodes import to_data
from tests.engine.builders import blueprint, check, prompt, text
from tests.expected import of_kind
from tests.many_cases import every
from tests.thoroughness import tried
from tests.world import CORPUS, corpus_files, needs_corpus

FILES = random.Random(15).sample(corpus_files(), min(len(corpus_files()), tried(12, 196)))

WITH_CRITERIA = [path for path in FILES if re.search(r"should:\n +- \"?[A-Z]", path.read_text("utf-8"))]

# --- What formatting changes


def read(path: FilePath) -> Parsed:
    return parse(path.read_text("utf-8"), path)


@needs_corpus
@every("path", FILES, ids=lambda path: path.stem)
def test_a_version_and_itself_do_not_differ(path: FilePath) -> None:
    found = read(path).blueprint
    assert changes_between(found, found).is_empty


@needs_corpus
@every("path", FILES, ids=lambda path: path.stem)
def test_a_file_written_again_as_json_has_no_change_in_meaning(path: FilePath) -> None:
    old = read(path)
    structure = old.structure
    header = of_kind(dict, {} if structure.header is None else to_data(structure.header))
    again = {**header, "prompts": [to_data(node) for node in structure.prompts]}
    new = parse(json.dumps(again, indent=1), path.with_suffix(".json"))
    assert changes_between(old.blueprint, new.blueprint).is_empty


@needs_corpus
@every("path", FILES, ids=lambda path: path.stem)
def test_comments_change_nothing(path: FilePath) -> None:
    old = read(path)
    lines = ["# of the team\n" + line if line.startswith("- ") else line for line in old.text.splitlines(keepends=True)]
    assert changes_between(old.blueprint, parse("".join(lines), path).blueprint).is_empty


# --- Turned round


def sides(change: PromptChange, *, is_turned: bool = False) -> tuple[object, ...]:
    """What changes, from one side to the other; the other way round where it is turned."""
    way = -1 if is_turned else 1
    return (
        *(repr(each) for each in (change.before, change.after)[::way]),
        sorted((each.field, *map(json.dumps, (each.before, each.after)[::way])) for each in change.fields),
        sorted(
            (kinds_turned(each) if is_turned else each.kinds, *map(repr, (each.before, each.after)[::way]))
            for each in change.points
        ),
        change.points_reordered,
    )


def kinds_turned(change: PointChange) -> tuple[PointChangeKind, ...]:
    other = {PointChangeKind.ADDED: PointChangeKind.REMOVED, PointChangeKind.REMOVED: PointChangeKind.ADDED}
    return tuple(other.get(kind, kind) for kind in change.kinds)


def mirrored(one: BlueprintChanges, other: BlueprintChanges) -> bool:
    """Apart from which prompts are said to have moved: the fewest may be others in the other direction."""
    ours, others = ([each for each in found.prompts if _is_edited(each)] for found in (one, other))
    return sorted(repr(sides(each)) for each in ours) == sorted(repr(sides(each, is_turned=True)) for each in others)


def _is_edited(change: PromptChange) -> bool:
    is_in_both = change.state is PromptState.CHANGED
    return not is_in_both or bool(change.fields or change.points or change.points_reordered)


POINTS = st.sampled_from(
    [
        text("Names the lease"),
        text("Names the lease and its date"),
        text("Names the lease", 2),
        text("Does not name the lease"),
        text("Is calm"),
        text("Quotes law"),
        check("contains", "3rd"),
        check("icontains", "3rd"),
        check("contains", ["a", "b"]),
    ]
)
ENTRIES = st.lists(st.one_of(POINTS, st.lists(POINTS, min_size=1, max_size=3)), max_size=5)
QUESTIONS = st.sampled_from(["When is it due?", "When is the rent due?", "Who is the mayor?"])


@st.composite
def prompts(draw: st.DrawFn) -> Prompt:
    name = draw(st.sampled_from(["a", "b", ""]))
    asked = tuple(Message(NOWHERE, Role.USER, draw(QUESTIONS)) for _ in range(draw(st.integers(0, 1))))
    made = prompt(draw(ENTRIES), draw(ENTRIES), messages=asked)
    return replace(made, id=name or f"hash-{crc32(repr(made).encode()):08x}", id_written=bool(name))


BLUEPRINTS = st.lists(prompts(), max_size=4).map(
    lambda made: blueprint(*(replace(each, index=index) for index, each in enumerate(made)))
)


@settings(max_examples=tried(20, 600), deadline=None)
@given(BLUEPRINTS)
def test_a_generated_version_and_itself_do_not_differ(made: Blueprint) -> None:
    assert changes_between(made, made).is_empty


@settings(max_examples=tried(30, 1500), deadline=None)
@given(BLUEPRINTS, BLUEPRINTS)
def test_turned_round_the_changes_are_the_same_with_their_sides_exchanged(old: Blueprint, new: Blueprint) -> None:
    assert mirrored(changes_between(old, new), changes_between(new, old))


@settings(max_examples=tried(20, 600), deadline=None)
@given(BLUEPRINTS, BLUEPRINTS)
def test_every_prompt_and_point_is_in_one_change_or_one_pair(old: Blueprint, new: Blueprint) -> None:
    found = changes_between(old, new)
    before = [one for one, _ in found.pairs] + [
        each.before.prompt.index for each in found.prompts if each.before is not None and each.after is None
    ]
    assert sorted(before) == list(range(len(old.prompts)))


@settings(max_examples=tried(20, 600), deadline=None)
@given(BLUEPRINTS, BLUEPRINTS)
def test_every_change_has_words(old: Blueprint, new: Blueprint) -> None:
    found = changes_between(old, new)
    assert all(list(prompt_lines(each)) for each in found.prompts)
    assert all(each.text for each in found.header)


@settings(max_examples=tried(20, 600), deadline=None)
@given(prompts())
def test_the_shares_of_the_required_points_and_of_one_path_are_all_of_the_score(made: Prompt) -> None:
    sides = [change.after for change in only_in_one(NamedPrompt(made, made.id, 1.0), is_new=True).points]
    counted = [side.share for side in sides if side is not None and side.path in (None, 1)]
    assert sum(counted) == pytest.approx(float(bool(sides)))


# --- Versions of published blueprints


@needs_corpus
def test_a_version_with_other_names_is_reworded_and_neither_added_nor_removed() -> None:
    old, new = read(CORPUS / "sydney/original.yml"), read(CORPUS / "sydney/scrubbed_names.yml")
    found = changes_between(old.blueprint, new.blueprint).prompts
    kinds = {kind for change in found for point in change.points for kind in point.kinds}
    assert ({change.state for change in found}, kinds) == ({PromptState.CHANGED}, {PointChangeKind.REWORDED})


@needs_corpus
def test_criteria_that_were_turned_into_faults_are_said_to_have_moved() -> None:
    old = read(CORPUS / "sri-lanka-citizen-compendium-factum.yml")
    new = read(CORPUS / "versioning_tests/sri-lanka-citizen-compendium-factum-gpt-snapshots.yml")
    points = [point for change in changes_between(old.blueprint, new.blueprint).prompts for point in change.points]
    assert sum(PointChangeKind.MOVED_BLOCK in point.kinds for point in points) == 7
    assert not any(PointChangeKind.ADDED in point.kinds for point in points)


# --- Seeded edits of published blueprints


def with_entries(of_prompt: Prompt, entries: Sequence[Point | Path], block: Block = Block.SHOULD) -> Prompt:
    rubric = Rubric(block, NOWHERE, tuple(entries))
    return replace(of_prompt, should=rubric) if block is Block.SHOULD else replace(of_prompt, should_not=rubric)


def at_place(of_prompt: Prompt, at: int) -> tuple[list[Point | Path], Point]:
    assert of_prompt.should is not None
    entries = list(of_prompt.should.entries)
    point = of_kind(Point, entries[at])
    return entries, point


def reword(of_prompt: Prompt, at: int) -> tuple[Prompt, PointChangeKind]:
    entries, point = at_place(of_prompt, at)
    entries[at] = replace(point, text=f"{point.text} (briefly)")
    return with_entries(of_prompt, entries), PointChangeKind.REWORDED


def weigh(of_prompt: Prompt, at: int) -> tuple[Prompt, PointChangeKind]:
    entries, point = at_place(of_prompt, at)
    entries[at] = replace(point, multiplier=point.multiplier + 1)
    return with_entries(of_prompt, entries), PointChangeKind.WEIGHT


def remove(of_prompt: Prompt, at: int) -> tuple[Prompt, PointChangeKind]:
    entries, _ = at_place(of_prompt, at)
    return with_entries(of_prompt, entries[:at] + entries[at + 1 :]), PointChangeKind.REMOVED


def add(of_prompt: Prompt, at: int) -> tuple[Prompt, PointChangeKind]:
    entries, _ = at_place(of_prompt, at)
    return with_entries(of_prompt, [*entries[:at], text("Zzyzx qwv"), *entries[at:]]), PointChangeKind.ADDED


def invert(of_prompt: Prompt, at: int) -> tuple[Prompt, PointChangeKind]:
    entries, point = at_place(of_prompt, at)
    others = of_prompt.should_not.entries if of_prompt.should_not else ()
    without = with_entries(of_prompt, entries[:at] + entries[at + 1 :])
    return with_entries(without, [*others, point], Block.SHOULD_NOT), PointChangeKind.MOVED_BLOCK


def onto_path(of_prompt: Prompt, at: int) -> tuple[Prompt, PointChangeKind]:
    entries, point = at_place(of_prompt, at)
    entries[at] = Path(point.span, 1000, (point,))
    return with_entries(of_prompt, entries), PointChangeKind.MOVED_PATH


def editable(of_prompt: Prompt) -> list[int]:
    """The places of criteria that no other point of the prompt repeats."""
    entries = of_prompt.should.entries if of_prompt.should else ()
    texts = Counter(point.text for point in of_prompt.points())
    return [at for at, each in enumerate(entries) if isinstance(each, Point) and each.text and texts[each.text] == 1]


@needs_corpus
@every("edit", [reword, weigh, remove, add, invert, onto_path], ids=lambda edit: edit.__name__)
@every("path", WITH_CRITERIA[: tried(8, 60)], ids=lambda path: path.stem)
def test_a_seeded_edit_is_found_and_nothing_else(
    path: FilePath, edit: Callable[[Prompt, int], tuple[Prompt, PointChangeKind]]
) -> None:
    old = read(path).blueprint
    seed = random.Random(f"{path.name} {edit.__name__}")
    candidates = [(at, place) for at, each in enumerate(old.prompts) for place in editable(each)]
    at, place = seed.choice(candidates)
    edited, kind = edit(old.prompts[at], place)
    found = changes_between(old, replace(old, prompts=(*old.prompts[:at], edited, *old.prompts[at + 1 :])))
    [change] = found.prompts
    beside_shares = [each.kinds for each in change.points if each.kinds != (PointChangeKind.SHARE,)]
    assert (change.fields, found.header, beside_shares) == ((), (), [(kind,)])


@needs_corpus
@every("path", WITH_CRITERIA[: tried(8, 60)], ids=lambda path: path.stem)
def test_many_edits_at_once_are_mirrored(path: FilePath) -> None:
    old = read(path).blueprint
    seed = random.Random(path.name)
    changed = [
        seed.choice([reword, weigh, remove, add, invert, onto_path])(each, seed.choice(places))[0]
        if (places := editable(each)) and seed.random() < 0.5
        else each
        for each in old.prompts
        if seed.random() < 0.9
    ]
    seed.shuffle(changed)
    new = replace(old, prompts=tuple(replace(each, index=index) for index, each in enumerate(changed)))
    assert mirrored(changes_between(old, new), changes_between(new, old))
