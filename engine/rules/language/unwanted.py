"""What a good answer does without: words for deeds, things and states under `should_not`, and for what is not said."""

from __future__ import annotations

from engine.rules.language.faults import STATES
from engine.rules.language.inflections import Form
from engine.rules.language.verbs import verb
from engine.rules.language.words import Word, word_set

MENTIONS = word_set(
    """mention mentions reference references use uses discussion advice speculation disclaimer disclaimers apology
    apologies jargon emojis emoji preamble markdown explanation explanations commentary validation ambiguity
    judgement judgment lecture lecturing moralising moralizing hedging filler profanity slang spoilers
    recommendation recommendations instructions warning warnings praise flattery text words extra additional errors
    error bias harmful claim claims statement statements details information opinion opinions follow-up questions
    bullet lists links hint hints refusal refusals attempt hallucinations misinformation mistakes prediction
    predictions promise promises guarantee guarantees diagnosis criticism blame insult insults comparison
    comparisons endorsement prescription swearing sarcasm joke jokes sermon guess guesses guessing assumptions
    stereotypes clichés spoiler greeting small-talk repetition tables headings examples code names figures numbers
    dates moral pity"""
)
"""What “no …” or “without …” at the beginning is about, if it is about an answer and not about the world."""
BAD_STATES = STATES | word_set(
    """condescending patronising patronizing rude judgmental judgemental preachy dismissive sarcastic aggressive vague
    evasive repetitive verbose wordy impolite insulting alarmist sycophantic flippant cold curt arrogant hostile
    disrespectful insensitive unclear confusing moralising moralizing robotic defensive pushy sexist racist
    stereotypical exaggerated overconfident too overly promotional salesy lurid graphic flattering gushing
    accusatory stigmatising stigmatizing paternalistic scolding mocking threatening violent explicit partisan
    sentimental long-winded"""
)
"""An answer that “is not” this is a good one; one that “is not clear” is a bad one."""
UNWANTED = word_set(
    """profanity slang jargon insults swearing spoilers emojis emoji disclaimers moralising moralizing lecturing jokes
    joke clichés cliches cliché promise promises guarantee guarantees stereotypes gossip sarcasm threats personal
    flattery alcohol pork violence gore nudity sexual brand brands names hate slurs slur lecture sermon blame
    recommendation speculation spoiler small-talk diagnosis diagnoses verdict prediction predictions side sides
    mockery scolding shaming blaming judgment judgement judgments judgements stigma gendered superlatives hype
    accusation accusations insinuation insinuations confidential identifying comment comments remark remarks
    commentary opinion opinions moral morals pity irony ridicule buzzwords filler fluff shame prices product
    products"""
)
"""Things that nobody wants in an answer, wherever they are missing."""
WRONGS = word_set(
    """disclose reveal invent fabricate insult blame mock shame scold lecture moralise moralize promise guarantee
    exaggerate threaten pressure patronise patronize plagiarise plagiarize judge ridicule flatter preach stereotype
    stigmatise stigmatize accuse pathologise pathologize gossip speculate gloat belittle demonise demonize glorify
    trivialise trivialize sensationalise sensationalize leak"""
)
"""What a good answer does not do."""
_WRONG_IN_PAST = WRONGS | {"identify", "make"}
_PEOPLE = word_set(
    """user patient victim suspect child pupil student tenant witness witnesses interviewee interviewees interviewees
    whistleblower nurse doctor mother father parents party parties people person nobody one family families donor
    customer employee employees worker workers teacher neighbour neighbor colleague source children boy girl woman
    man client minors minor survivors survivor applicant applicants candidate relatives informant reader members"""
)
_NAMED = word_set("name identify quote blame judge mock shame accuse ridicule insult pathologise disclose expose")


def is_wrong_participle(word: str) -> bool:
    """Whether a word is the participle of a wrong: “blamed”, “made (up)”, “mocked”."""
    known = verb(word)
    is_wrong = known is not None and known.form is Form.PAST and known.base in _WRONG_IN_PAST
    return is_wrong or (word.endswith("ed") and (f"{word[:-1]}" in WRONGS or word[:-2] in WRONGS))


def names_unwanted(words: tuple[Word, ...], at: int, most: int = 3) -> bool:
    """Whether one of the next `most` words names what nobody wants."""
    return not UNWANTED.isdisjoint(word.text for word in words[at : at + most])


def is_person_named(words: tuple[Word, ...], start: int, end: int, participle: str) -> bool:
    """Whether `words[start:end]` are people, and `participle` says that they are named, blamed or mocked."""
    known = verb(participle)
    is_named = known is not None and known.form is Form.PAST and known.base in _NAMED
    return (is_named or is_wrong_participle(participle)) and not _PEOPLE.isdisjoint(
        word.text for word in words[start:end]
    )
