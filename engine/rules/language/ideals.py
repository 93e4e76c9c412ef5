"""References to something that no judge sees: the ideal, an expected answer, an answer key, a ground truth."""

from __future__ import annotations

import re
from functools import lru_cache

from engine.patterns import lazy
from engine.record import Record
from engine.rules.language.words import is_english, words_of


class Reference(Record):
    """A reference in `text[start:end]`; `kind` is the word that would show, in a prompt, that it is given there."""

    start: int
    end: int
    kind: str


_ANSWER = (
    r"(?:responses?|answers?|solutions?|repl(?:y|ies)|outputs?|labels?|results?|texts?|translations?|summar(?:y|ies))"
)
_STRONG = r"(?:ideal|reference|golden|gold[-\s]standard|gold|exemplar|canonical|benchmark|ground[-\s]truth)"
_WEAK = (
    r"(?:expected|model|sample|example|provided|given|supplied|attached|official|target|correct|suggested|known|expert"
    r"|right|(?:examiner|author|expert|teacher|annotator|human)(?:['’]s|[-\s]written))"
)
_UNSEEN = rf"""(?P<unseen>(?:the|its|an?|our|your|this|that|each)?\s*(?:
      (?P<strong>{_STRONG})\s+{_ANSWER}
      |(?P<weak>{_WEAK})\s+(?:responses?|answers?|solutions?|repl(?:y|ies)|outputs?|labels?|translations?)
      |(?P<key>(?:answer|marking|scoring)\s+(?:key|scheme)|mark\s+scheme)
      |(?P<truth>ground[-\s]truth(?:\s+{_ANSWER})?)
      |(?P<field>`?ideal_?[Rr]esponse`?|`ideal`)
      |(?P<alone>ideal|reference|exemplar)(?=\s*(?:[.,;:)]|$))))"""
_VALUE = r"(?!\s*,?\s*[\(:]?\s*[\"'‘“`\d])(?!\s+(?:is|was|would|should|could|may|might|will|must|of)\b)"
_COMPARED = (
    r"equivalent|identical|equal\w*|similar\w*|same|close\w*|according|consistent|compar\w+|match\w*|agree\w*|align\w*"
    r"|correspond\w*|correct\w*|in\s+line|based|measured|judged|graded|resembl\w+|cover\w*|convey\w*|contain\w*"
    r"|follow\w*"
    r"|mirror\w*|reproduc\w+|replicat\w+|reflect\w*|captur\w+|approximat\w+|paraphras\w+|restat\w+|includ\w+|deviat\w+|overlap\w*|listed|resembl\w+"
    r"|differ\w*|depart\w*|contradict\w*|as\s+\w+\s+as|better|worse|like|per|meets?|reach\w*|than|adher\w+|repeat\w*"
    r"|points?|elements?|facts?|details?|steps?"
)
_REFERENCE = lazy(
    rf"""\b(?:{_COMPARED})\b[^.;]{{0,60}}?(?<![\w-]){_UNSEEN}(?![\w-]){_VALUE}
    |^\W*(?:see|same\s+as(?:\s+the)?(?:\s+above)?|(?:the\s+)?(?:answer|response|output)\s+matches)\s+(?P<bare>ideal)(?=\W*$)
    |^\W*(?:as\s+)?(?:in|per)\s+(?P<opening>the\s+(?:ideal|reference|golden|expected|sample)\s+{_ANSWER})
    |^\W*if\s+(?P<if>the\s+(?:ideal|reference|golden|expected)\s+(?:response|answer|label))\s+(?:is|says|contains)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_CERTAIN = lazy(
    r"\b(?:as\s+\w+\s+as|(?:better|worse)\s+than|resembl\w+|in\s+line|deviat\w+|overlap\w*|reach\w*|listed|compared"
    r"|equivalent|identical|equals?|same|match\w*|consistent|similar|agree\w*|align\w*|correspond\w*|mirror\w*|close)\b"
    r"|\b(?:points?|elements?|facts?|details?|steps?|conditions?|parts?|aspects?|information|content)\s+(?:of|in|from)\s*$",
    re.IGNORECASE,
)
"""Beside a weak word (“the given answer”), only these say that an answer is held against it."""
_STATED = lazy(
    r"\b(?:says?|states?|explains?|mentions?|notes?|describes?)\s+(?:that|how|why|what|which)\b", re.IGNORECASE
)
_CONTENT = lazy(
    r"\b(?:states?|explains?|says?|mentions?|notes?|advises?|recommends?|asks?)\b[^.;]{0,40}$", re.IGNORECASE
)


@lru_cache(maxsize=4_000)
def reference_in(text: str) -> Reference | None:
    """The first reference of an English criterion to something that no judge sees; None if there is none."""
    text = text[:600]
    found = _REFERENCE.search(text)
    if found is None or not is_english(words_of(text)):
        return None
    group = next((name for name in ("if", "opening", "bare") if found[name] is not None), None)
    if group is not None:
        return Reference(*found.span(group), found[group].split()[-1 if group == "bare" else 1].lower())
    start, end = found.span("unseen")
    before = text[: found.start("unseen")]
    if _STATED.search(before) is not None:
        return None
    if (found["weak"] is not None or found["key"] is not None) and _CERTAIN.search(before) is None:
        return None
    if found["alone"] is not None and (
        _CERTAIN.search(before) is None or not found["unseen"].lower().startswith("the ")
    ):
        return None
    if found["strong"] is None and found["field"] is None and _CONTENT.search(before) is not None:
        return None
    start += len(text[start:end]) - len(text[start:end].lstrip())
    kind = next(
        found[group] for group in ("strong", "weak", "key", "truth", "field", "alone") if found[group] is not None
    )
    return Reference(start, end, re.split(r"[-\s]", kind.strip("`").lower())[0])
