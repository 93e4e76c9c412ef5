"""Two result files compared on this machine: with its checks and its cached verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from engine.evaluation.results import ResultFile, UnusableResult, read_result_file
from engine.study.result_comparison import MissingVerdicts, ResultComparison, compare_results
from studio.cli.frame import Unusable, report_once
from studio.session.cache import Cache
from studio.session.resources import Resources


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
) -> ResultComparison:
    """The comparison of two files. Blocks while checks run. Raises `Unusable` if they have nothing in common.

    A file has its own verdicts; if `judged`, also those that its judges gave since on what it lacks.
    """
    pairs = _pairs(old, new, models, old_model)
    resources = Resources()
    try:
        cache = Cache(resources.store, report_once("Stored verdicts"), without_stored=no_stored)
        missing = MissingVerdicts(resources.javascript, partial(cache.judgements, None), fills_own=judged)
        comparison = compare_results(old, new, missing, models=pairs, prompts=prompts)
        if not comparison.results:
            raise Unusable(f"{old.path} and {new.path} have no such result in common.")
        return comparison
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
