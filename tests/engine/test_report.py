"""A report is whole in one file, says what was asked and how it was scored, and nothing in it can act."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from engine.blueprint import Blueprint, Header
from engine.evaluation.events import Failed, Scored
from engine.evaluation.prompt_evaluation import evaluate
from engine.evaluation.result_json import Entry
from engine.evaluation.sources import AnswerSource, IdealSource, WrittenSource
from engine.functions.v8 import JavaScript
from engine.judging.panel import panel
from engine.parsing import parse
from engine.report.blocks import element, fenced, inline, page_style, pieces
from engine.report.report import PointResult, Report, ReportedVerdict, ReportSource, build_report, report_json
from engine.report.report_page import html_report, markdown_report
from engine.report.review_findings import pull_request, review, suggestions, trimmed
from engine.rules import ALL, Checker
from engine.scoring.assessment import Criterion, Grade
from engine.study.case_reader import read_cases
from engine.study.case_scoring import CaseCheck
from engine.study.criterion_counts import ranking_of
from engine.text.diagnostics import Diagnostic, Fix, Severity
from engine.text.record import replace
from engine.text.spans import Span, TextEdit, apply_edits
from tests.engine.short_cases import assert_says
from tests.many_cases import every
from tests.pieces import whole_text
from tests.thoroughness import tried

MADE = datetime(2026, 11, 23, 12, 30, tzinfo=UTC)
RENT = whole_text("rent.yml")
HOSTILE = (
    '</td><script>alert(1)</script><img src="https://evil.example/x.png" onerror=alert(1)>'
    "![x](https://evil.example/y) [click](javascript:alert(1)) <https://evil.example> www.evil.example"
    " `code` ``` **bold** | cell | @someone \x1b[31m\u202etxet\u202c\u200b&lt;b&gt; --> <!-- \x00"
)

HOSTILE_FILE = whole_text("filled-with-one-text.txt")


def scored(text: str, javascript: JavaScript, *sources: AnswerSource) -> list[Entry]:
    """Each prompt of `text` with each source; the criterion of the first answer is graded."""
    blueprint = parse(text).blueprint
    grades = {Criterion(rubric.block, point.text): Grade.PARTIALLY_PRESENT for prompt in blueprint.prompts
              for rubric in prompt.rubrics for point in rubric.points() if point.text}  # fmt: skip

    async def last(entry: Entry, source: AnswerSource, graded: bool) -> Entry:
        events = evaluate(entry.prompt, blueprint, source, javascript=javascript, grades=grades if graded else {})
        outcome = [event async for event in events][-1]
        assert isinstance(outcome, Scored | Failed)
        return Entry(entry.prompt, entry.prompt_key, source.key, outcome)

    async def every() -> list[Entry]:
        return [
            await last(Entry(prompt, prompt.id, "", Failed("")), source, number == 0)
            for prompt in blueprint.prompts
            for number, source in enumerate(sources)
        ]

    return asyncio.run(every())


@pytest.fixture(scope="module")
def report(javascript: JavaScript) -> Report:
    entries = scored(RENT, javascript, IdealSource(), WrittenSource("Ask a lawyer on the 3rd."))
    failed = Entry(entries[0].prompt, "due", "openai:gpt-4o-mini", Failed("No key", advice="Set it."))
    return build_report(ReportSource(parse(RENT).blueprint.header, "rent.yml", MADE, [*entries, failed]))


class Page(HTMLParser):
    """What a browser would be told: each element with its attributes, and the text that is shown."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.shown = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if not {"style", "title"} & set(self.open):
            self.shown += data


def test_the_arithmetic_is_told(report: Report) -> None:
    (prompt,) = report.prompts
    ideal = prompt.answers[0]
    assert [result.extent for result in ideal.points] == [1, 0.5, 1, 0, 1]
    assert sum(result.cost or 0 for result in ideal.points) == pytest.approx(100 - 100 * ideal.score.bounds.high)  # pyright: ignore[reportOptionalMemberAccess]
    assert [(point.number, point.path, point.weight) for point in prompt.points] == [
        (1, None, 1),
        (2, None, 2),
        (3, "path 1", 1),
        (4, "path 2", 1),
        (5, None, 1),
    ]


def test_what_weval_stores_is_told_once(report: Report) -> None:
    steps = report.prompts[0].answers[0].steps
    assert [step for step in steps if "Weval" in step] == ["Weval stores 0.88"]


