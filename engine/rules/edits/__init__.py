"""Changes of an author's text that several rules make as fixes."""
