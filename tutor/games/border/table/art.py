"""The art of The Border's boards, our own: tints and icons of the areas."""

TINTS: dict[str, str] = {
    "well": "#dde7e6",
    "fox": "#f3e0d2",
    "goat": "#e6e6d3",
    "boat": "#d8e6ee",
    "turbine": "#e3ebd9",
    "villa": "#f2e6cf",
    "eagle": "#e2dfec",
    "lighthouse": "#d9e7ea",
    "castle": "#ebe0dc",
}

ICONS: dict[str, str] = {
    "well": "M5 14h14M6 14l1 7h10l1-7M7 14V7M17 14V7M4 8l8-5 8 5M12 7v4M10.5 11h3v2h-3z",
    "fox": "M4 4l4 4h8l4-4v8c0 4-4 6-8 9-4-3-8-5-8-9zM9 12h.01M15 12h.01M12 17v1",
    "goat": (
        "M8 9C5 8 4 5 5 2c1 3 3 4 5 4h4c2 0 4-1 5-4 1 3 0 6-3 7v4c0 3-2 5-4 5s-4-2-4-5z"
        "M12 18v4M10 12h.01M14 12h.01"
    ),
    "boat": "M3 16h18l-3 5H6zM12 16V3M12 4l7 9h-7M12 6l-5 7h5",
    "turbine": (
        "M12 10l-1.5 12h3zM12 9c-1-3 0-6 1-8 1 2 1 6-1 8z"
        "M12 9c3-1 6 1 7 3-2 0-6-1-7-3zM12 9c-1 3-4 5-7 5 1-2 4-5 7-5z"
    ),
    "villa": "M3 11l9-8 9 8M5 9.5V21h14V9.5M10 21v-6h4v6M8 12h.01M16 12h.01M16 5V3h2v4",
    "eagle": ("M12 9c-2-3-6-5-11-5 1 4 4 8 8 9l-2 6 5-3 5 3-2-6c4-1 7-5 8-9-5 0-9 2-11 5zM12 9v4"),
    "lighthouse": ("M9 10l-2 12h10l-2-12M8 10h8M9.5 10V6h5v4M9 6l3-3 3 3M8.2 15h7.6M2 5l4 2M22 5l-4 2"),
    "castle": "M4 21V5h3v3h3V5h4v3h3V5h3v16zM10 21v-5a2 2 0 0 1 4 0v5M7 12h.01M17 12h.01",
}
"""Line drawings in a square of 24, one path each."""
