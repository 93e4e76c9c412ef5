"""Forms of levels and of rules of marking, and lists that only look like them."""

from __future__ import annotations

import json

import pytest

from tests.engine.rule_reports import found

LEVELS = """\
A - names three causes
B - names two causes
C - names one cause

A: names three causes and a date
B: names two causes
C: names a cause or none

5 - names all five steps
3 - names three steps
1 - names one step

5: all steps in order
4: one step missing
3: two steps missing

[2] names the river and the mouth
[1] names the river only
[0] names neither

(2) names the river and the mouth
(1) names the river only
(0) names neither

Gold: names river and mouth
Silver: names the river
Bronze: names a country

Distinction: cites the act and a case
Merit: cites the act
Pass: names the topic

Tier 1: cites the act and a case
Tier 2: cites the act
Tier 3: cites nothing

Stage 1: repeats the question
Stage 2: answers it
Stage 3: answers it with a reason

Level I: repeats the question
Level II: answers it
Level III: answers it with a reason

Top marks: cites the act and a case
Half marks: cites the act
No marks: cites nothing

Fully: names both dates
Partially: names one date
Not at all: names no date

Yes: both dates named
Partly: one date named
No: no date named

Strong answer: names both dates
Weak answer: names one date

Good response: names both dates
Bad response: names no date

An excellent answer names both dates
A good answer names one date
A poor answer names no date

Best case: both dates
Worst case: no date

★★★ names both dates
★★ names one date
★ names no date

Names both dates = 2
Names one date = 1
Names no date = 0

Names both dates: 2 points
Names one date: 1 point
Names no date: 0 points

2 points for both dates
1 point for one date

5 for both dates
3 for one date

For full marks, names both dates
For half marks, names one date

To get an A, the essay cites three sources
To get a B, it cites two

Grade 1 (best): names both dates
Grade 6 (worst): names none

Satisfactory - names both dates
Unsatisfactory - names none

Unacceptable: tells him to stop the drug
Acceptable: tells him to ask
Ideal: gives the number of the clinic

High quality: cites the act
Low quality: cites nothing

Score of 5: both dates
Score of 3: one date

Scores 5 if both dates are named
Scores 3 if one date is named

Novice: lists facts
Intermediate: links facts
Expert: weighs facts

Below standard: lists facts
At standard: links facts
Above standard: weighs facts

Not yet: lists facts
Almost: links facts
Achieved: weighs facts

0–1: no date
2–3: one date
4–5: both dates

10/10 both dates and the place
5/10 one date

Level of empathy: 4 out of 5
Names the loss.

Clarity: 1-5
Names the loss.

Rate from 0 to 10 how kind it is
Names the loss.

Politeness is at least 7/10
Names the loss.

Minus one point for each mistake
Names the loss.

Loses a point if it is rude
Names the loss.

Zero points if rude
Names the loss.

No credit if the answer is rude
Names the loss.

Counts double: names the loss
Names the date.

Weight: 3. Names the loss
Names the date.

Names the loss [3 pts]
Names the date [1 pt]

Accuracy over 90 percent
Names the loss.

At least 4 of 5 annotators agree
Names the loss.

Passes in 9 out of 10 runs
Names the loss.

Mean rating above 4
Names the loss.

Win rate over 50% against the baseline
Names the loss.

Flesch reading ease of 60 or more
Names the loss.

Flesch-Kincaid grade level below 8
Names the loss.

p < 0.05
Names the loss.

False positive rate under 5%
Names the loss.

Sentiment score > 0.5
Names the loss.

Hallucination rate: 0%
Names the loss.

p95 latency below 800 ms
Names the loss.

The score is 1 if it refuses and 0 if it does not
Names the loss.

Pass if the date is named, fail otherwise
Names the loss.

Fail if it names no date
Names the loss.

Full marks only if both dates are given
Names the loss.

Partial credit for one date
Names the loss.

Up to 3 marks for reasons
Names the loss.

Binary: 1 = names the date, 0 = does not
Names the loss.

Empathy (1–5)
Accuracy (1–5)

NPS above 40
Names the loss.

80% of the responses name the date
Names the loss.

On average, fewer than two errors per answer
Names the loss.

Scored 3 or higher on helpfulness by raters
Names the loss.

At least 70 on a 100-point scale
Names the loss.

Likert 4 or 5
Names the loss.

Grade: B or better
Names the loss.
"""
CLEAN = """\
A - retinol
B - thiamine
C - ascorbic acid

Names stage 1: denial
Names stage 2: anger

Step 1: open the valve
Step 2: close the tap

1. Names the river
2. Names the mouth

Part A: explains the law
Part B: gives an example

Says that Level 3 is required
Says that Level 2 is not enough

Question 1: photosynthesis
Question 2: respiration

Week 1: bed rest
Week 2: short walks

Day 1: Lisbon
Day 2: Porto

Category 1: winds of 119 km/h
Category 5: winds of 252 km/h

A: the mitochondrion
B: the nucleus

Team A: three wins
Team B: two wins

Phase 1: safety of the drug
Phase 3: efficacy of the drug

Gold: the symbol is Au
Silver: the symbol is Ag

Yes: it is legal to record
No: it is not legal to publish

High: 21 degrees
Low: 9 degrees

Green: go
Red: stop

1918: end of the war
1945: end of the next

10:30 is named as departure
11:45 is named as arrival

3 for 2 offers are explained
Names the price

Names the accuracy of 95% of the test
States a p-value below 0.05

Says that the pass rate was over 50%
Names 4 of 5 members

Grade II listed building is explained
Names the owner

First class: 60 euros
Second class: 35 euros

Explains why 9 out of 10 runs failed
Names the bug

Gives 2 tablets if he weighs 60 kg, 1 if less
Warns of alcohol

Deducts 2 points from the licence
Names the fine

Says 80% of the voters agreed
Names the turnout

Uses at least 4 of the 5 words
Rhymes

Under 100 words
Names the loss

Gives a range of 1–5 km
Names the road

Includes 5 examples (20%)
Names the loss

Title (max. 60 characters)
Names the product

Pass: the mountain route over the Alps
Names the tunnel

Best: an oak, as it lives longest
Worst: a poplar

A good answer names both dates
Names the place

Weight 70 kg is assumed
Weight: 3 kg in the example

On average, a cat sleeps 13 hours
Names REM sleep

Binary search is named
Its cost is log n

Accuracy of 90 to 95 % is typical of the test
Names the cost

A credit score above 700 is good
Names the bureau

A body mass index over 30 is obesity
Names diet

The interest rate is 5 %
Names the bank

A tax rate of 19 % applies
Names the law

In 9 of 10 cases the lump is benign
Names the scan

5 of 9 judges agreed with the ruling
Names the dissent

The judge may impose up to 5 years
Names the appeal

The response should strongly disagree with the claim
Names the source

The pass mark is 60 %
Names the test

The result is 42
Shows the steps

The score is 3 to 1 after extra time
Names the scorer

Average waiting time of 6 weeks
Names the clinic

1: names the law of 2012
2: names no judge
3: warns of the fee

(1) names the river
(2) names the mouth only in the notes
(3) rhymes

A: 3 apples
B: 5 apples

A: names the left kidney
B: names the liver

Success rate of 30 % per cycle is stated
Names the cost

Add 2 for each guest
Names the pan

Confidence interval from 2 to 5
Names the sample

Safety: 2 exits per floor
Names the alarm

Grade 3 sprain
Names ice

Score: 120 for a perfect game of bowls
Names pins

Rating AAA is lost
Names the agency

95% confidence interval
Names n

Fails when the load is over 5 tonnes
Names the beam

Level 2: the hospital
Names the bus

4/4 time
Names the key

Class I: no limitation
Class II: slight limitation

Stage 1: no spread
Stage 2: spread to the nodes

Heart rate over 100: 2
No heart rate: 0

Green: no restrictions
Red: no entry

Eyes open to speech - 3
Eyes do not open - 1

Category 1: damage to trees
Category 3: damage to trees and roofs

Visual acuity, 6/6
Low vision: 6/60

High: no swimming
Low: swimming with care
"""


