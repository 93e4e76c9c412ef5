"""A broken text: what is sound of it stays readable, every cause is told where it lies, and fixes mend."""

from __future__ import annotations

import pytest

from engine.parsing import parse
from engine.text.diagnostics import Diagnostic
from engine.text.spans import LineIndex, apply_edits
from engine.yaml.nodes import Data, NodeTree, to_data
from engine.yaml.tree_loader import load
from tests.processor_time import costs_less_than
from tests.world import corpus_files, needs_corpus


def data(tree: NodeTree) -> list[Data]:
    return [None if document.root is None else to_data(document.root) for document in tree.documents]


def only(text: str) -> Diagnostic:
    (found,) = load(text).diagnostics
    return found


THREE = "title: T\n---\n- id: a\n  prompt: x\n- id: b\n  prompt: Say: this: now\n- id: c\n  prompt: z\n"


def test_the_items_beside_a_broken_one_stay_readable() -> None:
    _, items = data(load(THREE))
    assert isinstance(items, list)
    assert (items[0], items[2]) == ({"id": "a", "prompt": "x"}, {"id": "c", "prompt": "z"})


def test_a_broken_item_is_read_as_its_fix_makes_it() -> None:
    _, items = data(load(THREE))
    assert isinstance(items, list)
    assert items[1] == {"id": "b", "prompt": "Say: this: now"}


def test_a_comment_before_the_header_is_no_document() -> None:
    assert data(load("# why\n---\nid: x\n---\n- prompt: [a:b]\n")) == [{"id": "x"}, [{"prompt": ["a:b"]}]]


def test_a_control_character_is_told_on_its_own_line() -> None:
    text = "a: |\n  x\n  y\x07z\n  w\n"
    assert LineIndex(text).position(only(text).span.start).line == 2


def test_every_broken_item_is_told() -> None:
    text = "- a: 'x\n- b: 1\n- c: [y\n- d: *nope\n- e: 2\n"
    lines = [LineIndex(text).position(found.span.start).line for found in load(text).diagnostics]
    assert lines == [0, 2, 3]


def test_the_error_of_the_whole_is_js_yamls_first() -> None:
    error = load(THREE).error
    assert error is not None
    assert (error.reason, THREE[error.offset :].splitlines()[0]) == (
        "bad indentation of a mapping entry",
        ": this: now",
    )


def test_a_list_without_dashes_before_it_is_read_all_the_same() -> None:
    tree = load("title: T\n- id: a\n- id: b\n")
    assert data(tree) == [{"title": "T"}, [{"id": "a"}, {"id": "b"}]]
    assert "`---`" in tree.diagnostics[0].message


TOO_FAR_LEFT = "title: T\nprompts:\n  - id: a\n    prompt: x\n- id: b\n  prompt: y\n- id: c\n"


def test_prompts_too_far_left_for_their_list_are_told_once_and_displace_none() -> None:
    (found,) = load(TOO_FAR_LEFT).diagnostics
    assert found.span.of(TOO_FAR_LEFT) == "- id: b"
    assert "indent it by 2 spaces" in found.message
    assert [fix.title for fix in found.fixes] == ["indent these lines by 2 spaces"]
    parsed = parse(TOO_FAR_LEFT)
    assert [prompt.id for prompt in parsed.blueprint.prompts] == ["a", "b", "c"]
    assert parsed.blueprint.header.title == "T"


@pytest.mark.parametrize(
    "text",
    [
        "prompts: []\n- id: a\n",
        "prompts:\n- id: a\n- id: b\ntags: [x]\n- id: c\n",
        "tags:\n  - x\n- id: a\n",
        "prompts:\n  - id: a\ntags: [x]\n- id: b\n",
    ],
)
def test_a_list_after_anything_else_wants_a_separator(text: str) -> None:
    assert "`---`" in load(text).diagnostics[0].message


def test_a_list_inside_the_header_is_no_place_to_cut() -> None:
    tree = load("title: 'T\ntags:\n- a\n- b\n---\n- id: a\n")
    assert len(tree.diagnostics) == 1


@pytest.mark.parametrize(
    ("text", "marked", "words"),
    [
        ("title: A: B\n", "A: B", "colon"),
        ("- @user asks\n", "@user asks", "starts with `@`"),
        ("- %50 of it\n", "%50 of it", "starts with `%`"),
        ("- `code` here\n", "`code` here", "starts with ```"),
        ("- *bold* text\n", "*bold* text", "starts with `*`"),
        ("- !important\n", "!important", "starts with `!`"),
        ("- [note] text\n", "[note] text", "starts with `[`"),
        ("- {{name}} is kind\n", "{{name}} is kind", "starts with `{`"),
        ('- "quoted" text\n', '"quoted" text', "quotes close before"),
        ("- Mentions X: Y: Z\n", "Mentions X: Y: Z", "colon"),
        ("- id: a\n  note: 'open\n- id: b\n", "'open", "never closed"),
        ('- "open\n- "next"\n', '"open', "never closed"),
        ("x: [a, b\n", "[a, b", "never closed"),
        ("x: | text\n", "text", "next line"),
        ("- id: a\n  prompt: x\nwieght: 2\n", "wieght: 2", "too far left to belong to the lines above"),
    ],
)
def test_an_error_is_told_by_its_cause_at_its_place(text: str, marked: str, words: str) -> None:
    found = only(text)
    assert (found.code, found.slug, found.span.of(text)) == ("Y001", "yaml-syntax", marked)
    assert words in found.message
    assert "Weval" in found.why


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("title: A: B\n", {"title": "A: B"}),
        ('title: The "A": B\n', {"title": 'The "A": B'}),
        ("title: It's: B # c\n", {"title": "It's: B"}),
        ("title: A: B\n\n  and C: D\ntags: [x]\n", {"title": "A: B\nand C: D", "tags": ["x"]}),
        ("- @user asks\n", ["@user asks"]),
        ("- Mentions X: Y: Z\n", ["Mentions X: Y: Z"]),
        ("- $contains: a: b\n", [{"$contains": "a: b"}]),
        ('- "quoted" text\n', ['"quoted" text']),
        ("- *bold* text\n", ["*bold* text"]),
        ("a:\n\tb: 1\n", {"a": {"b": 1}}),
        ('x: "\\d+"\n', {"x": "\\d+"}),
        ('x: "\\d\\n"\n', {"x": "\\d\n"}),
        ("- 'first' \n- a: b: c\n- x\n", ["first", {"a": "b: c"}, "x"]),
    ],
)
def test_the_safe_fix_mends(text: str, value: Data) -> None:
    (fix,) = only(text).fixes
    mended = load(apply_edits(text, fix.edits))
    assert (fix.safe, mended.error, data(mended)) == (True, None, [value])


