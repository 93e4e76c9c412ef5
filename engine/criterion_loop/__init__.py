"""One criterion on chosen answers: its wordings, the verdicts under each, and what changed between two of them."""
