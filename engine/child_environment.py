"""The environment of child processes: what locates Python and its libraries, and never a key."""

from __future__ import annotations

import os
import sys

_PASSED = ("PATH", "SYSTEMROOT", "TMPDIR", "TEMP", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
_PASSED_FAMILIES = ("CUDA_", "GGML_", "HIP_", "OMP_", "ROCR_", "VK_")
"""How variables begin that native code reads for its devices and threads."""


def child_environment() -> dict[str, str]:
    """The variables for a child process that runs Python with the packages of this one. All others may hold keys."""
    passed = {name: value for name, value in os.environ.items() if name in _PASSED or name.startswith(_PASSED_FAMILIES)}
    return {**passed, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
