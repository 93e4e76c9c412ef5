"""The pages of the rules, read from the source of their modules.

What Python keeps of a docstring differs: 3.13 expands the tabs of examples, and `-OO` drops it.
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Mapping
from functools import cache

_QUOTES = '"""'


def docstring_of(module: str) -> str:
    """The docstring of a loaded module as it is written, without the blanks around it."""
    source = inspect.getsource(sys.modules[module])
    end = source.index(_QUOTES, source.index(_QUOTES) + len(_QUOTES)) + len(_QUOTES)
    return str(ast.literal_eval(source[:end])).strip()


@cache
def pages_in(module: str) -> Mapping[str, str]:
    """The pages in the docstring of a loaded module, by the slug in the heading of each: `# slug` or `# slug: Title`.

    Raises `ValueError` if the docstring does not begin with a heading.
    """
    pages: dict[str, str] = {}
    slug = None
    for line in docstring_of(module).splitlines():
        if line.startswith("# "):
            slug = line.removeprefix("# ").partition(":")[0].strip()
            pages[slug] = ""
        if slug is None:
            raise ValueError("the docstring of a rule's module begins with `# slug`")
        pages[slug] += f"{line}\n"
    return {slug: page.strip() + "\n" for slug, page in pages.items()}
