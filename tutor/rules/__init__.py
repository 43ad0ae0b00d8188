"""What a game is: the contract, options, notation, errors. Standard library only, as for the engines: no
files, no clock, no randomness of their own, no prose."""
