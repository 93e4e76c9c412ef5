"""Several slips in one prompt: each is reported at its own line with its own fix, and the rest is checked."""

from __future__ import annotations

import random
from unittest.mock import Mock

import pytest

from engine.parsing import Parsed, parse
from engine.rules import check
from engine.text.spans import LineIndex, apply_edits
from engine.yaml.diagnosis import Effort
from engine.yaml.reader import Reader
from engine.yaml.tree_loader import load
from tests.processor_time import costs_less_than
from tests.thoroughness import tried
from tests.world import corpus_files, needs_corpus

HEAD = "title: T\n---\n- id: first\n  prompt: x\n  should:\n    - one\n"
TWO = """- id: a
  prompt: She asks: can I?
  should:
    - Says: "x" and y
    - Names Nairobi
"""
THREE = """- id: a
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
    assert rows(HEAD + THREE) == [(7, "yaml-syntax", 1), (10, "key-under-text", 1), (11, "yaml-syntax", 1)]


def test_the_fixes_of_all_slips_fit_together() -> None:
    assert load(fixed(HEAD + THREE)).error is None


def test_each_fix_alone_leaves_the_other_slips_as_they_are() -> None:
    text = HEAD + THREE
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
    text = HEAD + THREE
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


@pytest.mark.parametrize("beside", ["", "  citation: y\n", "- id: b\n  prompt: It is: so\n"])
def test_points_at_the_margin_are_one_problem_beside_others(beside: str) -> None:
    text = f"- id: a\n  prompt: Is it: so?\n  should:\n- one\n- two\n{beside}"
    lines = [row[0] for row in rows(text)]
    assert lines[:2] == [1, 3]
    assert fixed(text).count("    - ") == 2


@pytest.mark.parametrize("title", ["a: b", "[a", '"a', "@a"])
def test_an_error_of_the_header_does_not_hide_its_missing_separator(title: str) -> None:
    text = f"title: {title}\n- id: a\n  prompt: x\n- id: b\n  prompt: y: z\n"
    assert rows(text) == [(0, "yaml-syntax", 1), (1, "yaml-syntax", 1), (4, "yaml-syntax", 1)]
    assert [prompt.id for prompt in parse(fixed(text)).blueprint.prompts] == ["a", "b"]


@pytest.mark.parametrize("above", ["prompts:\n", "prompts: # all\n\n", "--\n"])
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


@pytest.mark.parametrize("text", LAWFUL)
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
@pytest.mark.parametrize("seed", range(tried(12, 40)))
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


@pytest.mark.parametrize(
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
    ids=["items", "errors below many items", "points", "keys", "quotes", "blanks", "blanks of a key", "comment signs"],
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
