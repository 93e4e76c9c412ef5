"""The process in which the encoder runs. Started by `engine.closest_sentence.encoder`; no other module imports it.

The first line of stdin is `{"folder": PATH}`; the answer, `{}`, says that it is ready, and `{"error": TEXT}` why not.
Then each line `["text", …]` is answered by one: the vectors, each as base64 of little-endian 32-bit numbers. It ends
when stdin does.
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
"""Texts this short gain little from more, and the other cores are the editor's."""
_LOWER_PRIORITY = 5


def main() -> None:
    """Answers until stdin ends."""
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
        _say({"error": f"{type(error).__name__}: {error}"})
        return
    _say({})
    for line in sys.stdin:
        _say(_vectors(network, pieces, json.loads(line)))


def _vectors(network: Network, pieces: WordPieces, texts: list[str]) -> list[str]:
    from engine.closest_sentence.forward import LONGEST

    found = [""] * len(texts)
    for places, vectors in network.encode([pieces.numbers(text, LONGEST) for text in texts]):
        for place, vector in zip(places, vectors, strict=True):
            found[place] = base64.b64encode(vector.astype("<f4").tobytes()).decode("ascii")
    return found


def _say(answer: Any) -> None:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
