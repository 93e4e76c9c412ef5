"""Recognising refusals: a judge that declines has not judged, whatever class it names (DESIGN, law 4).

This is the one place that goes by words: a refusal beside the form that it quotes has no other mark.
"""

from __future__ import annotations

import re

_SAYS_SORRY = r"(?:(?:i\s*['’]?\s*a?m\s+(?:very\s+|so\s+|really\s+)?sorry|sorry|i\s+apologi[sz]e)\b)"
_DECLINES = (
    rf"(?:{_SAYS_SORRY}|(?:unfortunately|actually|however|but|yet|still|so|and|that\s+said|therefore|thus)\b|"
    r"as\s+an?\s+(?:ai|(?:large\s+)?language\s+model)\b[^.,]{0,60})?"
    r"[\s,.;:!—–-]*(?:but\s+|however,?\s+)?"
    r"(?:i\s+(?:can(?:no|['’])t|can\s+not|won['’]t|will\s+not(?:\s+be)?|(?:must\s+)?(?:\w+ly\s+)?(?:decline|abstain|refuse)|"
    r"am\s+(?:unable|not\s+able|not\s+comfortable)|do(?:\s+not|n['’]t)\s+feel\s+comfortable)|"
    r"(?:i['’]m|we(?:['’]re|\s+are))\s+(?:unable|not\s+able|not\s+comfortable))\b"
)
_OF_THE_TASK = (
    r"(?:\s*[.!\n]|\s*\Z|\s+(?:to\s+|with\s+)?(?:"
    r"(?:assist|help(?!\s+(?:but|notic|think|see))|comply|engage|fulfil\w*|participate|proceed|continue|discuss)\w*\b|"
    r"(?![^.\n]*\b(?:as\s+(?!(?:it|there|the|no|requested|asked)\b)|high\w*|above|more|full\w*|beyond|CLASS_\w+)\b)"
    r"(?:(?:assess|evaluat|judg|classif|grad|rat|scor|analy[sz]|review|provid)\w*\s+"
    r"(?:this|that|the|such|any|an?|it|them|these|those|your)\b|"
    r"(?:giv|assign|offer)\w*\s+(?:\w+\s+){0,3}(?:verdict|classification|grade|rating|score|assessment|judge?ment)\b)))"
)
_BEGINNING = re.compile(_DECLINES + _OF_THE_TASK, re.I)
_ANYWHERE = re.compile(
    rf"(?:^|(?<=[.!?;)>…])\s*|,\s+(?=but|so|and|however|yet))[\s*_`#\d.)-]{{0,20}}{_BEGINNING.pattern}", re.I | re.M
)
_REFUSES = re.compile(f"{_SAYS_SORRY}|{_DECLINES}", re.I)
_QUOTED = re.compile(
    r"\"[^\"\n]{0,400}\"|“[^”\n]{0,400}”|«[^»\n]{0,400}»|„[^“”\n]{0,400}[“”]|「[^」\n]{0,400}」|『[^』\n]{0,400}』|"
    r"(?<!\w)['‘][^'’\n]{0,400}['’](?!\w)|^\s*>.*$",
    re.M,
)
_IN_OTHER_LANGUAGES = re.compile(
    r"\b(?:ich kann|kann ich)\b[^.!?\n]{0,60}\bnicht (?:bewert|beurteil|einschätz|einordn|einstuf|helf|weiterhelf)|"
    r"\bne (?:peux|puis|saurais|suis) pas (?:(?:en mesure|capable) (?:de |d['’]))?"
    r"(?:vous )?(?:juger|évaluer|noter|class|aider)|"
    r"\bno (?:puedo|podré|soy capaz de|me es posible) (?:ayudar|evaluar|juzgar|calificar|clasificar|valorar)|"
    r"\bnão (?:posso|consigo|sou capaz de) (?:ajud|avali|julg|classific)|"
    r"\bnon (?:posso|sono in grado di|riesco a) (?:aiut|valut|giudic|classific)|"
    r"\b(?:ik kan|kan ik)\b[^.!?\n]{0,60}\bniet (?:beoordel|helpen|evalu)|"
    r"\b(?:jag kan|kan jag|jeg kan|kan jeg)\b[^.!?\n]{0,40}\b(?:inte|ikke) (?:bedöm|bedøm|vurder|hjälp|hjelp|hjælp)|"
    r"\bне (?:могу|можу|буду) (?:оцен|оцін|суд|помоч|помог|допомог|классиф|класиф)|"
    r"\bnie (?:mogę|jestem w stanie) (?:ocen|pom|osądz|sklasyfik)|"
    r"(?:değerlendir|puanla|yargıla|yardımcı ol)\w{0,3}m(?:am|em|ıyorum|iyorum)\b|"
    r"我(?:们)?(?:无法|不能|無法|没办法|沒辦法)[^。！？\n]{0,8}(?:评估|評估|评判|評判|评分|評分|打分|判断|判斷|协助|協助|帮助|幫助)|"
    r"(?:評価|判定|判断|採点|分類|お手伝い)(?:する)?(?:こと)?[はをが]?(?:でき(?:ません|かね)|いたしかね)|"
    r"(?:평가|판단|채점|분류|도와)\S{0,6}\s*수\s*(?:가\s*)?없습니다|"
    r"لا (?:أستطيع|يمكنني) (?:تقييم|الحكم|تصنيف|مساعد|المساعدة)|"
    r"मैं[^।.!?\n]{0,60}(?:मूल्यांकन|आकलन|मदद|सहायता) नहीं कर सकत|"
    r"\ben (?:voi|pysty) (?:arvioi|auttaa|luokit)|\bnem tudom\b[^.!?\n]{0,40}(?:értékel|megítél|segít)|"
    r"\bnem(?:ohu|ůžu|ôžem)\b[^.!?\n]{0,40}(?:hodnot|posoud|posúd|pomoc|pomôc)|"
    r"\bnu pot (?:evalua|judeca|ajuta|clasifica)|\bδεν μπορώ να (?:αξιολογ|κρίν|βοηθ)|"
    r"(?:לא יכולה?|איני יכולה?) (?:להעריך|לשפוט|לעזור|לדרג)|"
    r"نمی\W?توانم[^.!?\n]{0,40}(?:ارزیابی|قضاوت|کمک)|\bsiwezi ku(?:tathmini|hukumu|saidia)|"
    r"ไม่สามารถ(?:ประเมิน|ตัดสิน|ช่วย)|(?:মূল্যায়ন|সাহায্য) করতে পার(?:ি|ছি) না|"
    r"\bsaya tidak (?:dapat|bisa) (?:menilai|membantu|mengevaluasi)|\btôi không thể (?:đánh giá|giúp|chấm)",
    re.I,
)


def declines(outside: str, reflection: str) -> bool:
    """Whether a judge refuses to judge, anywhere `outside` of quotations, or at the beginning of its `reflection`.

    Refusing a better class does not count: "I cannot rate this higher, since …".
    """
    said = _QUOTED.sub(" … ", outside)
    return bool(_ANYWHERE.search(said) or _IN_OTHER_LANGUAGES.search(said) or _BEGINNING.match(_beginning(reflection)))


def refuses(text: str) -> bool:
    """Whether a reply without a class begins with an apology or any refusal."""
    return _REFUSES.match(_beginning(text.strip(" \t\r\n\"'"))) is not None


def _beginning(text: str) -> str:
    """The first 400 code points without markdown. Quotation marks are kept: a quoted refusal is not the judge's own."""
    return text.strip(" \t\r\n*_`#>-")[:400]
