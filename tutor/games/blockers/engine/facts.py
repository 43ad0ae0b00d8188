"""What goals and texts may name of a position of Blockers!: players, colours, groups, captures and scores;
and what a move does, for its sentence."""

from tutor.games.blockers.engine.board import CELLS, FACES, FITS, JOKER_BIT, JOKER_FACE, faces_in, groups
from tutor.games.blockers.engine.moves import open_cells
from tutor.games.blockers.engine.notation import tile_id
from tutor.games.blockers.engine.scoring import group_counts, outcome, scores
from tutor.games.blockers.engine.state import (
    DEAL,
    DRAW,
    EDITIONS,
    FACES_LEFT,
    PLACE,
    RACK,
    TURNS,
    State,
    captured,
    due,
    on_rack,
    open_joker,
    order,
    playable,
    seat_of,
    supply,
)
from tutor.rules.base import Deed, Move, Value

FACE_KINDS = ("number", "letter", "symbol", "joker")
KINDS = {"numbers": 0x1FF, "letters": 0x1FF << 9, "symbols": 0x1FF << 18, "jokers": JOKER_BIT}
"""The faces of each kind."""


def facts(state: State) -> dict[str, Value]:
    table = state.table
    found: dict[str, Value] = {
        "phase": state.phase,
        "edition": table.edition,
        "open-joker": table.open_joker,
        "players": table.players,
        "first": f"p{state.first}" if state.first else "",
        "player": "",
        "colour": "",
        "round": 0,
        "turns": state.turns,
        "tiles": sum(mask.bit_count() for mask in state.masks),
        "each.tiles": FACES,
        "each.rack": RACK,
        "each.supply": FACES - RACK,
        "each.turns": TURNS,
        "each.left": FACES_LEFT,
    }
    if state.phase in (PLACE, DRAW):
        colour = due(state)
        found["player"] = f"p{seat_of(state, colour)}"
        found["colour"] = table.colours[colour]
        found["round"] = (state.turns - (state.phase == DRAW)) // len(table.colours) + 1
    if state.phase == PLACE:
        _count_placements(state, found)
    _by_colour(state, found)
    _by_player(state, found)
    for edition in EDITIONS:
        end = outcome(state, edition)
        found[f"winners.{edition}"] = tuple(f"p{seat}" for seat in end.winners) if end else ()
        found[f"decided.{edition}"] = end.reason if end else ""
    found["winners"] = found[f"winners.{table.edition}"]
    found["decided"] = found[f"decided.{table.edition}"]
    return found


def _count_placements(state: State, found: dict[str, Value]) -> None:
    """How many placements are legal, and how many of them are captures."""
    colour = due(state)
    cells, taken = open_cells(state, colour), sum(state.masks)
    fitting = [FITS[face] & cells for face in faces_in(playable(state, colour))]
    found["legal"] = sum(targets.bit_count() for targets in fitting)
    found["captures"] = sum((targets & taken).bit_count() for targets in fitting)


def _by_colour(state: State, found: dict[str, Value]) -> None:
    colours = state.table.colours
    line = order(state.table.players, len(colours), state.first or 1)
    for c, colour in enumerate(colours):
        taken = (state.turns + len(colours) - 1 - line.index(c)) // len(colours)
        sizes = [group.bit_count() for group in groups(state.masks[c])]
        found[f"groups.{colour}"] = len(sizes)
        found[f"largest.{colour}"] = max(sizes, default=0)
        found[f"tiles.{colour}"] = state.masks[c].bit_count()
        found[f"rack.{colour}"] = on_rack(state, c)
        found[f"supply.{colour}"] = supply(state, c)
        found[f"placed.{colour}"] = state.played[c].bit_count()
        found |= {f"{kind}.{colour}": (state.played[c] & mask).bit_count() for kind, mask in KINDS.items()}
        found[f"turns.{colour}"] = taken
        found[f"left.{colour}"] = TURNS - taken
        found[f"joker.{colour}"] = bool(open_joker(state, c))


def _by_player(state: State, found: dict[str, Value]) -> None:
    table = state.table
    counts = group_counts(state)
    by_edition = {edition: scores(state, edition) for edition in EDITIONS}
    for seat in range(1, table.players + 1):
        player = f"p{seat}"
        own = range(seat - 1, len(table.colours), table.players)
        pile = captured(state, seat)
        most = max(pile)
        found[f"colours.{player}"] = tuple(table.colours[c] for c in own)
        found[f"groups.{player}"] = sum(counts[c] for c in own)
        found[f"tiles.{player}"] = sum(state.masks[c].bit_count() for c in own)
        found[f"captured.{player}"] = sum(pile)
        found[f"pile.{player}"] = tuple(
            table.colours[c] for c, count in enumerate(pile) for _ in range(count)
        )
        found[f"most.{player}"] = most
        found[f"most-colours.{player}"] = tuple(
            table.colours[c] for c, count in enumerate(pile) if count == most and most
        )
        for c, count in enumerate(pile):
            if c not in own:
                found[f"captured.{player}.{table.colours[c]}"] = count
        for edition in EDITIONS:
            found[f"score.{edition}.{player}"] = by_edition[edition][seat - 1]
        found[f"score.{player}"] = by_edition[table.edition][seat - 1]


def tell(state: State, move: Move) -> Deed:
    """A drawn tile is not named, since the others do not see it."""
    player = f"p{move.seat}"
    if move.act == "first":
        return Deed("first", (), {"player": f"p{move.what[0]}"})
    if move.act == "draw":
        return _tell_draw(state, move)
    if move.act == "pass":
        return Deed("pass", (), {"player": player})
    colour, tile, cell = move.what
    args: dict[str, Value] = {
        "player": player,
        "colour": colour,
        "tile": tile_id(tile),
        "face": _face_kind(tile),
        "cell": cell,
    }
    here = state.tiles[CELLS[cell].bit_length() - 1] if cell in CELLS else 0
    if not here:
        return Deed("place", (cell,), args)
    taken = (here - 1) // FACES
    # Nobody captures an own tile, also not one of the other own colour: it is told otherwise.
    own = taken % state.table.players == move.seat - 1
    wild = (here - 1) % FACES == JOKER_FACE
    return Deed("capture", (cell,), args | {"taken": state.table.colours[taken], "wild": wild, "own": own})


def _face_kind(tile: str) -> str:
    if len(tile) > 1:
        return "symbol"
    return "number" if tile.isdecimal() else "letter" if tile.isalpha() else "joker"


def _tell_draw(state: State, move: Move) -> Deed:
    name, *tiles = move.what
    colours = state.table.colours
    # A colour that nobody plays has no player: then it is told of the one whose turn it is.
    colour = colours.index(name) if name in colours else due(state)
    args: dict[str, Value] = {"player": f"p{seat_of(state, colour)}", "colour": name}
    return Deed("deal", (), args | {"count": len(tiles)}) if state.phase == DEAL else Deed("draw", (), args)