def test_a_failed_answer_has_its_reason_and_no_score(report: Report) -> None:
    failed = report.prompts[0].answers[2]
    assert (failed.figure, failed.failure) == ("failed", "No key Set it.")
    assert [(total.key, total.scored, total.failed) for total in report.totals] == [
        ("ideal", 1, 0),
        ("response", 1, 0),
        ("openai:gpt-4o-mini", 0, 1),
    ]


def test_who_graded_is_told(report: Report) -> None:
    assert [(each.name, each.about, each.verdicts) for each in report.graders] == [("the author", "graded by hand", 1)]
    assert report.judges == ()


@pytest.mark.parametrize("form", [html_report, markdown_report])
def test_each_form_tells_what_was_asked_and_answered(report: Report, form: object) -> None:
    text = form(report)  # pyright: ignore[reportCallIssue]
    plain = re.sub(r"</?mark>|<sup>.*?</sup>|\\\\", "", text)
    wanted = ("When is the rent due?", "by the lease.", "Names the lease", "No key", "graded by hand", "Gains need")
    assert [words for words in wanted if words not in plain] == []


def test_the_evidence_is_marked_in_the_answer(report: Report) -> None:
    assert "On the <mark>3rd</mark><sup>1</sup>, by the <mark>lease</mark><sup>3</sup>." in html_report(report)


def test_the_json_has_the_points_of_each_answer(report: Report) -> None:
    data = report_json(report)
    answer = data["prompts"][0]["answers"][0]  # pyright: ignore[reportIndexIssue,reportOptionalSubscript,reportCallIssue,reportArgumentType]
    assert answer["points"][0]["evidence"] == [[7, 10]]  # pyright: ignore[reportIndexIssue,reportOptionalSubscript,reportCallIssue,reportArgumentType]
    assert data["version"] == 1


@pytest.mark.parametrize("form", [html_report, markdown_report])
def test_an_open_point_has_no_figures(javascript: JavaScript, form: Callable[[Report], str]) -> None:
    answer = IdealSource(), WrittenSource("Ask a lawyer on the 3rd.")
    made = build_report(ReportSource(parse(RENT).blueprint.header, "rent.yml", MADE, scored(RENT, javascript, *answer)))
    point = made.prompts[0].answers[1].points[1]
    assert (point.extent, point.cost, point.gain) == (None, None, None)
    assert "not judged" in form(made)


def with_result(report: Report, result: PointResult) -> Report:
    """`report` with this as the only result of its first answer."""
    (prompt,) = report.prompts
    answer = replace(prompt.answers[0], points=(result,))
    return replace(report, prompts=(replace(prompt, answers=(answer,)),))


JUDGED = PointResult(
    1, 0.5, 0, 0, "a: fully present, b: absent; mean 0.5; c declined to judge",
    verdicts=(
        ReportedVerdict("a(x:a)", "fully present", "It says so."),
        ReportedVerdict("b(x:b)", "absent", "It does not."),
        ReportedVerdict("c(x:c)", "declined to judge", ""),
    ),
    detail_has_verdicts=True,
)  # fmt: skip


@pytest.mark.parametrize("form", [html_report, markdown_report])
@pytest.mark.parametrize("words", ["fully present", "declined to judge", "It says so.", "b(x:b)"])
def test_a_verdict_is_told_once(report: Report, form: Callable[[Report], str], words: str) -> None:
    assert form(with_result(report, JUDGED)).replace("\\", "").count(words) == 1


@pytest.mark.parametrize("form", [html_report, markdown_report])
def test_a_verdict_that_a_grade_replaces_is_still_told(report: Report, form: Callable[[Report], str]) -> None:
    graded = replace(JUDGED, detail="you graded it partially present", detail_has_verdicts=False)
    assert "a(x:a): fully present" in form(with_result(report, graded)).replace("\\", "")


@pytest.mark.parametrize("form", [html_report, markdown_report])
def test_a_lone_reason_stands_below_its_verdict_without_a_name(report: Report, form: Callable[[Report], str]) -> None:
    alone = replace(JUDGED, detail="a: fully present", verdicts=JUDGED.verdicts[:1])
    text = form(with_result(report, alone)).replace("\\", "")
    assert ("It says so." in text, "a(x:a)" in text) == (True, False)


