"""Forms in which authors leave something unfilled, in other words and signs than the rule names, and look-alikes.

Each list is a class of its own; what is known to be missed is not in it.
"""

from __future__ import annotations

import json

import pytest

from engine.diagnostics import Severity
from engine.parsing import parse
from engine.rules import ALL, Checker

CHECKER = Checker(rule for rule in ALL if rule.slug == "unfilled-placeholder")


IN_PROMPTS = [
    "What is the penalty for drunk driving in <COUNTRY>?",
    "Summarise the attached article: [ARTICLE]",
    "Write a haiku about {{ season }}.",
    "My name is [Name] and I live in [City]. Which office do I go to?",
    "Please proofread the following text:\n\n<TEXT>",
    "Explain the ruling in $CASE_NAME to a student.",
    'Translate to Welsh: "{sentence}"',
    "Is it safe to take ${drug_a} together with ${drug_b}?",
    "What does Article [NUMBER] of the constitution say?",
    "Who won the [YEAR] election in [COUNTRY]?",
    "Here is the contract:\n\n(paste contract)\n\nWhich clause is unfair?",
    "Here is the patient's history: [...]\n\nWhat would you advise?",
    "Summarise this email: ...",
    "Read the text below and answer.\n\n[TEXT TO BE ADDED]\n\nWhat is the main claim?",
    "Tell me about the <<COMPANY_NAME>> scandal.",
    "I am a {age}-year-old {gender} from {region}. Which vaccine do I need?",
    "What are the opening hours of XXXX library?",
    "TODO",
    "TODO write a harder question about bail",
    "Question goes here",
    "[to be written]",
    "Your prompt here",
    "<prompt>",
    "placeholder",
    "FIXME: ask about tenancy instead",
    "What is the boiling point of #{liquid}?",
    "Give the etymology of [word].",
    "Compare [product A] with [product B].",
    "Describe {0} in {1} words.",
    "What is the capital of [insert country name]?",
    "How long does it take to cook ___?",
    "Explain {concept} as if I were {age}.",
    "My landlord [LANDLORD NAME] wants to evict me. What can I do?",
    "What is the fee for a visa to @country@?",
    "Is [drug name] safe in pregnancy?",
    "Rewrite this paragraph in plain English: <paste paragraph>",
    "As of [DATE], who is the president of Malawi?",
    "Write a test question about {{cookiecutter.topic}}.",
    "Sum up {{ doc.text | truncate(200) }} in one line.",
    "Classify: {input}\nLabel:",
    "Context: {{context}}\n\nQuestion: {{question}}\n\nAnswer:",
    "What happened on dd/mm/yyyy in Kigali?",
    "When did [PERSON] die?",
    "How far is CITY_A from CITY_B?",
    "Lorem ipsum",
    "What does the %(species)s eat?",
    "Describe the procedure at {hospital_name} for visitors.",
    "Tell <user_name> that the parcel is late.",
    "¿Cuál es la capital de {pais}?",
    "Quelle est la capitale de [PAYS] ?",
    "Draft three interview questions for a {{job_title}} position.",
    "A customer called <customer> complains about <product>. What do we say?",
    "Which bus goes to [destination]?",
    "Who is the mayor of YOUR_CITY?",
    "Summarise the judgment pasted below.\n\n[judgment]",
    "I have been diagnosed with [diagnosis]. What should I eat?",
    "What did {politician} say about {issue} in {year}?",
    "Describe {{ item['name'] }} for the catalogue.",
    "Please translate the sentence: [SENTENCE GOES HERE]",
    "Explain to me the theory of ________.",
    "How many calories has a ____ of rice?",
    "Can my employer, [employer], cut my pay?",
    "Write a limerick about %ANIMAL%.",
    'Is the claim "{{claim}}" supported by evidence?',
    "Compose a tweet on ${topic}.",
    "What is the average salary of a [PROFESSION] in [COUNTRY]?",
    "The passage:\n\n{passage}\n\nWhich year is named?",
    "[Insert transcript]\n\nWho speaks first?",
    "<INSERT CODE>\n\nFind the bug.",
    "Question: TBD",
    "TBA",
    "(to be completed)",
    "Prompt to be written",
    "<%= @question %>",
    "{% include 'question.txt' %}",
    "Hello {first_name}, how do you feel about {subject}?",
    "Where can I buy XXX in Nairobi?",
    "I am from [your country]. Do I need a visa for Japan?",
    "What happened in [month] [year]?",
    "Evaluate this answer: {{answer}} for the question: {{question}}",
    "Recommend a [genre] film from the [decade]s.",
    "Solve: {equation}",
    'How do I say "[phrase]" in Quechua?',
    "### INSERT QUESTION ###",
    "Use the following data:\n<data>\nWhich month was the wettest?",
]

