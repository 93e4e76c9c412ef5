"""What is made of texts of one line, as the files of `line_cases` say: one file for each question that is asked."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from statistics import mean
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Response

from engine.asking.exchanges import Requests
from engine.asking.run_plan import dollars_text, requests_text
from engine.asking.spending import Cap
from engine.blueprint import FunctionCall, Header
from engine.evaluation.fixtures import saved_answer
from engine.evaluation.sources import FixtureRequest
from engine.evaluation.tool_use import read_trace
from engine.evidence.passages import nearest_miss, sentence_text, sentences
from engine.evidence.prompt_evidence import miss_text
from engine.functions.point_function import SearchTraits, Subject, Target
from engine.functions.tasks import ScriptTask, SyntaxTask
from engine.functions.v8 import JavaScript
from engine.judging.judge_runner import DraftFailure, read_points
from engine.judging.judgement import Consensus, Judgement
from engine.judging.panel import FIVE_STEPS, TEN_STEPS, panel
from engine.judging.verdict import NoVerdict, Reading, Reason, Verdict, read_verdict
from engine.models.addresses import is_public
from engine.models.chat import ProviderError
from engine.models.definitions import Environment, filled, filled_url, has_variable_in_host, service_call
from engine.models.prices import longest_answer, price_of
from engine.models.provider_registry import HOSTED, resolve
from engine.models.service_client import Host, prepare
from engine.parsing import parse
from engine.parsing.canonical_form import misses
from engine.parsing.model_collections import members_in
from engine.parsing.normalised_form import blueprint_id
from engine.parsing.urls import is_url
from engine.report.review_findings import pull_request
from engine.rules.causes import by_cause
from engine.rules.functions.ideal_fails import describes_answer
from engine.rules.functions.literal_forms import closest_passage
from engine.rules.rule import nearest_names, one_letter_off
from engine.rules.selection import covers, selection_in
from engine.rules.source.prompt_texts import answer_form
from engine.rules.source.regexes import patterns_of
from engine.study.case_reader import read_cases
from engine.study.case_scoring import CaseCheck
from engine.study.judged_pairs import pair_key, read_sheet
from engine.study.repeats import (
    Generated,
    RepeatedAnswer,
    compared,
    variation,
    variation_lines,
)
from engine.study.two_runs import Edit, word_difference
from engine.text.diagnostics import Diagnostic, Severity
from engine.text.spans import NOWHERE, Span, in_quotes, pictures_in
from engine.yaml.layout import dash_before
from engine.yaml.nodes import Data, javascript_number
from tests.engine.provider_server import answers
from tests.engine.service_requests import url_of, verdict
from tests.engine.short_cases import assert_lines_say
from tests.engine.test_cases_scoring import GRADED, RUBRIC
from tests.engine.test_given_answers import fixtures
from tests.engine.test_grading import pair
from tests.engine.test_judging_panel import ASKED, BACKUP, BEFORE, FIRST, OTHER, counted, judgement, said

CASES = Path(__file__).parent / "line_cases"
SUBJECT = Subject(
    "Paris is the capital.", model_id="openai:gpt-4o-mini", prompt_id="capital", prompt_text="Capital of France?"
)
"""The answer that templates of services are filled from."""
SERVICES: Any = {
    "facts": {"url": "https://facts.example/check"},
    "slow": {"url": "https://s.example", "timeout_ms": "5"},
}
VARIABLES = {
    "KEY": "s3cr3t",
    "LONG": "sk-9a8b7c6d5e4f3a2b1c0d",
    "PORT": "8080",
    "SCHEME": "https",
    "BASE": "https://there.example/v1",
    "ROOT": "http://there.example",
    "ODD": "a/b@evil.example:1?c=d#e f",
}
SECRET = ("KEY", "LONG")
TRAITS = {
    "text": SearchTraits(Target.TEXT),
    "any case": SearchTraits(Target.TEXT, ignores_case=True),
    "word": SearchTraits(Target.WORD),
    "start": SearchTraits(Target.START),
    "end": SearchTraits(Target.END),
}


def wrong(error: ProviderError) -> str:
    return f"{error.failure}: {error.title}. {error.advice}"


def address_with_variables(line: str) -> Iterator[str]:
    """What becomes of an address of a model and of a service, and whether a variable is seen in its host."""
    definition: dict[str, Data] = {"id": "own:x", "url": line, "modelName": "tiny", "inherit": "openai"}
    service = service_call(FunctionCall("call", {"url": line}), Header(NOWHERE))
    of_a_model = outcome(lambda: resolve("own:x", custom=[definition]))
    assert of_a_model == outcome(lambda: prepare(service, Subject("")))
    seen = "a variable in the host" if has_variable_in_host(line) else "none seen in the host"
    yield f"{of_a_model or filled_url(line, Environment('The model x'))}; {seen}"


def outcome(make: Callable[[], object]) -> str:
    """The failure that something ends with, or ""; the value of no variable is in its words."""
    try:
        make()
    except ProviderError as error:
        told = f"{error.title} {error.detail} {error.advice}"
        return f"{error.failure}{' THAT TELLS A VALUE' * any(VARIABLES[name] in told for name in SECRET)}"
    return ""


def model(line: str) -> Iterator[str]:
    try:
        provider, name = resolve(line)
        yield f"{name} at {provider.recipient}"
    except ProviderError as error:
        yield wrong(error)


def price(line: str) -> Iterator[str]:
    found = price_of(line)
    yield "not known" if found is None else f"{found.input:g} and {found.output:g}"


def own_model(line: str) -> Iterator[str]:
    whole = {"id": "own:model", "url": "http://127.0.0.1/v1", "modelName": "tiny", "inherit": "openai"}
    definition = {name: value for name, value in (whole | json.loads(line)).items() if value is not None}
    with pytest.raises(ProviderError) as caught:
        resolve("own:model", custom=[definition])
    yield wrong(caught.value)


def call(line: str) -> Iterator[str]:
    with pytest.raises(ProviderError) as caught:
        prepare(
            service_call(
                FunctionCall("call", json.loads(line)), Header(NOWHERE, fields={"externalServices": SERVICES})
            ),
            SUBJECT,
        )
    yield f"{caught.value.title}. {caught.value.advice}"


def miss(line: str) -> Iterator[str]:
    how, wanted, answer = line.split(" | ")
    found = nearest_miss(wanted, answer, TRAITS[how])
    yield "nothing is near" if found is None else miss_text(found, answer)


def difference(line: str) -> Iterator[str]:
    signs = {Edit.SAME: "{}", Edit.REMOVED: "[-{}-]", Edit.ADDED: "[+{}+]"}
    yield "".join(signs[each.edit].format(each.text) for each in word_difference(*line.split(" | ")))


def covered(line: str) -> Iterator[str]:
    pattern, *paths = line.split()
    yield " ".join(path for path in paths if covers(pattern, path))


def patterns(line: str) -> Iterator[str]:
    (prompt,) = parse(f"- id: p\n  prompt: q\n  should:\n    - {line}\n").blueprint.prompts
    yield ", ".join(f"/{found.bare}/{found.flags}" for found in patterns_of(prompt.points()[0])) or "none"


def agreed(line: str) -> Iterator[str]:
    consented, variables = line.split(" | ")
    host = Host("facts.example", "https://facts.example/", ("the service",), 1, tuple(variables.split()))
    yield "agreed" if host.is_agreed([consented]) else "not agreed"


def script(javascript: JavaScript, line: str) -> Iterator[str]:
    yield repr(javascript.run([ScriptTask(line, (("r", "text"),))])[0])


def syntax(javascript: JavaScript, line: str) -> Iterator[str]:
    yield repr(javascript.run([SyntaxTask(line)])[0])


def shared(line: str) -> Iterator[str]:
    told = [Diagnostic("S1", "rule", Severity.WARNING, Span(0, 1), message, "why") for message in json.loads(line)]
    yield from (f"{len(cause.reports)}: {cause.message}" for cause in by_cause(told))


def declined(line: str) -> Iterator[str]:
    """Whether a reply that names a class as well, in any of three forms, declines to judge."""
    fully = "<classification>CLASS_FULLY_PRESENT</classification>"
    forms = (
        f"You want {fully} as the form.\n{line}",
        f"{line}\n{fully}",
        f"<reflection>...</reflection>{fully}\n\n{line}",
    )
    found = [read_verdict(each, FIVE_STEPS) for each in forms]
    refused = {isinstance(each, NoVerdict) and each.reason is Reason.DECLINED for each in found}
    yield "declined" if refused == {True} else "judged" if refused == {False} else "it depends on the form"


def service(server: HTTPServer, line: str) -> Iterator[str]:
    """What is made of an answer of a service, STATUS BODY, and how often it is asked."""
    status, _, body = line.partition(" ")
    server.clear()
    requests = answers(server, Response(body, int(status), content_type="application/json"))
    try:
        yield str(asyncio.run(verdict(url_of(server))))
    except ProviderError as error:
        port = f":{server.port}"
        yield f"{error.failure}: {error.title.replace(port, '')} | {error.detail} | {error.advice}"
    if len(requests) > 1:
        yield f"asked {len(requests)} times"


def judge(line: str) -> Iterator[str]:
    text = f"evaluationConfig: {{llm-coverage: {{judges: [{line}]}}}}\n---\n- prompt: q\n"
    found = panel(parse(text).blueprint.header)
    yield from (*(f"asked: {each.label}, {each.approach}" for each in found.judges), *found.left_out)


def grade_in_sheet(line: str) -> Iterator[str]:
    sheet = read_sheet(f"key,grade,note\n{pair_key(pair().id)},{json.dumps(line)},\n".encode(), [pair().id])
    yield from (str(each.grade) for each in sheet.grades.values())
    yield from sheet.problems


def passage(line: str) -> Iterator[str]:
    """The passage of this answer that is closest to what a check looks for."""
    answer = "The largest is Lagos, in the south west of Nigeria. Then comes Greater Cairo."
    name, args = line.split(" | ")
    near = closest_passage(FunctionCall(name, json.loads(args)), answer)
    yield "none" if near is None else f"“{near.span.of(answer)}” {near.missing}".strip()


def collection(line: str) -> Iterator[str]:
    with pytest.raises(ValueError) as caught:
        members_in(line)
    yield str(caught.value)


def place_of_file(line: str) -> Iterator[str]:
    core = tuple(f"openai:{letter}" for letter in "abcdef")
    found = pull_request(Path("/") / line, parse("- prompt: Hi?\n  should: [x]\n").blueprint, core, core)
    yield f"{found.location.name.lower()} {found.author}".strip()


def longest(line: str) -> Iterator[str]:
    model = f"{{id: 'own:m', url: 'https://a.example', modelName: t, inherit: openai, parameters: {line}}}"
    yield str(longest_answer("own:m", parse(f"models: [{model}]\n---\n- prompt: q\n").blueprint.header.models))


def outcome_of_case(javascript: JavaScript, line: str) -> Iterator[str]:
    """What becomes of a case of `RUBRIC`: its answer with what is expected of it, and perhaps `graded`."""
    case = line.replace("; graded", f", {GRADED}")
    file, problems = read_cases(f"version: 1\ncases:\n  - {{prompt: rent, answer: {case}}}\n")
    assert problems == ()
    blueprint = parse(RUBRIC).blueprint
    for found in CaseCheck(blueprint, javascript, panel(blueprint.header)).outcomes(file.cases):
        yield f"{found.state}: {found.why}"


def drafted(line: str) -> Iterator[str]:
    found = read_points(line)
    yield from [found.message] if isinstance(found, DraftFailure) else found


def variations(line: str) -> Iterator[str]:
    """What is said of how answers vary: the rounds of each, or its `=` score, and how it was generated."""
    answers, temperature, *ignores = line.split(" | ")
    found = [repeated(each) for each in answers.split("; ")]
    generated = Generated(float(temperature), ignores=bool(ignores))
    yield from variation_lines(variation(found), generated, "judge twice")


def repeated(words: str) -> RepeatedAnswer:
    if words.startswith("="):
        return RepeatedAnswer(float(words[1:]))
    rounds = tuple(map(float, words.split()))
    return RepeatedAnswer(mean(rounds), rounds)


def comparison(line: str) -> Iterator[str]:
    one, other = (tuple(map(float, side.split())) for side in line.split("|"))
    yield str(compared(("a", one), ("b", other), "france"))


def saved_answers(line: str) -> Iterator[str]:
    """What each is given of the saved answers to a prompt, in the order in which they ask, and why it ended."""
    content, asking = line.split(" | ")
    before: list[FixtureRequest] = []
    for who in asking.split():
        name, bracket, rest = who.partition("[")
        asks = FixtureRequest(None if name == "nobody" else name, bracket + rest)
        found = saved_answer(fixtures(**json.loads(content)), "p", asks, before)
        before.append(asks)
        if found is None:
            yield f"{who}: nothing"
            continue
        stops = "".join(f" ({each.reason})" for each in found.stops if each is not None)
        yield f"{who}: {'' if found.whole else 'by turns '}{' + '.join(found.turns)}{stops}"


READINGS: dict[str, Reading] = {
    "declined": NoVerdict(Reason.DECLINED, "declined to judge"),
    "silent": NoVerdict(Reason.EMPTY, "answered nothing"),
    "not asked": NoVerdict(Reason.NOT_ASKED, "was not asked"),
    "several": NoVerdict(Reason.SEVERAL_CLASSES, "named several classes", named=(Verdict(0.0, None, ""),)),
}


def several_judges(line: str) -> Iterator[str]:
    """What the verdicts of judges a, b, c amount to: EXTENT and perhaps a reflection, or why there is none."""
    said = [word.strip() for word in line.split(";")] if line != "nobody" else []
    judgements = [judgement(name, reading(word)) for name, word in zip("abc", said, strict=False)]
    found = Consensus(tuple(judgements))
    yield found.summary or "nothing is said"
    counts = found.counted_extent(inverted=False)
    yield "open" if counts is None else f"counts as {counts:g}, inverted {found.counted_extent(inverted=True):g}"
    if found.error is not None:
        yield f"not judged: {found.error}"
    if found.reflection is not None:
        yield found.reflection


def reading(word: str) -> Reading:
    if word in READINGS:
        return READINGS[word]
    extent, _, reflection = word.partition(" ")
    steps = (*FIVE_STEPS.steps, *TEN_STEPS.steps)
    return Verdict(float(extent), next((step for step in steps if step.extent == float(extent)), None), reflection)


def counted_verdicts(line: str) -> Iterator[str]:
    """Which verdicts on a criterion count, of those that were given: JUDGE EXTENT, perhaps `before` an edit."""
    found = counted(*map(given, line.split("; ")))
    if found is None:
        yield "none"
        return
    judgements = found.consensus.judgements
    yield ", ".join(
        f"{each.judge.id} {'failed' if each.verdict is None else each.verdict.extent}" for each in judgements
    )
    if found.consensus.missing:
        yield f"to be asked: {', '.join(each.judge.id for each in found.consensus.missing)}"
    if found.carried_over:
        yield "from before an edit"


def given(words: str) -> Judgement:
    name, extent, *before = words.split()
    judge = next(each for each in (FIRST, OTHER, BACKUP) if each.id == name)
    return said(judge, None if extent == "failed" else float(extent), BEFORE if before else ASKED)


def yes(holds: Callable[[str], bool], line: str) -> Iterator[str]:
    yield "yes" if holds(line) else "no"


SAYS: dict[str, Callable[[str], Iterable[str]]] = {
    "is-the-address-public": partial(yes, is_public),
    "is-it-an-address-for-javascript": partial(yes, is_url),
    "does-the-ideal-describe-an-answer": partial(yes, describes_answer),
    "addresses-with-variables": address_with_variables,
    "models": model,
    "prices": price,
    "definitions-of-own-models": own_model,
    "calls-of-services": call,
    "templates-of-services": lambda line: [json.dumps(filled(json.loads(line), SUBJECT, lambda text, _: text))],
    "consents": agreed,
    "nearest-misses": miss,
    "differences-of-words": difference,
    "sentences": lambda line: [sentence_text(span, line) for span in sentences(line)],
    "quotation-marks": lambda line: [in_quotes(line)],
    "forms-of-answers": lambda line: [answer_form(line).name],
    "slips-of-tool-calls": lambda line: [f"{slip.text}: {slip.reason}" for slip in read_trace(f"{line}\n").slips],
    "ids-of-blueprints": lambda line: [blueprint_id(Path(line))],
    "patterns-of-settings": covered,
    "mistakes-in-settings": lambda line: [mistake.message for mistake in selection_in(json.loads(line)).problems],
    "one-letter-off": lambda line: [str(one_letter_off(*line.split("|"))), str(one_letter_off(*line.split("|")[::-1]))],
    "names-that-are-meant": lambda line: [", ".join(nearest_names(line, ["contains", "icontains", "ends_with"]))],
    "dashes-of-items": lambda line: [str(dash_before(line, line.index("x")))],
    "patterns-of-points": patterns,
    "shared-causes": shared,
    "refusals-to-judge": declined,
    "judges": judge,
    "hidden-characters": lambda line: ["".join(line[at] for at, _ in pictures_in(line))],
    "grades-in-sheets": grade_in_sheet,
    "numbers-of-javascript": lambda line: [javascript_number(int(line) if line.isdigit() else float(line))],
    "closest-passages": passage,
    "money": lambda line: [dollars_text(float(line))],
    "counts-of-requests": lambda line: [requests_text(Requests(*map(int, line.split())))],
    "caps": lambda line: [Cap(**json.loads(line)).summary or "no cap"],
    "variations": variations,
    "comparisons": comparison,
    "saved-answers": saved_answers,
    "several-judges": several_judges,
    "counted-verdicts": counted_verdicts,
    "collections": collection,
    "places-of-files": place_of_file,
    "points-of-drafts": drafted,
    "longest-answers": longest,
    "forms-of-blueprints": lambda line: [*map(str, misses(json.loads(line)))] or ["nothing"],
}


@pytest.mark.parametrize("name", SAYS)
def test_a_line_is_read_as_its_file_says(
    name: str, pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    for row in HOSTED.values():
        monkeypatch.setenv(row.key_variable or "NONE", "sk-test")
    for variable, value in VARIABLES.items():
        monkeypatch.setenv(variable, value)
    assert_lines_say(CASES / f"{name}.txt", SAYS[name], pytestconfig)


@pytest.mark.parametrize(
    ("name", "say"),
    [
        ("scripts", script),
        ("scripts-that-forge", script),
        ("scripts-that-cannot-be-read", syntax),
        ("outcomes-of-cases", outcome_of_case),
    ],
)
def test_what_scripts_and_checks_come_to_is_as_its_file_says(
    name: str, say: Callable[[JavaScript, str], Iterable[str]], javascript: JavaScript, pytestconfig: pytest.Config
) -> None:
    assert_lines_say(CASES / f"{name}.txt", partial(say, javascript), pytestconfig)


def test_an_answer_of_a_service_is_read_as_its_file_says(httpserver: HTTPServer, pytestconfig: pytest.Config) -> None:
    assert_lines_say(CASES / "answers-of-services.txt", partial(service, httpserver), pytestconfig)
