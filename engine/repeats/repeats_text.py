"""Variation and comparisons in words. Scores and differences are shown from 0 to 100."""

from __future__ import annotations

from collections.abc import Sequence

from engine.record import Record
from engine.repeats.repeat_comparison import Comparison
from engine.repeats.variation import Variation
from engine.scoring.explanation_text import points_text
from engine.yaml_nodes.javascript_text import javascript_number

_WIDTH = 12
_LEAST_P = 0.001


class Generated(Record):
    """How the answers were generated: at `temperature`, None if unknown; or by a model that `ignores` it."""

    temperature: float | None
    ignores: bool = False

    @property
    def is_servers(self) -> bool:
        """Whether the answers differ by the server alone."""
        return self.temperature == 0 and not self.ignores


def variation_lines(
    found: Variation, scores: Sequence[float], generated: Generated, tells_apart: str
) -> tuple[str, ...]:
    """The mean with all scores, then the variation of generation and of judging, apart.

    `tells_apart` says what to do where the two cannot be told apart.
    """
    listed = ", ".join(points_text(score) for score in scores)
    answers = "1 answer" if found.answers == 1 else f"{found.answers} answers"
    return (
        f"{points_text(found.mean)} over {answers}: {listed}",
        _generation(found, generated, tells_apart),
        _judging(found),
    )


def _generation(found: Variation, generated: Generated, tells_apart: str) -> str:
    name = "server" if generated.is_servers else "generation"
    if found.between is None:
        return _line(name, "unknown: it takes two scored answers")
    if found.generation is None:
        together = f"together with judging ±{points_text(found.between)}"
        return _line(name, f"{together}; {tells_apart}")
    return _line(name, f"±{points_text(found.generation)} between answers, {_how(generated, found.generation)}")


def _how(generated: Generated, deviation: float) -> str:
    if generated.ignores:
        return "at a temperature of the model's own"
    if generated.temperature is None:
        return "at an unknown temperature"
    if generated.temperature == 0:
        return "at temperature 0: the model's server varies" if deviation else "at temperature 0"
    return f"at temperature {javascript_number(generated.temperature)}"


def _judging(found: Variation) -> str:
    if not found.judged:
        return _line("judging", "none: no verdict of a judge counts")
    if found.judging is None:
        return _line("judging", "unknown: each answer was judged once")
    apart = f"±{points_text(found.judging)} between verdicts on the same answer"
    servers = ": the judges' servers vary" if found.judging else ""
    return _line("judging", f"{apart}, at temperature 0{servers}")


def _line(name: str, text: str) -> str:
    return f"  {name:<{_WIDTH}}{text}"


def comparison_text(found: Comparison, one: str, other: str, prompt: str) -> str:
    """The scores of `one` compared with those of `other` on `prompt`, and how, or why nothing was tested."""
    if found.difference is None:
        return f"{prompt}: {one} and {other} are not compared: {found.reason}"
    difference = f"{prompt}: {_difference(found.difference, one, other)}"
    if found.p is None:
        return f"{difference}; no test: {found.reason}"
    return f"{difference}, {p_text(found.p)} (exact permutation test, {found.ways:,} splits)"


P_MEANS = "p says how often chance alone makes a difference at least this large: 0.05 is 1 time in 20."


def _difference(difference: float, one: str, other: str) -> str:
    """`a scores 3.2 higher than b`, `a scores 1.1 lower than b`, `a and b score the same`."""
    figure = points_text(abs(difference))
    if figure == "0.0":
        return f"{one} and {other} score the same"
    return f"{one} scores {figure} {'higher' if difference > 0 else 'lower'} than {other}"


def p_text(p: float) -> str:
    """`p = 0.029`, `p < 0.001`."""
    return f"p < {_LEAST_P}" if p < _LEAST_P else f"p = {p:.2g}"
