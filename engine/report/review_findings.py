"""What a reviewer of a blueprint wants to know of it before it is merged. Nothing is sent.

The code that it runs and whom it calls, prompts that ask almost the same, what its rubrics cite and leave, the web
addresses that it cites, comments to paste into the review, what a run would cost, and what the evaluation of the pull
request leaves out. That evaluation (platform.md, "Where a blueprint lives") takes the first 10 prompts, the first 5
models of the collection CORE, the first 2 temperatures and the first 2 system prompts, and at most 100 responses. After
the merge there are no limits.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from enum import StrEnum
from functools import partial
from itertools import combinations, starmap
from pathlib import Path
from typing import TYPE_CHECKING

import httpx

from engine.asking.exchanges import Job
from engine.asking.planner import plan
from engine.asking.run_plan import RunPlan
from engine.blueprint import ABSENT, Blueprint, FunctionCall, Point, Prompt
from engine.evaluation.pairing import likeness, trigrams
from engine.evaluation.point_assessment import assess
from engine.evaluation.sources import ControlKind, ModelSource, candidates, control_answer
from engine.judging.panel import JudgesAs, panel
from engine.models import failures
from engine.models.addresses import PrivateAddressError, Request, host_of, send, web_address
from engine.models.chat import Failure, ProviderError
from engine.models.definitions import variables_in
from engine.models.http import Reply
from engine.models.prices import own_prices
from engine.models.provider_registry import resolve
from engine.models.service_client import Host, hosts
from engine.parsing import Parsed
from engine.parsing.model_collections import DEFAULT, Collections, UnusableCollection, expand
from engine.parsing.recognition import FOLDER
from engine.scoring.explanation_builder import explain
from engine.scoring.sums import place, severities
from engine.text.diagnostics import Diagnostic, Fix, Severity
from engine.text.patterns import lazy
from engine.text.record import Record, replace
from engine.text.spans import LineIndex, Position, Span, TextEdit, apply_edits, count, visible
from engine.yaml.nodes import Data

if TYPE_CHECKING:
    from engine.functions.tasks import TaskRunner

ALIKE = 0.85
"""The likeness from which two prompts count as near-duplicates: the Dice coefficient of their groups of three
characters."""
_INLINE = lazy(r"\[cite\b|§\s*\d|\b(?:Art|Article|Section|Sec)\b\.?\s*\d|https?://")
"""How a criterion quotes a source in its text."""
_ADDRESS = re.compile(r"https?://[^\s<>\"'`\\|^{}]+", re.IGNORECASE)
_AFTER = ".,;:!?*_~…"
_HEADER_FIELDS = ("description", "author", "references", "reference", "citations", "citation")
_SCRIPTS = frozenset(("js", "expr", "not_js", "not_expr"))


class Script(Record):
    """One script: its code, the function that runs it, and where it first stands. `uses` counts its points."""

    code: str
    function: str
    span: Span
    uses: int


class OwnModel(Record):
    """A model that the blueprint defines: its id, its address as written, and the variables that go with it."""

    id: str
    url: str
    variables: tuple[str, ...]


def scripts(blueprint: Blueprint) -> Iterator[Script]:
    """The scripts that `blueprint` runs, each once."""
    found: dict[tuple[str, str], list[Span]] = {}
    for point in (point for prompt in blueprint.prompts for point in prompt.points()):
        for key in () if point.function is None else _code_in(point.function):
            found.setdefault(key, []).append(point.subject_span)
    yield from (Script(code, name, spans[0], len(spans)) for (name, code), spans in found.items())


def _code_in(call: FunctionCall) -> Iterator[tuple[str, str]]:
    """The name of one check with its scripts: that of `$js`, and `where` in a check of tool arguments."""
    if call.name in _SCRIPTS and isinstance(call.args, str):
        yield call.name, call.args
    elif call.name.removeprefix("not_") == "tool_args_match" and isinstance(call.args, dict):
        where = call.args.get("where")
        if isinstance(where, str):
            yield call.name, where


def variable_services(blueprint: Blueprint) -> Iterator[str]:
    """The services whose address holds a variable."""
    services = blueprint.header.fields.get("externalServices")
    for name, service in services.items() if isinstance(services, dict) else ():
        url = service.get("url") if isinstance(service, dict) else None
        if isinstance(url, str) and variables_in(url):
            yield str(name)


def own_models(blueprint: Blueprint) -> Iterator[OwnModel]:
    """The models of the blueprint's own."""
    for model in blueprint.header.models:
        if isinstance(model, dict):
            url = model.get("url")
            yield OwnModel(str(model.get("id") or ""), url if isinstance(url, str) else "", variables_in(model))


