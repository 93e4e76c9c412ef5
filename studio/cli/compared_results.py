"""Two result files compared on this machine: with its checks, its cached verdicts and its prices."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from engine.comparison.closing_plan import OpenCorner, closing_plan, open_corners, price_text
from engine.comparison.result_comparison import (
    ComparedResult,
    MissingCorners,
    ResultComparison,
    ResultVersion,
    compare_results,
)
from engine.evaluation.results import ResultFile, UnusableResult, read_result_file
from engine.models.prices import own_prices
from engine.planning import CacheLookup
from engine.record import Record
from studio.cli.unread_store import report_once
from studio.cli.unusable import Unusable
from studio.session.cache import Cache
from studio.session.resources import Resources


class ComparedFiles(Record):
    """A comparison, and the price of closing its missing verdicts: how many these are, and the price in words."""

    comparison: ResultComparison
    missing: int
    price: str

    @property
    def open_corners(self) -> list[tuple[ResultVersion, list[OpenCorner]]]:
        """The corners that judges could close, with the version whose rubrics and judges they are of."""
        versions = {False: self.comparison.old, True: self.comparison.new}
        return [(versions[is_new], corners) for is_new, corners in _open_corners(self.comparison).items() if corners]


def read_result(path: Path, form: str) -> ResultFile:
    """The result file at `path` for output in this form. Raises `Unusable`."""
    try:
        return read_result_file(path, for_people=form != "json")
    except UnusableResult as error:
        raise Unusable(f"{path}: {error}") from error


def compared(
    old: ResultFile,
    new: ResultFile,
    prompts: Sequence[str],
    models: Sequence[str],
    old_model: str | None,
    *,
    judged: bool,
    no_stored: bool = False,
) -> ComparedFiles:
    """The comparison of two files. Blocks while checks run. Raises `Unusable` if they have nothing in common.

    A file has its own verdicts; if `judged`, also those that its judges gave since on what it lacks.
    """
    pairs = _pairs(old, new, models, old_model)
    resources = Resources()
    try:
        cache = Cache(resources.store, report_once("Stored verdicts"), without_stored=no_stored)
        missing = MissingCorners(resources.javascript, partial(cache.judgements, None), fills_own=judged)
        comparison = compare_results(old, new, missing, models=pairs, prompts=prompts)
        if not comparison.results:
            raise Unusable(f"{old.path} and {new.path} have no such result in common.")
        return ComparedFiles(comparison, *_price(comparison, CacheLookup(judgement=cache.judgement)))
    finally:
        resources.close()


def _pairs(old: ResultFile, new: ResultFile, models: Sequence[str], old_model: str | None) -> dict[str, str] | None:
    """The models of `old` by those of `new` with which they are compared; None for those with the same key."""
    wanted = [model for model in new.models if not models or model in models]
    if missing := [model for model in models if model not in new.models]:
        raise Unusable(f"{new.path} has no results of {missing[0]}. It has: {', '.join(new.models)}.")
    if old_model is not None:
        if old_model not in old.models:
            raise Unusable(f"{old.path} has no results of {old_model}. It has: {', '.join(old.models)}.")
        if len(wanted) != 1:
            raise Unusable("--old-model goes with one model of NEW: name it with --model.")
        return {wanted[0]: old_model}
    if len(wanted) == len(old.models) == 1:
        return {wanted[0]: old.models[0]}
    return {model: model for model in wanted if model in old.models}


def _price(comparison: ResultComparison, cache: CacheLookup) -> tuple[int, str]:
    own = own_prices()
    missing = sum(len(each.corners.missing) for each in comparison.results if each.corners is not None)
    versions = {False: comparison.old, True: comparison.new}
    plans = [
        closing_plan(versions[is_new].header, versions[is_new].panel, corners, own=own, cache=cache)
        for is_new, corners in _open_corners(comparison).items()
        if corners
    ]
    return missing, price_text(plans)


def _open_corners(comparison: ResultComparison) -> dict[bool, list[OpenCorner]]:
    """The corners that judges could close, by whether their rubric is the new one."""
    found: dict[bool, list[OpenCorner]] = {False: [], True: []}
    for each in comparison.results:
        if each.corners is not None:
            for is_new, corner in _open(each):
                found[is_new].append(corner)
    return found


def _open(each: ComparedResult) -> tuple[tuple[bool, OpenCorner], ...]:
    assert each.corners is not None
    return open_corners(each.corners, (each.old.prompt, each.new.prompt), (each.old.answer, each.new.answer))
