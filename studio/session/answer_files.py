"""The answers to one prompt in files: saved answers, and results of runs. Nothing has to be run to read them.

Files are read that the author chose as a source of answers, and those that belong to the blueprint by their names:
`fixtures.yml` and `NAME.fixtures.json` beside it, `fixtures/NAME.yml` beside it or above `blueprints/`, where Weval
looks for them, and `*_comparison.json` beside it or where its results are written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from engine.blueprint.conversation import conversation
from engine.evaluation.sources import AnswerSource, FixtureSource, StoredSource
from engine.files.atomic import NotRegular, TooLong, read_regular
from engine.parsing.recognition import SUFFIXES
from engine.study.file_places import results_folder
from engine.text.record import Record
from studio.session.published_results import result_files

if TYPE_CHECKING:
    from engine.blueprint import Header, Prompt
    from engine.blueprint.conversation import Conversation
    from engine.evaluation.events import Response

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
