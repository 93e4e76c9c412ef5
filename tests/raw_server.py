"""A server on loopback that sends the bytes it is told to, of HTTP too, and closes the connection."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TypeAlias

Reply: TypeAlias = Callable[[str, str, str], Iterable[bytes]]
"""The blocks to send, by the path, the headers as they came, and the body of a request."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: object, client_address: object) -> None:
        """The other side has left."""


@contextmanager
def serving(reply: Reply) -> Iterator[str]:
    """Its host and port."""

    class Handler(BaseHTTPRequestHandler):
        def _reply(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode("utf-8", "replace")
            for block in reply(self.path, str(self.headers), body):
                self.wfile.write(block)
            self.close_connection = True

        do_GET = do_POST = _reply  # noqa: N815 named by http.server

        def log_message(self, format: str, *args: object) -> None:
            """Print nothing."""

    with _Server(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
