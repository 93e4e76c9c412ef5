"""Plans of runs: who receives which texts, what they cost, consent, and a cap that stops a run (DESIGN, law 7)."""
