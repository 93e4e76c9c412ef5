"""What an answer has or lacks, as a criterion or an instruction says it: “uses emojis”, “without tables or lists”.

“Contains no numbers” and “gives the amount of the fine” are a lack and a thing that cannot be without it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from engine.record import Record
from engine.rules.language.clauses import Clause, Mood, clause_of
from engine.rules.language.inflections import Form, Inflected, forms_of
from engine.rules.language.verbs import SAYING, verb
from engine.rules.language.words import Word, all_words, is_english, word_set, words_of

_HAVING = SAYING | word_set(
    """use give contain include have make offer provide show add cite name mention state list quote present feature
    carry write insert append put return output begin start open end close finish conclude ask disclose reveal
    diagnose apologise apologize greet rhyme promise speculate link"""
)
_ONLY_SAYING = word_set(
    """repeat explain describe define compare clarify summarise summarize detail discuss highlight emphasise emphasize
    stress address convey show express contrast refer introduce outline spell claim assert acknowledge indicate tell"""
)
"""Who explains an error speaks of it; the answer need not have one."""
_HINDERING = _HAVING - _ONLY_SAYING | {"discuss", "disclose"}
_OF_SPEECH = word_set("mention name disclose reveal discuss say state identify raise reference")
_OF_ANSWERS = word_set(
    """emoji number list table heading jargon formatting source link greeting apology disclaimer rhyme exclamation-mark
    quote quotation question capital joke metaphor abbreviation acronym hashtag footnote code comment introduction
    conclusion preamble caveat bold diagnosis image picture slang cliché swearword asterisk parenthesis bracket dash"""
)
"""“Gives the price without tax” is no answer without a tax: after “without”, only what answers have themselves."""
_LEAVING = word_set("omit skip exclude withhold drop")
_FORMS = forms_of(sorted(_HAVING | _LEAVING))
_WITH = word_set("begin start open end close finish conclude")
_DEEDS_OF_NOUNS = {
    "diagnose": "diagnosis",
    "apologise": "apology",
    "apologize": "apology",
    "greet": "greeting",
    "rhyme": "rhyme",
    "promise": "promise",
    "speculate": "speculation",
}
"""Verbs that say without an object what the answer has then."""
_SKIPPED = word_set(
    """a an the any its his her their your my our some all this that these those at least most one single two three four
    five six seven eight nine ten several many more further additional multiple numerous various both each every kind
    sort type of exactly also me us him user reader them use explicit clear whatsoever possible actual specific
    concrete individual particular certain"""
)
_PREPOSITIONS = word_set(
    """for in on at to from by with as about regarding per that who which where when whose why how if whether because
    between against into during after before while since through toward towards under over within beyond than is are
    was were will can may must should has have not but so then only unless until except instead rather either using
    without like such including especially"""
)
_WHOLE = re.compile(
    r"""[\s,]*(?:(?:anywhere\ |at\ all\ )?(?:in|throughout|within|from)\ (?:the|its|your|this)[ ]
      (?:whole\ |entire\ |final\ )?
      (?:answer|response|reply|text|output|message|letter|poem|story|summary|essay|post|email|mail|article|speech)
      |at\ all|whatsoever|anywhere|throughout|please|either|back|in\ it|again|in\ any\ way|of\ any\ kind|at\ any\ point
      |even\ if\ asked.*|ever|in\ return|(?:at\ least\ )?once|as\ asked|right\ away|directly)?[\s.!;:]*""",
    re.IGNORECASE | re.VERBOSE,
)
_GENERIC = word_set(
    """information detail thing anything everything nothing else way one other part content answer response text reply
    word phrase term mention reference use need claim case question-mark sign example idea point kind fact view issue
    sense time place reason form list-item language side position opinion"""
)
"""Too many things are called so: two criteria that name them may speak of different ones."""
_SYNONYMS = {
    word: names.split()[0]
    for names in (
        "emoji emojis emoticon smiley",
        "number digit figure numeral",
        "jargon terminology",
        "link url hyperlink",
        "source citation reference",
        "heading header headline",
        "greeting salutation",
        "diagnosis diagnose diagnos diagnoses",
        "list bullet bullet-list",
        "apology apologie",
        "formatting markdown",
        "capital capitals",
        "joke pun",
        "bold boldface",
    )
    for word in names.split()
}
_PARTS = {
    "number": word_set("amount percentage percent price sum cost date year age dose temperature distance quantity"),
    "formatting": word_set("list table heading bold"),
    "source": word_set("link"),
}
"""Who has one of these has the first as well."""
_PHRASES = (
    (re.compile(r"\b(?:technical|specialist|specialised|specialized) (?:terms?|language|vocabulary)\b"), "jargon"),
    (re.compile(r"\b(?:bullet(?:ed)?|numbered)[ -](?:points?|lists?)\b"), "list"),
    (re.compile(r"\b(?:exclamation|question) (?:marks?|points?)\b"), "exclamation-mark"),
    (re.compile(r"^\W*please,?\s+", re.IGNORECASE), ""),
    (re.compile(r"\bat (?:least|most)\b"), "one"),
    (re.compile(r"\bno one\b|\bno longer\b|\bno matter\b|\bno doubt\b|\bno more than\b|\bno fewer than\b"), "noone"),
)
_ANY_PHRASE = re.compile(r"\b(?:at |no |technical|speciali|bullet|number|exclam|quest|[Pp]lease)")
_PROSE = re.compile(
    r"\b(?:in|as|is|of|only|entirely|just) (?:entirely )?(?:plain |continuous |running |flowing )?(?P<prose>prose"
    r"|plain text)\b"
    r"|\b(?P<only>(?:plain|continuous|running|flowing) prose|plain text only)\b",
    re.IGNORECASE,
)
_NOT_IN_PROSE = ("list", "table", "rhyme", "stanza")
_SECRET = re.compile(
    r"""\b(?:keeps?|leaves?|holds?)\ (?P<kept>[^.,;]{2,50}?)\ (?:anonymous|secret|confidential|private|unnamed
      |hidden|undisclosed|out
      |unmentioned|unsaid|to\ itself)\b
    |^\W*(?:the\ )?(?P<left>[^.,;]{2,50}?)\ (?:stays?|remains?|is\ kept|is\ left|are\ kept|are\ left)\ (?:anonymous
      |secret|confidential|private
      |unnamed|hidden|undisclosed|out|unmentioned)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_SIGN = re.compile(
    r"""\b(?:no|not|without|never|free|lacks?|zero|avoid\w*|omit\w*|skip\w*|exclud\w*|leav(?:e|es|ing)|refrain\w*|keeps?|stays?
      |remains?|prose|plain\ text|devoid|nothing|withholds?|drops?)\b|n['’]t\b""",
    re.IGNORECASE | re.VERBOSE,
)
_SIGN_WORDS = word_set(
    """no not without never free lack lacks zero leave leaves leaving keep keeps stay stays remain remains prose plain
    devoid nothing withhold withholds drop drops t"""
)
_SIGN_STEMS = ("avoid", "omit", "skip", "exclud", "refrain")
"""Every text in which `_SIGN` is found has one of the words, or a word that begins so."""
_LACKING = word_set("without lacks lack lacking zero")
_IN_FORM = re.compile(
    r"\b(?:in|as|with|using|into) (?:an? |the )?(?:\w+ ){0,2}?(?P<form>tables?|list|bullets|emojis|headings)\b"
)
_ASKING = re.compile(
    r"\basks?\b(?! no\b| nothing\b)(?! (?:the \w+|them|him|her|users?) (?:to|not to)\b)(?! not\b)", re.IGNORECASE
)
_ASKS_NOTHING = re.compile(
    r"\basks?\b(?: \w+){0,2} nothing\b|\bwithout (?:first )?asking(?: back| first| anything| (?:any )?questions?)?\W*$",
    re.IGNORECASE,
)
_CONDITION = re.compile(r"\b(?:only (?:if|when|where|after|to)|if|unless|until|except)\b", re.IGNORECASE)
_QUOTED_WORD = re.compile(
    r"\b(?:words?|terms?|phrase|expression|adjective|name)\s+[\"“‘'](?P<word>[^\"”’']{2,40})[\"”’']", re.IGNORECASE
)