def test_cases_are_listed_with_their_outcomes(javascript: JavaScript) -> None:
    blueprint = parse(RENT).blueprint
    file, _ = read_cases(
        "version: 1\ncases:\n"
        "  - {prompt: due, answer: 'A lawyer knows.', label: bad, score: [0, 10], reason: Evasive, by: Ada, grades: "
        "[{criterion: Names the lease, grade: absent, by: Ada}]}\n"
        "  - {prompt: due, answer: 'On the 3rd.', label: good, by: Zoe}\n"
        "  - {prompt: due, answer: Ask them., label: bad, test: refusal}\n"
    )
    outcomes = CaseCheck(blueprint, javascript, panel(blueprint.header)).outcomes(file.cases)
    entries = scored(RENT, javascript, IdealSource())
    made = build_report(ReportSource(blueprint.header, "rent.yml", MADE, entries, outcomes, ranking_of(outcomes)))
    assert made.cases is not None
    assert [(case.name, case.label, case.expected, case.state) for case in made.cases.cases] == [
        ("case 1", "bad", "0–10", "passed"),
        ("case 2", "good", "", "labelled"),
        ("case 3", "bad", "", "labelled"),
    ]
    assert ("Ada", "grades in cases", 1) in [(each.name, each.about, each.verdicts) for each in made.graders]
    assert "“Evasive”, Ada" in html_report(made)
    assert "Zoe" in html_report(made)
    assert "bad, test answer: refusal" in html_report(made)
    assert "bad, test answer: refusal" in markdown_report(made)
    assert "The rubric ranks 1 of 1 good–bad pair rightly" in markdown_report(made)


# --- Nothing in it can act


@pytest.fixture(scope="module")
def hostile(javascript: JavaScript) -> Report:
    quoted = '"' + "".join(f"\\U{ord(character):08x}" for character in HOSTILE) + '"'
    written = HOSTILE_FILE.format(quoted)
    assert parse(written).blueprint.prompts[0].ideal == HOSTILE
    entries = scored(written, javascript, IdealSource(), WrittenSource(HOSTILE))
    failed = Entry(entries[0].prompt, entries[0].prompt_key, HOSTILE, Failed(HOSTILE, HOSTILE))
    return build_report(ReportSource(parse(written).blueprint.header, HOSTILE, MADE, [*entries, failed]))


def test_a_browser_is_told_nothing_but_the_elements_of_a_report(hostile: Report) -> None:
    page = Page(html_report(hostile))
    assert {name for name, _ in page.elements} <= {
        "html", "head", "meta", "title", "style", "body", "header", "main", "footer", "section", "h1", "h2", "h3", "p",
        "a", "div", "span", "code", "small", "strong", "mark", "sup", "table", "caption", "thead", "tbody", "tr", "th",
        "td", "details", "summary", "dl", "dt", "dd",
    }  # fmt: skip
    allowed = {"class", "id", "href", "scope", "dir", "open", "lang", "charset", "http-equiv", "content", "name"}
    assert {key for _, attributes in page.elements for key in attributes} <= allowed


def test_no_attribute_leads_outside_the_file(hostile: Report) -> None:
    page = Page(html_report(hostile))
    links = [value for _, attributes in page.elements if (value := attributes.get("href"))]
    anchors = {value for _, attributes in page.elements if (value := attributes.get("id"))}
    assert links
    assert all(link.startswith("#") and link[1:] in anchors for link in links)
    assert "url(" not in page_style()
    assert "@import" not in page_style()
    assert "evil.example" not in str([attributes for _, attributes in page.elements])


def test_the_policy_of_the_file_forbids_everything_but_its_style(hostile: Report) -> None:
    import base64
    import hashlib

    text = html_report(hostile)
    page = Page(text)
    (policy,) = [each["content"] for _, each in page.elements if each.get("http-equiv") == "Content-Security-Policy"]
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)
    assert style is not None
    digest = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    assert policy == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def test_hostile_text_is_shown_letter_for_letter(hostile: Report) -> None:
    shown = Page(html_report(hostile)).shown
    assert "</td><script>alert(1)</script>" in shown
    assert "␛[31m\\u202etxet\\u202c\\u200b&lt;b&gt;" in shown