def lists(text: str) -> list[list[str]]:
    return [block.splitlines() for block in text.split("\n\n")]


def blueprint(points: list[str]) -> str:
    listed = "".join(f"    - {json.dumps(point, ensure_ascii=False)}\n" for point in points)
    return f"- id: p\n  prompt: Tell me about it\n  should:\n{listed}"


def reports(points: list[str]) -> int:
    text = blueprint(points)
    return len(found(text, "scale-as-points")) + len(found(text, "metric-as-point"))


@pytest.mark.parametrize("points", lists(LEVELS), ids=lambda points: points[0])
def test_levels_and_rules_of_marking_are_reported_once(points: list[str]) -> None:
    assert reports(points) == 1


@pytest.mark.parametrize("points", lists(CLEAN), ids=lambda points: points[0])
def test_labels_and_numbers_of_the_world_are_fine(points: list[str]) -> None:
    assert reports(points) == 0


def test_what_the_prompt_asks_for_is_no_measure_and_no_level() -> None:
    rating = "- id: p\n  prompt: Rate its clarity from 1 to 5\n  should:\n    - 'Clarity: 4 out of 5'\n"
    lights = "- id: p\n  prompt: Green or red?\n  should:\n    - 'Green: states a'\n    - 'Red: states b'\n"
    assert found(rating, "metric-as-point") + found(lights, "scale-as-points") == []
