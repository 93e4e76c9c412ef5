"""The child process of the encoder. Started by `engine.closest_sentence.encoder`; no other module imports it.

The first line of stdin is `{"folder": PATH}`. The answer is `{}` once it is ready, or `{"error": TEXT}`. Each further
line `["text", …]` is answered by one line: a list of vectors, each as base64 of little-endian 32-bit numbers. The
process ends at the end of stdin.
"""

from __future__ import annotations

import base64
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.closest_sentence.forward import Network
    from engine.closest_sentence.wordpiece import WordPieces

_THREADS = "1"
"""Short texts gain little from more threads, and the editor needs the other cores."""
_LOWER_PRIORITY = 5


def main() -> None:
    """Answer requests until the end of stdin."""
    for library in ("OMP", "OPENBLAS", "MKL", "VECLIB_MAXIMUM"):
        os.environ[f"{library}_NUM_THREADS"] = _THREADS
    if hasattr(os, "nice"):
        os.nice(_LOWER_PRIORITY)
    folder = Path(json.loads(sys.stdin.readline())["folder"])
    try:
        from engine.closest_sentence.forward import Network
        from engine.closest_sentence.wordpiece import WordPieces

        network, pieces = Network(folder / "model.safetensors"), WordPieces.read(folder / "tokenizer.json")
    except (ImportError, OSError, ValueError, KeyError) as error:
        _reply({"error": f"{type(error).__name__}: {error}"})
        return
    _reply({})
    for line in sys.stdin:
        _reply(_vectors(network, pieces, json.loads(line)))


def _vectors(network: Network, pieces: WordPieces, texts: list[str]) -> list[str]:
    from engine.closest_sentence.forward import MAX_PIECES

    found = [""] * len(texts)
    for places, vectors in network.encode([pieces.numbers(text, MAX_PIECES) for text in texts]):
        for place, vector in zip(places, vectors, strict=True):
            found[place] = base64.b64encode(vector.astype("<f4").tobytes()).decode("ascii")
    return found


def _reply(answer: Any) -> None:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