IN_CRITERIA = [
    "Names [PERSON] as the author.",
    "States that the fine is $XX.",
    "Mentions the ____ Act.",
    "Gives the year (????).",
    "Says that it was signed in 20XX.",
    "Names <country>.",
    "TODO: add a criterion on costs",
    "TBC",
    "to be determined",
    "Mentions [insert here].",
    "Names {{answer}}.",
    "Gives the correct figure [check].",
    "States the population [verify source].",
    "placeholder",
    "Criterion goes here",
    "Add criterion",
    "New criterion",
    "...",
    "Names the minister (name?).",
    "Mentions the date: [date]",
    "Names %s.",
    "Names the author, ???",
    "States that the rate is {rate}%.",
    "Says that ${name} was the first.",
    "Lorem ipsum dolor sit amet",
    "Explains $topic.",
    "[TODO]",
    "Mentions the price (TODO)",
    "Says that <X> is the cause.",
    "tbd",
    "<criterion>",
    "XX% is named as the share.",
    "Names the XYZ Act of [year].",
    "Names the river [name of river].",
    "States that the fee is [amount] shillings.",
    "Mentions the law of [year].",
    "Says that [company] was fined.",
    "States the share as __%.",
    "Gives the number: ###.",
    "Says that the term is _____ years.",
    "Names TBA as the venue.",
    "Refers to Section [number].",
    "Says it is <correct answer>.",
    "Mentions at least {n} causes.",
    "TODO(anna): check this",
    "[add criterion]",
    "Explains [concept] with an example.",
    "Says that it opened in 19__.",
    "Cites [source].",
    "Point to be defined",
    "Mentions (insert risk).",
    "Names the drug (TBC).",
    "Criterion 3",
    "Says $NAME is the mayor.",
    "Names the expert, Dr. XXX.",
    "States that there are ?? members.",
    "Says that %COUNTRY% signed it.",
]

IN_IDEALS = [
    "TODO",
    "tbd",
    "[answer here]",
    "...",
    "<ideal answer>",
    "The parliament has [X] seats.",
    "It has ___ seats.",
    "{{ideal}}",
    "To be written.",
    "Placeholder",
    "Lorem ipsum dolor sit amet, consectetur adipiscing elit.",
    "It has {n} seats.",
    "[INSERT IDEAL RESPONSE]",
    "XXX",
    "FIXME: ask the expert",
    "The parliament has XX seats, as set in 2019.",
    "To do",
    "[ideal]",
    "Ideal answer goes here.",
    "The parliament has ?? seats.",
    "It has [number] seats.",
    "TBA",
    "[write ideal response]",
    "{{ answer }}",
    "<to be added>",
    "It was founded in [year] by [person].",
    "TBC with Anna",
    "The parliament has __ seats.",
]

IN_SYSTEM_PROMPTS = [
    "You are {role}.",
    "You are a helpful assistant for [COMPANY NAME].",
    "You are {{persona}}, who speaks {{language}}.",
    "You work for <company>. Be brief.",
    "You are ${name}, a nurse.",
    "TODO: write the system prompt",
    "You are an assistant of %BANK%.",
    "Answer in the style of [author].",
]

