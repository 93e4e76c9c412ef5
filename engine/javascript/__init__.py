"""V8 in a child process: regexes, `$js` and `where` scripts, with limits on time and memory."""

from engine.javascript.process import Closed, JavaScript

__all__ = ["Closed", "JavaScript"]
