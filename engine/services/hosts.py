"""The hosts that checks call, with the number of calls and the variables sent: shown to the author for consent."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field

from engine.blueprint import Header, Prompt
from engine.functions.point_function import Subject
from engine.providers.chat import ProviderError
from engine.providers.http import is_loopback, recipient_of
from engine.services.calls import ServiceCall, is_service_call, service_call
from engine.services.service_client import PreparedCall, prepare

_NO_ANSWER = Subject("")


@dataclass(frozen=True, slots=True)
class Host:
    """One host that checks call.

    `name` includes the port if it is not the default; consent is given to this name. `url` is one of its addresses,
    with variables filled in, for `engine.services.addresses.is_private` only. `services` are the names of the services
    at this host. `calls` is the number of requests for one answer to each prompt, without retries. `variables` are the
    environment variables whose values are sent.
    """

    name: str
    url: str = field(repr=False)
    services: tuple[str, ...]
    calls: int
    variables: tuple[str, ...]

    @property
    def is_here(self) -> bool:
        """Whether its name is a loopback name or address."""
        return is_loopback(self.url)

    @property
    def recipient(self) -> str:
        """The recipient as shown to authors: the host, or `this machine (host:port)`."""
        return recipient_of(self.url) if self.is_here else self.name

    @property
    def place(self) -> str:
        """The recipient with its preposition: `at facts.example`, `on this machine (localhost:8888)`."""
        return f"{'on' if self.is_here else 'at'} {self.recipient}"

    @property
    def consent(self) -> str:
        """The saved form of consent to this host: the recipient and the variables sent to it."""
        variables = f" ({', '.join(self.variables)})" if self.variables else ""
        return f"service at {self.recipient}{variables}"

    @property
    def consent_nearby(self) -> str:
        """The saved form of consent to this host on this machine or in its network."""
        return self.consent if self.is_here else f"service at {self.recipient}, in this network"

    def is_agreed(self, consented: Iterable[str]) -> bool:
        """Whether `consented` has this recipient with at least these variables."""
        bare = f"service at {self.recipient}"
        suffixes = (text.removeprefix(bare) for text in consented if text.startswith(bare))
        return any(self._covers(suffix) for suffix in suffixes)

    def is_agreed_nearby(self, consented: Collection[str]) -> bool:
        """Whether `consented` allows this host to be on this machine or in its network."""
        return self.is_agreed(consented) if self.is_here else self.consent_nearby in consented

    def _covers(self, suffix: str) -> bool:
        """Whether the text after a recipient, such as ` (A, B)`, names all variables."""
        named = suffix[2:-1].split(", ") if suffix.startswith(" (") and suffix.endswith(")") else ()
        return set(self.variables) <= set(named) and (bool(named) or not suffix)


def hosts(header: Header, prompts: Iterable[Prompt], *, keyless: bool = False) -> tuple[Host, ...]:
    """The hosts that the checks of `prompts` call, in the order of the first call.

    With `keyless`, for a plan that sends nothing, only the variables of addresses need a value. Calls that cannot be
    made, because a variable is not set or a service is not declared, are left out.
    """
    found: dict[str, Host] = {}
    for call, prepared in _calls(header, prompts, keyless=keyless):
        name = prepared.host
        one = Host(name, str(prepared.request.url.copy_with(query=None)), (call.service.name,), 1, call.variables)
        found[name] = one if name not in found else _merged(found[name], one)
    return tuple(found.values())


def _calls(header: Header, prompts: Iterable[Prompt], *, keyless: bool) -> Iterator[tuple[ServiceCall, PreparedCall]]:
    for prompt in prompts:
        for point in prompt.points():
            if point.function is None or not is_service_call(point.function):
                continue
            try:
                call = service_call(point.function, header)
                yield call, prepare(call, _NO_ANSWER, keyless=keyless)
            except ProviderError:
                continue  # the run reports it at the point itself


def _merged(one: Host, other: Host) -> Host:
    services = tuple(dict.fromkeys((*one.services, *other.services)))
    variables = tuple(dict.fromkeys((*one.variables, *other.variables)))
    return Host(one.name, one.url, services, one.calls + other.calls, variables)
