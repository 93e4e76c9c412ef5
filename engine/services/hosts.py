"""Who would be called, how often, and what goes along: what an author sees before the first call to a host."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field

from engine.blueprint import Header, Prompt
from engine.functions.point_function import Subject
from engine.providers.chat import ProviderError
from engine.providers.http import is_loopback, recipient_of
from engine.services.calls import ServiceCall, is_service_call, service_call
from engine.services.service_client import PreparedCall, prepare

_NOTHING_YET = Subject("")


@dataclass(frozen=True, slots=True)
class Host:
    """One host that points ask.

    `name` has the port where it is not the usual one; consent is given to it. `url` is one of its addresses, with the
    variables put in, for `engine.services.addresses.is_private` only. `asked_as` is what the services are called.
    `calls` counts the requests for one answer to each prompt, not those tried again. `variables` are the environment
    variables whose values are sent.
    """

    name: str
    url: str = field(repr=False)
    asked_as: tuple[str, ...]
    calls: int
    variables: tuple[str, ...]

    @property
    def is_here(self) -> bool:
        """Whether its very name says that it is this machine."""
        return is_loopback(self.url)

    @property
    def recipient(self) -> str:
        """Who receives it, in words: the host, or `this machine (host:port)`."""
        return recipient_of(self.url) if self.is_here else self.name

    @property
    def place(self) -> str:
        """The recipient with its preposition: `at facts.example`, `on this machine (localhost:8888)`."""
        return f"{'on' if self.is_here else 'at'} {self.recipient}"

    @property
    def consent(self) -> str:
        """What is remembered once an author consented: the recipient, and the variables that it is sent."""
        beside = f" ({', '.join(self.variables)})" if self.variables else ""
        return f"service at {self.recipient}{beside}"

    @property
    def consent_nearby(self) -> str:
        """What is remembered beside it once it may be on this machine or in its network; its name may say so itself."""
        return self.consent if self.is_here else f"service at {self.recipient}, in this network"

    def is_agreed(self, consented: Iterable[str]) -> bool:
        """Whether `consented` has this recipient with these variables, and maybe more of them."""
        bare = f"service at {self.recipient}"
        known = (text.removeprefix(bare) for text in consented if text.startswith(bare))
        return any(self._covers(beside) for beside in known)

    def is_agreed_nearby(self, consented: Collection[str]) -> bool:
        """Whether it may be on this machine or in its network."""
        return self.is_agreed(consented) if self.is_here else self.consent_nearby in consented

    def _covers(self, beside: str) -> bool:
        """Whether what stands behind a recipient, such as ` (A, B)`, names all variables."""
        named = beside[2:-1].split(", ") if beside.startswith(" (") and beside.endswith(")") else ()
        return set(self.variables) <= set(named) and (bool(named) or not beside)


def hosts(header: Header, prompts: Iterable[Prompt], *, keyless: bool = False) -> tuple[Host, ...]:
    """The hosts that the checks of `prompts` ask, in the order of the first call.

    `keyless` is for a plan of which nothing is sent: then only the variables of addresses have to be set.

    A call that cannot be made, as a variable is not set or a service not declared, asks nobody and is left out.
    """
    found: dict[str, Host] = {}
    for call, prepared in _calls(header, prompts, keyless=keyless):
        name = prepared.host
        one = Host(name, str(prepared.request.url.copy_with(query=None)), (call.service.name,), 1, call.variables)
        found[name] = one if name not in found else _both(found[name], one)
    return tuple(found.values())


def _calls(header: Header, prompts: Iterable[Prompt], *, keyless: bool) -> Iterator[tuple[ServiceCall, PreparedCall]]:
    for prompt in prompts:
        for point in prompt.points():
            if point.function is None or not is_service_call(point.function):
                continue
            try:
                call = service_call(point.function, header)
                yield call, prepare(call, _NOTHING_YET, keyless=keyless)
            except ProviderError:
                continue  # the run tells of it at the point itself


def _both(one: Host, other: Host) -> Host:
    asked_as = tuple(dict.fromkeys((*one.asked_as, *other.asked_as)))
    variables = tuple(dict.fromkeys((*one.variables, *other.variables)))
    return Host(one.name, one.url, asked_as, one.calls + other.calls, variables)
