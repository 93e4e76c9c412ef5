"""Texts beyond the limits of size are refused as a whole, by one diagnostic at the place where the limit is passed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.files.open_files import CannotOpen, open_file, open_to_show
from engine.parsing import Parsed, parse
from engine.rules import check
from engine.text.spans import apply_edits, pictures_in, visible
from engine.text.text_limits import FILE_BYTES, LINES, VALUES, excess, shown_part, too_long_with
from engine.yaml.tree_loader import load
from tests.fire.large_texts import JSON_SHAPES, SHAPES
from tests.many_cases import every
from tests.pieces import pieces
from tests.processor_time import cost_of
from tests.thoroughness import one_in
from tests.world import CORPUS, corpus_files, needs_corpus

# Texts beyond the limits of size are refused as a whole, by one diagnostic at the place where the limit is passed


PROMPT = "- id: a\n  prompt: Say it\n  should:\n"


def line(parsed: Parsed) -> int:
    """The line of the one diagnostic, from 1."""
    (found,) = check(parsed)
    return parsed.text.count("\n", 0, found.span.start) + 1


@every(
    ("text", "at"),
    [
        (PROMPT + "    - Says it\n" * VALUES, VALUES - 4),
        ("".join(f"k{number}: v\n" for number in range(VALUES)), VALUES // 2),
        (f"{PROMPT}    - x\n  x: [{'x, ' * VALUES}]\n", 5),
        ("# c\n" * (LINES + 10), LINES + 1),
        ("a: " + "x" * FILE_BYTES, 1),
    ],
    ids=lambda case: case[1],
)
def test_a_text_is_refused_at_the_first_item_key_value_or_line_that_is_too_many(text: str, at: int) -> None:
    assert line(parse(text)) == at


@every(("bytes_", "is_refused"), [(VALUES, True), (VALUES // 8, False)])
def test_a_binary_text_counts_by_its_bytes(bytes_: int, is_refused: bool) -> None:
    assert load(f"a: !!binary {'QUJD' * bytes_}\n").is_refused is is_refused


def test_too_many_values_of_json_are_refused() -> None:
    parsed = parse(f"[{', '.join(['1'] * VALUES)}]", Path("a.json"))
    assert (line(parsed), parsed.tree.is_refused) == (1, True)


def test_too_many_values_in_a_broken_text_are_refused() -> None:
    broken = PROMPT + "    - 'x'y\n" + "- id: b\n  should: [x, x, x, x, x, x, x, x]\n" * (VALUES // 10)
    assert load(broken).is_refused


@every("line_break", ["\n", "\r\n", "\r"])
def test_as_many_lines_as_the_limit_are_read(line_break: str) -> None:
    assert excess(f"#{line_break}" * LINES) is None


def test_bytes_count_rather_than_characters() -> None:
    assert [excess(f"{letter * (FILE_BYTES // 2 + 1)}") is None for letter in "xß"] == [True, False]


def test_the_message_names_the_limit_and_what_to_do() -> None:
    (found,) = check(parse("# c\n" * (LINES + 1)))
    assert "up to 100,000" in found.message
    assert found.why.endswith("Split it into several files.")


def test_a_refused_text_has_no_prompt() -> None:
    assert parse(PROMPT + "    - Says it\n" * VALUES).blueprint.prompts == ()


@needs_corpus
def test_every_file_of_the_corpus_is_far_below_the_limits() -> None:
    texts = [path.read_text("utf-8") for path in corpus_files()]
    assert all(len(text.encode()) * 10 < FILE_BYTES and text.count("\n") * 9 < LINES for text in texts)


# --- Files


def test_a_file_too_large_to_be_read_cannot_be_opened(tmp_path: Path) -> None:
    path = tmp_path / "a.yml"
    path.write_bytes(b"x" * (FILE_BYTES + 1))
    with pytest.raises(CannotOpen, match="The file has more than 4 MB: a blueprint may have up to 4 MB"):
        open_file(path)


def test_the_first_part_of_a_large_file_is_shown_read_only(tmp_path: Path) -> None:
    path = tmp_path / "a.yml"
    path.write_bytes(b"word\n" * 10_000_000)
    file = open_to_show(path)
    assert (file.text, file.text.count("\n")) == (shown_part("word\n" * (LINES * 2)), LINES)
    assert (file.read_only or "").startswith("The file has 47.7 MB: a blueprint may have up to 4 MB. Its first part is")


def test_a_file_within_the_limits_is_shown_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.yml"
    path.write_text(PROMPT, "utf-8")
    assert (open_to_show(path).text, open_to_show(path).read_only) == (PROMPT, None)


# --- Linear work within the limits

SHARP = (
    "a flow list",
    "a long tag",
    "anchors",
    "points alike",
    "paths",
    "prompts with one id",
    "empty items",
    "legacy tuples",
    "bounds of words",
    "one binary text",
    "blank lines above an error",
    "blank lines of spaces above an error",
    "contradictions",
    "paths alike",
    "paths within paths",
    "negated points",
    "keys of a header",
    "JSON: prompts",
    "JSON: a string and points",
    "JSON: prompts with one id",
    "JSON: unknown keys",
)
"""Shapes whose cost once grew faster than their size."""


@pytest.mark.parametrize(
    ("shape", "entries"),
    [*((shape, 1_500) for shape in one_in(6, SHARP)), ("aliases of a long text", 1_200), ("tabs", 200)],
)
def test_a_shape_of_ten_times_the_size_takes_no_more_than_its_share(shape: str, entries: int) -> None:
    make, path = {**SHAPES, **JSON_SHAPES}[shape], Path("a.json" if shape in JSON_SHAPES else "a.yml")
    large = make(entries)
    assert not load(large, is_json=shape in JSON_SHAPES).is_refused
    small = make(entries // 10)
    # A machine that is busy with something else disturbs one measurement, not three.
    assert any(seconds(large, path) < 25 * max(seconds(small, path), 0.004) for _ in range(3))


@every("blank", ["\n", "  \n", "\r\n"])
def test_blank_lines_above_an_error_take_little_time(blank: str) -> None:
    assert any(seconds(blank * (LINES - 10) + ": >x", Path("a.yml")) < 0.25 for _ in range(3))


def of_numbers(make: Callable[[int], object], count: int) -> list[object]:
    return [make(number) for number in range(count)]


LONG_LINES: dict[str, Callable[[int], dict[str, object]]] = {
    "legacy tuples": lambda n: {"should": of_numbers(lambda each: ["contains", f"w{each}"], n)},
    "misspelt checks": lambda n: {"should": of_numbers(lambda each: {"$contians": f"w{each}"}, n)},
    "conditions": lambda n: {"should": of_numbers(lambda each: f"If it says {each}, names it", n)},
    "checks to move": lambda n: {
        "should": ["x"],
        "should_not": of_numbers(lambda each: {"$contains": f"word{each}"}, n),
    },
    "keys like a known one": lambda n: {f"systm{each}": 1 for each in range(n)},
}


@pytest.mark.parametrize("shape", LONG_LINES)
def test_reports_with_fixes_on_one_line_of_json_take_no_more_than_their_share(shape: str) -> None:
    small, large = (json.dumps([{"id": "a", "prompt": "p", **LONG_LINES[shape](count)}]) for count in (100, 1_000))
    path = Path("a.json")
    assert any(seconds(large, path) < 25 * max(seconds(small, path), 0.03) for _ in range(3))


def test_each_fix_in_a_long_json_text_leaves_json() -> None:
    prompts = [{"id": f"a{i}", "prompt": "p", "should": [{"$contians": "w"}, ["contains", "w"]]} for i in range(150)]
    text = json.dumps(prompts)
    fixes = [fix for found in check(parse(text, Path("a.json"))) for fix in found.fixes]
    assert len(fixes) >= 300
    assert all(json.loads(apply_edits(text, fix.edits)) for fix in fixes)


def seconds(text: str, path: Path) -> float:
    """The processor time of a check."""
    return cost_of(lambda: check(parse(text, path)))


@every("pattern", ["(a|b)*c" * 20_000, "(a" * 20_000, "[z-a]" * 20_000, "(a+)+" * 900])
def test_a_long_pattern_is_checked_quickly(pattern: str) -> None:
    assert seconds(f"{PROMPT}    - $matches: '{pattern}'\n", Path("a.yml")) < 1


@every(
    "point",
    ["[x, x, x]", "{a: [b], c: d}", "{$contians: word}", "{$matches: '(a'}", "{text: a, wieght: 3}", "[1, 2, null]"],
)
def test_points_that_aliases_multiply_are_checked_quickly(point: str) -> None:
    """Two kilobytes of text, and as many values as aliases may add."""
    levels = "".join(f"    - &a{level} [{', '.join([f'*a{level - 1}'] * 9)}]\n" for level in range(1, 4))
    text = f"{PROMPT}    - &a0 {point}\n{levels}"
    assert seconds(text, Path("a.yml")) < 0.9


def test_prompts_that_aliases_multiply_are_checked_quickly() -> None:
    text = "- &p {id: a, prompt: b, shoud: [Says it], should: [Says it, [x], [y, z]]}\n" + "- *p\n" * 600
    assert seconds(text, Path("a.yml")) < 0.9


# --- What is inserted

ROOM = 10
NEARLY_FULL = "é" * ((FILE_BYTES - ROOM) // 2)


@every(
    ("removed", "inserted", "fits"),
    [
        ("", "x" * ROOM, True),
        ("", "é" * (ROOM // 2), True),
        ("", "x" * (ROOM + 1), False),
        ("", "é" * (ROOM // 2) + "x", False),
        ("é", "x" * (ROOM + 2), True),
        ("é", "x" * (ROOM + 3), False),
    ],
)
def test_what_takes_a_text_beyond_the_limit_of_bytes_is_refused(removed: str, inserted: str, fits: bool) -> None:
    assert (too_long_with(NEARLY_FULL, removed, inserted) is None) is fits


def test_a_text_beyond_the_limit_may_become_shorter() -> None:
    text = "x" * (FILE_BYTES + 10)
    assert too_long_with(text, "xx", "y") is None


def test_the_refusal_names_both_sizes() -> None:
    problem = too_long_with("", "", "x" * (32 << 20))
    assert problem == "Not inserted: the text would have 32.0 MB, and may have up to 4 MB."


# A character that is not drawn is shown, unless an emoji or a script needs it where it is


DEFAULT_IGNORABLE = (
    *((0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F)),
    *((0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF)),
    *((0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF)),
)
"""The ranges of Default_Ignorable_Code_Point in DerivedCoreProperties.txt."""
ANNOTATIONS = (0xFFF9, 0xFFFB)
HIDDEN = [chr(code) for start, end in (*DEFAULT_IGNORABLE, ANNOTATIONS) for code in range(start, end + 1)]


def tags(text: str) -> str:
    return "".join(chr(0xE0000 + ord(letter)) for letter in text)


# --- Shown


def test_every_character_that_is_not_drawn_is_shown_between_letters() -> None:
    assert not [ascii(each) for each in HIDDEN if not visible(f"a{each}b").isascii()]


@every(
    ("hidden", "picture"),
    [
        ("\u200b", "\\u200b"),
        ("\u2060", "\\u2060"),
        ("\xad", "\\u00ad"),
        (tags("A"), "\\U000e0041"),
        ("\ufff9", "\\ufff9"),
    ],
)
def test_the_escape_is_the_one_that_yaml_knows(hidden: str, picture: str) -> None:
    assert visible(f"a{hidden}b") == f"a{picture}b"


@given(st.text(st.sampled_from(["a", "Z", " ", "é", *HIDDEN])))
def test_no_text_hides_between_latin_letters(text: str) -> None:
    assert not set(visible(text)) & set(HIDDEN)


# --- Left


@every("text", pieces("what scripts need between characters"))
def test_what_a_script_needs_stays(text: str) -> None:
    assert visible(f"a {text} b") == f"a {text} b"


@every("text", pieces("emoji of several characters"))
def test_what_an_emoji_needs_stays(text: str) -> None:
    assert visible(f"a{text}b {text}") == f"a{text}b {text}"


@needs_corpus
def test_nothing_in_the_corpus_is_changed() -> None:
    files = [path.read_text("utf-8") for path in Path(CORPUS).glob("**/*.yml")]
    assert files
    assert not [each for each in files if visible(each) != each]


# --- Laws


@given(st.text(st.one_of(st.characters(), st.sampled_from([*HIDDEN[:60], "👩", "♂", "ه", "क", "्", "葛", "🏴"]))))
def test_what_is_visible_stays_as_it_is(text: str) -> None:
    assert visible(visible(text)) == visible(text)


@given(st.text())
def test_only_what_is_replaced_differs(text: str) -> None:
    assert len(visible(text)) == len(text) + sum(len(picture) - 1 for _, picture in pictures_in(text))
