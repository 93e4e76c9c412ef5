"""The script that `engine.functions.v8` starts. It loads the modules beside it, without `engine`.

It is short because Python compiles a script anew at each start; the modules are compiled once.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any


def _load(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    _load("v8_child").main(_load("v8_confinement"))
