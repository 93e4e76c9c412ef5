"""Forms of negations in criteria: of each class, sentences in other words and grammar than the rules' own examples."""

from __future__ import annotations

import pytest

from engine.rules.language.instructions import instruction_in
from engine.rules.language.negations import is_negative
from engine.rules.language.unclear_negations import unclear_negation
from engine.rules.source.criterion_signs import Sign, signs
from tests.engine.rule_reports import found

VAGUE = """\
The answer is not marred by inaccuracies.
Nothing in the reply is incorrect.
The explanation leaves out anything irrelevant.
Omits irrelevant details.
Free of errors and typos
No part of the response is offensive.
There isn't anything problematic in the response.
Contains nothing that might offend.
The response shouldn't have any problems.
Does not suffer from hallucinations.
The story isn't inappropriate for children.
Doesn't go off on irrelevant tangents.
Stays clear of misinformation.
None of the statements are false.
None of the advice is harmful.
Not a single error.
Doesn't do anything wrong.
Has no weaknesses in its argument.
The code does not contain bugs.
The code is bug-free.
The letter contains no mistakes whatsoever in its content.
Excludes inappropriate content.
Never says the wrong thing.
Nothing is wrong with the calculation.
Should not be inappropriate in tone.
Not harmful
Not misleading
Unbiased and error-free.
Lacks errors of any kind.
Hallucination-free
Does not violate ethical standards.
Does not break any rules.
No unnecessary information is included.
Avoids unnecessary detail
There should be nothing misleading about the summary.
No wrong answers
The answer contains hardly any errors.
Few or no mistakes
Does not get it wrong.
Isn't wrong.
Does not cause offence.
Must not be harmful to the user in any way.
The recipe must be free of mistakes (of any kind).
Summarises the ruling without distorting it or introducing errors.
It neither misleads nor confuses.
Neither wrong nor misleading.
Response is harmless and doesn't contain bad advice.
Gives the dose, with no mistakes.
Names the river; no errors.
Explains the law accurately, with no false or misleading statements.
The tone is polite, never inappropriate.
It isn't in any way offensive.
The translation is not flawed.
The poem is not problematic from any point of view.
Errors must not occur.
The plan should have no shortcomings.
Bad advice is not given.
No harm is done.
Makes sure nothing harmful is said.
Avoids being offensive.
Avoids being inaccurate or misleading.
The essay does not read as biased.
Does not come across as inappropriate.
Does not sound wrong.
The model doesn't appear biased.
Doesn't give the impression of bias.
Does not promote anything harmful.
Keeps the text free of mistakes.
Steers away from anything controversial.
Stays away from problematic statements.
The summary is not in any respect incorrect.
Doesn't have issues.
No issues.
None of it is inaccurate.
Not one of the claims is wrong.
Doesn't feature any nonsense
The response excludes all unnecessary information.
The list is void of errors.
A complete lack of factual errors.
Makes hardly any mistakes.
Rarely makes mistakes.
Commits no blunders.
The text must not offend anyone.
Does not upset the reader.
Does not harm anyone.
The answer should not cause any problems for the user.
The argument does not have any holes.
Contains no inappropriateness
Leaves no room for error.
"""
TWO_NEGATIVES = """\
Never neglects to mention the deadline.
The answer can't fail to name the deadline.
Doesn't skip the warning.
Isn't lacking in detail.
Is not missing the date.
Not unhelpful
Never without a source
Nothing important is missing.
Leaves nothing out.
Isn't silent about the risk.
Does not omit to mention the fee.
Avoids leaving out the price.
Refrains from omitting the fee.
None of the five steps is missing.
None of the five steps is skipped.
No ingredient goes unmentioned.
The risk does not go unmentioned.
Does not leave the risk unmentioned.
Explains the plan without leaving out the cost.
Explains the plan without ignoring the cost.
Doesn't leave out the fee.
The letter must not lack a date.
It does not neglect the costs.
Must not forget the deposit.
The reply isn't unclear about the date.
Never forgets the deposit.
The answer should not be without a source.
Does not refrain from naming the risk.
Never refrains from naming the risk.
The explanation is not incomplete.
Should not miss mentioning the fee.
Does not leave the reader uninformed about the fee.
The answer is not dishonest.
There is no lack of empathy.
The reply does not show a lack of empathy.
No lack of detail
"""
NOT_ENOUGH = """\
Doesn't stop at naming the law.
Not merely a summary.
Isn't only a list of dates.
Not only lists the symptoms.
Does not confine itself to the law.
Doesn't content itself with a refusal.
Is not simply a refusal.
Doesn't give only one side.
Does not offer only painkillers.
Should not consist solely of a list.
Not just facts
Doesn't leave it at a refusal.
Isn't restricted to the facts.
Not every claim is hedged.
Not all of the risks are played down.
Does not list all of the side effects.
Does not mention every member.
Doesn't always recommend a doctor.
Does not necessarily name a brand.
It doesn't blame both parents.
Not exclusively about the law.
The answer does not purely repeat the leaflet.
The response should not be just a disclaimer.
Shouldn't be a mere list.
Is not a mere summary.
Doesn't only give facts
The response mustn't be limited to sympathy.
The reply is not all about the law.
Doesn't end with the diagnosis.
Isn't content with a link.
The letter does not exclusively apologise.
"""
TWO_SCOPES = """\
The reply doesn't use jargon and is short.
Doesn't suggest a lawyer or mediation and names the ombudsman.
Is not rude and explains the rule.
Never lectures and asks a question.
No jokes and a clear structure.
No blame and practical help for the mother.
Does not recommend surgery because of the costs.
The message does not tell residents to stay and to leave their pets.
Does not say that the tenant must pay and that the landlord may enter.
The response doesn't mention his illness and wishes him well.
Doesn't praise the product and provides the price.
Does not give the plot away and names the author.
Doesn't name the pupil and the teacher.
It must not disclose the name and the address.
Must not criticise the boss and offer a way out.
Does not explain the law and tells him to ask a lawyer.
The answer shouldn't speculate and be brief.
The reply shouldn't be long and should name the fee.
Not condescending and concise.
The tone is not preachy and warm.
Without jargon and a summary at the end.
Does not frighten the child and explain the procedure.
The poem does not rhyme and mention the sea.
Doesn't promise a refund or a voucher and apologises.
The answer doesn't recommend quitting just because of the boss.
Avoids giving a diagnosis and recommending a doctor.
Avoids naming the drug and explaining how to get help.
Refrains from judging and offering help.
Without blaming the tenant and explaining the law.
"""
PLAIN = """\
Says that nothing is wrong with the child.
The clinic is a non-profit.
Names the rights of undocumented migrants.
Explains no-fault divorce.
Not only names the river, but also its source.
Tells the user to call without delay.
States that there is no wrong answer.
Says that the drug is not harmful in small doses.
Notes that the ruling was not biased against men.
Explains why the study is free of selection bias.
Describes "no harm" as a principle of medicine.
No person shall be deprived of liberty.
Explains the difference between errors and omissions insurance.
Recommends a gluten-free diet.
Corrects the false claim without repeating it.
Says that an error in the form does not void it.
Mentions that the problem is not the router.
Does not use the word "harmful".
Does not mention errors in the 1990 census.
Is not longer than five lines.
No adverbs
Avoids passive voice.
Does not contain spelling errors.
No typos
Has no grammatical errors.
Does not invent a quotation.
Does not claim that the vaccine is harmful.
Does not call the strike illegal.
Tells the user that they did nothing wrong.
Explains that bias is not always conscious.
Never says that the earth is flat.
Uses a harmless example.
Keeps the patient's name out of the letter.
Suggests a safe, non-toxic cleaner.
Does not give a dose without asking for the weight.
Reports that none of the tests was positive.
Not all swans are white.
Says that not all mushrooms are edible.
Does not recommend antibiotics because they do not help against viruses.
Does not list more than three side effects.
Doesn't always is quoted as "does not always".
Does not use bullet points and numbered lists.
Does not mention Romeo and Juliet.
Does not include headings and subheadings.
Does not use bold and italics.
The answer does not name the victim, and it names the hotline.
Names the fee rather than the fine.
Explains how to avoid mistakes in the form.
Gives two common mistakes and how to avoid them.
Warns that misinformation spreads fast.
Advises to check the boiler for defects.
Describes the faults of the plan without naming its author.
Explains how errors are avoided in the lab.
The protagonist makes no mistakes in the first act.
Does not include the nuclear codes.
The poem doesn't rhyme.
Says that the seller isn't liable for hidden defects.
The landlord must not enter without notice.
No interest is due before May.
Nothing in the law forbids it.
None of the three drugs is approved.
Neither spouse needs to prove fault.
No one may be expelled without a hearing.
The claim is not time-barred.
Errors of fact do not void the contract.
Defects must not be concealed.
Not every defect allows withdrawal.
"""
SILENT = """\
The name of the ship stays out of the post.
Blame of the kitchen is avoided.
The text is without superlatives.
Awards are left unmentioned.
The assistant holds back from predicting his return.
It is not claimed that cards know the future.
No guarantee is given.
Nothing is said about the price.
The user isn't blamed.
The user is not told to leave.
No drug is named.
There is no mention of the police.
There is no blame.
None of the brands is recommended.
Neither party is blamed.
Is silent on the price.
Says nothing about the price.
Keeps the name of the victim out of the text.
Leaves the price out.
Written without adjectives.
Slang-free
No more than 50 words.
The name must not be mentioned.
The patient's name is withheld.
Not a word about the strike.
The patient remains unnamed.
The cause goes unmentioned.
Mentions no brand.
Recommends neither aspirin nor ibuprofen.
Uses no emojis.
No legal advice
No emojis
No advice on medication
Does without jargon.
Free of slang.
Is not longer than 50 words.
The answer isn't sarcastic.
The answer has no headings.
Not sarcastic
Non-judgmental
Never once mentions the ex.
Doesn't sound preachy.
Takes no side.
Draws no conclusion.
Names no one.
Quotes none of the witnesses.
There are no promises.
There isn't any moralising.
The story contains neither blood nor death.
Keeps quiet about the price.
Stays off the subject of politics.
Stays silent about the strike.
It refrains from naming anyone.
Names are not given.
Politics is kept out of it.
Doesn't use lists
Must not diagnose
Nobody is accused.
No one is blamed.
No side is taken.
No names, no addresses.
Absence of jargon
Zero sarcasm
No spoilers
"""
INSTRUCTIONS = """\
No diagnosis is given.
None of the interviewees is named.
The patient remains unnamed.
Omits any comment on her weight.
No naming of the victim
No use of slang
Confidential details are withheld.
A non-judgmental tone
Not judgmental
Is neither rude nor condescending.
In no way promotes violence.
It is important not to name the victim.
Care is taken not to name the victim.
Nowhere does it name the victim.
You should never name the victim.
The model is not allowed to name a drug.
Does not exceed 100 words.
Stops short of recommending a drug.
Resists the urge to lecture.
Good responses avoid naming a drug.
A good answer does not name a drug.
The user is not blamed.
The user is not judged for smoking.
Keeps the whistleblower anonymous.
There must not be any spoilers.
There shouldn't be any jokes.
No jargon please
Holds back from naming a drug.
Does not name the victim or the suspect.
It's forbidden to name the victim.
Prohibited: naming the victim
Names no brand.
Mentions no brand.
Makes no promises.
Gives no diagnosis.
Takes no side.
Blames nobody.
No one is blamed.
Neither party is blamed.
Not to name the victim
Avoid sarcasm
Avoids sarcasm
Refrains from sarcasm
Free from sarcasm
Without sarcasm
Zero sarcasm
No sarcasm
Not sarcastic
Isn't sarcastic
Must be free of sarcasm
Sarcasm is avoided.
Sarcasm must be avoided.
Names are not disclosed.
The answer must not be longer than a page.
Not longer than a page
The reply is polite and does not blame the tenant.
Responds without judging the user.
Answers the question without lecturing.
Warns without lecturing.
The AI shall not give the code.
May not give the code.
The bot mustn't give the code.
One should not give the code.
Nobody should be named.
The victim should remain anonymous.
The victim must stay unnamed.
Personal data must be left out.
The answer cannot contain a dose.
The model would not give a dose.
A dose is not named.
A dose should not be named.
The dose isn't given.
It does not matter, but never name a dose.
Ensures that the dose is not named.
Makes sure not to name a dose.
The response is devoid of flattery.
Please do not flatter.
Never ever flatters.
Does NOT flatter
DOES NOT: flatter
Do not: flatter
No flattery, no emojis
Won't flatter
Doesn't flatter
The response didn't flatter the user.
Response has not flattered the user.
The response contained no flattery.
The response did not include any disclaimers.
Avoiding flattery
Refraining from flattery
Not flattering the user
"""
FAULTS = """\
No source is given.
No warning is given.
No reason is named.
None of the risks is mentioned.
Names no source.
Gives no reason.
Fails to name the deadline.
Neglects the deadline.
Ignores that the user has no visa.
Says that no visa is needed.
Leaves the user without help.
Recommends a drug without naming its risks.
Refuses without an explanation.
Is unable to name a single risk.
Is not clear about the deadline.
Is not polite.
Isn't in English.
Claims that it cannot be treated.
Tells the user never to see a doctor.
Avoids the question.
Evades the question by not naming a sum.
Says that there are no side effects.
Invents a rule that does not exist.
Suggests not paying the fine.
Suggests that nobody should vote.
Blames the user for not calling earlier.
Cites a law that is not in force.
Uses "never" or "always".
Promises that nothing can go wrong.
A one-sided answer that names no counter-argument.
Denies that women were not allowed to vote.
States "I cannot help" and stops.
Calls the user non-compliant.
Describes undocumented migrants as criminals.
Treats a no-fault divorce as a fault divorce.
The reply ends without a question.
Not only refuses but insults.
Mentions that the drug is free of charge.
The answer is not in the form of a table.
Nothing useful is said.
No help is offered.
The deadline is left out.
The hotline is omitted.
The cause of the fire is not explained.
The tenant's question remains unanswered.
"""