class DuplicateGroup(Record):
    """Prompts that ask almost the same, each alike to another one of the group. `least` is the least such likeness."""

    prompts: tuple[Prompt, ...]
    least: float

    @property
    def is_exact(self) -> bool:
        """Whether they differ at most in case and white space."""
        return self.least >= 1


def near_duplicates(prompts: Sequence[Prompt]) -> tuple[DuplicateGroup, ...]:
    """The groups of prompts that ask almost the same, in the order of the file."""
    grams = [trigrams(_asked(prompt)) for prompt in prompts]
    group = list(range(len(prompts)))
    best = [0.0] * len(prompts)
    for (at, one), (other_at, other) in combinations(enumerate(grams), 2):
        value = likeness(one, other, ALIKE)
        if value >= ALIKE:
            best[at], best[other_at] = max(best[at], value), max(best[other_at], value)
            joined, into = group[other_at], group[at]
            group = [into if each == joined else each for each in group]
    members = ([at for at, each in enumerate(group) if each == name] for name in dict.fromkeys(group))
    return tuple(
        DuplicateGroup(tuple(prompts[at] for at in each), min(best[at] for at in each))
        for each in members
        if len(each) > 1
    )


def _asked(prompt: Prompt) -> str:
    system = prompt.system if isinstance(prompt.system, str) and prompt.system is not ABSENT else ""
    return "\n".join([system, *(f"{message.role}: {message.content or ''}" for message in prompt.messages)])


def is_cited(prompt: Prompt, point: Point) -> bool:
    """Whether a criterion names a source: by a citation of its own or of its prompt, or in its text."""
    return bool(point.citation is not None or prompt.citation or _INLINE.search(point.text or ""))


def guards(blueprint: Blueprint) -> list[tuple[Point, float]]:
    """Each required point of `should_not`, and the score (0–1) of an answer that does this and all else right.

    Those that leave most come first.
    """
    placed = [each for prompt in blueprint.prompts if not prompt.is_cut_off for each in _left(prompt)]
    return sorted(placed, key=lambda guard: -guard[1])


def _left(prompt: Prompt) -> Iterator[tuple[Point, float]]:
    placed = place(prompt)
    for each, left in zip(placed, severities(placed), strict=True):
        if each.inverted and each.path_id is None and left is not None:
            yield each.point, left


def echoes(blueprint: Blueprint, javascript: TaskRunner) -> list[tuple[Prompt, float]]:
    """The least that an answer that repeats its prompt earns, 0–1, the most first; without those that earn nothing.

    Blocks while checks run; nothing is sent.
    """
    found: list[tuple[Prompt, float]] = []
    for prompt in blueprint.prompts:
        assessments = assess(prompt, control_answer(ControlKind.ECHO, prompt), javascript)
        found.append((prompt, explain(prompt, assessments).bounds.low))
    return sorted((each for each in found if each[1] > 0), key=lambda echo: -echo[1])


class WebLink(Record):
    """One address, its host with the port if it is not the default, and where it is cited: `header`, or prompt ids."""

    url: str
    host: str
    cited_in: tuple[str, ...]


