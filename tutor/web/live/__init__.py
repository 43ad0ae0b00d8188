"""Presenting, and live tables: the presenter's screens, the guests' pages, streams."""
