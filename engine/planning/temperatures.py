"""Models that are asked the same at several temperatures and take none: reported before it is paid several times."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from engine.evaluation.sources import ModelSource
from engine.planning.exchanges import Exchange, Job
from engine.scoring.explanation_text import listed
from engine.yaml_nodes.javascript_text import javascript_number


@dataclass(frozen=True, slots=True)
class SameRequests:
    """A model to which several `temperatures` (0–2, two or more) send the same requests, `requests` of them in all."""

    model: str
    temperatures: tuple[float, ...]
    requests: int

    @property
    def sentence(self) -> str:
        """What it means, and what to do."""
        at = listed([javascript_number(each) for each in self.temperatures])
        return (
            f"{self.model} ignores temperature: at {at} it is sent the same requests, and all {self.requests:,} are "
            "paid for. Choose one of the `temperatures`, or a model that takes them."
        )

    @property
    def agreement(self) -> str:
        """What an author agrees to by letting it be sent."""
        return f"{self.model} at several temperatures that it ignores"


def by_temperature(wanted: Iterable[tuple[Job, Exchange]]) -> dict[tuple[str, str | None], SameRequests]:
    """The models that are asked at several temperatures, whether they take them or not, by id and base URL."""
    found: dict[tuple[str, str | None], dict[float, int]] = {}
    for job, answer in wanted:
        temperature = job.variant.temperature
        if isinstance(job.source, ModelSource) and answer.requests and temperature is not None:
            requests = found.setdefault((job.source.model, job.source.base_url), {})
            requests[temperature] = requests.get(temperature, 0) + answer.requests
    return {
        key: SameRequests(key[0], tuple(sorted(requests)), sum(requests.values()))
        for key, requests in found.items()
        if len(requests) > 1
    }