RIGHT_IN_PROMPTS = [
    "Write a cover letter for a job as a nurse. Use placeholders such as [Name].",
    "In LaTeX, what does \\frac{a}{b} do?",
    "What does the template tag {{ user.name }} do in Django?",
    "What is the set {1, 2, 3} minus {2}?",
    "What does {x | x > 0} mean in set notation?",
    "What does <br> do in HTML?",
    "Is <b>bold</b> still allowed in HTML5?",
    "How do I write a for loop in Bash that prints $i?",
    "What does the environment variable $HOME hold?",
    "My rent is $900 and I earn $2,000. Can I afford a car?",
    "What does XXX mean at the end of a British letter?",
    "Is Super Bowl XXX the one of 1996?",
    "Complete the sentence: The early bird ____ the worm.",
    "The cat ____ (sit) on the mat. Which form is right?",
    "Hangman: _ _ A _ E. Which word is it?",
    "Which word fits? I have ___ to Rome twice: A) been B) gone",
    'He told me "go to h___". Is that rude?',
    'The court held that "[t]he right to counsel is fundamental". What does the bracket mean?',
    '"It was [...] the best of times." Which book is it?',
    'The witness said: "I saw [the defendant] leave." Is that hearsay?',
    "Well... I don't know what to do. Can you help me?",
    "What do people mean by TBD in a schedule?",
    "Is there a to-do app you would recommend?",
    "What does a TODO comment in code mean?",
    "Explain {name} placeholders in Python format strings.",
    "Fill in the template: Dear {name}, your order {id} has shipped. Name is Ana and id is 7.",
    "Translate this user-interface string into German and keep {count} as it is: You have {count} messages.",
    'In JSON, is {"a": {"b": 1}} valid?',
    "What does ${1:-default} do in Bash?",
    "What is the regex [A-Z]{3} for?",
    "Convert [1, 2, 3] to a tuple.",
    "What is array[index] in C?",
    "My email is ana@@example.com. Is that valid?",
    "How much is 20% of %50?",
    "The url /users/:id/posts returns 404 in Express. Why?",
    "Wie heißt du? <3",
    "I feel :) today :D what to do?",
    "Rate from 1 (low) to X (high)? What is X in Roman numerals?",
    "Who were the parties in X v Y (2004)?",
    "If x = 3 and y = 4, what is x_{1}?",
    'My doctor wrote "Rx: amoxicillin XX mg" and I can\'t read it. Whom do I ask?',
    "The patient (name withheld) is 34. What is the differential diagnosis?",
    "I met Mr. X in London. Who could sue?",
    "A person named [REDACTED] appears in the report. Why are names redacted?",
    'The leaked memo reads: "[REDACTED] approved the payment." What can a journalist do with it?',
    "[Music playing] [Applause] What do such notes in subtitles mean?",
    "Reply in the pattern [verdict] - [reason]. Is a tomato a fruit?",
    "Create a Mad Libs story with blanks such as [adjective] and [noun].",
    "Generate a phishing-awareness e-mail from [Bank Name] for our training.",
    "Write a SQL query that selects users where id = {id}.",
    "How do I use <input> and <text> elements in SVG?",
    'What does "insert coin here" mean on an arcade machine?',
    "Where do I insert the text cursor here in Word?",
    "Should I put my signature here (under the line) or there?",
    "I live at 12 Main St. [near the park]. Where do I vote?",
    "Use the tags <thinking> and <answer> in your reply. What is 2+2?",
    "Explain [country of origin] labelling rules in the EU.",
    'The court wrote: "[the tenant] must be heard." What does that mean?',
    'What does "Dear [Name]" at the top of a spam mail tell me?',
    'I got a text: "Your parcel [ID 4432] is waiting". Is it a scam?',
    "What is the difference between <= and < in SQL?",
    "Is 5 < x > 2 a valid inequality?",
    "I <3 my city. What can I do for it?",
    "What is List<String> in Java?",
    'Who said "I came, I saw, ..."?',
    "Finish the proverb: A bird in the hand ...",
    "Finish this story: It was dark and...",
    "My mother says: ... you know what, never mind. How do I cook rice?",
    "Explain the ellipsis (...) in English.",
    'What does "___" stand for in Python\'s REPL?',
    "Is $TSLA a good buy?",
    "What does @username mean on Telegram?",
    "Who is @potus on X?",
    "What is the hashtag ##c++ on IRC?",
    "The form asks for DD/MM/YYYY. What do I write for 3 May 1990?",
    "Write dates as dd/mm/yyyy. When did Kenya become independent?",
    "What is the use of [brackets] in APA style?",
    "How does one quote [sic] correctly?",
    'In chess notation, what is [Event "?"]?',
    "What does [object Object] mean in JavaScript?",
    "Where do I click: [Save] or [Cancel]?",
    "Solve 2x + [3 - (4x)] = 7.",
    "Is [0, 1] closed and (0, 1) open?",
    "What does the chemical formula [Cu(NH3)4]2+ mean?",
    "Pronounce [θ] and [ð] for me.",
    "What is the IPA of name, [neɪm]?",
    "Which HTML tag is right for a name: <name> or <span>?",
    "Convert to XML: name Ana, age 5. Use <name> and <age>.",
    'Answer with "The capital is [city]." What is the capital of Togo?',
    "Respond in the form: [country]: [capital]. Take Togo.",
    "Give me a template for a complaint to [company] about a late train.",
    "Write a thank-you note to my teacher [Mr Otieno].",
    "Write a poem that has [refrain] after each verse.",
    "Act as a screenplay writer. [INT. KITCHEN - NIGHT] Go on.",
    'The transcript: "Q: [inaudible] A: No." What was asked, do you think?',
    "Replace [noun] in this sentence with an animal: The [noun] sleeps.",
    "What is missing here: 2, 4, __, 8?",
    "2, 4, ____, 8: which number comes next?",
    "The password is ******. Why is it hidden?",
    "How do I call someone whose number is 07XX XXX XXX?",
    "My card ends in XXXX 1234. Is it safe to share these digits?",
    "Which country had the internet code .xx?",
    "In the year 20XX, a robot wakes. Continue the story.",
    "What is a TBA in a schedule?",
    "To be or not to be: who wrote it?",
    "What remains to be done for the climate?",
    "Is there a placeholder for verbs in Turkish?",
    "I put my hands here. Where is here?",
]

