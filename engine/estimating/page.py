"""# What an estimate can tell, and what it cannot

An estimate says how near the closest sentence of an answer comes to a point in words: 0 is unrelated, 1 the same
meaning. It tells what an answer speaks of. It does not tell whether the answer says so or the opposite. It is made on
this machine by a small sentence encoder (all-MiniLM-L6-v2), and nothing is sent anywhere.

It is no verdict: it is never in the score, in its bounds, in the causes of a low score or in what Weval would store.
Use it to find the sentence that a point is about, and then grade the point yourself.

What it tells well: whether an answer is about the same matter at all. Of two ideals, one of the criterion's own
prompt and one of another blueprint, the right one was nearer 94 times in 100 (2,512 criteria of 637 prompts in 123
blueprints). With another prompt of the same blueprint, 78 times. With the question itself repeated as an answer, only
70 times: an answer that says nothing, in the words of the question, looks good to an estimate.

What it tells badly: whether a sentence meets a criterion or contradicts it. Of 68 criteria, each with a sentence that
meets it and one that says something else, a random right one was nearer than a random wrong one 56 times in 100,
which is close to chance. Even side by side, for the same criterion, the right one was nearer in 53 of 68: in all 16
where numbers or the order of things differ, in 7 of 9 where something is allowed or forbidden, in 5 of 8 where it is
who did it to whom, and in 6 of 12 where only a “not” differs. That last is a coin. Conditions, degrees and opposites:
19 of 23.

How near is near? Of each kind, so many in 100 came this near to their criterion: its own prompt's ideal, an ideal of
the same file, one of another file, the question repeated; a sentence that meets it, one that contradicts it.

    nearness   own  same  other  repeated   meets  contradicts
    0.0–0.2     10    32     79        22       0            0
    0.2–0.4     19    43     20        34       7           10
    0.4–0.6     29    19      1        29      13           19
    0.6–0.8     29     5      0        13      38           35
    0.8–1.0     14     1      0         1      41           35

Below 0.2 an answer hardly speaks of the matter. Above 0.6 it does, one way or the other: read the sentence.

The figure with ≈: nearness 0.2, 0.4, 0.6 and 0.8 are printed as ≈ 25, 58, 85 and 95. So many in 100 of the criteria
that came this near to an ideal came near to that of their own prompt, and the rest to one of another. On blueprints
that had no part in making this table it was off by 3. In should_not it is turned round. The ≈ score is made of
checks, grades, verdicts and these figures in the way in which every score is made.

Near the ideal: the whole answer beside the whole ideal. Ideals of two prompts of one blueprint have 0.39 in the
middle, of two blueprints 0.11.

It was trained on English. Two sentences that have nothing to do with each other came 0.50 near in German, 0.53 in
Russian, 0.72 in Hindi and 1.00 in Thai, whose letters it does not know. So what is not in Latin letters is not
estimated, and what is not in English should not be believed.

Criteria of style are about no sentence: “Is concise.” came no nearer than 0.26 to nine of ten ideals. An estimate
says nothing of them.
"""

from __future__ import annotations

TITLE = "What an estimate can tell"


def page() -> str:
    """The page, as it is printed and shown."""
    return __doc__ or ""