class Feature(Record):
    """A thing that an answer has or lacks: the stem of its noun, the stems of what describes it, and the words.

    `is_bounded`: the text speaks of a place or a case, so that the answer may have or lack it elsewhere. `is_speech`:
    the answer speaks of it, or may not.
    """

    noun: str
    content: frozenset[str]
    words: str
    is_bounded: bool
    is_speech: bool = False

    @property
    def is_whole(self) -> bool:
        """Whether answers themselves have such a thing: emojis, a table, an apology."""
        return self.noun in _OF_ANSWERS

    def is_forbidden_by(self, lacking: Feature) -> bool:
        """Whether an answer that has this cannot be without `lacking`."""
        if lacking.is_bounded or (self.is_speech and not lacking.is_speech) or not lacking.content <= self.content:
            return False
        return self.noun == lacking.noun or (not lacking.content and self.noun in _PARTS.get(lacking.noun, ()))


@lru_cache(maxsize=8_000)
def lacks(text: str) -> tuple[Feature, ...]:
    """What an English criterion or instruction wants an answer to be without; what is bounded is left out."""
    if not _may_lack(text) or _SIGN.search(text) is None:
        return ()
    return tuple(each for each in _lacks(text) if not each.is_bounded and each.noun)


def _may_lack(text: str) -> bool:
    if not _SIGN_WORDS.isdisjoint(all_words(text)):
        return True
    lower = text.lower()
    return any(stem in lower for stem in _SIGN_STEMS)


