"""How often a rule is right: its reports on the corpus, held against verdicts that were reached by reading them."""
