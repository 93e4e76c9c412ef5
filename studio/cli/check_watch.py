"""`studio check --watch`: check again whenever a file, its settings or a collection of models changes."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import click

from engine.files.open_files import changes
from engine.functions.v8 import JavaScript
from engine.parsing.model_collections import FOLDER
from engine.rules.selection import settings_files
from engine.rules.source.named_models import forget_collections
from engine.study.file_places import beside
from engine.text.spans import count
from studio.cli.check_files import Candidate, Examined, Examiner, Exclusions, Walk, examined, pays_off, walk
from studio.cli.check_options import CheckOptions
from studio.cli.check_result import check_files, print_result, read_baseline_of
from studio.cli.frame import Unusable


def watch(options: CheckOptions) -> None:
    """Check, and check again after each change, until Ctrl+C. Raises `Unusable` if the first check cannot be made."""
    with JavaScript() as javascript:
        watching = _Watching(options, ExaminedFiles(javascript))
        try:
            for news in changes(watching.files, threading.Event()):
                watching.check_again(news) if news else watching.check()
        except KeyboardInterrupt:
            click.echo(err=True)


class ExaminedFiles:
    """The results of files, as long as neither they nor what they depend on changed."""

    def __init__(self, javascript: JavaScript) -> None:
        self._javascript = javascript
        self._results: dict[Candidate, Examined] = {}
        self._examiner: Examiner | None = None

    def forget(self, paths: frozenset[Path] | None = None) -> None:
        """Forget the results of these files; of all, with the settings and the collections, without `paths`."""
        if paths is None:
            self._examiner = None
            forget_collections()
        self._results = {
            each: result for each, result in self._results.items() if paths is not None and each.path not in paths
        }

    def examine(self, files: Sequence[Candidate], options: CheckOptions) -> Iterator[Examined]:
        """The results for all `files`, in their order. Only those that are not known are examined."""
        missing = [each for each in files if each not in self._results]
        for each, result in zip(missing, self._examined(missing, options), strict=True):
            self._results[each] = result
            if len(missing) == len(files):
                yield result
        if len(missing) < len(files):
            yield from (self._results[each] for each in files)

    def _examined(self, files: Sequence[Candidate], options: CheckOptions) -> Iterator[Examined]:
        if pays_off(len(files)):
            yield from examined(files, options)
            return
        if self._examiner is None:
            self._examiner = Examiner(options, self._javascript)
        yield from (self._examiner.examine(each.path, named=each.named) for each in files)


class _Watching:
    """The files that were found last, and their results."""

    def __init__(self, options: CheckOptions, results: ExaminedFiles) -> None:
        self._options = options
        self._results = results
        self._walk = Walk()

    def files(self) -> set[Path]:
        """The files as they are found now, and what their check depends on."""
        options = self._options
        exclusions = Exclusions(options.exclude, options.baseline)
        self._walk = walk(options.paths, exclusions, force=options.force_exclude)
        files = [*self._walk.missing, *(each.path for each in self._walk.candidates)]
        beneath = (folder / "a" for folder in (*options.paths, *self._walk.visited))
        around = surroundings([*files, *beneath], options.collections)
        return {*files, *around, *filter(None, [options.baseline]), *map(beside, files)}

    def check(self) -> None:
        """Check what changed, and print the results of all files. Raises `Unusable`."""
        baseline = read_baseline_of(self._options)
        result = check_files(self._walk, self._options, baseline, self._results.examine)
        if sys.stdout.isatty():
            click.clear()
        print_result(result, self._options)
        self._say_what_is_watched()

    def check_again(self, news: frozenset[Path]) -> None:
        """As `check`, after `news`; what cannot be done is printed."""
        self._results.forget(None if news - {each.path for each in self._walk.candidates} else news)
        try:
            self.check()
        except Unusable as error:
            error.show()
            self._say_what_is_watched()

    def _say_what_is_watched(self) -> None:
        if not self._options.quiet:
            files = count(len(self._walk.candidates), "file")
            click.echo(f"{time.strftime('%H:%M:%S')} Watching {files} for changes. Ctrl+C ends.", err=True)


def surroundings(files: Iterable[Path], collections: Path | None) -> set[Path]:
    """The files that the check of `files` depends on: settings of their projects, and collections of models."""
    folders = {parent for file in files for parent in Path(os.path.normpath(file.absolute())).parents}
    models = [folder / FOLDER for folder in folders] if collections is None else [collections]
    settings = {candidate for file in files for candidate in settings_files(file)}
    return settings | {file for folder in models for file in _collections_in(folder)}


def _collections_in(folder: Path) -> list[Path]:
    try:
        return list(folder.glob("*.json"))
    except OSError:
        return []