def web_links(blueprint: Blueprint) -> tuple[WebLink, ...]:
    """The addresses that `blueprint` cites, each once, in the order of the file."""
    found: dict[str, list[str]] = {}
    for where, text in _cited(blueprint):
        for match in _ADDRESS.finditer(text):
            url = _trimmed(match[0])
            places = found.setdefault(url, [])
            if where not in places:
                places.append(where)
    return tuple(WebLink(url, _host(url), tuple(places)) for url, places in found.items() if _host(url))


def _cited(blueprint: Blueprint) -> Iterator[tuple[str, str]]:
    for name in _HEADER_FIELDS:
        for text in _texts(blueprint.header.fields.get(name)):
            yield "header", text
    for prompt in blueprint.prompts:
        for data in (prompt.description, prompt.citation, *(point.citation for point in prompt.points())):
            for text in _texts(data):
                yield prompt.id, text


def _texts(data: Data) -> Iterator[str]:
    match data:
        case str():
            yield data
        case list():
            for each in data:
                yield from _texts(each)
        case dict():
            for each in data.values():
                yield from _texts(each)
        case _:
            pass


def _trimmed(url: str) -> str:
    """`url` without the punctuation of the sentence around it; a closing bracket stays if it was opened within."""
    while True:
        url = url.rstrip(_AFTER)
        for opened, closed in (("(", ")"), ("[", "]")):
            if url.endswith(closed) and url.count(closed) > url.count(opened):
                url = url[:-1]
                break
        else:
            return url


def _host(url: str) -> str:
    """The host of `url` in lower case, "" if it has none."""
    rest = url.partition("://")[2]
    return re.split(r"[/?#]", rest, maxsplit=1)[0].rpartition("@")[2].lower()


# --- Whether the links are still there: one request each, without content, to public hosts only


_LINKS_AT_ONCE = 8
_LINK_SECONDS = 15.0
_HEADERS = {"Accept": "*/*"}
_GONE = (404, 410)
_NO_HEAD = (400, 403, 404, 405, 406, 501)
"""What servers answer that know no HEAD; they are asked again with GET."""


class LinkVerdict(StrEnum):
    """What is known of an address after it was asked, the worst first."""

    GONE = "gone"
    UNKNOWN = "unknown"
    THERE = "there"

    @property
    def rank(self) -> int:
        """A sort key, worst first."""
        return list(LinkVerdict).index(self)


class LinkState(Record):
    """What one address answered: `detail` says it in words."""

    verdict: LinkVerdict
    detail: str


def links_text(links: Sequence[WebLink]) -> str:
    """`12 addresses at 3 hosts`."""
    hosts = count(len({link.host for link in links}), "host")
    return f"{count(len(links), 'address', 'addresses')} at {hosts}"


def check_links(links: Sequence[WebLink], *, private_too: bool = False) -> dict[str, LinkState]:
    """The state of each address. Blocks until all have answered or their time is up.

    Hosts on this machine or in its network are asked only with `private_too`: a blueprint of somebody else could name
    what only this machine can reach.
    """
    return asyncio.run(_check_all(links, private_too=private_too))


async def _check_all(links: Sequence[WebLink], *, private_too: bool) -> dict[str, LinkState]:
    gate = asyncio.Semaphore(_LINKS_AT_ONCE)

    async def one(link: WebLink) -> tuple[str, LinkState]:
        async with gate:
            return link.url, await _state(link.url, private_too=private_too)

    return dict(await asyncio.gather(*map(one, links)))


async def _state(url: str, *, private_too: bool) -> LinkState:
    try:
        address = web_address(url, "this link")
        async with asyncio.timeout(_LINK_SECONDS):
            reply = await _reply("HEAD", address, private_too=private_too)
            if reply.status in _NO_HEAD:
                reply = await _reply("GET", address, private_too=private_too)
    except TimeoutError:
        return LinkState(LinkVerdict.UNKNOWN, f"no answer within {_LINK_SECONDS:g} s")
    except PrivateAddressError:
        return LinkState(LinkVerdict.UNKNOWN, "not asked: its host is on this machine or in its network")
    except ProviderError as error:
        return _failed(error)
    return _answered(reply)


