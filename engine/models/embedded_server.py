"""The child process of the embedded model: llama.cpp's own HTTP server on loopback.

Run as a file, never imported: it needs nothing of this project. Reads one JSON line `{model, alias, key, context}` from
stdin, writes one JSON line `{"address": …}` or `{"error": …}` to stdout, and serves until stdin closes. So it
ends with the program that started it, however that ends.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from typing import Any


def main() -> None:
    """Serves until stdin closes."""
    order = json.loads(sys.stdin.readline())
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    # What native code prints must neither reach the reader of the one line nor fill a pipe that nobody empties.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    try:
        server, address = _serve(order)
    except (ImportError, RuntimeError, OSError) as error:
        answers.write(json.dumps({"error": f"{type(error).__name__}: {error}"}) + "\n")
        answers.close()
        os._exit(1)
    answers.write(json.dumps({"address": address}) + "\n")
    answers.close()
    sys.stdin.read()
    del server
    os._exit(0)


def _serve(order: dict[str, str]) -> tuple[object, str]:
    xllamacpp: Any = importlib.import_module("xllamacpp")
    settings = xllamacpp.CommonParams()
    settings.model.path = order["model"]
    settings.model_alias = {order["alias"]}
    settings.api_keys = [order["key"]]
    settings.n_ctx = int(order["context"])
    settings.n_parallel = 1
    # Two threads wait for each other in a spin: on a busy machine that is fifty times slower than one thread alone,
    # which is fast enough for a model this small and leaves the other cores to the editor.
    settings.cpuparams.n_threads = 1
    settings.cpuparams_batch.n_threads = 1
    settings.cache_ram_mib = 0
    settings.cache_prompt = False  # the same question gets the same answer, whatever was asked before
    settings.endpoint_slots = False
    settings.ui = False
    settings.warmup = False
    settings.offline = True
    settings.verbosity = -1
    server = xllamacpp.Server(settings)
    return server, server.listening_address


if __name__ == "__main__":
    main()
