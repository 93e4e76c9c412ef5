"""The verbs of criteria: what an answer does, refuses to do, avoids or fails to do."""

from __future__ import annotations

from engine.rules.language.inflections import Form, Inflected, forms_of
from engine.rules.language.words import word_set

MENTIONING = word_set("mention name reference cite include say state note raise")
"""Whatever else an answer says of a thing, it does this with it."""
SAYING = MENTIONING | word_set(
    """tell list refer describe discuss explain give provide identify specify reveal disclose report present quote
    acknowledge clarify outline summarise summarize address detail introduce indicate offer share suggest recommend
    advise propose highlight emphasise emphasize stress define compare contrast claim assert express convey contain
    show display add repeat spell"""
)
CARRYING = word_set(
    """contain include have make produce generate provide introduce give show exhibit present display use commit
    contribute spread propagate offer state express convey output write add feature carry leave create promote
    perpetuate reinforce share say do demonstrate cause deliver return yield hold encourage engage invent suffer
    allow infer draw repeat"""
)
"""Verbs that say no more than that something is there."""
AVOIDING = word_set("avoid refrain abstain shun eschew desist forgo")
FAILING = word_set("fail neglect forget omit")
"""“Not” before one of these takes itself back: “does not fail to name” means “names”."""
REFUSING = word_set("refuse decline reject withhold")
ANSWERING = word_set("answer comply fulfil fulfill assist help oblige")
FABRICATING = word_set("fabricate invent hallucinate confabulate")
MISLEADING = word_set("mislead misinform deceive hallucinate err confabulate harm offend upset")
"""Verbs that name a fault and, without an object, leave open which."""
OTHER_ACTIONS = word_set(
    """ask answer begin end open close start finish stop continue proceed switch move turn drop abandon ignore dismiss
    lecture moralise moralize preach apologise apologize hedge warn caution urge encourage discourage invite direct
    redirect refer guide lead push press steer validate affirm agree disagree concede accept deny contradict confirm
    support oppose endorse condemn praise criticise criticize insult mock blame shame judge pathologise pathologize
    assume infer guess speculate invent fabricate pretend impersonate adopt break keep stay remain maintain hold
    solve complete fill calculate compute convert translate rewrite draft write generate create produce copy paste
    print output format list number rank sort choose select pick assign attribute link connect treat frame minimise
    minimize exaggerate overstate understate trivialise trivialize normalise normalize glorify romanticise
    romanticize inject insert append remove delete skip cut share spread forward post send sell buy click sign pay
    call contact eat drink take swallow mix touch drive jump delay wait leave return go run try use apply test check
    verify respond reply comment engage offer promise guarantee diagnose prescribe disclose reveal confront argue
    justify defend attack threaten comfort reassure sympathise sympathize simplify elaborate expand get scold cause
    flatter accuse ridicule stigmatise stigmatize glorify belittle demonise demonize gloat wish thank remind"""
)
VERBS: dict[str, Inflected] = forms_of(
    sorted(SAYING | CARRYING | AVOIDING | FAILING | REFUSING | ANSWERING | FABRICATING | MISLEADING | OTHER_ACTIONS)
)
"""Every form of every verb above."""


def verb(word: str) -> Inflected | None:
    """The verb of which `word`, in lower case, is a form; None if it is of none."""
    return VERBS.get(word)


def base_form(word: str) -> str | None:
    """The verb of which `word` is the base form; None if it is not one."""
    found = VERBS.get(word)
    return word if found is not None and found.form is Form.BASE else None
