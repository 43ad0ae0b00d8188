"""What lies on the table: board, racks and tiles, as they are set up, listed and drawn; and a bot's brain."""

from tutor.games.blockers.table.brain import BlockersBrain
from tutor.games.blockers.table.drawing import BlockersDrawing
from tutor.games.blockers.table.pieces import pieces
from tutor.games.blockers.table.setup import BlockersSetup
from tutor.games.tables import Table

TABLE = Table(BlockersSetup, pieces, BlockersDrawing, BlockersBrain)