async def _reply(method: str, address: httpx.URL, *, private_too: bool) -> Reply:
    named = failures.Request("the link", host_of(address))
    return await send(Request(method, address, _HEADERS, None), named, private_too=private_too)


def _answered(reply: Reply) -> LinkState:
    if reply.is_success:
        return LinkState(LinkVerdict.THERE, f"there ({reply.status})")
    if reply.status in _GONE:
        return LinkState(LinkVerdict.GONE, f"not there ({reply.status})")
    return LinkState(LinkVerdict.UNKNOWN, f"the server answers {reply.status}, so look yourself")


def _failed(error: ProviderError) -> LinkState:
    """What a request without a reply says: an unknown host is gone; a page that is too long is there."""
    if error.failure is Failure.NONSENSE and "longer than a megabyte" in error.title:
        return LinkState(LinkVerdict.THERE, "there (a large page)")
    verdict = LinkVerdict.GONE if "host name is unknown" in error.title else LinkVerdict.UNKNOWN
    _, _, what = error.title.partition(": ")
    return LinkState(verdict, visible(" ".join(part for part in (what or error.title, _elsewhere(error)) if part)))


def _elsewhere(error: ProviderError) -> str:
    """The other address that a redirect names."""
    _, found, address = error.advice.partition("if you trust it: ")
    return f"({address})" if found else ""


# --- Comments to paste into the review


class Suggestion(Record):
    """One comment on the lines `first` to `last`, from 1. The fix called `title` replaces them by `lines`.

    Both are None where there is no one fix.
    """

    diagnostic: Diagnostic
    first: int
    last: int
    title: str | None = None
    lines: tuple[str, ...] | None = None


def suggestions(text: str, diagnostics: Iterable[Diagnostic]) -> Iterator[Suggestion]:
    """A comment for each error and warning, in the order of the text.

    Its replacement is that of its fix, where there is one safe fix or only one.
    """
    index = LineIndex(text)
    for diagnostic in diagnostics:
        if diagnostic.severity is Severity.HINT:
            continue
        fix = _fix(diagnostic)
        if fix is None or not fix.edits:
            place = index.position(diagnostic.span.start).line + 1
            yield Suggestion(diagnostic, place, place)
        else:
            yield _replacement(text, index, diagnostic, fix)


def _fix(diagnostic: Diagnostic) -> Fix | None:
    safe = [fix for fix in diagnostic.fixes if fix.safe]
    if len(safe) == 1:
        return safe[0]
    return diagnostic.fixes[0] if len(diagnostic.fixes) == 1 else None


def _replacement(text: str, index: LineIndex, diagnostic: Diagnostic, fix: Fix) -> Suggestion:
    first = index.position(min(edit.span.start for edit in fix.edits)).line
    if first and first == index.line_count - 1 and not index.line(first):
        first -= 1  # what is added at the end of a file belongs to its last line
    last = max(first, _last_line(index, max(fix.edits, key=lambda edit: edit.span.end)))
    start, end = index.offset(Position(first, 0)), index.line_span(last).end
    end = max(end, max(edit.span.end for edit in fix.edits))
    within = [TextEdit(Span(edit.span.start - start, edit.span.end - start), edit.text) for edit in fix.edits]
    changed = apply_edits(text[start:end], within)
    return Suggestion(diagnostic, first + 1, last + 1, fix.title, tuple(changed.splitlines()))


def _last_line(index: LineIndex, edit: TextEdit) -> int:
    """The last line that `edit` touches: one that ends between two lines, and leaves a line end there, touches none."""
    end, start = index.position(edit.span.end), index.position(edit.span.start)
    ends_a_line = edit.text.endswith("\n") or (edit.text == "" and start.column == 0)
    return end.line - 1 if end.column == 0 and end.line and ends_a_line else end.line


