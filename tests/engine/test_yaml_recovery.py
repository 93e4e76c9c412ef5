"""A broken text: what is sound of it stays readable, every cause is told where it lies, and fixes mend."""

from __future__ import annotations

import random
from unittest.mock import Mock

import pytest

from engine.parsing import Parsed, parse
from engine.text.spans import LineIndex, apply_edits
from engine.yaml.diagnosis import Effort
from engine.yaml.reader import Reader
from engine.yaml.tree_loader import load
from tests.many_cases import every
from tests.pieces import whole_text
from tests.processor_time import costs_less_than
from tests.thoroughness import tried
from tests.world import corpus_files, needs_corpus

# A broken text: what is sound of it stays readable, every cause is told where it lies, and fixes mend


@needs_corpus
def test_the_broken_files_of_the_corpus_are_told_and_mended() -> None:
    texts = [path.read_text("utf-8") for path in corpus_files()]
    broken = [tree for tree in map(load, texts) if tree.error is not None]
    mended = [load(apply_edits(tree.text, tree.diagnostics[0].fixes[0].edits)) for tree in broken]
    assert [tree.error for tree in mended] == [None, None]


@pytest.mark.parametrize("text", ["{ruler}\ntitle: a: b\n---\n- id: x\n", "- id: a\n-\n{ruler}\n-\n  b: c: d\n"])
def test_a_ruler_of_hashes_beside_an_error_costs_no_more_than_other_comments(text: str) -> None:
    """Each hash may begin a comment; trying all the ways to divide the ruler would never end."""
    assert load(text.replace("{ruler}", "#" * 400)).error is not None


def test_thousands_of_broken_keys_are_read_in_time() -> None:
    with costs_less_than(5):
        parsed = parse("a: b\nc: [\n" * 4_000)
    assert parsed.broken.header
    assert sum(found.slug == "yaml-syntax" for found in parsed.tree.diagnostics) <= 400


# Several slips in one prompt: each is reported at its own line with its own fix, and the rest is checked


HEAD = "title: T\n---\n- id: first\n  prompt: x\n  should:\n    - one\n"
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


def test_the_fixes_of_all_slips_fit_together() -> None:
    assert load(fixed(HEAD + THREE_SLIPS)).error is None


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
        "- a: b: c\n" * 1_000,
        "title: a\n" + "- a\n" * 3_000 + "* b\n- c: d: e\n" * 100,
        "- id: a\n  should:\n" + "    - x: y: z\n" * 1_000,
        "a: b: c\n" * 1_000,
        "- 'a\n" * 1_000,
        f"a: {f'b:{900 * chr(32)}' * 200}",
        f"- prompt: {f'b:{900 * chr(32)}' * 200}\n  should:\n    - x\n",
        f"- a: b: x{' #' * 100_000}\n    b\n",
    ],
)
def test_thousands_of_slips_are_read_in_time(text: str) -> None:
    with costs_less_than(2):
        parse(text)


MANY_SLIPS = whole_text("many-slips.yml")


def test_few_readings_find_the_slips_of_a_short_text(monkeypatch: pytest.MonkeyPatch) -> None:
    reads = Mock(side_effect=Reader.read, autospec=True)
    monkeypatch.setattr(Reader, "read", lambda reader: reads(reader))
    load(MANY_SLIPS)
    assert reads.call_count < 800


def test_a_short_reading_counts_more_than_its_characters() -> None:
    effort = Effort(10_000)
    assert sum(effort.spend(1) for _ in range(100)) < 10


@pytest.mark.parametrize("text", ["title: A\n- id: a\n  prompt: b\n", "- id: a\n  should:\n  - x - y\n  -z: [a\n"])
def test_the_fixes_of_a_text_with_windows_line_ends_write_such_line_ends(text: str) -> None:
    after = fixed(text.replace("\n", "\r\n"))
    assert after == fixed(text).replace("\n", "\r\n")