def _lacks(text: str) -> Iterator[Feature]:
    clause, words = _prepared(text)
    if not words or clause is None or not is_english(words):
        return
    secret = _SECRET.search(text)
    if secret is not None:
        name = secret["kept"] or secret["left"]
        yield from _unsaid(words_of(name), name)
    prose = _PROSE.search(text)
    if prose is not None and not clause.is_negative:
        yield from (Feature(noun, frozenset(), prose[0], is_bounded=False) for noun in _NOT_IN_PROSE)
    nothing = _ASKS_NOTHING.search(text)
    if nothing is not None:
        yield Feature("question", frozenset(), nothing[0], is_bounded=False)
    yield from _lacks_after(clause, words, text)


def _lacks_after(clause: Clause, words: Sequence[Word], text: str) -> Iterator[Feature]:
    """What follows a negative verb, “no” or “without”."""
    known = _verb(clause)
    if clause.mood in (Mood.DOES_NOT, Mood.AVOIDS):
        if known is not None and (clause.mood is Mood.DOES_NOT or known.form is Form.GERUND):
            if known.base in _HINDERING:
                yield from _of_verb(known.base, clause.words, clause.after, text, is_speech=known.base in _OF_SPEECH)
        elif clause.mood is Mood.AVOIDS:
            yield from _features(clause.words[clause.after :], text, text)
        return
    if known is not None and known.base in _LEAVING and known.form in (Form.BASE, Form.THIRD):
        yield from _unsaid(clause.words[clause.after + 1 :], text)
    for at, word in enumerate(words):
        if word.is_quoted:
            continue
        before = words[at - 1] if at else None
        if word.text in ("leave", "leaves") and at + 1 < len(words) and words[at + 1].text == "out":
            yield from _unsaid(words[at + 2 :], text)
        elif word.text == "no" and _opens_lack(before):
            yield from _features(words[at + 1 :], text, text)
        elif word.text in _LACKING or (
            word.text in ("of", "from") and before is not None and before.text in ("free", "devoid")
        ):
            step = at + 1
            following = _FORMS.get(words[step].text) or verb(words[step].text) if step < len(words) else None
            if following is not None and following.form is Form.GERUND:
                if following.base in _HINDERING:
                    yield from _of_verb(following.base, words, step, text, is_speech=following.base in _OF_SPEECH)
                continue
            found = _features(words[step:], text, text)
            yield from (each for each in found if each.noun in _OF_ANSWERS or each.noun.startswith("“"))