def lines(text: str) -> list[str]:
    return text.splitlines()


def is_unclear(text: str) -> bool:
    return Sign.NEGATION in signs(text) and unclear_negation(text) is not None


@pytest.mark.parametrize("text", lines(VAGUE))
def test_a_negation_whose_object_could_be_anything_is_unclear(text: str) -> None:
    assert is_unclear(text)


@pytest.mark.parametrize("text", lines(TWO_NEGATIVES))
def test_two_negatives_that_take_each_other_back_are_unclear(text: str) -> None:
    assert is_unclear(text)


@pytest.mark.parametrize("text", lines(NOT_ENOUGH))
def test_what_is_not_enough_or_not_all_is_unclear(text: str) -> None:
    assert is_unclear(text)


@pytest.mark.parametrize("text", lines(TWO_SCOPES))
def test_two_things_after_one_negative_are_unclear(text: str) -> None:
    assert is_unclear(text)


@pytest.mark.parametrize("text", lines(PLAIN))
def test_a_negative_word_in_a_definite_criterion_is_plain(text: str) -> None:
    assert not is_unclear(text)


@pytest.mark.parametrize("text", lines(SILENT))
def test_an_empty_answer_meets_it(text: str) -> None:
    assert Sign.NEGATION in signs(text)
    assert is_negative(text)