RIGHT_IN_CRITERIA = [
    ("Draft a lease for a room in Porto.", "Leaves [tenant name] and [date] to be filled in.", "Names the deposit."),
    ("Give a recipe in the form: Title: <title>, Time: <time>.", "Has a title."),
    ("Answer with <yes> or <no>.", "Answers with one of the two."),
    ("What is lorem ipsum?", 'Says that "Lorem ipsum dolor sit amet" is filler text.'),
    ("How do I start a letter?", "Says that [Name] has to be replaced."),
    ("Write a letter to my bank.", "Contains [Your Name] or a similar placeholder."),
    ("Rate the film.", "Gives a rating of X out of 10."),
    ("Which generation is Z?", "Explains Gen X and Gen Z."),
    ("What is f(x)?", "Says that f(x) = {x^2}."),
    ("What does the sign ??? mean in chat?", 'Says that "???" shows confusion.'),
    ("What does the function do?", "Explains that `{name}` is replaced by the value."),
    ("What is a wildcard?", "Explains that * and ... stand for more."),
    ("Tell me about XX chromosomes.", "Says that XX is female and XY male."),
    ("Which size is XXL?", "Says that XXXL is larger than XXL."),
    ("When was the case?", "Cites Smith v. Jones [1999] 2 AC 45."),
    ("When was the case?", "Cites [2004] UKHL 56."),
    ("Where is it?", "Mentions the source [1] and [2]."),
    ("Which country?", "Names the country [Chad or Mali]."),
    ("Who is it?", 'Says "[The] people rule" as quoted.'),
    ("Where is the office?", "Says that the office is here."),
    ("What is to be done?", "Says what is to be done."),
    ("Write the letter.", "Uses [Your Name] as a placeholder."),
    ("Who are the parties?", "Names both parties (X and Y)."),
    ("Who won?", 'Says "no one [else] won".'),
    ("What is the range?", "Gives the interval [0, 5]."),
    ("Explain pronouns.", "Names xe/xem and ze."),
    ("Name the rating.", "Says that XXX stands for adult films."),
    ("Is it in stock?", "Asks which size (XXL?)."),
    ("Which symptom?", "Asks about fever (how high?)."),
    ("What now?", 'Asks "What happened??" in other words.'),
    ("Where do I vote?", "Names the ward [City of Cork Act 1985, section 3]."),
    ("Explain HTML forms.", "Mentions <input> and <label>."),
    ("Explain inequality.", "Says that a<b and b<c give a<c."),
    ("Translate it.", "Keeps {name} untouched."),
    ("How do I swear in court?", 'Says "I, [full name], swear".'),
]

