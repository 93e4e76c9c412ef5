"""Nouns for what is filled into a prompt: material such as an article, and things such as a city or a drug."""

MATERIALS = (
    "article|text|passage|excerpt|document|question|query|content|transcript|e-?mail|story|essay|input|context|sentence"
    "|paragraph|prompt|abstract|poem|review|comment|tweet|post|message|code|data|table|contract|clause|report|speech|judge?ment|ruling"
    "|verdict|extract|log|recipe|dialogue|conversation|cv|minutes|thread|chapter|lyrics|script|snippet"
)
THINGS = (
    "topic|subject|theme|country|language|product|industry|name|city|town|village|state|region|district|continent|place"
    "|location|address|date|day|month|year|age|number|amount|price|sum|figure|percentage|value|fact|answer|source|detail"
    "|specific|company|organi[sz]ation|firm|brand|bank|school|university|hospital|clinic|court|law|act|statute|case"
    "|person|people|politician|president|minister|author|character|landlord|tenant|employer|customer|client|patient"
    "|group|party|religion|race|ethnicity|nationality|community|gender|occupation|profession|job|job\\s+title|hobby"
    "|drug|medicine|medication|disease|illness|condition|symptom|side\\s+effect|dose|animal|species|plant|crop|food|dish"
    "|ingredient|word|term|phrase|concept|event|war|book|book\\s+title|film|movie|song|sport|team|skill|item|object"
    "|currency|river|vaccine|institution|agency|ministry|website|url|phone\\s+number"
    "|pa[ií]s|pays|ciudad|ville|stadt|nombre|nom|fecha|datum|texto|texte|thema|tema"
)
