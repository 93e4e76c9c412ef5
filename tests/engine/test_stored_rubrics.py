"""The rubric of a run is saved with it, and read back as it was."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from engine.blueprint import Header, Message, Prompt, Role
from engine.blueprint.conversation import Variant
from engine.evaluation.sources import Candidate, IdealSource
from engine.functions import point_text
from engine.parsing import parse
from engine.scoring.sums import place
from engine.store import PromptPlace, Store, rubric_digest
from engine.store.run_records import rubric_text, stored_rubric
from tests.engine.builders import NOWHERE, check, prompt, text
from tests.world import CORPUS, needs_corpus

CRITERION = st.text(min_size=1, max_size=12).filter(str.strip)
WEIGHT = st.sampled_from([0.1, 0.5, 1.0, 2.5, 10.0])
POINT = st.builds(text, CRITERION, WEIGHT) | st.builds(
    check, st.sampled_from(["icontains", "js", "nonsense", "not_matches"]),
    st.text(max_size=8) | st.lists(st.text(max_size=3), max_size=2) | st.integers(0, 9) | st.none(), WEIGHT,
)  # fmt: skip
BLOCK = st.lists(POINT | st.lists(POINT, min_size=1, max_size=3), max_size=4)


def seen(of: Prompt) -> object:
    """All that a score depends on."""
    points = [
        (each.rubric.block, each.path_id, point_text(each.point), each.point.multiplier, each.point.function is None)
        for each in place(of)
    ]
    return of.id, points, of.ideal, [(each.role, each.content) for each in of.messages]


@given(BLOCK, BLOCK, st.none() | CRITERION)
def test_a_rubric_is_read_back_as_it_was(should: list[object], should_not: list[object], ideal: str | None) -> None:
    of = prompt(should, should_not, messages=(Message(NOWHERE, Role.USER, "Why?"),), ideal=ideal)  # pyright: ignore[reportArgumentType]
    read = stored_rubric(rubric_text(None, of))
    assert read is not None
    assert seen(read[1]) == seen(of)
    assert rubric_digest(read[1]) == rubric_digest(of)


def test_what_judges_see_of_the_header_is_read_back_and_nothing_else_is_saved() -> None:
    fields = {"description": "Be strict.", "models": [{"id": "custom:x", "headers": {"key": "secret"}}]}
    written = rubric_text(Header(NOWHERE, fields=fields), prompt([text("A")]))
    assert "secret" not in written
    read = stored_rubric(written)
    assert read is not None
    assert read[0].description == "Be strict."


def test_a_prompt_that_an_error_cuts_off_has_no_rubric_to_save() -> None:
    assert rubric_text(None, prompt([text("A")], is_cut_off=True)) == ""


def test_a_run_gives_its_rubric_back_and_the_same_one_is_saved_once(tmp_path: Path) -> None:
    store = Store(tmp_path / "x.sqlite3")
    where, ideal = PromptPlace("a.yml", "p"), Candidate(IdealSource(), Variant())
    content = rubric_text(None, prompt([text("A")]))
    numbers = [store.begin_run(where, ideal, "digest", content) for _ in range(2)]
    unknown = store.begin_run(where, ideal, "digest")
    assert [store.past_rubric(each) for each in (*numbers, unknown)] == [content, content, ""]
    with store.reading() as connection:
        assert connection.execute("SELECT count(*) FROM rubric").fetchone() == (1,)
    store.close()


@needs_corpus
def test_rubrics_of_published_blueprints_are_read_back() -> None:
    for path in sorted(CORPUS.rglob("*.yml"))[::12]:
        blueprint = parse(path.read_text("utf-8"), path).blueprint
        for each in blueprint.prompts[:10]:
            read = stored_rubric(rubric_text(blueprint.header, each))
            assert read is not None
            assert rubric_digest(read[1]) == rubric_digest(each)
