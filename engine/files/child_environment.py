"""The environment of child processes: what each needs, and never a key. Every child is started with one.

To start another program, add a member to `Child`.
"""

from __future__ import annotations

import os
import sys
from enum import Enum
from pathlib import Path

_LIBRARIES = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
_DEVICES = ("CUDA_", "GGML_", "HIP_", "OMP_", "ROCR_", "VK_")
"""How variables begin that native code reads for its devices and threads."""
_NETWORK = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE")


_USUAL = ("PATH", "SYSTEMROOT", "TMPDIR", "TEMP")


class Child(Enum):
    """The programs that are started. The values are the variables that each gets; an `_` ends those of a family."""

    PYTHON = (*_USUAL, *_LIBRARIES, *_DEVICES)
    """Python with the packages of this one."""
    JAVASCRIPT = _LIBRARIES
    """The same for code of authors, which is told nothing of the machine."""
    PIP = (*_USUAL, "HOME", "XDG_", "PIP_", *_LIBRARIES, *_NETWORK, *map(str.lower, _NETWORK))
    GIT = (*_USUAL, "HOME", "XDG_CONFIG_HOME")
    """Which files git ignores is told in the author's home, too."""
    CHROMIUM = (*_USUAL, "HOME", "XDG_", *_LIBRARIES)
    PS = _USUAL


def child_environment(child: Child) -> dict[str, str]:
    """The variables for a child process. All others may hold keys."""
    families = tuple(name for name in child.value if name.endswith("_"))
    passed = {name: value for name, value in os.environ.items() if name in child.value or name.startswith(families)}
    if child in (Child.PYTHON, Child.JAVASCRIPT):
        passed["PYTHONPATH"] = os.pathsep.join(str(Path(path).absolute()) for path in sys.path if path)
    return passed
