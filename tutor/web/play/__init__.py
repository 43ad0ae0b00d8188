"""Playing whole games: matches against bots and at one screen."""
