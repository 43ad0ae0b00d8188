"""Search: the index, what a question means, one ranking."""
