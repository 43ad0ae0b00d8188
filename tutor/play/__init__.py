"""Playing a whole game: bots and what they know, matches between them, what a game has taught."""