def _unsaid(words: Sequence[Word], text: str) -> Iterator[Feature]:
    """What an answer leaves out: it does not speak of it either."""
    for each in _features(words, text, text):
        yield Feature(each.noun, each.content, each.words, is_bounded=each.is_bounded, is_speech=True)


def _verb(clause: Clause) -> Inflected | None:
    word = clause.words[clause.after].text if clause.after < len(clause.words) else ""
    return _FORMS.get(word) or clause.verb


def _opens_lack(before: Word | None) -> bool:
    """Whether “no” after this word says that the answer has none."""
    if before is None or before.has_comma or before.ends_clause:
        return True
    known = _FORMS.get(before.text)
    return before.text == "with" or (
        known is not None and known.base in _HAVING and known.form in (Form.BASE, Form.THIRD)
    )


@lru_cache(maxsize=8_000)
def has(text: str) -> tuple[Feature, ...]:
    """What an English criterion wants an answer to have."""
    clause, words = _prepared(text)
    if clause is None or clause.is_negative or not words or _CONDITION.search(text) is not None:
        return ()
    found: list[Feature] = []
    known = _verb(clause)
    if known is not None and known.base in _HAVING and known.form in (Form.BASE, Form.THIRD):
        found += _of_verb(known.base, clause.words, clause.after, text, is_speech=known.base in _ONLY_SAYING)
    form = _IN_FORM.search(text)
    if form is not None and _SIGN.search(text) is None:
        found.append(Feature(_noun(form["form"]), frozenset(), form[0], is_bounded=True))
    if known is not None and known.base == "ask" and _ASKING.search(text) is not None:
        found.append(Feature("question", frozenset(), text, is_bounded=True))
    return tuple(each for each in found if each.noun)


def _prepared(text: str) -> tuple[Clause | None, tuple[Word, ...]]:
    """The clause and the words of a text with its set phrases as one word each."""
    if _ANY_PHRASE.search(text) is not None:
        for pattern, name in _PHRASES:
            text = pattern.sub(name, text)
    return clause_of(text), words_of(text)


def _of_verb(base: str, words: Sequence[Word], at: int, text: str, *, is_speech: bool) -> Iterator[Feature]:
    """What an answer has that does what the verb at `words[at]` says."""
    for each in _of_deed(base, words, at, text):
        yield Feature(each.noun, each.content, each.words, is_bounded=each.is_bounded, is_speech=is_speech)


def _of_deed(base: str, words: Sequence[Word], at: int, text: str) -> Iterator[Feature]:
    rest = words[at + 1 :]
    noun = _DEEDS_OF_NOUNS.get(base)
    if noun is not None:
        described = next(iter(_features(rest, text, text)), None)
        bounded = bool(rest) and base not in ("diagnose",) and not _ends(rest, 0, text)
        content = frozenset[str]() if described is None else described.content
        yield Feature(noun, content if base == "diagnose" else frozenset(), text, is_bounded=bounded)
        return
    if base in _WITH:
        if not rest or rest[0].text != "with":
            return
        rest = rest[1:]
    if base in ("cite", "link") and rest and rest[0].text not in ("no", "zero"):
        yield Feature("source" if base == "cite" else "link", frozenset(), text, is_bounded=True)
    if rest and rest[0].text in (
        "no",
        "zero",
        "neither",
        "that",
        "how",
        "why",
        "what",
        "whether",
        "if",
        "to",
        "not",
        "out",
    ):
        return
    quoted = _QUOTED_WORD.search(text)
    if quoted is not None:
        yield Feature(f"“{quoted['word'].casefold()}”", frozenset(), text, is_bounded=False)
        return
    for feature in _features(rest, text, text):
        if base != "ask" or feature.noun == "question":
            yield feature


