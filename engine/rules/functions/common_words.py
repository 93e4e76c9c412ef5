"""Common words and numbers of English answers, to find those that contain a short text by accident."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import chain

from engine.patterns import lazy

_WORDS = """
    about above accept access account across action address advice again against agency agree allow almost already
    also although always among amount analysis animal another answer appear apply area around article assume
    attention available avoid average away balance because become before begin behind believe better between beyond
    board body book brother building business cannot capital careful carefully carry case catch cause center central
    century certain chance change character charge check choice choose citizen city class clean clear climate close
    collect college common community company compare complete concern condition consider contain context continue
    control correct could country course court create credit current damage danger data daughter decide decision
    degree demand department describe design detail develop device different difficult direct discount discuss
    disease distance doctor document during early earth economy edge education effect effort either election
    employee energy enough ensure enter entire entry environment equal especially establish even evening event ever
    every evidence exactly example except exist expect experience expert explain express eyes fact factor family
    farm father feature federal figure final finally finance find first follow force foreign form former forward
    found free friend from full function further future general give given global government great ground group
    growth guess happen hard have head health heart heavy help here high history hold home hour house however human
    hundred idea image imagine impact important improve include increase indeed indicate individual industry
    information inside instead interest into involve issue itself judge keep kind kitchen know known knowledge land
    language large last later lead learn least leave legal less letter level life light likely limit line list
    little local long look machine main maintain major make manage many market material matter maybe mean measure
    media medical meet member memory mention message method middle might million mind minister minute model modern
    moment money month more morning most mother mountain move much music must name nation national nature near
    necessary need network never news next night nobody north note notes nothing notice number object occur offer
    office often open opinion option order organ other outside over page paper parent part particular party past
    pattern people perhaps period person phone physical picture piece place plan plant play point police policy
    political poor popular population position possible power practice present president pressure pretty prevent
    price private problem process produce product program project property protect provide public purpose quality
    question quickly quite rather reach read ready real reality reason receive recent record reduce region relate
    remain remember report require research resource respond rest result return right rise risk road role room rule
    safe same save school science season second section security sense sentence separate series serious serve
    service several share should show side sign similar simple simply since single sister situation small smart
    social society some someone something sound source south space speak special specific staff stage stand standard
    start state statement station still stock stop story street string strong structure student study subject
    success such sudden suggest summer support sure system table take talk task teacher team technology tell term
    test thank than that their them then theory there therefore these they thing think third this those though
    thought threat through time title today together tomorrow tool total toward town trade traditional training
    treat tree trial trouble true truth turn type under understand unit university until upon usually value various
    very victim view visit voice volume vote wait walk wall want water wear weather week weight well west what when
    where whether which while white whole wide will wind window winter wish with within without woman wonder word
    work world worry would write wrong year yesterday young
"""
COMMON_WORDS = tuple(_WORDS.split())
_FREQUENT = """
    about above according actually against also although always among another around because become before being
    between both cannot certain change could depends different does during each either enough especially even
    every example first following from further general generally give given good great have help here however
    important include including information instead into itself just know known large least less likely make many
    matter mean might more most must necessary need never next nothing number often only other others over part
    particular people perhaps person place point possible process provide question rather really reason right same
    several should since some something start state still such support take than thank that their them then there
    therefore these they thing think this those through time together toward under understand until upon used
    useful using usually very want well were what when where whether which while whole will with within without
    work would years your
"""
_IN_MOST_ANSWERS = tuple(_FREQUENT.split())
"""Words of which any English answer of some length has a few."""
_ROUND = (110, 120, 125, 150, 180, 200, 250, 300, 360, 365, 400, 500, 1000)
COMMON_NUMBERS = tuple(map(str, chain(range(10, 101), range(1900, 2031), _ROUND)))
"""Small numbers, years and round numbers, in which a digit is found by accident."""

_LONGEST_ANYWHERE = 3
"""Letters from which on a text is in few words."""
_INFLECTIONS = frozenset({"s", "es", "ed", "ing"})
_WORD = lazy(r"[^\W\d_]+")
_NUMBER = lazy(r"\d+")


def word_containing(short: str, text: str, *, any_case: bool) -> str | None:
    """The first word of `text`, or number if `short` is one, that contains `short` and more; None if none does."""
    pattern = _NUMBER if short.isdigit() else _WORD
    return _first(short, (found[0] for found in pattern.finditer(text)), any_case=any_case)


@lru_cache(maxsize=1000)
def common_word_containing(short: str, *, any_case: bool) -> str | None:
    """The first common word or number that contains `short` and more, capitalised if needed; None if none does.

    None for two digits: a wrong answer with just the year that contains them is far-fetched. Three letters have to be
    in a word of nearly every answer: “credit” is no reason to expect “red” in a wrong one.
    """
    if short.isdigit():
        return _first(short, COMMON_NUMBERS, any_case=True) if len(short) == 1 else None
    words = COMMON_WORDS if len(short) < _LONGEST_ANYWHERE else _IN_MOST_ANSWERS
    found = _first(short, words, any_case=any_case)
    return found or _first(short, (word.capitalize() for word in words), any_case=False)


def _first(short: str, words: Iterator[str] | tuple[str, ...], *, any_case: bool) -> str | None:
    wanted = short.casefold() if any_case else short
    for word in words:
        compared = word.casefold() if any_case else word
        if wanted in compared and len(compared) > len(wanted) and not _is_inflection(compared, wanted):
            return word
    return None


def _is_inflection(word: str, short: str) -> bool:
    """Whether `word` is a form of the word `short`, as “rats” is of “rat”: there, it is not found by accident."""
    return len(short) > 1 and word.startswith(short) and word[len(short) :] in _INFLECTIONS
