"""Comments that were meant to silence a rule, in a form that does not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.rules.fixes import fix_text
from engine.rules.selection import RuleSelection
from engine.text.diagnostics import Diagnostic, Severity
from engine.text.spans import apply_edits
from tests.checked_corpus import checked_corpus
from tests.engine.suppressed import BOTH, HEAD, QUOTED, slugs, told
from tests.world import needs_corpus

WELL_FORMED = "# studio: ignore[quoted-function]"


def malformed(text: str) -> list[Diagnostic]:
    return [one for one in told(text) if one.slug == "malformed-suppression"]


@pytest.mark.parametrize(
    ("comment", "after"),
    [
        ("# studio ignore[quoted-function]", WELL_FORMED),
        ("# studio ignore[quoted-function] why", f"{WELL_FORMED} why"),
        ("#studio ignore [quoted-function]", WELL_FORMED),
        ("# studio: ignore [quoted-function] why", f"{WELL_FORMED} why"),
        ("# studio: ignore quoted-function", WELL_FORMED),
        ("# studio: ignore quoted-function because of this", f"{WELL_FORMED} because of this"),
        ("# studio: ignore quoted-function, bad-weight: why", "# studio: ignore[quoted-function, bad-weight] why"),
        ("# studio: ignore quoted-function bad-weight", "# studio: ignore[quoted-function, bad-weight]"),
        ("# studio: ignore: quoted-function", WELL_FORMED),
        ("# studio: ignore=quoted-function", WELL_FORMED),
        ("# studio: ignore(quoted-function) why", f"{WELL_FORMED} why"),
        ("# studio: ignore{quoted-function}", WELL_FORMED),
        ("# studio: ignore<quoted-function>", WELL_FORMED),
        ("# studio: ignore［quoted-function］", WELL_FORMED),
        ("# studio: ignore[quoted-function why", f"{WELL_FORMED} why"),
        ("# studio: ignore quoted-function] why", f"{WELL_FORMED} why"),
        ("# Studio: ignore[quoted-function]", WELL_FORMED),
        ("# STUDIO: IGNORE[Quoted-Function]", WELL_FORMED),
        ("# studio：ignore[y003]", "# studio: ignore[Y003]"),
        ("# studio : ignore[quoted-function]", WELL_FORMED),
        ("# studio; ignore[quoted-function]", WELL_FORMED),
        ("# studio - ignore[quoted-function]", WELL_FORMED),
        ("# studio.ignore[quoted-function]", WELL_FORMED),
        ("# blueprint-studio: ignore[quoted-function]", WELL_FORMED),
        ("# studio: ignores[quoted-function]", WELL_FORMED),
        ("# studio: ignored[quoted-function]", WELL_FORMED),
    ],
)
def test_a_comment_in_another_form_is_a_warning_with_the_form_as_its_safe_fix(comment: str, after: str) -> None:
    text = f"{HEAD}    {QUOTED} {comment}\n"
    [found] = malformed(text)
    assert (found.code, found.severity, found.span.of(text)) == ("S092", Severity.WARNING, comment)
    assert found.fixes[0].safe
    fixed = apply_edits(text, found.fixes[0].edits)
    assert fixed == f"{HEAD}    {QUOTED} {after}\n"
    assert not {"quoted-function", "malformed-suppression", "unknown-suppression"} & set(slugs(fixed))


@pytest.mark.parametrize("comment", ["# studio: ignore", "# studio ignore", "# studio: ignore this, it is meant so"])
def test_a_comment_without_a_rule_offers_those_that_are_reported_here(comment: str) -> None:
    text = f"{HEAD}    {QUOTED} {comment}\n"
    [found] = malformed(text)
    assert [(fix.title, fix.safe) for fix in found.fixes] == [("name what is reported here: quoted-function", False)]
    assert slugs(apply_edits(text, found.fixes[0].edits)) == []


def test_a_comment_without_a_rule_where_nothing_is_reported_can_go() -> None:
    text = f"{HEAD}    - x # studio: ignore\n"
    [found] = malformed(text)
    assert apply_edits(text, found.fixes[0].edits) == f"{HEAD}    - x\n"


@pytest.mark.parametrize(
    ("comment", "top"),
    [
        ("# studio: ignore-file[quoted-function] why", "# studio: ignore-file[quoted-function] why"),
        ("# studio ignore-file quoted-function", "# studio: ignore-file[quoted-function]"),
        ("# studio: file-ignore[quoted-function]", "# studio: ignore-file[quoted-function]"),
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_comment_on_the_file_below_content_moves_to_the_top(comment: str, top: str, newline: str) -> None:
    text = f"{HEAD}    {QUOTED} {comment}\n".replace("\n", newline)
    [found] = malformed(text)
    assert found.fixes[0].safe
    fixed = apply_edits(text, found.fixes[0].edits)
    assert fixed == f"{top}\n{HEAD}    {QUOTED}\n".replace("\n", newline)
    assert slugs(fixed) == []


@pytest.mark.parametrize("comment", ["# studio: ignore_file[quoted-function]", "# studio: ignore-file quoted-function"])
def test_a_comment_on_the_file_in_another_form_is_rewritten_in_its_place(comment: str) -> None:
    [found] = malformed(f"{comment}\n{BOTH}")
    assert slugs(apply_edits(f"{comment}\n{BOTH}", found.fixes[0].edits)) == []


@pytest.mark.parametrize(
    "comment",
    [
        "# Studio ignores the draft",
        "# the studio: ignore it in June",
        "# studio",
        "# studio: see the guide",
        "# studio: off the record, this is meant",
        "# studio: skip the second one when short of time",
        "# Studio: allow two readings",
        "# studio ignore the noise of the fans",
        "# noqa",
        "# ruff: noqa: E501",
        "# type: ignore[arg-type]",
        "# yamllint disable-line rule:line-length",
        "# ignore[E501]",
        "# ignore this",
        "# studio: ignore[quoted-function] why",
        "#studio:ignore[quoted-function]",
        "# note # studio: ignore[quoted-function]",
    ],
)
def test_a_remark_and_the_comment_of_another_tool_are_left_alone(comment: str) -> None:
    assert malformed(f"{HEAD}    {QUOTED} {comment}\n") == []


@pytest.mark.parametrize(
    "text",
    [
        f"{HEAD}    - |\n      # studio: ignore\n",
        f"{HEAD}    - 'say # studio: ignore'\n",
        f"{HEAD}    - say#studio ignore\n",
    ],
)
def test_what_only_looks_like_a_comment_is_not_malformed(text: str) -> None:
    assert malformed(text) == []


@pytest.mark.parametrize(
    ("comment", "after"),
    [
        ("# studio ignore[quoted-function] why", f"{WELL_FORMED} why"),
        ("# studio: ignore", "# studio: ignore"),
        ("# studio: disable[quoted-function]", "# studio: disable[quoted-function]"),
    ],
)
def test_what_a_malformed_comment_was_meant_for_is_not_fixed_meanwhile(comment: str, after: str) -> None:
    fixed = fix_text(f"{HEAD}    {QUOTED} {comment}\n    {QUOTED}\n", None).text
    assert fixed.splitlines()[3:] == [f"    {QUOTED} {after}", f"    {QUOTED}".replace('"', "")]


def test_it_is_not_fixed_either_where_the_rule_on_comments_does_not_run() -> None:
    text = f"{HEAD}    {QUOTED} # studio ignore[quoted-function]\n"
    assert fix_text(text, None, selection=RuleSelection(select=frozenset({"Y003"}))).text == text


def test_a_second_comment_on_a_line_is_looked_at() -> None:
    assert len(malformed(f"{HEAD}    {QUOTED} # studio: ignore[quoted-function] why # studio: ignore\n")) == 1


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