def _features(rest: Sequence[Word], text: str, shown: str) -> Iterator[Feature]:
    """The nouns that begin `rest`: “tables or lists”, “the name of the donor”."""
    quoted = _QUOTED_WORD.search(text)
    if quoted is not None and any(word.is_quoted for word in rest):
        yield Feature(f"“{quoted['word'].casefold()}”", frozenset(), shown, is_bounded=False)
        return
    group: list[Word] = []
    groups: list[list[Word]] = []
    end = len(rest)
    for index, word in enumerate(rest):
        joins = word.text in ("or", "and", "nor")
        stops = (
            word.text in _PREPOSITIONS
            or word.is_quoted
            or (word.text.endswith("ing") and base_of(word) and bool(group))
        )
        if joins or stops:
            groups.append(group)
            group = []
            if stops:
                end = index
                break
            continue
        group.append(word)
        if word.has_comma or word.ends_clause:
            groups.append(group)
            group = []
            if word.ends_clause:
                end = index + 1
                break
    groups.append(group)
    bounded = not _ends(rest, end, text)
    for each in groups:
        yield from _feature(each, shown, bounded=bounded)


def base_of(word: Word) -> str | None:
    """The verb of a gerund."""
    known = verb(word.text)
    return known.base if known is not None and known.form is Form.GERUND else None


def _ends(rest: Sequence[Word], end: int, text: str) -> bool:
    """Whether nothing that bounds the deed follows the first `end` words of `rest`."""
    if end >= len(rest):
        return True
    tail = " ".join(word.text for word in rest[end:])
    return _WHOLE.fullmatch(tail) is not None or (end > 0 and rest[end - 1].ends_clause)


def _feature(words: Sequence[Word], shown: str, *, bounded: bool) -> Iterator[Feature]:
    texts = [word.text for word in words]
    owner = next((text[:-2] for text in texts if text.endswith("'s")), None)
    of = texts.index("of") if "of" in texts else len(texts)
    head = [text for text in texts[:of] if text not in _SKIPPED]
    tail = [text for text in texts[of + 1 :] if text not in _SKIPPED]
    while head and head[-1] in (
        "please",
        "back",
        "only",
        "again",
        "ever",
        "once",
        "throughout",
        "too",
        "anywhere",
        "either",
    ):
        head.pop()
    if head and head[-1] in ("name", "names", "identity"):
        head = [owner] if owner is not None else tail or head
        tail = []
    if not head or any(text in ("no", "not") for text in head):
        return
    noun = _noun(head[-1])
    if noun in _GENERIC or len(noun) < 3:
        return
    yield Feature(noun, frozenset(map(stem, (*head[:-1], *tail))), shown, is_bounded=bounded)


def _noun(word: str) -> str:
    found = stem(word)
    return _SYNONYMS.get(word) or _SYNONYMS.get(found) or found


def stem(word: str) -> str:
    """A noun in the singular."""
    if len(word) > 4 and word.endswith("ies"):
        return f"{word[:-3]}y"
    if len(word) > 4 and word.endswith(("sses", "xes", "shes", "ches")):
        return word[:-2]
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


def may_have(text: str, lacking: Iterable[Feature]) -> bool:
    """Whether `text` has a word of what `lacking` is without: a quick filter for `missing_feature`."""
    lower = text.lower()
    return any(sign in lower for each in lacking for sign in _signs_of(each.noun))


@lru_cache(maxsize=1_000)
def _signs_of(noun: str) -> tuple[str, ...]:
    """What the words for a thing or a part of it begin with."""
    same = {noun.strip("“”"), *(word for word, first in _SYNONYMS.items() if first == noun), *_PARTS.get(noun, ())}
    same |= {verb for verb, thing in _DEEDS_OF_NOUNS.items() if thing == noun}
    same |= {"term", "language"} if noun == "jargon" else set[str]()
    same |= {"cite"} if noun == "source" else set[str]()
    same |= {"ask", "mark"} if noun in ("question", "exclamation-mark") else set[str]()
    return tuple(word.removesuffix("y") for word in same)


def missing_feature(wanted: Iterable[Feature], lacking: Iterable[Feature]) -> tuple[Feature, Feature] | None:
    """A thing that is wanted, and the lack that forbids it; None if both can be met."""
    lacked = tuple(lacking)
    for each in wanted:
        for other in lacked:
            if each.is_forbidden_by(other):
                return each, other
    return None
