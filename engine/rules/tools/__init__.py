"""Tools: their declaration, and the checks and limits that name them."""
