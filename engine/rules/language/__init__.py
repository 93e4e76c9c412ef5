"""The vocabulary of criteria in English: word lists, inflections, clauses, negations, measures.

The data modules list the words of published rubrics and of the literature on questionnaires; the others find them in a
text. All of them read at most `words.MOST_CHARACTERS` of a text, in linear time, and nothing that is not English.
"""
