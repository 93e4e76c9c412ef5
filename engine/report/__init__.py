"""A report of results for people who have no studio: HTML, Markdown or JSON, whole in one file; and reviews."""
