"""Judges' replies as they really come, and what is read of each."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.blueprint.conversation import StopReason
from engine.judging.panel import ALL_SCALES, FIVE_STEPS, TEN_STEPS, Scale, Step
from engine.judging.verdict import MAX_REPLY_LENGTH, NoVerdict, Reason, Verdict, read_verdict, spans
from tests.many_cases import every
from tests.processor_time import costs_less_than
from tests.world import SHARED, needs_shared

PARTLY = "CLASS_PARTIALLY_PRESENT"


def read(reply: str, scale: Scale = FIVE_STEPS, stop: StopReason = StopReason.STOP) -> Verdict | NoVerdict:
    return read_verdict(reply, scale, stop)


def extent(reply: str, scale: Scale = FIVE_STEPS) -> float:
    verdict = read(reply, scale)
    assert isinstance(verdict, Verdict), verdict
    return verdict.extent


def reason(reply: str, stop: StopReason = StopReason.STOP) -> Reason:
    verdict = read(reply, stop=stop)
    assert isinstance(verdict, NoVerdict), verdict
    return verdict.reason


@every(
    "reply",
    [
        f"<reflection>Half of it is there.</reflection>\n<classification>{PARTLY}</classification>",
        f"<REFLECTION>Half.</REFLECTION><Classification>{PARTLY}</Classification>",
        f"<reflection>Half.</reflection><classification>{PARTLY}",
        f"<reflection>Half.\n<classification>{PARTLY}</classification>",
        f"<reflection>Half.<reflection><classification>{PARTLY}<classification>",
        f"<reflection>Half.</reflection><classification>{PARTLY}</clasification>",
        f"< reflection >Half.</ reflection >< classification >\n  {PARTLY}\n</ classification >",
        f'<reflection lang="en">Half.</reflection><classification type="final">{PARTLY}</classification>',
        f"```xml\n<reflection>Half.</reflection>\n<classification>{PARTLY}</classification>\n```",
        f"<classification>**{PARTLY}**</classification>",
        f"<classification>`{PARTLY}`.</classification>",
        f"<classification>{PARTLY} (0.5)</classification>",
        f"<classification>{PARTLY} - the Sun is missing</classification>",
        "<classification>PARTIALLY_PRESENT</classification>",
        "<classification>Partially present</classification>",
        "<classification>class_partially_present</classification>",
        "<classification>Partially present (half of it)</classification>",
        f"<classification>{PARTLY}</classification>\n<reflection>Half.</reflection>",
        f"<classification={PARTLY}/>",
        f"&lt;reflection&gt;Half.&lt;/reflection&gt;&lt;classification&gt;{PARTLY}&lt;/classification&gt;",
        PARTLY,
        f"**{PARTLY}**",
        f"`{PARTLY}`\n",
        "Partially present",
        f"The Moon is there, the Sun is not.\n\n{PARTLY}",
        f"Half of it is there.\n\n**Classification:** {PARTLY}",
        f"Reflection: Half.\nClassification: {PARTLY}\n",
        "Reflection: Half.\nVerdict: partially present",
        f"## Classification\n{PARTLY}",
        f'{{"reflection": "Half of it.", "classification": "{PARTLY}"}}',
        f'```json\n{{\n  "reflection": "Has \\"Moon\\", CLASS_ABSENT Sun.",\n  "classification": "{PARTLY}"\n}}\n```',
        f"{{'classification': '{PARTLY}'}}",
        f"I would classify this as {PARTLY}.",
        f"The Sun is not mentioned, so this is {PARTLY}.",
        f"The answer does not mention the Sun at all and so the classification is {PARTLY}.",
        f"<answer>{PARTLY}</answer>",
        f"<classification><{PARTLY}></classification>",
        f"Final answer: \\boxed{{{PARTLY}}}",
        f"<think>CLASS_FULLY_PRESENT? No.</think><classification>{PARTLY}</classification>",
        f"The answer looks fine to me, maybe CLASS_FULLY_PRESENT.</think>\n{PARTLY}",
        f"<|channel|>analysis<|message|>CLASS_ABSENT?<|end|><|channel|>final<|message|><classification>{PARTLY}</classification>",
        "<classification>0.5</classification>",
        "<reflection>Half.</reflection><coverage_extent>0.5</coverage_extent>",
        "<coverage_extent>50%</coverage_extent>",
        "<reflection>Half.</reflection>\nCoverage extent: 0.5",
        '{"reflection": "Half.", "coverage_extent": 0.5}',
        "0.5",
    ],
)
def test_a_verdict_is_read_in_whatever_dress_it_comes(reply: str) -> None:
    assert extent(reply) == 0.5


@every(
    ("reply", "expected"),
    [
        ("<coverage_extent>0</coverage_extent>", 0),
        ("<coverage_extent>1</coverage_extent>", 1),
        ("<coverage_extent>0.8</coverage_extent>", 0.8),
        ("<coverage_extent> 1.0 </coverage_extent>", 1),
    ],
)
def test_the_extent_that_older_documents_ask_for_is_read_as_a_number(reply: str, expected: float) -> None:
    assert extent(reply) == expected


@every("scale", ALL_SCALES, ids=lambda scale: scale.name)
@every("shown", [FIVE_STEPS, TEN_STEPS], ids=lambda scale: scale.name)
def test_the_names_of_every_scale_are_understood(scale: Scale, shown: Scale) -> None:
    for step in scale.steps:
        told = extent(f"<classification>{step.name}</classification>", shown)
        assert told == pytest.approx(step.extent, abs=0.001)


@every(
    ("name", "shown", "expected"),
    [
        ("EXACT", FIVE_STEPS, 1),
        ("trace (a hint of it)", FIVE_STEPS, 0.125),
        ("**Substantial**", FIVE_STEPS, 0.625),
        ("FULLY_PRESENT", TEN_STEPS, 1),
        ("Very nearly", FIVE_STEPS, 0.875),
        ("absent", TEN_STEPS, 0),
    ],
)
def test_a_name_of_another_scale_may_stand_without_its_prefix(name: str, shown: Scale, expected: float) -> None:
    assert extent(f"<reflection>x</reflection><classification>{name}</classification>", shown) == expected


@every("name", ["Partial", "slight", "MAJOR", "present", "fine", ""])
def test_a_word_that_may_be_meant_for_a_class_in_force_is_none(name: str) -> None:
    assert reason(f"<reflection>x</reflection><classification>{name}</classification>") is Reason.OFF_FORM


def test_a_name_of_two_scales_has_the_extent_of_the_one_in_force() -> None:
    assert extent("<classification>CLASS_UNMET</classification>", TEN_STEPS) == 0.001
    assert extent("<classification>CLASS_UNMET</classification>", FIVE_STEPS) == 0


VERDICT = f"<reflection>Half.</reflection><classification>{PARTLY}</classification>"
OTHER = "<classification>CLASS_FULLY_PRESENT</classification>"


@every(
    "reply",
    [
        f"<think>{OTHER}</think>{VERDICT}",
        f"<think>First. {OTHER}</think>\n<think>Then. {OTHER}</think>{VERDICT}",
        f"<THINK>{OTHER}</THINK>{VERDICT}",
        f'<think time="3">{OTHER}</think>{VERDICT}',
        f"<thinking>{OTHER}</thinking>{VERDICT}",
        f"<reasoning>{OTHER}</reasoning>{VERDICT}",
        f"<think>One <think>{OTHER}</think> two {OTHER}</think>{VERDICT}",
        f"<think>A draft: <reflection>x</reflection>{OTHER}</think>{VERDICT}",
        f"<think>A draft: <reflection>x {OTHER}</think>{VERDICT}",
        f"A draft: <reflection>x</reflection>{OTHER}</think>{VERDICT}",
        f"[THINK]{OTHER}[/THINK]{VERDICT}",
        f"◁think▷{OTHER}◁/think▷{VERDICT}",
        f"<|begin_of_thought|>{OTHER}<|end_of_thought|>{VERDICT}",
        f"{VERDICT}<think>Or rather {OTHER}",
        f"{VERDICT}<think>Or rather {OTHER}</think>",
        f"{VERDICT}\nThe answer ends with </think>.",
        f"<reflection>The answer has a <think> block of its own.</reflection><classification>{PARTLY}</classification>",
        f"<reflection>It ends with </think> and no more.</reflection><classification>{PARTLY}</classification>",
        f"<reflection>It says {OTHER}.</reflection><classification>{PARTLY}</classification>",
        f"<REFLECTION>It says {OTHER}.</REFLECTION><classification>{PARTLY}</classification>",
        f'<reflection id="1">It says {OTHER}.</reflection><classification>{PARTLY}</classification>',
        f"<reflection>One {OTHER}</reflection><reflection>two {OTHER}</reflection>{PARTLY}",
        f"Reflection: it says {OTHER}.\nClassification: {PARTLY}",
        f"**Classification:** {PARTLY}\n**Reflection:** it says {OTHER}.",
        f"<classification><b>{PARTLY}</b></classification>",
        f"<classification>\n<value>{PARTLY}</value>\n</classification>",
        f'{{"reasoning": "It says {OTHER}", "classification": "{PARTLY}"}}',
        f'{{"reflection": "{{CLASS_ABSENT}}", "Classification": "{PARTLY}", "score": 0.9}}',
        f"Example:\n```xml\n{OTHER}\n```\nMine:\n{VERDICT}",
        f"~~~\n<reflection>The form.</reflection>{OTHER}\n~~~\n{VERDICT}",
        f"The form is ```{OTHER}```. {VERDICT}",
        f"{VERDICT}\n```\n{OTHER}",
        f"```\n<think>{OTHER}</think>\n{VERDICT}\n```",
        f"<reflection>{PARTLY}</reflection>\n```xml\n<classification>{PARTLY}</classification>\n```",
        f"<reflection>Like <reflection>x</reflection>{OTHER}.</reflection><classification>{PARTLY}</classification>",
        f"<reflection>It says:\n```\n{OTHER}\n</reflection><classification>{PARTLY}</classification>",
        '```json\n{"reflection": "Half.", "coverageExtent": 0.5}\n```',
    ],
)
def test_a_thought_or_a_quotation_is_no_verdict(reply: str) -> None:
    assert extent(reply) == 0.5


@every(
    "reply",
    [
        f"<reflection>It is this: {OTHER}</reflection>",
        f"<reflection>Half.</reflection>{OTHER}<classification>CLASS_WONDERFUL</classification>",
        f"Example:\n```xml\n{OTHER}\n```\nI would rather not say.",
        '{"reflection": "Half.", "classification": null}',
    ],
)
def test_where_no_class_stands_outside_or_an_unknown_one_there_is_no_verdict(reply: str) -> None:
    assert reason(reply) is Reason.OFF_FORM


def tag(name: str, dress: str) -> str:
    return f"<classification>{dress.replace('X', name)}</classification>"


STEPS = st.sampled_from(FIVE_STEPS.steps)
NOISE = st.sampled_from(["", "\n\n", " So: ", "It names the Moon. ", "é😀 ", "月は見えない。"])
QUOTED = st.builds(tag, STEPS.map(lambda step: step.name), st.just("X"))
THOUGHTS = st.builds(
    "<{0}{1}>{2}</{0}>".format,
    st.sampled_from(["think", "THINK", "thinking", "Reasoning"]),
    st.sampled_from(["", ' for="3s"']),
    st.lists(QUOTED | NOISE, max_size=3).map("".join),
)
REFLECTIONS = st.builds(
    "<{0}>{1}</{0}>".format,
    st.sampled_from(["reflection", "Reflection", "REFLECTION"]),
    st.lists(QUOTED | NOISE, max_size=3).map("".join),
)
FENCES = st.builds(
    "\n{0}{1}\n{2}\n{0}\n".format,
    st.sampled_from(["```", "~~~~"]),
    st.sampled_from(["", "xml"]),
    st.lists(QUOTED | NOISE, max_size=3).map("".join),
)
DRESSES = st.sampled_from(["X", " X\n", "**X**", "`X`", "X (0.5)", "<b>X</b>", "X - as it says"])
VERDICTS = st.tuples(STEPS, DRESSES, st.sampled_from([str, str.lower]))


@given(
    before=st.lists(THOUGHTS | REFLECTIONS | FENCES | NOISE, max_size=5).map("".join),
    verdicts=st.lists(VERDICTS, min_size=1, max_size=3),
    after=st.lists(THOUGHTS | REFLECTIONS | FENCES | NOISE, max_size=3).map("".join),
)
def test_one_class_outside_of_thoughts_reflections_and_fences_counts_and_different_ones_do_not(
    before: str, verdicts: list[tuple[Step, str, Callable[[str], str]]], after: str
) -> None:
    said = "".join(tag(written(step.name), dress) for step, dress, written in verdicts)
    found = read(f"{before}{said}{after}")
    extents = {step.extent for step, _, _ in verdicts}
    if len(extents) == 1:
        assert isinstance(found, Verdict)
        assert {found.extent} == extents
    else:
        assert isinstance(found, NoVerdict)
        assert found.reason is Reason.SEVERAL_CLASSES
        assert {each.extent for each in found.named} == extents


MARKS = (
    *("<think>", "</think>", "<reflection>", "</reflection>", "<classification>", "<|message|>", "CLASS_ABSENT", "\\"),
    *("```", "~~~", "\n", " ", "Reflection:", "Classification:", '"reason": "', '"', "a"),
)


@given(st.lists(st.sampled_from(MARKS)).map("".join))
def test_the_parts_of_a_reply_are_the_whole_reply(reply: str) -> None:
    assert "".join(span.text for span in spans(reply)) == reply


@every(
    "number", ["1" + "0" * 400, "-1" + "0" * 400, "1e999", "NaN", "-Infinity", "1" * 5000], ids=lambda each: each[:20]
)
def test_a_number_past_the_scale_in_json_is_no_verdict(number: str) -> None:
    assert reason(f'{{"reflection": "x", "score": {number}}}') is Reason.OFF_FORM


def test_an_empty_tag_after_the_verdict_is_a_slip() -> None:
    assert extent(f"<classification>{PARTLY}</classification><classification></classification>") == 0.5


@pytest.mark.parametrize(
    "quoted", ["<classification>CLASS_FULLY_PRESENT</classification>", "Classification: CLASS_FULLY_PRESENT"]
)
def test_what_a_reflection_quotes_is_no_verdict(quoted: str) -> None:
    reply = f"<classification>CLASS_ABSENT</classification><reflection>It says {quoted} itself.</reflection>"
    assert extent(reply) == 0


def test_the_reflection_is_saved_word_for_word() -> None:
    verdict = read(f"<reflection>\nNames the Moon & <b>not</b> the Sun.\n</reflection><classification>{PARTLY}")
    assert isinstance(verdict, Verdict)
    assert verdict.reflection == "Names the Moon & <b>not</b> the Sun."
    assert verdict.label == "partially present"


@every(
    ("reply", "reflection"),
    [
        (f"The Sun is missing.\n\n**Classification:** {PARTLY}", "The Sun is missing."),
        (f"The Sun is missing.\n<classification>{PARTLY}</classification>", "The Sun is missing."),
        (f'{{"reflection": "Says \\"Moon\\".", "classification": "{PARTLY}"}}', 'Says "Moon".'),
        (f"<reflection>First.</reflection><reflection>Second.</reflection>{PARTLY}", "Second."),
        (f"**Reflection:** The Sun is missing.\n\n**Classification:** {PARTLY}", "The Sun is missing."),
        (f"{PARTLY}\n\nReason: The Sun is missing.", "The Sun is missing."),
        (f"The classification is {PARTLY}", ""),
        (f'["{PARTLY}"]', ""),
        (PARTLY, ""),
    ],
)
def test_where_no_tag_names_it_the_reflection_is_what_comes_before_the_class(reply: str, reflection: str) -> None:
    verdict = read(reply)
    assert isinstance(verdict, Verdict)
    assert verdict.reflection == reflection


@every(
    "reply",
    [
        "I'm sorry, but I can't help with that.",
        "I cannot assist with evaluating this content.",
        "I’m sorry, I can’t assess this conversation, since it contains harmful material.",
        "As an AI language model, I am unable to evaluate this.",
        "Unfortunately, I must respectfully decline to judge this response.",
        "**I won't continue with this.**",
        "I am not comfortable grading this conversation.",
        "Sorry.",
        "I'm sorry, but I can't evaluate this.\n<classification>CLASS_ABSENT</classification>",
        "<reflection>I cannot assess this content.</reflection><classification>CLASS_ABSENT</classification>",
        "<reflection>It is harmful.</reflection><classification>N/A</classification>",
        "<classification>unable to classify</classification>",
        "<classification>CANNOT_ASSESS</classification>",
        "<classification>REFUSED</classification>",
    ],
)
def test_a_judge_that_declines_has_not_judged(reply: str) -> None:
    assert reason(reply) is Reason.DECLINED


@every(
    "reflection",
    [
        "The model says: I cannot help with that.",
        '"I can\'t help with that" is all it says of the Sun.',
        "I cannot rate this response as fully present, since the Sun is missing.",
        "I can't help but notice that the Sun is missing.",
        "I cannot find any mention of the Sun.",
        "Unfortunately, the Sun is missing.",
        "Sorry to say, but the Sun is missing.",
    ],
)
def test_a_reflection_about_a_refusal_or_of_a_better_class_is_no_refusal(reflection: str) -> None:
    assert extent(f"<reflection>{reflection}</reflection><classification>{PARTLY}</classification>") == 0.5


def test_a_reply_that_is_nothing_but_a_refusal_is_declined() -> None:
    assert reason("", StopReason.REFUSAL) is Reason.DECLINED
    assert reason("<reflection>It", StopReason.REFUSAL) is Reason.DECLINED


@every(
    "reply",
    [
        "The answer is good.",
        "<reflection>Half of it is there.</reflection>",
        "<reflection>Half.</reflection><classification></classification>",
        "<classification>the name of one class of the scale</classification>",
        "<classification>CLASS_WONDERFUL</classification>",
        "<classification>Partial</classification>",
        "<classification>Mostly present</classification>",
        "Classification: CLASS_WONDERFUL",
        "<classification>4</classification>",
        "<classification>1</classification>",
        "<classification>4/5</classification>",
        "<classification>-0.5</classification>",
        "<coverage_extent>1.5</coverage_extent>",
        "<coverage_extent>150%</coverage_extent>",
        "<coverage_extent>nan</coverage_extent>",
        "<coverage_extent>1e-3</coverage_extent>",
        "Score: great",
        "3",
        "{}",
        "👍",
    ],
)
def test_where_there_is_no_one_class_nothing_is_guessed(reply: str) -> None:
    assert reason(reply) is Reason.OFF_FORM


ABSENT, FULLY = (f"<classification>CLASS_{name}</classification>" for name in ("ABSENT", "FULLY_PRESENT"))
UNDECIDED = (
    f"<reflection>Nothing.</reflection>{ABSENT}\n\nNote: had it named Nairobi I would have answered {FULLY}.",
    f"<reflection>Nichts.</reflection>{ABSENT} (Mit dem Namen wäre es {FULLY}.)",
    f"<reflection>Rien.</reflection>{ABSENT} Si le nom y était, ce serait {FULLY}.",
    f"<reflection>なし。</reflection>{ABSENT}名前があれば{FULLY}でした。",
    f"<reflection>Nichts.</reflection>{ABSENT} Sonst CLASS_FULLY_PRESENT.",
    f"{FULLY}<reflection>No: less.</reflection>{ABSENT}",
    f"1. {ABSENT}\n2. {FULLY}",
    f"{FULLY} Wait, on reflection it misses the river. {ABSENT}",
    f"{FULLY.upper()}\n{ABSENT.lower()}",
    f"{FULLY}\nVerdict: absent",
    "**Classification:** fully present\n**Verdict:** absent",
    "| criterion | class |\n| --- | --- |\n| lake | CLASS_FULLY_PRESENT |\n| river | CLASS_ABSENT |",
    "CLASS_ABSENT\nCLASS_FULLY_PRESENT",
    "Absent\n\nFully present",
    "Somewhere between CLASS_ABSENT and CLASS_FULLY_PRESENT.",
    "<classification>CLASS_ABSENT | CLASS_FULLY_PRESENT</classification>",
    f"```xml\n{ABSENT}\n```\n```xml\n{FULLY}\n```",
    '{"classification": ["CLASS_ABSENT", "CLASS_FULLY_PRESENT"]}',
    '{"classification": "CLASS_ABSENT"}\n{"classification": "CLASS_FULLY_PRESENT"}',
    '[{"criterion":"lake","classification":"fully present"},{"criterion":"river","classification":"absent"}]',
    '```json\n{"verdicts": [{"class": "CLASS_EXACT"}, {"class": "CLASS_UTTERLY_UNMET"}]}\n```',
    "<coverage_extent>0.0</coverage_extent> or rather <coverage_extent>1.0</coverage_extent>",
)


def test_different_classes_are_no_verdict_and_all_are_named() -> None:
    wrong: list[tuple[str, object]] = []
    for reply in UNDECIDED:
        found = read(reply)
        match found:
            case NoVerdict(reason=Reason.SEVERAL_CLASSES) if [each.extent for each in found.named] == [0, 1]:
                continue
            case _:
                wrong.append((reply, found))
    assert not wrong


ONE_CLASS = (
    f"{ABSENT}\n{ABSENT}",
    f"{ABSENT}\nVerdict: absent\nCLASS_ABSENT",
    f"{ABSENT} Das ist CLASS_ABSENT.",
    f"{ABSENT}<classification>CLASS_UNMET</classification>",
    f"The form is <classification>the name of one class of the scale</classification>. {ABSENT}",
    '{"classification": "CLASS_ABSENT", "confidence": 0.9, "score": 0.9}',
    '[{"classification": "CLASS_ABSENT"}, {"classification": "absent"}]',
    f"{ABSENT}<coverage_extent>0.3</coverage_extent>",
)


def test_one_class_however_often_is_the_verdict() -> None:
    read_of = {reply: read(reply) for reply in ONE_CLASS}
    wrong = {reply: found for reply, found in read_of.items() if not isinstance(found, Verdict) or found.extent}
    assert not wrong


IN_PASSING = (
    f"This is not {PARTLY}.",
    f"Das ist nicht {PARTLY}.",
    f"If the Sun were mentioned, this would be {PARTLY}.",
    f"Si el Sol apareciera, sería {PARTLY}.",
    f"{PARTLY} is not justified here.",
    f"I would classify this as {PARTLY}.",
    f"<reflection>Half.</reflection><classification></classification>\nLet me know. {PARTLY}",
    f"The form is <classification>{PARTLY}</classification>. Ezt nem ítélem meg.",
)


def test_a_class_within_a_sentence_is_asked_about_once_more() -> None:
    read_of = {
        reply: read(reply) for reply in (*IN_PASSING, VERDICT, f"{VERDICT} So {PARTLY}.", PARTLY, f"**{PARTLY}**")
    }
    asked = {reply for reply, found in read_of.items() if isinstance(found, Verdict) and found.in_passing}
    assert asked == set(IN_PASSING)


REFUSALS = (
    "However I cannot score this response, as it is empty.",
    "I'm unable to judge this text.",
    "But I can't help with that.",
    "I must decline.",
    "That said, I won't assess it.",
    "I cannot give you a verdict.",
    "Ich kann diesen Text leider nicht bewerten.",
    "Je ne peux pas évaluer ce texte.",
    "Lo siento, no puedo evaluar este texto.",
    "Não posso avaliar este texto.",
    "Non posso valutare questo testo.",
    "Ik kan deze tekst niet beoordelen.",
    "Я не могу оценить этот текст.",
    "Nie mogę ocenić tego tekstu.",
    "Bu metni değerlendiremem.",
    "I must abstain.",
    "I will not be scoring this response.",
    "We are unable to judge this text.",
    "En voi arvioida tätä vastausta.",
    "Nem tudom értékelni ezt a választ.",
    "Nemohu tuto odpověď hodnotit.",
    "Nu pot evalua acest răspuns.",
    "Δεν μπορώ να αξιολογήσω αυτή την απάντηση.",
    "אני לא יכול להעריך את התשובה הזו.",
    "نمی‌توانم این پاسخ را ارزیابی کنم.",
    "Siwezi kutathmini jibu hili.",
    "ฉันไม่สามารถประเมินคำตอบนี้ได้",
    "আমি এই উত্তর মূল্যায়ন করতে পারছি না।",
    "我无法评估这段内容。",
    "この文章は評価できません。",
    "이 글은 평가할 수 없습니다.",
    "لا أستطيع تقييم هذا النص.",
    "Saya tidak dapat menilai teks ini.",
)
NOT_REFUSED = (
    "I cannot rate this higher, since the Sun is missing.",
    "I cannot classify this as fully present.",
    "I can't give it the highest grade.",
    'It says "I cannot help with that."',
    "Sie sagt: „Ich kann das nicht bewerten.“",
    "> I can't help with that.",
    "The model says I can't help with that.",
    "Das Modell kann dies nicht beurteilen.",
    "Unfortunately, the Sun is missing.",
    "```\nI cannot assess this.\n```",
    "<think>I cannot assess this.</think>",
)


def test_a_refusal_beside_the_form_is_one_in_many_languages_unless_quoted() -> None:
    forms = (f"You want {FULLY} as the form.\n{{}}", f"{{}}\n{FULLY}", f"<reflection>...</reflection>{FULLY}\n\n{{}}")
    refused = {(each, form) for each in REFUSALS for form in forms if not is_declined(form.format(each))}
    judged = {(each, form) for each in NOT_REFUSED for form in forms if is_declined(form.format(each))}
    assert (refused, judged) == (set(), set())


def is_declined(reply: str) -> bool:
    found = read(reply)
    return isinstance(found, NoVerdict) and found.reason is Reason.DECLINED


@needs_shared
def test_the_small_cases_are_read_as_they_say() -> None:
    rows = json.loads((SHARED / "cases" / "judge_replies.json").read_text("utf-8"))
    wrong = [row for row in rows if _as_words(read(row["reply"])) != row["right"].partition(":")[0]]
    assert rows
    assert not wrong


def _as_words(found: Verdict | NoVerdict) -> str:
    if isinstance(found, Verdict):
        return found.label
    return {Reason.SEVERAL_CLASSES: "two classes", Reason.DECLINED: "declined"}.get(found.reason, found.reason)


@every("reply", ["", "  \n\t", "\u200b".strip("\u200b")])
def test_an_empty_reply_is_reported_as_one(reply: str) -> None:
    assert reason(reply) is Reason.EMPTY


@every(
    "reply",
    [
        "",
        "<think>Let me see. The first turn",
        "<reflection>The answer names the Moon, and",
        "<reflection>Half.</reflection><classification>CLASS_PARTIALLY_PRES",
        "<reflection>Half.</reflection><coverage_extent>0.1",
        "<reflection>Half.</reflection><classification>CLASS_EXACT",
        "Classification: CLASS_EXACT",
    ],
)
def test_a_reply_that_ran_out_of_tokens_before_its_class_is_cut_off(reply: str) -> None:
    assert reason(reply, StopReason.LENGTH) is Reason.CUT_OFF


def test_thinking_without_an_answer_is_cut_off_whatever_the_server_says() -> None:
    assert reason("<think>It is CLASS_ABSENT") is Reason.CUT_OFF


def test_a_whole_verdict_counts_although_more_was_to_come() -> None:
    reply = f"<classification>{PARTLY}</classification>\nTo explain this further, the"
    assert isinstance(read(reply, stop=StopReason.LENGTH), Verdict)


def test_every_reason_is_reported_without_jargon() -> None:
    told = {reply: read(reply) for reply in ("", "I can't help with that.", "Fine.", "<think>")}
    assert [each.message for each in told.values() if isinstance(each, NoVerdict)] == [
        "answered nothing",
        "declined to judge",
        "named no class of the scale",
        "was cut off before it named a class",
    ]


PIECES = st.sampled_from(
    [
        *(step.name for scale in ALL_SCALES for step in scale.steps),
        *("<classification>", "</classification>", "<reflection>", "</reflection>", "<coverage_extent>", "<think>"),
        *("</think>", "&lt;", "```", "**", '"classification": "', '{"reflection": "', "\\", "Classification:", "\n"),
        *("0.5", "1", "-3", "1e9", "150%", "not ", "I can't ", "assess this", "if ", "CLASS_", "\u0000", "\ud800", "İ"),
    ]
)


@given(
    st.one_of(st.text(), st.lists(st.one_of(PIECES, st.text(max_size=4)), max_size=30).map("".join)),
    st.sampled_from([FIVE_STEPS, TEN_STEPS]),
    st.sampled_from(list(StopReason)),
)
def test_no_reply_raises_or_leaves_the_scale(reply: str, scale: Scale, stop: StopReason) -> None:
    match read_verdict(reply, scale, stop):
        case Verdict(extent, step):
            assert 0 <= extent <= 1
            assert step is None or step in [each for known in ALL_SCALES for each in known.steps]
        case NoVerdict(_, told):
            assert told


@every(
    "piece",
    ["<reflection>", "*", " ", "<classification>", '"reflection": "', "class", "CLASS_ABSENT ", "<", "I'm sorry ", "'"],
)
def test_no_reply_takes_long_to_read(piece: str) -> None:
    reply = (piece * MAX_REPLY_LENGTH)[:MAX_REPLY_LENGTH]
    with costs_less_than(2):
        read(reply, stop=StopReason.LENGTH)


def test_a_reply_without_end_is_no_verdict() -> None:
    assert reason(f"{'x' * MAX_REPLY_LENGTH}<classification>{PARTLY}</classification>") is Reason.OFF_FORM
