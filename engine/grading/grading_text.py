"""The rate of blind grading in words."""

from __future__ import annotations

from engine.grading.grading_rate import GradingRate


def rate_lines(rate: GradingRate, *, who: str = "") -> tuple[str, ...]:
    """The rate in sentences, the figure first. `who` is the person's name; "" for the reader."""
    graded = _count(rate.graded, "pair")
    if not rate.graded:
        return (f"No pair of the sample is graded yet{_skipped(rate)}.", *_gone(rate))
    lines = [
        f"The judges agree with {who or 'you'} on {rate.agree} of {graded} ({_percent(rate.agree / rate.graded)})"
        f"{_skipped(rate)}.",
        f"The pairs are of {_count(rate.answers, 'answer')}; verdicts on one answer are alike.",
        f"A judge that calls every point met would agree on {rate.always_met} "
        f"({_percent(rate.always_met / rate.graded)}).",
        _faults(rate, who),
    ]
    return (*lines, *_waiting(rate), *_gone(rate))


def progress_text(rate: GradingRate, position: int) -> str:
    """`7 of 40, 2 skipped`: the place in the sample, and what was skipped of it. `position` counts from 1."""
    return f"{position} of {rate.size - rate.gone}{_skipped(rate)}"


def _skipped(rate: GradingRate) -> str:
    return f", {rate.skipped} skipped" if rate.skipped else ""


def _faults(rate: GradingRate, who: str) -> str:
    if not rate.disagreements:
        return "No false pass and no false failure."
    you = f"{who} fails" if who else "you fail"
    passes = f"{who} passes" if who else "you pass"
    return (
        f"{_count(rate.false_passes, 'false pass', 'false passes')}: the judges pass what {you}. "
        f"{_count(rate.false_failures, 'false failure')}: the judges fail what {passes}."
    )


def _waiting(rate: GradingRate) -> tuple[str, ...]:
    if not rate.waiting:
        return ()
    return (f"{_count(rate.waiting, 'pair')} of the sample {'is' if rate.waiting == 1 else 'are'} still to be graded.",)


def _gone(rate: GradingRate) -> tuple[str, ...]:
    if not rate.gone:
        return ()
    text = "is no longer judged as it was and does" if rate.gone == 1 else "are no longer judged as they were and do"
    return (f"{_count(rate.gone, 'pair')} of the sample {text} not count: a criterion, answer or verdict has changed.",)


def _percent(share: float) -> str:
    return f"{share * 100:.0f}%"


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or f'{one}s'}"