@pytest.mark.parametrize("form", [html_report, markdown_report])
def test_no_hidden_character_gets_into_a_report(hostile: Report, form: object) -> None:
    text = form(hostile)  # pyright: ignore[reportCallIssue]
    assert not set(text) & {"\x1b", "\x00", "\u202e", "\u202c", "\u200b"}


def acting(markdown: str) -> list[str]:
    """What of `markdown` a reader of GitHub's kind would turn into links, images or HTML."""
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    tokens = parser.parse(markdown)
    found = [child for token in tokens for child in (token, *(token.children or ()))]
    comment = "<!-- -->"
    return [
        token.type
        for token in found
        if token.type in ("link_open", "image", "html_block", "html_inline") and token.content.strip() != comment
    ]


def test_nothing_in_a_markdown_report_becomes_a_link_an_image_or_html(hostile: Report) -> None:
    text = markdown_report(hostile)
    assert acting(text) == []
    outside = re.sub(r"^(`{3,})text\n.*?^\1$", "", text, flags=re.DOTALL | re.MULTILINE)
    assert not re.search(r"https?://|(?<!\\)www\.|@someone", outside)


@settings(max_examples=tried(30, 800), deadline=None)
@given(st.text(st.sampled_from("a1 \n.)-+=#>*_`~[]()<>!|\\&@:/$\"'\t"), max_size=40))
def test_inline_text_is_only_text(text: str) -> None:
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    tokens = parser.parse(f"{inline(text)}\n")
    assert [token.type for token in tokens] in ([], ["paragraph_open", "inline", "paragraph_close"])
    children = [child for token in tokens for child in token.children or ()]
    assert {child.type for child in children} <= {"text", "html_inline", "text_special"}
    shown = "".join(child.content for child in children if child.type != "html_inline")
    assert shown == " ".join(text.split())


@settings(max_examples=tried(30, 800), deadline=None)
@given(st.text(st.sampled_from("a `~\n>"), max_size=40))
def test_nothing_closes_a_fence_but_the_report(text: str) -> None:
    tokens = MarkdownIt("commonmark").parse(fenced(text))
    assert [token.type for token in tokens] == ["fence"]
    assert tokens[0].content.rstrip("\n") == text.rstrip("\n")


@settings(max_examples=tried(30, 800), deadline=None)
@given(st.text(st.sampled_from("a<>&\"'/= \x00\u202e!-\n"), max_size=30))
def test_a_text_is_never_markup(text: str) -> None:
    page = Page(element("p", text, is_text=True).html)
    assert [name for name, _ in page.elements] == ["p"]


@settings(max_examples=tried(30, 800), deadline=None)
@given(st.text(max_size=20), st.lists(st.tuples(st.integers(0, 25), st.integers(0, 25)), max_size=6))
def test_the_pieces_of_an_answer_are_the_answer(text: str, spans: list[tuple[int, int]]) -> None:
    marks = [(Span(min(span), max(span)), number) for number, span in enumerate(spans, 1)]
    found_pieces = list(pieces(text, marks))
    assert "".join(piece.text for piece in found_pieces) == text
    marked = {at for start, end in spans for at in range(min(start, end), min(max(start, end), len(text)))}
    place, found = 0, set[int]()
    for piece in found_pieces:
        found |= set(range(place, place + len(piece.text))) if piece.is_evidence else set()
        place += len(piece.text)
    assert found == marked


def test_a_report_without_results_is_empty() -> None:
    empty = build_report(ReportSource(Header(Span(0, 0)), "x.yml", MADE, []))
    assert empty.prompts == ()
    assert "<h1" in html_report(empty)


# What a reviewer wants to know: near-duplicates, code, hosts, what is left out, suggestions, links


# What a reviewer wants to know: near-duplicates, code, hosts, what is left out, suggestions, links


CORE = ("openai:a", "openai:b", "openai:c", "openai:d", "openai:e", "openai:f")


PLACE = Path("/blueprints/users/a/x.yml")


