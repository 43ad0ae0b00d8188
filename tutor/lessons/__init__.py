"""Lessons: the storyline, its screens and what they show, attempts, beats, and what check proves of them."""
