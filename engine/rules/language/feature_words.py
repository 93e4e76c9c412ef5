"""The words of features: verbs by which an answer has or lacks a thing, and the nouns of such things."""

from __future__ import annotations

from engine.rules.language.inflections import forms_of
from engine.rules.language.verbs import SAYING
from engine.rules.language.words import word_set

HAVING = SAYING | word_set(
    """use give contain include have make offer provide show add cite name mention state list quote present feature
    carry write insert append put return output begin start open end close finish conclude ask disclose reveal
    diagnose apologise apologize greet rhyme promise speculate link"""
)
ONLY_SAYING = word_set(
    """repeat explain describe define compare clarify summarise summarize detail discuss highlight emphasise emphasize
    stress address convey show express contrast refer introduce outline spell claim assert acknowledge indicate tell"""
)
"""Who explains an error speaks of it; the answer need not have one."""
HINDERING = HAVING - ONLY_SAYING | {"discuss", "disclose"}
OF_SPEECH = word_set("mention name disclose reveal discuss say state identify raise reference")
OF_ANSWERS = word_set(
    """emoji number list table heading jargon formatting source link greeting apology disclaimer rhyme exclamation-mark
    quote quotation question capital joke metaphor abbreviation acronym hashtag footnote code comment introduction
    conclusion preamble caveat bold diagnosis image picture slang cliché swearword asterisk parenthesis bracket dash"""
)
"""“Gives the price without tax” is no answer without a tax: after “without”, only what answers have themselves."""
LEAVING = word_set("omit skip exclude withhold drop")
FORMS = forms_of(sorted(HAVING | LEAVING))
BEGINNING = word_set("begin start open end close finish conclude")
DEEDS_OF_NOUNS = {
    "diagnose": "diagnosis",
    "apologise": "apology",
    "apologize": "apology",
    "greet": "greeting",
    "rhyme": "rhyme",
    "promise": "promise",
    "speculate": "speculation",
}
"""Verbs that say without an object what the answer has then."""
GENERIC = word_set(
    """information detail thing anything everything nothing else way one other part content answer response text reply
    word phrase term mention reference use need claim case question-mark sign example idea point kind fact view issue
    sense time place reason form list-item language side position opinion"""
)
"""Too many things are called so: two criteria that name them may speak of different ones."""
SYNONYMS = {
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
PARTS = {
    "number": word_set("amount percentage percent price sum cost date year age dose temperature distance quantity"),
    "formatting": word_set("list table heading bold"),
    "source": word_set("link"),
}
"""Who has one of these has the first as well."""


def noun_of(word: str) -> str:
    found = singular(word)
    return SYNONYMS.get(word) or SYNONYMS.get(found) or found


def singular(word: str) -> str:
    """A noun in the singular."""
    if len(word) > 4 and word.endswith("ies"):
        return f"{word[:-3]}y"
    if len(word) > 4 and word.endswith(("sses", "xes", "shes", "ches")):
        return word[:-2]
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")) else word
