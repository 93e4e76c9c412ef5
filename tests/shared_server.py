"""The server on loopback that tests share (the fixture `httpserver`)."""

from __future__ import annotations

import threading

from pytest_httpserver import HTTPServer
from werkzeug import Request, Response


class SharedServer(HTTPServer):
    """Takes several connections at once, so that a silent one keeps no other waiting; handles one request at a time.

    The latter is for handlers that append to lists, and answer by how much there is in them.
    """

    def __init__(self) -> None:
        super().__init__(threaded=True)
        self._handling = threading.Lock()

    def dispatch(self, request: Request) -> Response:
        """The answer to `request`."""
        with self._handling:
            return super().dispatch(request)
