"""The fixed pictures of Blockers!, our own: the board with its nine areas, and the pieces."""

from tutor.draw.palette import GLYPHS, INKS
from tutor.games.blockers.engine.board import CELLS, COLUMNS, ROWS, Box

CELL = 40
EDGE = 18
SIZE = EDGE + 9 * CELL + 4

TINTS = ("#f3ead9", "#e3ecec")
SYMBOL = "#857b66"
"""Of an empty cell: it is told by its shape, so it must be seen on both tints."""
STYLE = "<style>text{font:600 11px system-ui,sans-serif;text-anchor:middle;fill:#5c574d}</style>"
INK = "#1c1a17"

SYMBOLS: dict[str, str] = {
    "triangle": "M0 -10L10 8H-10Z",
    "cross": "M-3.5 -10H3.5V-3.5H10V3.5H3.5V10H-3.5V3.5H-10V-3.5H-3.5Z",
    "star": "M0 -11L3 -3.5L10.5 -3.5L4.5 1.5L7 9.5L0 4.5L-7 9.5L-4.5 1.5L-10.5 -3.5L-3 -3.5Z",
    "clover": (
        "M-4.7 -5.3A4.7 4.7 0 1 1 4.7 -5.3A4.7 4.7 0 1 1 1.6 3.2L3.5 10H-3.5L-1.6 3.2"
        "A4.7 4.7 0 1 1 -4.7 -5.3Z"
    ),
    "circle": "M0 -9A9 9 0 1 1 0 9A9 9 0 1 1 0 -9Z",
    "diamond": "M0 -11L8 0L0 11L-8 0Z",
    "moon": "M4 -9.5A10 10 0 1 0 4 9.5A11 11 0 0 1 4 -9.5Z",
    "heart": "M0 9C-14 -1 -8 -10 -3.5 -8.5Q-.8 -7.5 0 -5Q.8 -7.5 3.5 -8.5C8 -10 14 -1 0 9Z",
    "square": "M-8 -8H8V8H-8Z",
}
"""Our own drawings of the nine symbols."""


def corner(cell: str) -> tuple[int, int]:
    """The top left corner of a cell."""
    return EDGE + COLUMNS.index(cell[1]) * CELL, EDGE + ROWS.index(cell[0]) * CELL


def board_picture(box: Box) -> str:
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIZE} {SIZE}">{STYLE}']
    parts.append(f'<rect width="{SIZE}" height="{SIZE}" rx="12" fill="#fffdf8"/>')
    for cell in CELLS:
        x, y = corner(cell)
        tint = TINTS[(ROWS.index(cell[0]) // 3 + COLUMNS.index(cell[1]) // 3) % 2]
        middle = f"translate({x + CELL // 2} {y + CELL // 2})"
        parts.append(f'<path d="M{x} {y}h{CELL}v{CELL}h-{CELL}z" fill="{tint}" stroke="#cfc6b4"/>')
        parts.append(f'<path transform="{middle}" d="{SYMBOLS[box.symbol(cell)]}" fill="{SYMBOL}"/>')
    end = EDGE + 9 * CELL
    for i in range(4):
        line = EDGE + i * 3 * CELL
        parts.append(
            f'<path d="M{EDGE} {line}H{end}M{line} {EDGE}V{end}" stroke="#8d8370" stroke-width="2"/>'
        )
    for i, (column, row) in enumerate(zip(COLUMNS, ROWS, strict=True)):
        middle_of = EDGE + i * CELL + CELL // 2
        parts.append(f'<text x="{middle_of}" y="13">{column}</text>')
        parts.append(f'<text x="9" y="{middle_of + 4}">{row}</text>')
    return "".join(parts) + "</svg>"


def pieces_picture(box: Box) -> str:
    """Tiles of each colour and every face, to be laid on each other."""
    parts = ['<svg xmlns="http://www.w3.org/2000/svg"><defs>']
    for colour in box.colours:
        fill, ink = INKS[colour]
        parts.append(f'<g id="{colour}" fill="{fill}" stroke="{ink}" stroke-width="1.5">')
        parts.append('<rect x="2.5" y="2.5" width="35" height="35" rx="6"/>')
        glyph = f'd="{GLYPHS[colour]}" fill="{ink}" stroke="none"'
        parts.append(f'<path transform="translate(9 9) scale(.6)" {glyph}/></g>')
    style = f'font-family="system-ui,sans-serif" font-size="20" font-weight="700" fill="{INK}"'
    for face in (*COLUMNS, *ROWS):
        parts.append(f'<text id="face-{face}" x="21" y="28" text-anchor="middle" {style}>{face}</text>')
    for name, d in SYMBOLS.items():
        parts.append(f'<path id="face-{name}" transform="translate(21 21)" d="{d}" fill="{INK}"/>')
    ring = f'<g id="face-joker" transform="translate(21 21)" fill="none" stroke="{INK}" stroke-width="1.8">'
    parts.append(f'{ring}<circle r="12"/><path d="{SYMBOLS["star"]}" transform="scale(.8)"/></g>')
    return "".join(parts) + "</defs></svg>"
