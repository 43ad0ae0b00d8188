"""The colours of pieces in all games. They are never alone: each has a glyph of its own."""

INKS: dict[str, tuple[str, str]] = {
    "grey": ("#b4b8bf", "#3d434c"),
    "yellow": ("#f6d24a", "#6b4e00"),
    "blue": ("#7fb2ec", "#123f77"),
    "red": ("#ec8a80", "#6c150e"),
    "orange": ("#f5ab66", "#6e3300"),
    "green": ("#8ccb93", "#17522a"),
    "violet": ("#c7aeea", "#46207a"),
    "white": ("#ffffff", "#6b675e"),
}
"""Fill and ink of each colour; the ink is dark enough to read on the fill."""

GLYPHS: dict[str, str] = {
    "grey": "M-5 -5H5V5H-5Z",
    "yellow": "M0 -6A6 6 0 1 1 0 6A6 6 0 1 1 0 -6Z",
    "blue": "M-6.5 -4.5H6.5L0 6.5Z",
    "red": "M-6.5 4.5H6.5L0 -6.5Z",
    "orange": "M0 -7L6 0L0 7L-6 0Z",
    "green": "M-5.5 -5.5H-1.5V5.5H-5.5ZM1.5 -5.5H5.5V5.5H1.5Z",
    "violet": "M-6 -2H-2V-6H2V-2H6V2H2V6H-2V2H-6Z",
}
