"""The answers to one prompt: those on which a criterion can be judged, and those that are read side by side."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from engine.blueprint.conversation import Conversation, Variant, conversation
from engine.evaluation.events import Response
from engine.evaluation.sources import (
    ControlKind,
    ControlSource,
    FixtureSource,
    IdealSource,
    StoredSource,
    WrittenSource,
    run_name,
    variant_words,
)
from engine.files.atomic import NotRegular, TooLong, read_regular
from engine.parsing.recognition import SUFFIXES
from engine.study.case import Case, prompt_names
from engine.study.case_reader import cases_in
from engine.study.file_places import read_case_text, results_folder
from engine.study.known_answers import SAVED, KnownAnswer, case_answer, ideal_answer, known_answer, merged
from engine.text.record import Record, replace
from engine.text.spans import one_line
from studio.session.published_results import result_files
from studio.session.run import Run, has_same_questions
from studio.session.state import EMPTY

if TYPE_CHECKING:
    from engine.blueprint import Blueprint, Header, Prompt
    from engine.evaluation.sources import AnswerSource
    from engine.store import PromptPlace, Store
    from engine.store.stored_answers import StoredResponse


_MOST_STORED = 200
"""How many stored answers of a prompt are read, the newest."""
_VARIANT = re.compile(r"(?P<source>.*?)(?P<suffix>(?:\[(?:temp|sp_idx):[^\[\]]*\])*)", re.DOTALL)
_TEMPERATURE = re.compile(r"\[temp:([^\[\]]*)\]")
_PUBLISHED = "published:"
_CONTROL = "control:"
_IDEAL_ON_WEVAL = "IDEAL_MODEL_ID"
"""The name under which results have the ideal."""


class KnownAnswers(Record):
    """All answers to a prompt, and the decisions of the author about them, by digest. `cases` are those of the prompt.

    `problem` says why the cases could not be read, "" if they could; `file_problems` says so of other files.
    """

    every: tuple[KnownAnswer, ...] = ()
    cases: tuple[Case, ...] = ()
    problem: str = ""
    file_problems: tuple[str, ...] = ()
    decided: Mapping[str, bool] = EMPTY

    def is_chosen(self, answer: KnownAnswer) -> bool:
        """Whether criteria are judged on an answer."""
        return self.decided.get(answer.key, answer.usual)

    @property
    def chosen(self) -> tuple[KnownAnswer, ...]:
        """The answers on which criteria are judged."""
        return tuple(each for each in self.every if self.is_chosen(each))


def cases_of_prompt(path: Path, name: str) -> tuple[tuple[Case, ...], str]:
    """The cases of the prompt `name` in the case file of the blueprint at `path`, and why they cannot be read. Blocks.

    () and "" where there is no case file.
    """
    text, problem = read_case_text(path)
    return tuple(case for case in cases_in(text).cases if case.prompt == name), problem


# --- Those on which a criterion can be judged


def stored_and_decided(place: PromptPlace, store: Store) -> tuple[Sequence[StoredResponse], Mapping[str, bool]]:
    """What the database has of a prompt for `answers_to_judge`. Raises `StoreUnavailable`."""
    return store.whole_responses(place, _MOST_STORED), store.chosen_answers(place)


def answers_to_judge(
    path: Path,
    blueprint: Blueprint,
    prompt: Prompt,
    shown: Run | None,
    stored: Sequence[StoredResponse],
    decided: Mapping[str, bool],
) -> KnownAnswers:
    """The ideal, the cases of the prompt, the answer that is `shown`, and stored ones. Blocks."""
    header = blueprint.header
    cases, problem = cases_of_prompt(path, prompt_names(blueprint)[prompt.index])
    ideals = list(ideal_answer(prompt, header))
    answers = [
        *ideals,
        *(case_answer(_case_label(case), case, prompt, header, usual=True) for case in cases),
        *(replace(each, usual=True) for each in _of_runs([] if shown is None else [shown], prompt)),
        *_stored_once(stored, prompt, {ideal.subject for ideal in ideals}),
    ]
    return KnownAnswers(merged(answers), cases, problem, decided=decided)


def _case_label(case: Case) -> str:
    return ": ".join(filter(None, (f"case {case.number}", one_line(case.reason or case.model or ""))))


def _stored_once(stored: Sequence[StoredResponse], prompt: Prompt, ideals: Collection[str]) -> Iterator[KnownAnswer]:
    """The stored answers, but for runs of the present ideal."""
    seen: Counter[str] = Counter()
    for source, created, response in stored:
        is_present = source == IdealSource().key and response.subject in ideals
        if not is_present and _is_answer(response, prompt):
            name = _name(source)
            seen[name] += 1
            label = name if seen[name] == 1 else f"{name}, {created.astimezone():%d %b %H:%M}"
            yield known_answer(label, response, model=_model(source))


def _name(source: str) -> str:
    if source == IdealSource().key:
        return "an earlier ideal"
    if source == WrittenSource().key:
        return "your answer"
    control = next((ControlSource(kind) for kind in ControlKind if ControlSource(kind).key == source), None)
    return (source.partition(":")[2] or source).rpartition("/")[2] if control is None else control.label


# --- Those that are read side by side


def newest_stored(place: PromptPlace, store: Store) -> Sequence[StoredResponse]:
    """What the database has of a prompt for `answers_to_read`. Raises `StoreUnavailable`."""
    return store.newest_responses(place, WrittenSource().key, _MOST_STORED)


def answers_to_read(
    path: Path,
    blueprint: Blueprint,
    prompt: Prompt,
    stored: Iterable[StoredResponse],
    *,
    runs: Iterable[Run] = (),
    written: str = "",
    sources: Iterable[AnswerSource] = (),
) -> KnownAnswers:
    """The ideal, the newest of each source in the database, those of `runs`, those in files, and the cases. Blocks.

    `written` is the author's own answer; files are those of the blueprint, and those of `sources`.
    """
    talk = conversation(prompt, blueprint.header)
    own = (("written in the prompt", talk.answer), ("your answer", written))
    in_files, problems = _answers_in_files(path, prompt, blueprint, talk, tuple(sources))
    answers = [
        *ideal_answer(prompt, blueprint.header),
        *_stored_newest(stored, prompt),
        *_of_runs(
            (run for run in runs if not _is_left_out(run.key) and run.response and run.response.complete), prompt
        ),
        *(known_answer(label, Response(text, talk.answered([text]))) for label, text in own if text and text.strip()),
        *in_files,
    ]
    name = prompt_names(blueprint)[prompt.index]
    return with_cases(KnownAnswers(merged(answers), file_problems=problems), path, prompt, name, blueprint.header)


def with_cases(answers: KnownAnswers, path: Path, prompt: Prompt, name: str, header: Header) -> KnownAnswers:
    """`answers` with the cases as they are in the file now; none moves. Blocks."""
    cases, problem = cases_of_prompt(path, name)
    before = (replace(each, case=None, test=None) for each in answers.every)
    labelled = (
        case_answer(_marked_label(case), case, prompt, header, is_edited=case.is_edited, is_labelled=True)
        for case in cases
    )
    return replace(answers, every=merged([*before, *labelled]), cases=cases, problem=problem)


def _marked_label(case: Case) -> str:
    what = "edited copy" if case.is_edited else "labelled answer"
    return f"{_label(case.model)}, {what}" if case.model else what


def _stored_newest(stored: Iterable[StoredResponse], prompt: Prompt) -> Iterator[KnownAnswer]:
    for source, created, response in stored:
        if not _is_left_out(source) and _is_answer(response, prompt):
            is_edited = any(turn.edited for turn in response.thread)
            label = "your edited answer" if is_edited else _label(source)
            yield known_answer(label, response, model=_model(source), created=created, is_edited=is_edited)


def _of_runs(runs: Iterable[Run], prompt: Prompt) -> Iterator[KnownAnswer]:
    """The answers of this session, which the database may not have taken."""
    for run in runs:
        response = run.response
        if response is not None and not run.running and _is_answer(response, prompt):
            yield known_answer(run.label, response, model=_model(run.candidate.key), is_edited=run.edited is not None)


def _is_answer(response: Response, prompt: Prompt) -> bool:
    """Whether it may be shown, and is to the present question."""
    return not response.withheld and has_same_questions(response, prompt)


def _is_left_out(source: str) -> bool:
    """The present ideal is there already, and test answers are made to be bad."""
    name = source.removeprefix(_PUBLISHED)
    return name in (IdealSource().key, _IDEAL_ON_WEVAL) or name.startswith(_CONTROL)


def _label(source: str) -> str:
    """`gpt-4o-mini, temp 0.7, system 2`, from the key of a source in a variant."""
    if source == WrittenSource().key:
        return "your answer"
    name, suffix = _parts(source)
    published = ", published" if name.startswith(_PUBLISHED) else ""
    model = name.removeprefix(_PUBLISHED)
    short = SAVED if model == FixtureSource.kind else model.partition(":")[2] or model
    temperature = _TEMPERATURE.search(suffix)
    variant = Variant(temperature=_number(temperature[1]) if temperature else None, suffix=suffix)
    return ", ".join([f"{short}{published}", *variant_words(variant)])


def _model(source: str) -> str | None:
    name, _ = _parts(source)
    model = name.removeprefix(_PUBLISHED)
    return model if ":" in model and not model.endswith("*") and not model.startswith(_CONTROL) else None


def _parts(source: str) -> tuple[str, str]:
    """A key without its variant, and the variant."""
    found = _VARIANT.fullmatch(source)
    return (source, "") if found is None else (found["source"], found["suffix"])


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


# --- Those in files


_FIXTURES = "fixtures"
_MOST_FILES = 8
_MOST_RESULTS = 4
_MOST_BYTES = 16 << 20
"""The size up to which a file is read that the author did not choose."""
_RESPONSES = re.compile(rb"(?:^|[{,])\s*[\"']?responses[\"']?\s*:", re.MULTILINE)


def _answers_in_files(
    path: Path, prompt: Prompt, blueprint: Blueprint, talk: Conversation, sources: Sequence[AnswerSource]
) -> tuple[list[KnownAnswer], tuple[str, ...]]:
    """The answers in files of the blueprint at `path`, and in those of `sources`; and what cannot be read. Blocks."""
    from engine.evaluation.fixtures import UnusableFixtures
    from engine.evaluation.results import UnusableResult

    fixtures = [source.path for source in sources if isinstance(source, FixtureSource)]
    results = [source.path for source in sources if isinstance(source, StoredSource)]
    answers: list[KnownAnswer] = []
    problems: list[str] = []
    files = [(file, True) for file in _each_once([*fixtures, *_fixtures_of(path)])]
    files += [(file, False) for file in _each_once([*results, *_results_of(path)])]
    for file, is_saved in files:
        try:
            # all prompts, as those that share an id may each have their own saved answers
            answers += _saved(file, prompt, blueprint.prompts, talk) if is_saved else _results(file, prompt, talk)
        except (UnusableFixtures, UnusableResult) as error:
            problems.append(f"{file.name}: {error}")
    return answers, tuple(problems)


def _saved(file: Path, prompt: Prompt, prompts: Sequence[Prompt], talk: Conversation) -> Iterator[KnownAnswer]:
    """The saved answers in a file. Raises `UnusableFixtures`."""
    from engine.evaluation.fixtures import all_responses, read_fixtures

    for model, response in all_responses(read_fixtures(file), prompt, talk, prompts):
        if model is None:
            yield known_answer(SAVED, response, file=file.name)
        elif not _is_left_out(model):
            name = model if model.endswith("*") else _label(model)
            yield known_answer(f"{name}, {SAVED}", response, model=_model(model), file=file.name)


def _results(file: Path, prompt: Prompt, talk: Conversation) -> Iterator[KnownAnswer]:
    """The answers in a result file, which are read as results are. Raises `UnusableResult`."""
    from engine.evaluation.published import asks_the_same, cached_result_file, published_response

    for result in cached_result_file(file).results:
        if result.error is not None or not asks_the_same(result.bare_prompt, prompt):
            continue
        key = result.model if result.ours else StoredSource(file, result.model).key
        response = published_response(result, talk)
        if response is not None and response.subject.strip() and not _is_left_out(key):
            yield known_answer(_label(key), response, model=_model(key), file=run_name(file))


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
