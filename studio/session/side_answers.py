"""The answers to one prompt, to be read side by side: those of the database, of this session, of files and of cases."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from engine.blueprint import Blueprint, Header, Prompt
from engine.blueprint.conversation import Variant, conversation
from engine.evaluation.events import Response
from engine.evaluation.sources import (
    AnswerSource,
    ControlKind,
    FixtureSource,
    IdealSource,
    StoredSource,
    WrittenSource,
    run_name,
    variant_words,
)
from engine.files.atomic import NotRegular, TooLong, read_regular
from engine.parsing.recognition import SUFFIXES
from engine.store import PromptPlace, Store, StoreUnavailable
from engine.study.case import Case, control_kind, ideal_case, prompt_names
from engine.study.case_scoring import response_of
from engine.study.file_places import results_folder
from engine.text.record import Record, replace, text_digest
from studio.session.followed_criterion import cases_of_prompt
from studio.session.new_cases import refusal_of, turns_of
from studio.session.published_results import result_files
from studio.session.run import Run, has_same_questions

if TYPE_CHECKING:
    from engine.blueprint import Header, Prompt
    from engine.blueprint.conversation import Conversation
    from engine.evaluation.events import Response
    from engine.store.stored_answers import StoredResponse


_MOST_STORED = 200
_VARIANT = re.compile(r"(?P<source>.*?)(?P<suffix>(?:\[(?:temp|sp_idx):[^\[\]]*\])*)", re.DOTALL)
_TEMPERATURE = re.compile(r"\[temp:([^\[\]]*)\]")
_PUBLISHED = "published:"
_SAVED = "saved answer"
_IDEAL_ON_WEVAL = "IDEAL_MODEL_ID"
"""The name under which results have the ideal."""


class SideAnswer(Record):
    """One answer. Answers with the same text are one: `labels` names all that they are.

    `key` is the digest of `subject`, all generated text; `turns` are the texts of the generated turns. `created` is
    when it was saved, None if that is unknown. `case` is the first case of the answer; `is_labelled`: only there.
    `file` names the file that it was read from, "" for none. `refusal` is set if the model's provider says that it
    refused, `test` if the case is a test answer.
    """

    key: str
    labels: tuple[str, ...]
    subject: str
    turns: tuple[str, ...]
    model: str | None = None
    created: datetime | None = None
    is_edited: bool = False
    is_ideal: bool = False
    case: Case | None = None
    is_labelled: bool = False
    file: str = ""
    refusal: ControlKind | None = None
    test: ControlKind | None = None


class KnownHere(Record):
    """What this session knows: the runs of a prompt, what the author wrote for it, and the sources that are chosen."""

    runs: tuple[Run, ...] = ()
    written: str = ""
    sources: tuple[AnswerSource, ...] = ()


class SideAnswers(Record):
    """All answers to a prompt, and its cases.

    `problem` says why the cases could not be read, "" if they could; `file_problems` says so of other files.
    """

    every: tuple[SideAnswer, ...]
    cases: tuple[Case, ...]
    problem: str = ""
    file_problems: tuple[str, ...] = ()


def read_side_answers(
    path: Path,
    blueprint: Blueprint,
    prompt: Prompt,
    place: PromptPlace,
    known: KnownHere,
    store: Callable[[], Store],
    report: Callable[[StoreUnavailable], None],
) -> SideAnswers:
    """The answers to a prompt of the blueprint at `path`. Blocks.

    They are its ideal, the newest of each source in the database, those that are `known` here, those in files, and its
    cases.
    """
    header, name = blueprint.header, prompt_names(blueprint)[prompt.index]
    cases, problem = cases_of_prompt(path, name)
    try:
        stored = store().newest_responses(place, WrittenSource().key, _MOST_STORED)
    except StoreUnavailable as error:
        report(error)
        stored = ()
    files = read_answer_files(path, prompt, header, blueprint.prompts, known.sources)
    found = [
        *_ideal(prompt, header),
        *_stored(stored, prompt),
        *_of_runs(known.runs, prompt),
        *_unscored(prompt, header, known.written),
        *(_of_file(each) for each in files.answers if not _is_left_out(each.source or "")),
        *(_of_case(case, prompt, header) for case in cases),
    ]
    return SideAnswers(_merged(found, cases, prompt), cases, problem, files.problems)


def with_cases(answers: SideAnswers, path: Path, prompt: Prompt, name: str, header: Header) -> SideAnswers:
    """`answers` with the cases as they are in the file now; none moves. Blocks."""
    cases, problem = cases_of_prompt(path, name)
    found = [*answers.every, *(_of_case(case, prompt, header) for case in cases)]
    return replace(answers, every=_merged(found, cases, prompt), cases=cases, problem=problem)


def _ideal(prompt: Prompt, header: Header) -> Iterator[SideAnswer]:
    if prompt.ideal is not None and prompt.ideal.strip():
        response = response_of(ideal_case("", prompt.ideal), prompt, header)
        yield replace(_answer("the ideal", response), is_ideal=True)


def _stored(stored: Iterable[StoredResponse], prompt: Prompt) -> Iterator[SideAnswer]:
    for source, created, response in stored:
        if _is_left_out(source) or response.withheld or not has_same_questions(response, prompt):
            continue
        is_edited = any(turn.edited for turn in response.thread)
        label = "your edited answer" if is_edited else _label(source)
        found = replace(_answer(label, response), model=_model(source), created=created)
        yield replace(found, is_edited=is_edited)


def _of_runs(runs: Iterable[Run], prompt: Prompt) -> Iterator[SideAnswer]:
    """The answers of this session, which the database may not have taken."""
    for run in runs:
        response = run.response
        if response is None or run.running or response.withheld or not response.complete:
            continue
        if not _is_left_out(run.key) and has_same_questions(response, prompt):
            answer = replace(_answer(run.label, response), model=_model(run.candidate.key))
            yield replace(answer, is_edited=run.edited is not None)


def _unscored(prompt: Prompt, header: Header, written: str) -> Iterator[SideAnswer]:
    """The answer that the conversation itself ends with, and what the author wrote, whether they were run or not."""
    talk = conversation(prompt, header)
    for label, text in (("written in the prompt", talk.answer), (_label(WrittenSource().key), written)):
        if text is not None and text.strip():
            yield _answer(label, Response(text, talk.answered([text])))


def _of_file(found: FileAnswer) -> SideAnswer:
    source = found.source or FixtureSource.kind
    name = source if source.endswith("*") else _label(source)
    label = f"{name}, {_SAVED}" if found.is_saved and found.source is not None else name
    where = found.file.name if found.is_saved else run_name(found.file)
    return replace(_answer(label, found.response), model=_model(source), file=where)


def _of_case(case: Case, prompt: Prompt, header: Header) -> SideAnswer:
    what = "edited copy" if case.is_edited else "labelled answer"
    label = f"{_label(case.model)}, {what}" if case.model else what
    answer = _answer(label, response_of(case, prompt, header))
    return replace(answer, turns=case.turns, model=case.model, is_edited=case.is_edited, is_labelled=True)


def _answer(label: str, response: Response) -> SideAnswer:
    key = text_digest(response.subject)
    return SideAnswer(key, (label,), response.subject, turns_of(response), refusal=refusal_of(response))


def _merged(answers: Iterable[SideAnswer], cases: Sequence[Case], prompt: Prompt) -> tuple[SideAnswer, ...]:
    """`answers`, those with the same text as one, in the order of the first of each, with their cases."""
    found: dict[str, SideAnswer] = {}
    for answer in answers:
        first = found.get(answer.key)
        found[answer.key] = answer if first is None else _joined(first, answer)
    return tuple(_with_case(each, cases, prompt) for each in found.values())


def _with_case(answer: SideAnswer, cases: Sequence[Case], prompt: Prompt) -> SideAnswer:
    case = next((case for case in cases if case.turns == answer.turns), None)
    return replace(answer, case=case, test=None if case is None else control_kind(case, prompt))


def _joined(first: SideAnswer, other: SideAnswer) -> SideAnswer:
    """Two answers of the same text. Only a run knows whose answer an edited one was; a case adds no name."""
    labels = first.labels
    if first.is_edited and other.is_edited and not other.is_labelled:
        labels = other.labels
    elif not other.is_labelled:
        labels = tuple(dict.fromkeys((*first.labels, *other.labels)))
    return replace(
        first,
        labels=tuple(each for each in labels if f"{each}, {_SAVED}" not in labels),
        file=first.file or other.file,
        model=first.model or other.model,
        created=first.created or other.created,
        is_ideal=first.is_ideal or other.is_ideal,
        is_edited=first.is_edited or other.is_edited,
        refusal=first.refusal or other.refusal,
    )


def _is_left_out(source: str) -> bool:
    """The present ideal is there already, and test answers are made to be bad."""
    name = source.removeprefix(_PUBLISHED)
    return name in (IdealSource().key, _IDEAL_ON_WEVAL) or name.startswith("control:")


def _label(source: str) -> str:
    """`gpt-4o-mini, temp 0.7, system 2`, from the key of a source in a variant."""
    if source == WrittenSource().key:
        return "your answer"
    name, suffix = _parts(source)
    published = ", published" if name.startswith(_PUBLISHED) else ""
    model = name.removeprefix(_PUBLISHED)
    short = _SAVED if model == FixtureSource.kind else model.partition(":")[2] or model
    temperature = _TEMPERATURE.search(suffix)
    variant = Variant(temperature=_number(temperature[1]) if temperature else None, suffix=suffix)
    return ", ".join([f"{short}{published}", *variant_words(variant)])


def _model(source: str) -> str | None:
    name, _ = _parts(source)
    model = name.removeprefix(_PUBLISHED)
    return model if ":" in model and not model.endswith("*") else None


def _parts(source: str) -> tuple[str, str]:
    """A key without its variant, and the variant."""
    found = _VARIANT.fullmatch(source)
    return (source, "") if found is None else (found["source"], found["suffix"])


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


_FIXTURES = "fixtures"
_MOST_FILES = 8
_MOST_RESULTS = 4
_MOST_BYTES = 16 << 20
"""The size up to which a file is read that the author did not choose."""
_RESPONSES = re.compile(rb"(?:^|[{,])\s*[\"']?responses[\"']?\s*:", re.MULTILINE)


class FileAnswer(Record):
    """An answer in a file. `source` is the key of its source; None for a saved answer of no model in particular."""

    file: Path
    source: str | None
    response: Response
    is_saved: bool = True
    """Whether the file has saved answers, and not results."""


class AnswerFiles(Record):
    """What files have to say to one prompt. `problems` are the messages about files that cannot be read."""

    answers: tuple[FileAnswer, ...] = ()
    problems: tuple[str, ...] = ()


@dataclass(slots=True)
class _Reader:
    """Reads the answers to one prompt, and collects the problems of files."""

    prompt: Prompt
    prompts: Sequence[Prompt]
    talk: Conversation
    problems: list[str] = field(default_factory=list[str])

    def saved(self, path: Path) -> Iterator[FileAnswer]:
        from engine.evaluation.fixtures import UnusableFixtures, all_responses, read_fixtures

        try:
            fixtures = read_fixtures(path)
        except UnusableFixtures as error:
            self.problems.append(f"{path.name}: {error}")
            return
        for model, response in all_responses(fixtures, self.prompt, self.talk, self.prompts):
            yield FileAnswer(path, model, response)

    def results(self, path: Path) -> Iterator[FileAnswer]:
        from engine.evaluation.published import (  # as they read results
            asks_the_same,
            cached_result_file,
            published_response,
        )
        from engine.evaluation.results import UnusableResult

        try:
            file = cached_result_file(path)
        except UnusableResult as error:
            self.problems.append(f"{path.name}: {error}")
            return
        for result in file.results:
            if result.error is None and asks_the_same(result.bare_prompt, self.prompt):
                response = published_response(result, self.talk)
                if response is not None and response.subject.strip():
                    key = result.model if result.ours else StoredSource(path, result.model).key
                    yield FileAnswer(path, key, response, is_saved=False)


def read_answer_files(
    blueprint: Path, prompt: Prompt, header: Header, prompts: Sequence[Prompt], chosen: Iterable[AnswerSource]
) -> AnswerFiles:
    """The answers to `prompt` in the files of the blueprint at this path, and in those of `chosen` sources. Blocks.

    `prompts` are all prompts of the blueprint: those that share an id may each have their own saved answers.
    """
    sources = tuple(chosen)
    fixtures = [source.path for source in sources if isinstance(source, FixtureSource)]
    results = [source.path for source in sources if isinstance(source, StoredSource)]
    reader = _Reader(prompt, prompts, conversation(prompt, header))
    answers = [
        *(each for path in _each_once([*fixtures, *_fixtures_of(blueprint)]) for each in reader.saved(path)),
        *(each for path in _each_once([*results, *_results_of(blueprint)]) for each in reader.results(path)),
    ]
    return AnswerFiles(tuple(answers), tuple(reader.problems))


def _each_once(paths: Iterable[Path]) -> Iterable[Path]:
    return dict.fromkeys(path.absolute() for path in paths)


def _fixtures_of(blueprint: Path) -> Iterator[Path]:
    """The files of saved answers that belong to a blueprint by their names, at most `_MOST_FILES`."""
    beside = (path for path in _files(blueprint.parent) if path.stem.lower() == _FIXTURES or _is_named(path, blueprint))
    folders = dict.fromkeys((blueprint.parent / _FIXTURES, results_folder(blueprint) / _FIXTURES))
    within = (path for folder in folders for path in _files(folder) if _is_named(path, blueprint))
    named = [path for path in (*beside, *within) if path.suffix.lower() in SUFFIXES and path != blueprint]
    return (path for path in named[:_MOST_FILES] if _has_responses(path))


def _is_named(path: Path, blueprint: Path) -> bool:
    """Whether the name of a file is that of the blueprint, with something after it or not."""
    return re.match(rf"{re.escape(blueprint.stem)}(?![^\W_])", path.stem) is not None


def _results_of(blueprint: Path) -> Iterator[Path]:
    """The newest result files of a blueprint that are not too large, the newest first."""
    newest = reversed(result_files(blueprint)[-_MOST_RESULTS:])
    return (path for path in newest if _size(path) <= _MOST_BYTES)


def _files(folder: Path) -> Sequence[Path]:
    """The files in a folder, by name; none if there is no such folder."""
    try:
        return sorted(path for path in folder.iterdir() if path.suffix.lower() in SUFFIXES)
    except OSError:
        return ()


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _has_responses(path: Path) -> bool:
    """Whether a file has a key `responses`, as each of saved answers has. A blueprint of a like name has none.

    True of a file that cannot be read: reading it says why.
    """
    try:
        return _RESPONSES.search(read_regular(path, _MOST_BYTES)) is not None
    except (NotRegular, TooLong):
        return False
    except OSError:
        return True