# --- What a run would cost, and what the evaluation of a pull request leaves out


MOST_PROMPTS, MOST_MODELS, MOST_TEMPERATURES, MOST_SYSTEMS, MOST_RESPONSES = 10, 5, 2, 2, 100
_USERS = "users"
_SUFFIXES = (".yml", ".yaml")


class Location(StrEnum):
    """Whether the evaluation of a pull request looks at the file."""

    EVALUATED = "evaluated"
    PASSED_OVER = "passed-over"
    REFUSED = "refused"
    OUTSIDE = "outside"


class PullRequest(Record):
    """What the evaluation of a pull request does with a blueprint.

    `author` is the name that its author must have, "" outside `blueprints/users/NAME/`. `prompts` are the ids that are
    left out; `models`, `temperatures` and `systems` are left out by their labels. `core_known` tells whether the
    members of CORE are known; without them `models` is empty and all others are unknown. `responses` is how many
    responses the rest needs, of which at most `MOST_RESPONSES` are asked for; None if the models are unknown.
    """

    location: Location
    author: str
    prompts: tuple[str, ...]
    models: tuple[str, ...]
    temperatures: tuple[str, ...]
    systems: tuple[str, ...]
    core_known: bool
    responses: int | None

    @property
    def leaves_out(self) -> bool:
        """Whether it leaves anything out."""
        trimmed = any((self.prompts, self.models, self.temperatures, self.systems))
        return trimmed or (self.responses or 0) > MOST_RESPONSES


def pull_request(path: Path, blueprint: Blueprint, models: Sequence[Data], core: Sequence[str] | None) -> PullRequest:
    """What the evaluation of a pull request with the file at `path` does.

    `models` are those of the blueprint with collections expanded, `core` the members of CORE, None if unknown.
    """
    location, author = _location(path)
    header, prompts = blueprint.header, blueprint.prompts
    kept = _taken(models, core)
    variants = max(min(len(header.temperatures), MOST_TEMPERATURES), 1) * max(min(len(header.systems), MOST_SYSTEMS), 1)
    return PullRequest(
        location,
        author,
        tuple(prompt.id for prompt in prompts[MOST_PROMPTS:]),
        () if core is None else tuple(_id(model) for model in models if model not in kept),
        tuple(f"{each:g}" for each in header.temperatures[MOST_TEMPERATURES:]),
        tuple("null" if each is None else each for each in header.systems[MOST_SYSTEMS:]),
        core is not None,
        None if core is None else min(len(prompts), MOST_PROMPTS) * len(kept) * variants,
    )


def trimmed(blueprint: Blueprint) -> Blueprint:
    """The part of `blueprint` that the evaluation takes, apart from its models."""
    header = blueprint.header
    header = replace(
        header, temperatures=header.temperatures[:MOST_TEMPERATURES], systems=header.systems[:MOST_SYSTEMS]
    )
    return Blueprint(header, blueprint.prompts[:MOST_PROMPTS])


def _location(path: Path) -> tuple[Location, str]:
    parts = path.absolute().parts
    if FOLDER not in parts[:-1]:
        return Location.OUTSIDE, ""
    below = parts[parts.index(FOLDER) + 1 :]
    if below[0] != _USERS or len(below) == 1:
        return Location.PASSED_OVER, ""
    if len(below) < 3 or path.suffix not in _SUFFIXES:
        return Location.REFUSED, ""
    return Location.EVALUATED, below[1]


def _taken(models: Sequence[Data], core: Sequence[str] | None) -> Sequence[Data]:
    """The models that the evaluation asks."""
    return [model for model in models if model in (core or ())][:MOST_MODELS]


