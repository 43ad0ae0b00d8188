"""The tests, in the folders of the rooms they test."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
"""The checkout."""
