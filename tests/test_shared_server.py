"""The server on loopback that most tests of models share."""

from __future__ import annotations

import socket
import urllib.request

from pytest_httpserver import HTTPServer


def test_a_connection_on_which_nothing_is_sent_keeps_no_other_waiting(httpserver: HTTPServer) -> None:
    """A request that is cancelled while it connects may leave one, which then stays until its event loop is freed."""
    httpserver.expect_request("/").respond_with_data("here")
    with (
        socket.create_connection((httpserver.host, httpserver.port)),
        urllib.request.urlopen(httpserver.url_for("/"), timeout=10) as reply,
    ):
        assert reply.read() == b"here"
