"""Comments that silence a rule: where they count, and what is said of those that do nothing."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from engine.functions.v8 import JavaScript
from engine.parsing import parse, weval_config
from engine.rules import ALL, Checker, check
from engine.rules.fixes import fix_text
from engine.rules.selection import RuleSelection
from engine.rules.suppression import as_intended, suppressing_edit, suppressions
from engine.text.diagnostics import Diagnostic
from engine.text.spans import apply_edits
from tests.checked_corpus import checked_corpus
from tests.engine.suppressed import HEAD, QUOTED, slugs, told
from tests.many_cases import every
from tests.processor_time import costs_less_than
from tests.thoroughness import one_in
from tests.world import corpus_files, needs_corpus

# Comments that silence a rule: where they count, and what is said of those that do nothing


def test_a_suppression_names_its_rules_and_the_item_that_it_speaks_of() -> None:
    text = "a:\n  # studio: ignore[one, two] because\n  - x\n    y\n  - z\n"
    [found] = suppressions(parse(text).tree)
    assert [(name.text, name.span.of(text)) for name in found.names] == [("one", "one"), ("two", "two")]
    assert found.span.of(text) == "  - x\n    y"
    assert found.comment.of(text) == "# studio: ignore[one, two] because"


def test_two_comments_on_one_line_both_count() -> None:
    text = f"{HEAD}    - x # studio: ignore[one] why # studio: ignore[two] why\n"
    assert [[name.text for name in one.names] for one in suppressions(parse(text).tree)] == [["one"], ["two"]]


def test_a_comment_behind_the_mark_of_a_block_of_text_counts() -> None:
    text = f"{HEAD}    - $matches: | # studio: ignore[bad-regex] an example\n        (\n"
    assert len(suppressions(parse(text).tree)) == 1


def test_a_rule_is_silenced_by_its_code_as_well() -> None:
    assert slugs(f"{HEAD}    {QUOTED} # studio: ignore[Y003] an example\n") == []


def test_a_comment_without_a_reason_is_fine() -> None:
    assert slugs(f"{HEAD}    {QUOTED} # studio: ignore[quoted-function]\n") == []


# --- A comment that does nothing


def test_a_comment_is_not_called_unused_while_its_rule_takes_no_part() -> None:
    text = f"{HEAD}    - x # studio: ignore[bad-weight] why\n"
    chosen = RuleSelection(select=frozenset({"Y003", "S091"}))
    assert Checker(chosen.rules()).check(parse(text)) == ()


def test_a_rule_that_waits_for_v8_is_not_called_unused_before_it_ran(javascript: JavaScript) -> None:
    idle = parse(f"{HEAD}    - x # studio: ignore[ideal-fails] why\n  ideal: x\n")
    checker = Checker()
    assert checker.check(idle) == ()
    assert [one.slug for one in checker.check(idle, javascript)] == ["unused-suppression"]
    assert [one.slug for one in checker.check(idle)] == ["unused-suppression"]


def test_what_v8_finds_is_silenced_and_the_comment_is_in_use(javascript: JavaScript) -> None:
    text = f"{HEAD}    - $contains: yellow # studio: ignore[ideal-fails] why\n  ideal: The sky is blue.\n"
    assert [one.slug for one in check(parse(text), javascript)] == []


def test_each_rule_can_be_named_in_a_comment() -> None:
    names = ", ".join(rule.slug for rule in ALL)
    assert "unknown-suppression" not in slugs(f"{HEAD}    - x # studio: ignore[{names}]\n")


# --- A comment on the whole file


@every("comment", ["# studio: ignore-file[x]\n", "# studio: ignore[x]\n", "# studio ignore(x): y\n"])
def test_comments_below_each_other_are_read_in_one_go(comment: str) -> None:
    parsed = parse(HEAD + comment * 4_000 + "    - Says it\n")
    with costs_less_than(3):
        check(parsed)


# Comments that were meant to silence a rule, in a form that does not


def malformed(text: str) -> list[Diagnostic]:
    return [one for one in told(text) if one.slug == "malformed-suppression"]


@every(
    "text",
    [
        f"{HEAD}    - |\n      # studio: ignore\n",
        f"{HEAD}    - 'say # studio: ignore'\n",
        f"{HEAD}    - say#studio ignore\n",
    ],
)
def test_what_only_looks_like_a_comment_is_not_malformed(text: str) -> None:
    assert malformed(text) == []


def test_it_is_not_fixed_either_where_the_rule_on_comments_does_not_run() -> None:
    text = f"{HEAD}    {QUOTED} # studio ignore[quoted-function]\n"
    assert fix_text(text, None, selection=RuleSelection(select=frozenset({"Y003"}))).text == text


def test_a_malformed_comment_can_be_silenced_as_well() -> None:
    text = f"# studio: ignore-file[malformed-suppression] for the course\n{HEAD}    - x # studio: ignore\n"
    assert slugs(text) == []


@needs_corpus
def test_no_comment_of_the_corpus_is_malformed() -> None:
    slugs = {one.slug for _, reports in checked_corpus() for one in reports}
    assert "malformed-suppression" not in slugs


FORMS = st.builds(
    "#{}{}{}{}{}{}{}".format,
    st.sampled_from(["", " ", "  "]),
    st.sampled_from(["studio", "Studio", "blueprint-studio"]),
    st.sampled_from([":", " ", ": ", " : ", "："]),
    st.sampled_from(["ignore", "Ignore", "ignored"]),
    st.sampled_from(["[", " [", "(", ": ", " "]),
    st.sampled_from(["quoted-function", "Y003", "quoted-function, bad-weight"]),
    st.sampled_from(["]", ")", "] why", "", " why not"]),
)


@given(FORMS)
def test_a_comment_that_names_a_rule_silences_it_or_is_reported(comment: str) -> None:
    text = f"{HEAD}    {QUOTED} {comment}\n"
    found = slugs(text)
    assert "quoted-function" not in found or {"malformed-suppression", "unknown-suppression"} & set(found)


# The edit that says of a problem that it is as intended: a comment that silences its rule


EITHER = f"""{HEAD}    - {{text: a, wieght: 2}}
    - |
      Says this
      and that
    - [b, c]
  shuold:
    - d
