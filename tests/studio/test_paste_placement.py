"""A paste of several lines goes to its place: nothing that stood there is lost or joined, and nothing pasted is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from engine.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode, property_name
from engine.yaml.tree_loader import load
from studio.tui.editor.paste_placement import Placement, place_paste
from tests.processor_time import costs_less_than


def pasted(text: str, paste: str) -> str | None:
    """`text` after `paste` at the place of ¦, with ¦ at the cursor; None if it goes in as it is."""
    at = text.index("¦")
    row, column = text[:at].count("\n"), at - (text.rfind("\n", 0, at) + 1)
    lines = text.replace("¦", "").split("\n")
    made = place_paste(lines, row, column, paste)
    return None if made is None else "\n".join(placed(lines, made))


def placed(lines: Sequence[str], made: Placement, cursor: str = "¦") -> list[str]:
    new = [*lines[: made.first], *made.lines, *lines[made.after :]]
    row, column = made.cursor
    new[row] = new[row][:column] + cursor + new[row][column:]
    return new


# --- Prose


@pytest.mark.parametrize(
    ("text", "paste", "after"),
    [
        ("ideal:¦\n", "It is: so.\n\n# And so\n", "ideal: |\n  It is: so.\n\n  # And so¦\n"),
        ("- ideal: ¦\n  should:\n", "a\nb", "- ideal: |\n    a\n    b¦\n  should:\n"),
        ("- prompt:\n    ¦\n", "- a\n- b", "- prompt: |\n    - a\n    - b¦\n"),
        ("ideal: # why\n  ¦\n", "a\nb", "ideal: | # why\n  a\n  b¦\n"),
        ("ideal: It ¦is\n", "a\nb", "ideal: |\n  It a\n  b¦is\n"),
        ("ideal: 'It''s ¦so'\n", "a\nb", "ideal: |\n  It's a\n  b¦so\n"),
        ('ideal: "¦"\n', "a\nb", "ideal: |\n  a\n  b¦\n"),
        ("ideal:¦\n", "  a\nb", "ideal: |2\n    a\n  b¦\n"),
        ("messages:\n- user: ¦\n", "a\nb", "messages:\n- user: |\n    a\n    b¦\n"),
        ("should:\n  - text: ¦\n    weight: 2\n", "a\nb", "should:\n  - text: |\n      a\n      b¦\n    weight: 2\n"),
        ("should:\n  - $contains: '¦'\n", "a\nb", "should:\n  - $contains: |-\n      a\n      b¦\n"),
        # Behind Enter at the end of the text
        ("- prompt: x\n  ¦\n  should:\n", "a\nb", "- prompt: |\n    x\n    a\n    b¦\n  should:\n"),
        ("- prompt: x\n\n  ¦", "a\nb\n", "- prompt: |\n    x\n\n    a\n    b¦"),
        ("ideal: 'It''s'\n¦\n", "a\nb", "ideal: |\n  It's\n  a\n  b¦\n"),
        ("messages:\n- user: x\n  ¦\n", "a\nb", "messages:\n- user: |\n    x\n    a\n    b¦\n"),
        ("should:\n  - text: x\n    ¦\n", "a\nb", "should:\n  - text: |\n      x\n      a\n      b¦\n"),
        # A line break at an end of the paste is one
        ("- prompt: x.¦\n", "\na", "- prompt: |\n    x.\n    a¦\n"),
        ("- prompt: x ¦\n", "\na\n", "- prompt: |\n    x\n    a¦\n"),
        ("- prompt: x ¦y\n", "\n\na\n", "- prompt: |\n    x \n\n    a\n    ¦y\n"),
        ("ideal: 'x'¦\n", "\n| a |", "ideal: |\n  x\n  | a |¦\n"),
        ("ideal:¦\n", "\n\na\n", "ideal: |\n  a¦\n"),
        ("should:\n  - x¦\n", '\n"a",\n"b",', 'should:\n  - |-\n    x\n    "a",\n    "b",¦\n'),
        ("should:\n  - $contains: x¦\n", "\na", "should:\n  - $contains: |-\n      x\n      a¦\n"),
    ],
)
def test_prose_goes_into_the_text_of_its_key(text: str, paste: str, after: str) -> None:
    assert pasted(text, paste) == after


@pytest.mark.parametrize(
    ("text", "paste", "after"),
    [
        ("ideal: |\n    x\n    ¦\n", "a\n- b", "ideal: |\n    x\n    a\n    - b¦\n"),
        ("ideal: |\n    x ¦y\n", "a\nb", "ideal: |\n    x a\n    b¦y\n"),
        ("ideal: |\n¦    x\n", "a\nb\n", "ideal: |\n    a\n    b\n¦    x\n"),
        ("ideal: |\n  ¦\n", "should:\n  - a", "ideal: |\n  should:\n    - a¦\n"),
        ("ideal: |\n  x\n  ¦\n", "    a\n      b", "ideal: |\n  x\n  a\n    b¦\n"),
        ("ideal: |\n  x\n  ¦\n", "a\n\nb\n", "ideal: |\n  x\n  a\n\n  b\n  ¦\n"),
    ],
)
def test_in_a_block_text_a_paste_is_text(text: str, paste: str, after: str) -> None:
    assert pasted(text, paste) == after


# --- Rows with bullets or numbers

LIST = "should:\n  - x\n  - ¦\n"


@pytest.mark.parametrize(
    ("paste", "items"),
    [
        ("- a\n- b\n", ["- a", "- b"]),
        ("    - a\n    - b", ["- a", "- b"]),
        ("- a\n    - b\n    - c", ["- a", "- b", "- c"]),
        ("1. Names it\n2) Names: why\n", ["- Names it", "- 'Names: why'"]),
        ("• Names it\n•Says who\n* Says #1 thing", ["- Names it", "- Says who", "- 'Says #1 thing'"]),
        ("- Names it: by name\n- Says #1 thing", ["- 'Names it: by name'", "- 'Says #1 thing'"]),
        ('- "Names it: by name"\n- Names "it"', ['- "Names it: by name"', '- Names "it"']),
        ('- "Names" it\n- `b` is so\n- *x', ["- '\"Names\" it'", "- '`b` is so'", "- '*x'"]),
        ("- text: a\n  weight: 2\n- b", ["- text: a", "  weight: 2", "- b"]),
        ("- $contains_any_of:\n    - a\n    - b\n- c", ["- $contains_any_of:", "    - a", "    - b", "- c"]),
        ("- - a\n  - b\n- - c", ["- - a", "  - b", "- - c"]),
        ("$contains: a\n$js: b", ["- $contains: a", "- $js: b"]),
        ("- Names it\n  and says why\n- b", ["- Names it", "  and says why", "- b"]),
        ("- Names it: so\nand says why\n- b", ["- 'Names it: so and says why'", "- b"]),
        ("The answer:\n- a\n\nAnd so\n- b", ["# The answer:", "- a", "- And so", "- b"]),
        ("- true\n- OR\n- \n- 0x1f", ["- 'true'", "- OR", "- ", "- '0x1f'"]),
        ("- 42\n- null\n- ~\n- 2024-01-01", ["- '42'", "- 'null'", "- '~'", "- '2024-01-01'"]),
        ("[ ] Do it\n[x] Says: so\n☐ box", ["- Do it", "- 'Says: so'", "- 'box'"]),
        ("* [ ] Do it\n1. [x] Done it\n- [✓] Say it\n  now", ["- Do it", "- Done it", "- Say it", "  now"]),
        (
            "Names it\nSays: so\n42\n  a day\n\n#1 thing",
            ["- Names it", "- 'Says: so'", "- 42", "  a day", "- '#1 thing'"],
        ),
        ('The answer:\n"Names it"\n`b` is so', ["# The answer:", '- "Names it"', "- '`b` is so'"]),
        ("1. true\n2. OR", ["- 'true'", "- 'OR'"]),
        ("• Names\u00a0it\n-Says who\n\u200b-\u00a0Lists it", ["- Names it", "- Says who", "- Lists it"]),
        ("• Names it\nand why\n• Says who", ["- Names it", "  and why", "- Says who"]),
        ("Criteria:\n- a\n", ["# Criteria:", "- a"]),
        ("```\n- a\n- b\n```\n", ["- a", "- b"]),
        ("- [ ] a\n- [x] Says: so\n", ["- 'a'", "- 'Says: so'"]),
        ("o\tNames it\n\uf0b7\tSays who\n", ["- Names it", "- Says who"]),
        ("- 'Names it\n  so'\n  - 'and\n    why'", ["- 'Names it", "  so'", "- 'and", "  why'"]),
        ("- Names it\n  weight: 2\n- b", ["- Names it", "  weight: 2", "- b"]),
    ],
)
def test_under_a_rubric_each_row_becomes_a_point(paste: str, items: list[str]) -> None:
    made = pasted(LIST, paste)
    assert made is not None
    assert made.replace("¦", "") == "should:\n  - x\n" + "".join(f"  {item}\n" for item in items)


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("should:¦\n", "should:\n  - a\n  - b¦\n"),
        ("should:\n  ¦\n", "should:\n  - a\n  - b¦\n"),
        ("should:\n¦\n- x\n", "should:\n- a\n- b¦\n- x\n"),
        ("should:¦\n    - x\n", "should:\n    - a\n    - b¦\n    - x\n"),
        ("should:\n  - x¦\n  - y\n", "should:\n  - x\n  - a\n  - b¦\n  - y\n"),
        ("should:\n  - x 'y' ¦z\n  - y\n", "should:\n  - x 'y' z\n  - a\n  - b¦\n  - y\n"),
        ("should:\n¦  - x\n", "should:\n  - a\n  - b¦\n  - x\n"),
        ("should:\n  - text: x¦\n    weight: 2\n", "should:\n  - text: x\n    weight: 2\n  - a\n  - b¦\n"),
        ("should:\n  - 'x¦'\n", "should:\n  - 'x'\n  - a\n  - b¦\n"),
        ("should:\n  - x\n\n¦\nideal: y\n", "should:\n  - x\n\n  - a\n  - b¦\nideal: y\n"),
        ("should:\n  - - x\n    - ¦\n  - y\n", "should:\n  - - x\n    - a\n    - b¦\n  - y\n"),
        ("should:\n  - - ¦\n", "should:\n  - - a\n    - b¦\n"),
        ("should:\n  - x\n  ¦- \n  - y\n", "should:\n  - x\n  - a\n  - b¦\n  - y\n"),
        ("should:\n  - x\n¦  - - y\n    - z\n", "should:\n  - x\n  - a\n  - b¦\n  - - y\n    - z\n"),
        ("should:\n  - $contains_any_of:\n      - ¦\n", "should:\n  - $contains_any_of:\n      - a\n      - b¦\n"),
        ("tags:\n  - ¦\n", "tags:\n  - a\n  - b¦\n"),
    ],
)
def test_rows_go_into_the_list_at_the_cursor(text: str, after: str) -> None:
    assert pasted(text, "- a\n- b\n") == after


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("should:\n  ¦", "should:\n  - a\n  - b c¦"),
        ("should:\n¦\nideal: x\n", "should:\n  - a\n  - b c¦\nideal: x\n"),
        ("- should:¦\n", "- should:\n    - a\n    - b c¦\n"),
        ("should:\n  - x\n  ¦\n", "should:\n  - x\n  - a\n  - b c¦\n"),
        ("should:\n  - ¦\n  - x\n", "should:\n  - a\n  - b c¦\n  - x\n"),
        ("should:\n  - x\n    ¦\n", "should:\n  - |-\n    x\n    a\n    b c¦\n"),
    ],
)
def test_lines_under_a_rubric_become_points_of_it(text: str, after: str) -> None:
    assert pasted(text, "a\nb c") == after


@pytest.mark.parametrize("row", ["\u00a0 - a", "\n-\u00a0[ ] a", "\n[x] a"])
def test_a_row_behind_a_point_becomes_the_next_one(row: str) -> None:
    assert (pasted("should:\n  - x¦\n", row) or "").replace("'", "") == "should:\n  - x\n  - a¦\n"


def test_numbers_stay_numbers_in_lists_of_numbers() -> None:
    assert pasted("temperatures:\n  - ¦\n", "- 0.1\n- 1") == "temperatures:\n  - 0.1\n  - 1¦\n"


def test_a_row_without_bullet_above_others_is_joined_to_nothing() -> None:
    text = "should:\n  - x ¦y\n  - z\n"
    assert pasted(text, "of it\n- a\n- b") == "should:\n  - x y\n  - of it\n  - a\n  - b¦\n  - z\n"


@pytest.mark.parametrize("item", ['- "x"¦', "- text: x ¦", "- $contains: 'x' ¦"])
def test_a_heading_above_rows_is_a_comment_on_its_own_line(item: str) -> None:
    made = pasted(f"should:\n  {item}\n", "# of it\n- a")
    assert made == f"should:\n  {item.replace('¦', '')}\n  # of it\n  - a¦\n"


# --- Rows with keys

PROMPT = "- id: a\n  prompt: b\n  should:\n    - c\n    - ¦\n- id: d\n"


@pytest.mark.parametrize(
    ("text", "paste", "after"),
    [
        (PROMPT, "should_not:\n- x\n", "- id: a\n  prompt: b\n  should:\n    - c\n  should_not:\n  - x¦\n- id: d\n"),
        (
            PROMPT,
            "  - id: x\n    prompt: y\n",
            "- id: a\n  prompt: b\n  should:\n    - c\n- id: x\n  prompt: y¦\n- id: d\n",
        ),
        ("- id: a\n¦\n", "prompt: b\nshould:\n  - c", "- id: a\n  prompt: b\n  should:\n    - c¦\n"),
        ("- ¦\n", "id: a\nprompt: b", "- id: a\n  prompt: b¦\n"),
        (
            "messages:\n  - user: a\n  - ¦\n",
            "- assistant: b\n- user: c",
            "messages:\n  - user: a\n  - assistant: b\n  - user: c¦\n",
        ),
        ("should:\n  - ¦\n", "text: a\nweight: 2", "should:\n  - text: a\n    weight: 2¦\n"),
        ("ideal: |\n  x\n¦\n", "should:\n  - a", "ideal: |\n  x\nshould:\n  - a¦\n"),
        ("¦- id: a\n", "- id: x\n  prompt: y\n", "- id: x\n  prompt: y¦\n- id: a\n"),
        ("¦", "title: a\nmodels: []\n", "title: a\nmodels: []\n¦"),
        ("- id: a\n  prompt: b¦\n", "ideal: c", "- id: a\n  prompt: b\n  ideal: c¦\n"),
        ("- id: a¦\n", "ideal: |\n    b\n   c", "- id: a\nideal: |\n    b\n   c¦\n"),
        ("should:\n- a¦\n", "- id: b\n    x: *", "should:\n- a\n- id: b\n    x: *¦\n"),
        ("should:\n- a\n- ¦\n---\nid: b", "should_not:\n- x", "should:\n- a\nshould_not:\n- x¦\n---\nid: b"),
        ("title: a\n---\n¦\n", "```yaml\n  - id: a\n    prompt: b\n```\n", "title: a\n---\n- id: a\n  prompt: b¦\n"),
        (
            "- id: a\n¦\n",
            "- id: x\n      prompt: y\n      should:\n        - z",
            "- id: a\n- id: x\n  prompt: y\n  should:\n    - z¦\n",
        ),
        (
            "title: x\n---\n- id: a\n  ¦\n",
            "ideal: |\n  x\n\n  y\n",
            "title: x\n---\n- id: a\n  ideal: |\n    x\n\n    y¦\n",
        ),
    ],
)
def test_rows_with_keys_go_to_their_level(text: str, paste: str, after: str) -> None:
    assert pasted(text, paste) == after


@pytest.mark.parametrize(
    ("text", "paste"),
    [
        ("ideal: It is\n  so ¦there\n", "a\nb"),
        ("- id: a\n  ¦\n", "colour: red\nsize: 2"),
        ("- id: a\n  ¦\n", "a\nb"),
        ("title: a\n¦\n", "a\nb"),
        ("ideal:\n    so\n  ¦\n", "a\nb"),
        ("ideal: # why\n  # so ¦\n", "a\nb"),
        ("ideal:\n  # so\n  ¦\n", "a\nb"),
        ("- id: a\n  prompt: b\n  ¦\n", "- a\n- b"),
        ("- id: a\n¦", "---\nid: b\nprompt: c"),
        ("tags: [a, ¦]\n", "b,\nc"),
        ('{"prompt": "¦"}', "a\nb"),
        ("# ¦\n", "a\nb"),
    ],
)
def test_what_has_no_clear_place_goes_in_as_it_is(text: str, paste: str) -> None:
    assert pasted(text, paste) is None


# --- The law

ROWS = (
    "Names o{} it",
    '"Says: o{}"',
    "'Says ''o{}'''",
    "$contains: o{}",
    "$icontains_any_of: [o{}, x]",
    "$contains_any_of:\n{pad}    - o{}\n{pad}    - x",
    "text: Why o{}\n{pad}  weight: 2",
    "Names o{} it\n{pad}  and why",
    "|\n{pad}  Says o{}\n{pad}  - so",
    "- Path o{}\n{pad}  - and more",
)
PROSE = ("Says p{} so", "says: p{}", "# p{} is one", "  p{} is in", "p{} 'it' [is] \"so\"", "*p{}* it is", "")
BULLETS = ("- ", "* ", "• ", "1. ", "12) ", "-   ", "  - ")
KEYED = (
    "should_not:\n  - p{}",
    "ideal: |\n  p{} is\n\n  so",
    "system: p{}",
    "- id: p{}\n  prompt: Why?",
    "- user: p{}",
)


@st.composite
def rubrics(draw: st.DrawFn) -> str:
    """A prompt with a rubric, in one of the usual layouts, with an empty item or line here and there."""
    number = iter(range(1000))
    dash, indent = draw(st.sampled_from([("", "  "), ("- ", "  "), ("- ", "    ")]))
    margin = " " * len(dash)
    lines = [
        f"{dash}prompt: Who is o{next(number)}?",
        draw(st.sampled_from(["ideal:", "ideal: It o1000", "weight: 2"])),
    ]
    for key in draw(st.sampled_from([("should:",), ("should:", "should_not:")])):
        lines.append(key)
        pad = draw(st.sampled_from(["", indent]))
        for row in draw(st.lists(st.sampled_from((*ROWS, "", "\0")), min_size=1, max_size=4)):
            written = row.format(next(number), pad=pad)
            lines += ["" if row == "\0" else f"{pad}- {written}".rstrip()]
    text = "\n".join([lines[0], *(margin + line for line in "\n".join(lines[1:]).split("\n"))])
    return text + draw(st.sampled_from(["", "\n"]))


@st.composite
def pastes(draw: st.DrawFn) -> str:
    """Prose, bullets, rows with keys, or a mixture; each row has a word of its own."""
    bullets = st.builds(
        lambda sign, text: sign + text, st.sampled_from(BULLETS), st.sampled_from((*PROSE[:2], *PROSE[4:6]))
    )
    mixed = st.one_of(bullets, st.sampled_from(PROSE))
    kind = draw(st.sampled_from([st.sampled_from(PROSE), bullets, mixed, st.sampled_from(KEYED)]))
    rows = draw(st.lists(kind, min_size=2, max_size=5, unique_by=lambda row: row if row in KEYED else object()))
    return "\n".join(row.format(number) for number, row in enumerate(rows)) + draw(st.sampled_from(["", "\n"]))


def leaves(node: Node | None, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    """The texts of a tree with the keys that lead to them."""
    match node:
        case MappingNode():
            for pair in node.pairs:
                yield from leaves(pair.value, (*path, property_name(pair.key)))
        case SequenceNode():
            for item in node.items:
                yield from leaves(item, (*path, "-"))
        case ScalarNode(value=str()):
            yield path, str(node.value)
        case _:
            pass


def read(text: str) -> list[tuple[tuple[str, ...], str]] | None:
    tree = load(text)
    if tree.error is not None:
        return None
    return [leaf for document in tree.documents for leaf in leaves(document.root)]


def is_within(words: str, text: str) -> bool:
    """Whether all of `words` are in `text`, in their order."""
    letters = iter(text)
    return all(letter in letters for letter in words if not letter.isspace())


@given(rubrics(), pastes(), st.data())
def test_a_paste_loses_and_joins_nothing(text: str, paste: str, data: st.DataObject) -> None:
    before = read(text)
    lines = text.split("\n")
    row = data.draw(st.integers(0, len(lines) - 1))
    column = data.draw(st.sampled_from(sorted({0, len(lines[row]) - len(lines[row].lstrip()), len(lines[row])})))
    made = place_paste(lines, row, column, paste)
    event("as it is" if made is None else "placed")
    if made is None or before is None:
        return
    new = "\n".join(placed(lines, made, ""))
    after = read(new)
    if after is None:  # the author is told
        assert "duplicated" in str(load(new).error) or read(paste) is None, new
        return
    old = [leaf for leaf in after if not re.search(r"p\d", leaf[1])]
    changed = [leaf for leaf in before if leaf not in old]
    assert [leaf for leaf in old if leaf not in before] == [leaf for leaf in old if "Why?" in leaf[1]], new
    assert len(changed) <= 1, new
    for _, words in changed:  # the text that the cursor is in
        assert any(is_within(words, leaf) for _, leaf in after), new
    for word in re.findall(r"p\d", paste):
        holders = [leaf for leaf in after if word in leaf[1]]
        assert len(holders) == 1 or re.search(rf"^ *# .*{word}", new, re.MULTILINE), new


@given(rubrics(), st.lists(st.sampled_from(BULLETS), min_size=2, max_size=5), st.data())
def test_rows_under_a_rubric_become_points_of_it(text: str, bullets: list[str], data: st.DataObject) -> None:
    lines = text.split("\n")
    row = data.draw(st.sampled_from([at for at, line in enumerate(lines) if line.strip() == "-"] or [None]))
    if row is None or read(text) is None:
        return
    paste = "\n".join(f"{bullet}Says p{number}: so" for number, bullet in enumerate(bullets))
    made = place_paste(lines, row, len(lines[row]), paste)
    assert made is not None
    after = read("\n".join(placed(lines, made, ""))) or []
    points = [words for path, words in after if path[-2:-1] in (("should",), ("should_not",)) and path[-1] == "-"]
    assert [words for words in points if "Says p" in words] == [f"Says p{number}: so" for number in range(len(bullets))]


def test_a_long_paste_is_placed_quickly() -> None:
    lines = ["- prompt: a", "  should:", *["    - b"] * 2_000, "    - "]
    with costs_less_than(0.5):
        made = place_paste(lines, len(lines) - 1, 6, "1. Names it: by name\n- Says who it is\n" * 500)
    assert made is not None
    assert len(made.lines) == 1000
