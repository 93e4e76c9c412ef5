"""Asks web addresses whether they are still there: one request each, without content, to public hosts only."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from enum import StrEnum

import httpx

from engine.models import failures
from engine.models.addresses import PrivateAddressError, Request, host_of, send, web_address
from engine.models.chat import Failure, ProviderError
from engine.models.http import Reply
from engine.report.review_findings import WebLink
from engine.text.record import Record
from engine.text.spans import count, visible

AT_ONCE = 8
SECONDS = 15.0
_HEADERS = {"Accept": "*/*"}
_GONE = (404, 410)
_NO_HEAD = (400, 403, 404, 405, 406, 501)
"""What servers answer that know no HEAD; they are asked again with GET."""


class LinkVerdict(StrEnum):
    """What is known of an address after it was asked, the worst first."""

    GONE = "gone"
    UNKNOWN = "unknown"
    THERE = "there"

    @property
    def rank(self) -> int:
        """A sort key, worst first."""
        return list(LinkVerdict).index(self)


class LinkState(Record):
    """What one address answered: `detail` says it in words."""

    verdict: LinkVerdict
    detail: str


def plan_text(links: Sequence[WebLink]) -> str:
    """Who would be asked what: `asks 12 addresses at 3 hosts, …`."""
    hosts = sorted({link.host for link in links})
    return (
        f"Asks {addresses_text(len(links))} at {count(len(hosts), 'host')}, without content or keys: {', '.join(hosts)}"
    )


def addresses_text(number: int) -> str:
    """`1 address`, `12 addresses`."""
    return count(number, "address", "addresses")


def check_links(links: Sequence[WebLink], *, private_too: bool = False) -> dict[str, LinkState]:
    """The state of each address. Blocks until all have answered or their time is up.

    Hosts on this machine or in its network are asked only with `private_too`: a blueprint of somebody else could name
    what only this machine can reach.
    """
    return asyncio.run(_check_all(links, private_too=private_too))


async def _check_all(links: Sequence[WebLink], *, private_too: bool) -> dict[str, LinkState]:
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(link: WebLink) -> tuple[str, LinkState]:
        async with gate:
            return link.url, await _state(link.url, private_too=private_too)

    return dict(await asyncio.gather(*map(one, links)))


async def _state(url: str, *, private_too: bool) -> LinkState:
    try:
        address = web_address(url, "this link")
        async with asyncio.timeout(SECONDS):
            reply = await _asked("HEAD", address, private_too=private_too)
            if reply.status in _NO_HEAD:
                reply = await _asked("GET", address, private_too=private_too)
    except TimeoutError:
        return LinkState(LinkVerdict.UNKNOWN, f"no answer within {SECONDS:g} s")
    except PrivateAddressError:
        return LinkState(LinkVerdict.UNKNOWN, "not asked: its host is on this machine or in its network")
    except ProviderError as error:
        return _failed(error)
    return _answered(reply)


async def _asked(method: str, address: httpx.URL, *, private_too: bool) -> Reply:
    named = failures.Request("the link", host_of(address))
    return await send(Request(method, address, _HEADERS, None), named, private_too=private_too)


def _answered(reply: Reply) -> LinkState:
    if reply.is_success:
        return LinkState(LinkVerdict.THERE, f"there ({reply.status})")
    if reply.status in _GONE:
        return LinkState(LinkVerdict.GONE, f"not there ({reply.status})")
    return LinkState(LinkVerdict.UNKNOWN, f"the server answers {reply.status}, so look yourself")


def _failed(error: ProviderError) -> LinkState:
    """What a request without a reply says: an unknown host is gone; a page that is too long is there."""
    if error.failure is Failure.NONSENSE and "longer than a megabyte" in error.title:
        return LinkState(LinkVerdict.THERE, "there (a large page)")
    verdict = LinkVerdict.GONE if "host name is unknown" in error.title else LinkVerdict.UNKNOWN
    _, _, what = error.title.partition(": ")
    return LinkState(verdict, visible(" ".join(part for part in (what or error.title, _elsewhere(error)) if part)))


def _elsewhere(error: ProviderError) -> str:
    """The other address that a redirect names."""
    _, found, address = error.advice.partition("if you trust it: ")
    return f"({address})" if found else ""