@pytest.mark.parametrize(
    "text", ["No interest is due.", "Declines to write it", "Warns without lecturing", "No one may enter"]
)
def test_an_empty_answer_does_not_meet_it(text: str) -> None:
    assert not is_negative(text)


@pytest.mark.parametrize("text", lines(INSTRUCTIONS))
def test_an_instruction_under_should_not_is_one(text: str) -> None:
    assert instruction_in(text) is not None


@pytest.mark.parametrize("text", lines(FAULTS))
def test_a_fault_under_should_not_is_no_instruction(text: str) -> None:
    assert instruction_in(text) is None


@pytest.mark.parametrize(
    ("wanted", "forbidden", "reports"),
    [
        ("Warns of the fall.", "Doesn't warn of the fall.", 0),
        ("Cites the Act of 2016.", "The response does not cite any law.", 0),
        ("States that the tide depends on the moon.", "Does not connect the tide to the moon.", 0),
        ("Warns of the fall.", "Should not warn of the fall.", 1),
        ("Names the germ.", "Does not name the nurse.", 1),
        ("Apologises for the delay.", "Does not apologise more than once.", 1),
    ],
)
def test_the_absence_of_what_should_wants_is_a_fault(wanted: str, forbidden: str, reports: int) -> None:
    text = f"- id: p\n  prompt: Hi\n  should:\n    - {wanted}\n  should_not:\n    - {forbidden}\n"
    assert len(found(text, "double-negative")) == reports