"""


def silenced(text: str, path: Path | None = None) -> list[tuple[str, str]]:
    """Every problem that stays told after the edit that ought to silence it, with the text that the edit gave."""
    parsed, checker = parse(text, path), Checker()
    left: list[tuple[str, str]] = []
    for one in checker.check(parsed):
        edit = suppressing_edit(parsed.tree, one.span, one.slug)
        if edit is None:
            continue
        after = apply_edits(text, [edit])
        again = parse(after, path)
        moved = one.span.shifted(len(edit.text) if edit.span.start <= one.span.start else 0)
        same = any((found.slug, found.span.start) == (one.slug, moved.start) for found in checker.check(again))
        if same or weval_config(again) != weval_config(parsed) or again.tree.error is not None:
            left.append((one.slug, after))
    return left


@every(
    ("item", "after"),
    [
        (f"    {QUOTED}\n", f"    {QUOTED} # studio: ignore[quoted-function] as intended\n"),
        (f"    {QUOTED}  # c\n", f"    {QUOTED}  # c # studio: ignore[quoted-function] as intended\n"),
        (
            f'    - y\n    {QUOTED[:-1]}{"x" * 90}"\n',
            f'    - y\n    # studio: ignore[quoted-function] as intended\n    {QUOTED[:-1]}{"x" * 90}"\n',
        ),
        (
            "    - |\n      $contains: 'a'\n    - y\n",
            "    - | # studio: ignore[quoted-function] as intended\n      $contains: 'a'\n    - y\n",
        ),
        (
            "    - \"$contains:\n      'a'\"\n",
            "    # studio: ignore[quoted-function] as intended\n    - \"$contains:\n      'a'\"\n",
        ),
        (
            "    - $contains:x\n      and more\n",
            "    # studio: ignore[quoted-function] as intended\n    - $contains:x\n      and more\n",
        ),
    ],
)
def test_the_comment_goes_to_the_end_of_the_line_or_above_the_item(item: str, after: str) -> None:
    text = HEAD + item
    found = next(one for one in told(text) if one.slug == "quoted-function")
    edit = suppressing_edit(parse(text).tree, found.span, found.slug)
    assert edit is not None
    assert apply_edits(text, [edit]) == HEAD + after


@every("newline", ["\n", "\r\n", "\r"])
@every(
    "text",
    [
        EITHER,
        f"{HEAD}    {QUOTED}\n    - y\n",
        "- {id: p, prompt: q, should: [\"$contains: 'x'\", y], wieght: 1}\n",
        "- {id: p, prompt: q,\n   should: [\"$contains: 'x'\",\n            \"$contains: 'y'\"\n           ]}\n",
        f"{HEAD}    - - a\n    - - b\n    - c\n",
        f"{HEAD}    - |+\n      $contains: 'x'\n\n\n    {QUOTED}\n",
        f"{HEAD}    - >-\n      $contains:\n      'x'\n",
        "title: t\nwieght: 3\n---\n- id: p\n  prompt: q\n  should: x\n",
        f"{HEAD}    - {{point: {'long ' * 30}, weight: 20}}\n",
        f"{HEAD}    - point: {'long ' * 30}\n      weight: 20\n",
        "- id: p\n  prompt: q\n",
    ],
)
def test_after_the_edit_the_problem_is_gone_and_nothing_else_means_another_thing(text: str, newline: str) -> None:
    text = text.replace("\n", newline)
    assert told(text)
    assert silenced(text) == []


POINTS = st.sampled_from(
    [
        QUOTED,
        "- 42",
        "- $contains:x",
        "- |\n      $contains: 'a'",
        "- \"$contains:\n      'a'\"",
        "- {point: x, weight: 20} # why",
        "- [a]",
        "- - a\n      - b",
        "- $icontians: x",
        "- ['contains', \"x\"]",
        "- point: >\n        text\n      wieght: 1",
        "- " + "word " * 25 + "\n      $x",
        "-   # a remark\n      $100 is named",
    ]
)


@given(st.lists(POINTS, min_size=1, max_size=4), st.sampled_from(["\n", "\r\n"]), st.sampled_from(["", "\n\n"]))
def test_the_edit_holds_for_points_of_every_shape(points: list[str], newline: str, between: str) -> None:
    text = HEAD + "".join(f"    {point}\n{between}" for point in points)
    assert silenced(text.replace("\n", newline)) == []


def test_no_edit_is_offered_where_there_is_no_place_for_a_comment() -> None:
    json = parse('{"prompts": [{"id": "a", "prompt": "x", "should": ["$contains: b"]}]}', Path("a.json"))
    assert suppressing_edit(json.tree, check(json)[0].span, "quoted-function") is None
    broken = parse(f"{HEAD}    {QUOTED}\n    - 'x\n")
    assert all(suppressing_edit(broken.tree, one.span, one.slug) is None for one in check(broken))


def test_as_intended_is_never_applied_by_itself() -> None:
    parsed = parse(f"{HEAD}    {QUOTED}\n")
    [fix] = as_intended(parsed.tree, check(parsed)[0].span, "quoted-function")
    assert not fix.safe


@needs_corpus
def test_every_problem_of_the_corpus_can_be_called_intended() -> None:
    files = one_in(20, corpus_files())
    left = [(path.name, *one) for path in files for one in silenced(path.read_text("utf-8"), path)]
    assert Counter((name, slug) for name, slug, _after in left) == Counter()
