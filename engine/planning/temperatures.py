"""Models that ignore temperature and would be sent, and paid for, the same request several times."""

from __future__ import annotations

from collections.abc import Iterable

from engine.evaluation.sources import ModelSource
from engine.planning.exchanges import Exchange, Job
from engine.record import Record
from engine.scoring.explanation_text import listed
from engine.yaml_nodes.javascript_text import javascript_number


class SameRequests(Record):
    """A model that gets the same requests at two or more `temperatures` (each 0–2), `requests` of them in all."""

    model: str
    temperatures: tuple[float, ...]
    requests: int

    @property
    def sentence(self) -> str:
        """What happens, and what to do."""
        at = listed([javascript_number(each) for each in self.temperatures])
        return (
            f"{self.model} ignores temperature: at {at} it is sent the same requests, and all {self.requests:,} are "
            "paid for. Choose one of the `temperatures`, or a model that takes them."
        )

    @property
    def agreement(self) -> str:
        """The agreement that settings save when the author sends it nevertheless."""
        return f"{self.model} at several temperatures that it ignores"


def by_temperature(wanted: Iterable[tuple[Job, Exchange]]) -> dict[tuple[str, str | None], SameRequests]:
    """The models that are asked at several temperatures, whether they ignore them or not, by id and base URL."""
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
