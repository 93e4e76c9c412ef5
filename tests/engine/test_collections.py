"""Model collections: which names they are, where they are found, and what they stand for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.parsing.model_collections import (
    Collections,
    Expansion,
    UnusableCollection,
    expand,
    is_collection,
    members_in,
)
from tests.many_cases import every
from tests.world import CORPUS, CORPUS_ROOT, needs_corpus


@every("name", ["CORE", "OPENAI_GPT4O_SNAPSHOTS", "MY-MODELS.2"])
def test_a_name_in_capitals_without_a_colon_is_a_collection(name: str) -> None:
    assert is_collection(name)


@every("name", ["Core", "openai:gpt-4o", "OPENAI:GPT", "", "../CORE", "A\\B"])
def test_any_other_name_is_none(name: str) -> None:
    assert not is_collection(name)


@pytest.fixture
def blueprint(tmp_path: Path) -> Path:
    folder = tmp_path / "blueprints" / "law"
    folder.mkdir(parents=True)
    return folder / "rent.yml"


def collection(folder: Path, name: str, *models: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.json").write_text(json.dumps(models), "utf-8")


def test_a_collection_is_found_above_the_blueprint(blueprint: Path, tmp_path: Path) -> None:
    collection(tmp_path / "models", "CORE", "a:x", "b:y")
    assert Collections(blueprint).members("CORE") == ("a:x", "b:y")


def test_the_nearest_folder_with_that_collection_counts(blueprint: Path, tmp_path: Path) -> None:
    collection(tmp_path / "models", "CORE", "a:far")
    collection(blueprint.parent / "models", "QUICK", "a:other")
    collection(tmp_path / "blueprints" / "models", "CORE", "a:near")
    assert Collections(blueprint).members("CORE") == ("a:near",)


def test_the_names_are_those_of_all_folders_above(blueprint: Path, tmp_path: Path) -> None:
    collection(tmp_path / "models", "CORE", "a:x")
    collection(blueprint.parent / "models", "QUICK", "a:x")
    collection(blueprint.parent / "models", "notes", "a:x")
    assert {"CORE", "QUICK"} <= set(Collections(blueprint).names())
    assert "notes" not in Collections(blueprint).names()


def test_a_named_folder_is_the_only_one(blueprint: Path, tmp_path: Path) -> None:
    collection(tmp_path / "models", "CORE", "a:x")
    collection(tmp_path / "mine", "QUICK", "b:y")
    mine = Collections(blueprint, tmp_path / "mine")
    assert mine.members("QUICK") == ("b:y",)
    with pytest.raises(UnusableCollection, match=r"There is no collection CORE: .*mine holds no CORE\.json\."):
        mine.members("CORE")


def test_a_collection_that_is_nowhere_is_told_with_what_to_do(blueprint: Path) -> None:
    with pytest.raises(UnusableCollection, match=r"no models/NOWHERE\.json .* above rent\.yml.*--collections"):
        Collections(blueprint).members("NOWHERE")


@every(
    ("text", "said"),
    [
        ('["a:x",]', "it is not JSON: .* in line 1"),
        ('["a:x", "' + "b" * 5000 + '"]', 'entry 2 is "b{58}…, not'),
        ("[" * 100_000, "it is nested too deeply"),
        (f"[{'1' * 5000}]", "entry 1 is Infinity, not PROVIDER:MODEL"),
    ],
)
def test_what_is_wrong_with_a_collection_file_is_named(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        members_in(text)


def test_a_file_that_cannot_be_used_is_named(blueprint: Path, tmp_path: Path) -> None:
    collection(tmp_path / "models", "CORE")
    (tmp_path / "models" / "CORE.json").write_bytes(b"\xff")
    with pytest.raises(UnusableCollection, match=r"The collection CORE cannot be used: .*CORE\.json: it is not UTF-8"):
        Collections(blueprint).members("CORE")


@pytest.mark.parametrize("name", ["A" * 300, "A\0B", "\ud800"])
def test_a_name_that_no_file_can_have_is_told_as_any_other(name: str, blueprint: Path, tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    with pytest.raises(UnusableCollection, match="collection"):
        Collections(blueprint).members(name)


LISTS = {"CORE": ("a:x", "b:y"), "QUICK": ("b:y", "c:z")}


def listed(name: str) -> tuple[str, ...]:
    if name not in LISTS:
        raise UnusableCollection(f"no {name}")
    return LISTS[name]


def test_collections_expand_in_place_and_a_model_counts_once() -> None:
    assert expand(["c:z", "CORE", "QUICK", {"id": "own"}], listed) == Expansion(("c:z", "a:x", "b:y", {"id": "own"}))


def test_a_collection_that_cannot_be_had_is_left_out_and_told() -> None:
    assert expand(["MISSING", "a:x"], listed) == Expansion(("a:x",), {"MISSING": "no MISSING"})


@given(st.lists(st.sampled_from(["CORE", "QUICK", "a:x", "d:d"])))
def test_what_is_expanded_holds_no_collection_and_no_model_twice(models: list[str]) -> None:
    expanded = expand(models, listed).models
    assert not set(expanded) & set(LISTS)  # type: ignore[arg-type]
    assert len(set(expanded)) == len(expanded)  # type: ignore[arg-type]
    assert expand(expanded, listed).models == expanded


@needs_corpus
@every("file", sorted((CORPUS_ROOT / "models").glob("*.json")), ids=lambda file: file.stem)
def test_the_published_collections_can_be_read(file: Path) -> None:
    blueprint = CORPUS / "compass" / "literal.yml"
    assert list(Collections(blueprint).members(file.stem)) == json.loads(file.read_text("utf-8"))
