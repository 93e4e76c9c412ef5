"""Names of languages."""

from __future__ import annotations

from engine.rules.language.words import word_set

LANGUAGES = word_set(
    """afrikaans albanian amharic arabic armenian bengali bosnian bulgarian burmese catalan chinese croatian czech
    danish dutch english estonian farsi filipino finnish french galician georgian german greek gujarati hausa hebrew
    hindi hungarian icelandic igbo indonesian irish italian japanese javanese kannada kazakh khmer korean kurdish
    lao latin latvian lithuanian macedonian malay malayalam maltese mandarin marathi mongolian nepali norwegian
    pashto persian polish portuguese punjabi romanian russian serbian sinhala slovak slovene slovenian somali
    spanish swahili swedish tagalog tamil telugu thai tibetan turkish ukrainian urdu uzbek vietnamese welsh xhosa
    yoruba zulu"""
)
"""The languages that criteria ask for, in lower case."""