def told(mark: str, text: str, javascript: JavaScript) -> Iterator[str]:
    """The page of a blueprint, which a pull request would have the models of `mark` run."""
    parsed = parse(text)
    found = review(PLACE, parsed, Checker(ALL).check(parsed, javascript), None, javascript)
    for group in found.duplicates:
        same = "the same" if group.is_exact else "almost the same"
        yield f"{', '.join(prompt.id for prompt in group.prompts)} ask {same}"
    yield from (f"runs {each.function} {each.uses}×: {each.code}" for each in found.scripts)
    for host in found.hosts:
        yield f"calls {host.name} for {', '.join(host.services)} with {', '.join(host.variables)}"
    yield from (f"calls {each} where a variable says" for each in found.variable_services)
    yield from (f"asks {each.id} at {each.url} with {', '.join(each.variables)}" for each in found.own_models)
    yield f"{found.citing} of {found.criteria} criteria cite"
    yield from (f"failing “{point.text}” alone leaves {left:.3f}" for point, left in found.guards)
    yield from (f"the text of {prompt.id} earns {earns:.3f}" for prompt, earns in found.echoes)
    yield from (f"{link.url} at {link.host}, cited in {', '.join(link.cited_in)}" for link in found.links)
    yield from (f"lines {each.first}–{each.last} become {each.lines}" for each in found.suggestions)
    if mark:
        yield from of_a_pull_request(mark, parsed.blueprint)


def of_a_pull_request(mark: str, blueprint: Blueprint) -> Iterator[str]:
    models = [name for each in mark.split() for name in {"CORE": CORE, "CORE-1": CORE[:5]}.get(each, (each,))]
    found = pull_request(PLACE, blueprint, models, CORE if "CORE" in mark else None)
    parts = (found.prompts, found.models, found.temperatures, found.systems)
    yield f"a pull request leaves out {'; '.join(' '.join(each) for each in parts) if found.leaves_out else 'nothing'}"
    yield f"  {found.responses} responses{'' if found.core_known else ', the models are unknown'}"
    left = trimmed(blueprint)
    yield f"  left: {len(left.prompts)} prompts, {left.header.temperatures}, {left.header.systems}"


def test_a_blueprint_is_reviewed_as_its_file_says(javascript: JavaScript, pytestconfig: pytest.Config) -> None:
    cases = Path(__file__).with_name("review_cases.txt")
    assert_says(cases, lambda mark, text: told(mark, text, javascript), pytestconfig)


def problem(*edits: TextEdit, severity: Severity = Severity.ERROR, safe: bool = True) -> Diagnostic:
    fixes = (Fix("do it", safe, edits),) if edits else ()
    return Diagnostic("X001", "x", severity, Span(0, 1), "It is wrong", "It costs.", fixes=fixes)


@every(
    ("start", "end", "text", "first", "last", "lines"),
    [
        (2, 3, "X", 1, 1, ("onX",)),
        (4, 14, "new\nlines\n", 2, 3, ("new", "lines")),
        (4, 8, "", 2, 2, ()),
        (6, 10, "-", 2, 3, ("tw-ree",)),
        (14, 14, "four\n", 3, 3, ("three", "four")),
    ],
)
def test_a_suggestion_replaces_whole_lines(
    start: int, end: int, text: str, first: int, last: int, lines: tuple[str, ...]
) -> None:
    (found,) = suggestions("one\ntwo\nthree\n", [problem(TextEdit(Span(start, end), text))])
    assert (found.first, found.last) == (first, last)
    assert found.lines == lines or (found.lines, lines) == ((), ("",))


def test_hints_and_choices_get_no_replacement() -> None:
    several = problem(TextEdit(Span(0, 1), "a"), safe=False)
    choice = replace(several, fixes=several.fixes * 2)
    found = list(suggestions("one\n", [problem(severity=Severity.HINT), problem(), choice]))
    assert [each.lines for each in found] == [None, None]


@settings(max_examples=tried(40, 1000), deadline=None)
@given(
    st.text(st.sampled_from("ab\n"), max_size=14), st.integers(0, 14), st.integers(0, 14), st.text("xy\n", max_size=4)
)
def test_accepting_a_suggestion_makes_the_edit(text: str, one: int, other: int, written: str) -> None:
    start, end = sorted((min(one, len(text)), min(other, len(text))))
    edit = TextEdit(Span(start, end), written)
    (found,) = suggestions(text, [problem(edit)])
    assert found.lines is not None
    lines = text.split("\n")
    accepted = [*lines[: found.first - 1], *found.lines, *lines[found.last :]]
    assert [line for line in accepted if line] == [line for line in apply_edits(text, [edit]).split("\n") if line]
