"""The referee: a move judged with its reasons, positions in an address, a position set up by hand."""
