"""For programs: the API, its description and its page."""