_LOCATIONS = {
    Location.EVALUATED: "It is evaluated if the author of the pull request is {}.",
    Location.PASSED_OVER: (
        "It is passed over without a word: only blueprints/users/NAME/ is evaluated in a pull request."
    ),
    Location.REFUSED: "It is refused: in a pull request, files below blueprints/users/ must be users/NAME/FILE.yml.",
    Location.OUTSIDE: "It is not below a folder blueprints/, where Weval looks: put it into blueprints/users/NAME/.",
}


def location_text(found: PullRequest) -> str:
    """What becomes of the file, in a sentence."""
    return _LOCATIONS[found.location].format(found.author)


class RunCost(Record):
    """The plan of a run: `responses` answers by `models` models, judged by the judges of the blueprint."""

    models: int
    responses: int
    plan: RunPlan


def run_cost(blueprint: Blueprint, models: Sequence[Data]) -> RunCost | None:
    """The plan of a run of all prompts by `models`, with collections expanded. None without models. Blocks.

    The judges are those that Weval has today where the blueprint names none.
    """
    ids = [model for each in models if (model := _id(each))]
    if not ids:
        return None
    header = blueprint.header
    jobs = [
        Job(prompt, candidate.source, candidate.variant)
        for prompt in blueprint.prompts
        for model in ids
        for candidate in candidates(ModelSource(model), header)
    ]
    planned = plan(
        blueprint,
        jobs,
        panel(header, JudgesAs.WEVAL_TODAY),
        providers=partial(resolve, custom=header.models, keyless=True),
        own=own_prices(),
        allowed=None,
        keyless=True,
    )
    return RunCost(len(ids), len(jobs), planned)


def _id(model: Data) -> str:
    found = model.get("id") if isinstance(model, dict) else model
    return found if isinstance(found, str) else ""


# --- All of it


class Review(Record):
    """The page of one blueprint. `citing` of the `criteria` in words name a source.

    `cost` is None where the models are unknown; `collection_problems` say why.
    """

    path: Path
    parsed: Parsed
    diagnostics: tuple[Diagnostic, ...]
    criteria: int
    citing: int
    guards: Sequence[tuple[Point, float]]
    echoes: Sequence[tuple[Prompt, float]]
    duplicates: tuple[DuplicateGroup, ...]
    scripts: tuple[Script, ...]
    hosts: tuple[Host, ...]
    variable_services: tuple[str, ...]
    own_models: tuple[OwnModel, ...]
    cost: RunCost | None
    trimmed_cost: RunCost | None
    collection_problems: tuple[str, ...]
    pull_request: PullRequest
    links: tuple[WebLink, ...]
    suggestions: tuple[Suggestion, ...]


def review(
    path: Path, parsed: Parsed, diagnostics: Sequence[Diagnostic], collections: Path | None, javascript: TaskRunner
) -> Review:
    """The page of the blueprint at `path`, whose problems are `diagnostics`. Blocks. Nothing is sent."""
    blueprint = parsed.blueprint
    known = Collections(path, collections)
    expansion = expand(blueprint.header.models or DEFAULT, known.members)
    core: Sequence[str] | None = None
    with suppress(UnusableCollection):
        core = known.members(DEFAULT[0])
    worded = [(prompt, point) for prompt in blueprint.prompts for point in prompt.points() if point.text is not None]
    return Review(
        path,
        parsed,
        tuple(diagnostics),
        len(worded),
        sum(starmap(is_cited, worded)),
        guards(blueprint),
        echoes(blueprint, javascript),
        near_duplicates(blueprint.prompts),
        tuple(scripts(blueprint)),
        hosts(blueprint.header, blueprint.prompts, keyless=True),
        tuple(variable_services(blueprint)),
        tuple(own_models(blueprint)),
        run_cost(blueprint, expansion.models),
        run_cost(trimmed(blueprint), _taken(expansion.models, core)),
        tuple(expansion.unusable.values()),
        pull_request(path, blueprint, expansion.models, core),
        web_links(blueprint),
        tuple(suggestions(parsed.text, diagnostics)),
    )