@pytest.mark.parametrize("text", ["a: 1\n  b: 2\n", "x: [a: b: c]\n"])
def test_no_fix_is_offered_where_more_than_one_thing_may_be_meant(text: str) -> None:
    assert only(text).fixes == ()


@needs_corpus
def test_the_broken_files_of_the_corpus_are_told_and_mended() -> None:
    texts = [path.read_text("utf-8") for path in corpus_files()]
    broken = [tree for tree in map(load, texts) if tree.error is not None]
    mended = [load(apply_edits(tree.text, tree.diagnostics[0].fixes[0].edits)) for tree in broken]
    assert [tree.error for tree in mended] == [None, None]


@pytest.mark.parametrize(
    ("text", "marked"),
    [("- a: 1\n- !f\n-\t", "!f"), ("h:\r\tb", "\t"), ("- a: 'x\n- b", "'x"), ("-\n  ?\n  !\n-\t", "!")],
)
def test_an_error_at_the_end_of_an_item_is_told_in_that_item(text: str, marked: str) -> None:
    assert only(text).span.of(text) == marked


IN_PROMPTS = (
    "title: T\nprompts:\n  - id: a\n    prompt: x\n  - id: b\n    prompt: y: z\n  - id: 'c\n  - id: d\ntags: [u]\n"
)


def test_the_items_of_a_list_under_a_key_are_read_each_by_itself() -> None:
    (read,) = data(load(IN_PROMPTS))
    assert read == {
        "title": "T",
        "prompts": [{"id": "a", "prompt": "x"}, {"id": "b", "prompt": "y: z"}, {"id": "c"}, {"id": "d"}],
        "tags": ["u"],
    }


def test_every_broken_item_of_a_list_under_a_key_is_told() -> None:
    assert [found.span.of(IN_PROMPTS) for found in load(IN_PROMPTS).diagnostics] == ["y: z", "'c"]


def test_every_broken_key_is_told_and_the_others_are_read() -> None:
    text = "title: A: B\ndescription: C: D\ntags: [x]\n---\n- id: a\n"
    tree = load(text)
    assert [found.span.of(text) for found in tree.diagnostics] == ["A: B", "C: D"]
    assert data(tree) == [{"title": "A: B", "description": "C: D", "tags": ["x"]}, [{"id": "a"}]]


def test_a_key_told_twice_is_told_beside_what_is_broken() -> None:
    text = "title: A: B\ntags: [x]\ntags: [y]\n"
    assert [found.slug for found in load(text).diagnostics] == ["yaml-syntax", "duplicate-key"]


def test_the_fix_of_one_item_does_not_wait_for_the_others() -> None:
    assert [len(found.fixes) for found in load(IN_PROMPTS).diagnostics] == [1, 1]


def test_the_prompt_before_a_key_that_is_too_far_left_is_kept() -> None:
    text = "title: x\n---\n- id: one\n  prompt: q\nshould:\n    - a\n- id: two\n  prompt: r\n"
    assert [prompt.id for prompt in parse(text).blueprint.prompts] == ["one", "two"]


@pytest.mark.parametrize("text", ["{ruler}\ntitle: a: b\n---\n- id: x\n", "- id: a\n-\n{ruler}\n-\n  b: c: d\n"])
def test_a_ruler_of_hashes_beside_an_error_costs_no_more_than_other_comments(text: str) -> None:
    """Each hash may begin a comment; trying all the ways to divide the ruler would never end."""
    assert load(text.replace("{ruler}", "#" * 400)).error is not None


def test_thousands_of_broken_keys_are_read_in_time() -> None:
    with costs_less_than(5):
        parsed = parse("a: b\nc: [\n" * 4_000)
    assert parsed.broken.header
    assert sum(found.slug == "yaml-syntax" for found in parsed.tree.diagnostics) <= 400


def test_an_anchor_in_a_list_with_a_broken_item_is_known_to_the_keys_below() -> None:
    text = "title: x\nprompts:\n- &a x\n- b: [\nother: *a\nmore: y\n"
    assert [found.span.of(text) for found in load(text).diagnostics] == ["["]
