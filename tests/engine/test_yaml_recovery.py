"""A broken text: what is sound of it stays readable, every cause is told where it lies, and fixes mend."""

from __future__ import annotations

import random
from unittest.mock import Mock

import pytest

from engine.parsing import Parsed, parse
from engine.rules import check
from engine.text.diagnostics import Diagnostic
from engine.text.spans import LineIndex, apply_edits
from engine.yaml import Data, NodeTree, load
from engine.yaml.nodes import to_data
from engine.yaml.piece_trial import Effort
from engine.yaml.reader import Reader
from tests.many_cases import every
from tests.processor_time import costs_less_than
from tests.thoroughness import tried
from tests.world import corpus_files, needs_corpus

# A broken text: what is sound of it stays readable, every cause is told where it lies, and fixes mend


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


@every(
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


@every(
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


@every(
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


@every(
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


# Several slips in one prompt: each is reported at its own line with its own fix, and the rest is checked


HEAD = "title: T\n---\n- id: first\n  prompt: x\n  should:\n    - one\n"
TWO = """- id: a
  prompt: She asks: can I?
  should:
    - Says: "x" and y
    - Names Nairobi
"""
THREE_SLIPS = """- id: a
  prompt: She asks: can I?
  should:
    - Names Nairobi
      weight: 2
    • Names Mombasa
    - May mention Kisumu
"""


def rows(text: str) -> list[tuple[int, str, int]]:
    """The line, slug and number of fixes of each YAML error."""
    index = LineIndex(text)
    return [(index.position(one.span.start).line, one.slug, len(one.fixes)) for one in load(text).diagnostics]


def fixed(text: str) -> str:
    """`text` after the fixes of all its YAML errors together."""
    return apply_edits(text, [edit for one in load(text).diagnostics for edit in one.fixes[0].edits])


def criteria(parsed: Parsed) -> list[str | None]:
    return [point.text for point in parsed.blueprint.prompts[-1].points()]


def test_the_second_slip_of_a_prompt_hides_neither_cause_nor_fix_of_the_first() -> None:
    assert rows(TWO) == [(1, "yaml-syntax", 1), (3, "yaml-syntax", 1)]


def test_the_message_of_each_slip_names_its_own_cause() -> None:
    first, second = load(TWO).diagnostics
    assert (first.span.of(TWO), second.span.of(TWO)) == ("She asks: can I?", 'Says: "x" and y')
    assert "colon" in first.message


def test_three_slips_of_a_prompt_have_three_lines_and_three_fixes() -> None:
    assert rows(HEAD + THREE_SLIPS) == [(7, "yaml-syntax", 1), (10, "key-under-text", 1), (11, "yaml-syntax", 1)]


def test_the_fixes_of_all_slips_fit_together() -> None:
    assert load(fixed(HEAD + THREE_SLIPS)).error is None


def test_each_fix_alone_leaves_the_other_slips_as_they_are() -> None:
    text = HEAD + THREE_SLIPS
    before = load(text).diagnostics
    left = [len(load(apply_edits(text, one.fixes[0].edits)).diagnostics) for one in before]
    assert left == [2, 2, 2]


def test_a_fix_of_layout_that_only_works_where_lines_above_were_left_out_is_not_offered() -> None:
    text = "  d: {$js: 'true'}\ntitle: x\ntitle: x\n  - user: hi"
    assert rows(text) == [(0, "yaml-syntax", 0), (1, "yaml-syntax", 0)]


def test_no_separator_is_offered_above_a_key_that_it_would_cut_off() -> None:
    text = "title: x\n  d: {$js: 'true'}\n- id: a\n"
    assert [rows(text + rest)[-1] for rest in ("", "tags: [x]\n")] == [(2, "yaml-syntax", 1), (2, "yaml-syntax", 0)]


def test_the_other_points_of_a_broken_prompt_are_checked() -> None:
    text = HEAD + THREE_SLIPS
    [found] = [one for one in check(parse(text)) if one.slug == "optional-point"]
    assert found.span.of(text) == "May"


def test_the_points_of_a_broken_prompt_are_read_as_the_fixes_make_them() -> None:
    assert criteria(parse(TWO)) == ['Says: "x" and y', "Names Nairobi"]


def test_an_unknown_key_of_a_broken_prompt_is_reported_at_its_place() -> None:
    text = TWO + "  shoud_not:\n    - x\n"
    [found] = [one for one in check(parse(text)) if one.slug == "unknown-key"]
    assert found.span.of(text) == "shoud_not"


def test_nothing_is_reported_as_missing_where_a_line_could_not_be_read() -> None:
    text = "- id: a\n  prompt: x\n  should:\n  <<<<<<< mine\n"
    assert [one.slug for one in check(parse(text))] == ["yaml-syntax"]


def test_an_alias_in_a_repaired_prompt_keeps_its_target() -> None:
    text = "- id: a\n  prompt: &p y\n  ideal: Is it: so?\n  should: [x]\n- id: b\n  prompt: *p\n"
    assert [prompt.messages[-1].content for prompt in parse(text).blueprint.prompts] == ["y", "y"]


def test_lines_of_one_block_that_cannot_be_read_are_one_error() -> None:
    text = "- id: a\n  prompt: x\n    k: 1\n    l: 2\n    m: 3\n  ideal: y\n"
    assert len(load(text).diagnostics) == 1


def test_more_slips_than_are_repaired_are_cut_off() -> None:
    text = "- id: a\n  should:\n" + "    - x: y: z\n" * 40
    parsed = parse(text)
    assert 0 < len(parsed.tree.diagnostics) < 40
    assert parsed.tree.lost


BULLETS = """- id: a
  prompt: x
  should:
    • one
    - what: is it: so
    // a comment
    - last
"""


def test_a_bullet_that_makes_one_text_of_a_list_hides_no_slip_in_it() -> None:
    assert rows(BULLETS) == [(3, "yaml-syntax", 1), (4, "yaml-syntax", 1), (5, "yaml-syntax", 1)]
    assert criteria(parse(fixed(BULLETS))) == ["one", "what", "last"]


def test_prompts_below_a_separator_of_four_dashes_are_each_read() -> None:
    text = "models:\n- CORE\n----\n- id: a\n  prompt: Is it: so?\n- id: b\n  prompt: y\n"
    assert rows(text) == [(2, "yaml-syntax", 1), (4, "yaml-syntax", 1)]
    assert [prompt.id for prompt in parse(text).blueprint.prompts] == ["a", "b"]


@every("beside", ["", "  citation: y\n", "- id: b\n  prompt: It is: so\n"])
def test_points_at_the_margin_are_one_problem_beside_others(beside: str) -> None:
    text = f"- id: a\n  prompt: Is it: so?\n  should:\n- one\n- two\n{beside}"
    lines = [row[0] for row in rows(text)]
    assert lines[:2] == [1, 3]
    assert fixed(text).count("    - ") == 2


@every("title", ["a: b", "[a", '"a', "@a"])
def test_an_error_of_the_header_does_not_hide_its_missing_separator(title: str) -> None:
    text = f"title: {title}\n- id: a\n  prompt: x\n- id: b\n  prompt: y: z\n"
    assert rows(text) == [(0, "yaml-syntax", 1), (1, "yaml-syntax", 1), (4, "yaml-syntax", 1)]
    assert [prompt.id for prompt in parse(fixed(text)).blueprint.prompts] == ["a", "b"]


@every("above", ["prompts:\n", "prompts: # all\n\n", "--\n"])
def test_no_separator_is_missing_below_a_key_or_a_spoilt_separator(above: str) -> None:
    text = f"title: a: b\n{above}- id: a\n  prompt: x\n"
    assert not [one for one in load(text).diagnostics if "not a list" in one.message]


@pytest.mark.parametrize("separator", ["", "---\n"])
def test_a_point_is_not_moved_to_the_margin_of_its_prompt(separator: str) -> None:
    text = f"title: T\n{separator}- prompt: 'b'\n  - one\n  - two\n"
    assert len(load(text).diagnostics[-1].fixes) == 0


LAWFUL = (
    "  - $nope: [\n- id: a\n",
    '  - "open\n  - 42\n- prompt: b\n',
    "  d: {$js: 'true'}\n- prompt: 'b'\n  - one\n  - ai: null\n",
    "    - - three\n- id: a\n  - $nope: [\n",
    "  - a: b: c\n- id: a\n  - ai: null\n  - *a\n",
    '  messages:\n  - "open\n  - a: b: c\ntitle: x\ntitle: x',
)


@every("text", LAWFUL)
def test_each_fix_leaves_fewer_errors_of_its_rule(text: str) -> None:
    found = load(text).diagnostics
    for one in found:
        for fix in one.fixes:
            left = load(apply_edits(text, fix.edits)).diagnostics
            assert sum(each.slug == one.slug for each in left) < sum(each.slug == one.slug for each in found)


SLIPS = (
    "    - a: b: c\n",
    "    • x\n",
    "    - 'open\n",
    "  prompt: Say: it\n",
    "    - x\n      weight: 2\n",
    "\t- x\n",
    "  - y\n",
)


@needs_corpus
@every("seed", range(tried(12, 40)))
def test_what_is_read_of_a_broken_corpus_file_has_the_places_of_its_text(seed: int) -> None:
    rng = random.Random(seed)
    lines = rng.choice(corpus_files()).read_text("utf-8").splitlines(keepends=True)
    for _ in range(3):
        lines.insert(rng.randrange(len(lines) + 1), rng.choice(SLIPS))
    text = "".join(lines)
    tree = load(text)
    assert all(0 <= one.span.start < one.span.end <= len(text) for one in tree.diagnostics)
    parsed = parse(text)
    spans = [prompt.span for prompt in parsed.blueprint.prompts]
    assert spans == sorted(spans)
    assert all(isinstance(apply_edits(text, fix.edits), str) for one in tree.diagnostics for fix in one.fixes)


@every(
    "text",
    [
        "- a: b: c\n" * 3_000,
        "title: a\n" + "- a\n" * 15_000 + "* b\n- c: d: e\n" * 200,
        "- id: a\n  should:\n" + "    - x: y: z\n" * 5_000,
        "a: b: c\n" * 3_000,
        "- 'a\n" * 5_000,
        f"a: {f'b:{900 * chr(32)}' * 200}",
        f"- prompt: {f'b:{900 * chr(32)}' * 200}\n  should:\n    - x\n",
        f"- a: b: x{' #' * 100_000}\n    b\n",
    ],
)
def test_thousands_of_slips_are_read_in_time(text: str) -> None:
    with costs_less_than(10):
        parse(text)


MANY_SLIPS = """-  *a "x"
- &a ?
---
*a:
  - -  []
  -  [&a C]
  - *a: *a "a
   b"
    &k b: !!str "b"
a:
  - ? x:
      *a &a [1]
    'q': -.inf
prompt:
  id: a: b
  a: *a `a`
...
-  &a
-  *a <<
- {!t c: !!str http://xn--a, ? x: https://[::1, : "a
   b"}
"""


def test_few_readings_find_the_slips_of_a_short_text(monkeypatch: pytest.MonkeyPatch) -> None:
    reads = Mock(side_effect=Reader.read, autospec=True)
    monkeypatch.setattr(Reader, "read", lambda reader: reads(reader))
    load(MANY_SLIPS)
    assert reads.call_count < 800


def test_a_short_reading_counts_more_than_its_characters() -> None:
    effort = Effort(10_000)
    assert sum(effort.spend(1) for _ in range(100)) < 10


def test_text_behind_the_sign_of_a_block_text_spoils_no_line_of_the_block() -> None:
    text = "- messages:\n    - assistant: |x\n        - No.\n\n        Yes: now.\n  should: [Says yes]\n"
    assert [each.span.of(text) for each in load(text).diagnostics] == ["x"]


@pytest.mark.parametrize("text", ["title: A\n- id: a\n  prompt: b\n", "- id: a\n  should:\n  - x - y\n  -z: [a\n"])
def test_the_fixes_of_a_text_with_windows_line_ends_write_such_line_ends(text: str) -> None:
    after = fixed(text.replace("\n", "\r\n"))
    assert after == fixed(text).replace("\n", "\r\n")