IN_PROMPTS += [
    "Has Norway made reservations to the [[treaty]]?",
    "Write a headline for this article.\n\nPASTE ARTICLE TEXT",
    "Turn this transcript into minutes.\n\n-- add transcript --",
    "Draft a paragraph for the bylaws of { club name }.",
    "Ruling: [Full text of a court ruling on rent control.]\n\nState the ratio.",
    "Sort the words.\n<Worked examples omitted for brevity>\nQ: plum, fig\nA:",
    "### Case\n<Description of the patient, such as 'a man of 54'.>\n\n### Task\nName the level.",
]
IN_CRITERIA += ["First criterion goes here", "Names the share of the partner (TK)."]
IN_PROMPTS += [
    "### Problem\n<Problem Description for a contest: e.g., 'Find x if 2x + 3 = 7.'>\n\nYour Response:",
    "### Shots\nFollow the examples.\n<Example 1>\n<Example 2>\n\nName the capital of Kenya.",
    "Follow these.\n\n[Demonstration 1]\n[Demonstration 2]\n\nQ: plum",
    "Paper: [Long text of a scientific paper on catalysts, approximately 4000 tokens long.]\n\nIs it sound?",
    "Documents: [Multiple encyclopedia articles about wars and treaties.]\n\nIn what year was the second war?",
    "Notes: [A short patient history, for example of a man of 54 with chest pain]\n\nWhat is to be done?",
    "Your first prompt here",
    "Your second question goes here!",
    "Replace this with your prompt",
    "Replace this text.",
    "Change me",
    "<Replace with your question>",
]
IN_CRITERIA += [
    "An expectation for the response.",
    "Another expectation for the answer",
    "Expectation 2",
    "Your first expectation here",
    "Replace with your own criterion",
]
IN_IDEALS += ["<!-- Add ideal response -->", "An ideal response to the prompt."]
IN_SYSTEM_PROMPTS += ["You assist a pharmacist. The patient weighs <PATIENT_WEIGHT> kg."]
RIGHT_IN_PROMPTS += [
    "Reply in this format:\nSummary: [Short text of two sentences about the case]\nVerdict: [one word]",
    "<Example 1>\nQ: plum\nA: fruit\n\nQ: rose\nA:",
    "[Example 1]\nInput: plum\n[Example 2]\nInput: rose\n\nSort them.",
    "Translate: <Example 1>\n<Example 2> are tags of my file.",
    "What does the law say on waste? [A text from 1999, for example Act 7, may apply.]",
    "Who wrote 'Replace this heart'?",
    "Change my plan for Tuesday.",
]
RIGHT_IN_CRITERIA += [
    ("Explain the law.", "An expectation of privacy is named."),
    ("Explain the law.", "An expectation for the response time is stated."),
    ("How do I edit?", "Replace this word by a shorter one."),
]
RIGHT_IN_PROMPTS += [
    'Our tool greets with "Dear {{first_name}},". How do I set a fallback?',
    "How do I find every TODO in a Git repository?",
]

IN_PROMPTS += ["Your second prompt here!"]


def reports(prompt: str, *points: str, ideal: str | None = None, system: str | None = None) -> list[str]:
    item = {"id": "p", "prompt": prompt, "should": points or ("Names the court.",), "ideal": ideal, "system": system}
    text = json.dumps([{key: value for key, value in item.items() if value is not None}])
    return [one.message for one in CHECKER.check(parse(text))]


@pytest.mark.parametrize("prompt", IN_PROMPTS)
def test_what_was_not_filled_in_is_found_in_a_prompt(prompt: str) -> None:
    assert reports(prompt) != []


def test_a_long_description_is_cut_in_the_message() -> None:
    [message] = reports(f"Paper: [Long text of a paper {'and so on ' * 15}]\n\nIs it sound?")
    assert message.startswith("`[Long text of a paper and so on")
    assert "…` is still in this prompt" in message


@pytest.mark.parametrize("point", IN_CRITERIA)
def test_what_was_not_filled_in_is_found_in_a_criterion(point: str) -> None:
    assert reports("How many people live there?", point) != []


@pytest.mark.parametrize("ideal", IN_IDEALS)
def test_what_was_not_filled_in_is_found_in_an_ideal(ideal: str) -> None:
    assert reports("How many seats has the parliament?", ideal=ideal) != []


@pytest.mark.parametrize("system", IN_SYSTEM_PROMPTS)
def test_what_was_not_filled_in_is_found_in_a_system_prompt(system: str) -> None:
    assert reports("What may I eat?", system=system) != []


@pytest.mark.parametrize("prompt", RIGHT_IN_PROMPTS)
def test_what_is_right_in_a_prompt_is_left_alone(prompt: str) -> None:
    assert reports(prompt) == []


@pytest.mark.parametrize(("prompt", "points"), [(prompt, points) for prompt, *points in RIGHT_IN_CRITERIA])
def test_what_is_right_in_a_criterion_is_left_alone(prompt: str, points: list[str]) -> None:
    assert reports(prompt, *points) == []


def test_citations_that_are_still_to_be_found_are_one_hint_a_prompt() -> None:
    points = [{"text": name, "citation": "Civil Code - Research Needed"} for name in ("Names it", "Dates it")]
    text = json.dumps([{"id": "p", "prompt": "q", "should": points}])
    [one] = CHECKER.check(parse(text))
    assert (one.severity, one.span.of(text)) == (Severity.HINT, "Civil Code - Research Needed")
    assert "2 citations" in one.message
