"""V8 in a child process: regexes, `$js` and `where` strings, with limits of time, memory and life."""

from engine.javascript.process import JavaScript

__all__ = ["JavaScript"]
