"""What lies on the table: board, racks and tiles, as they are set up, listed and drawn."""

from tutor.games.blockers.table.drawing import BlockersDrawing
from tutor.games.blockers.table.pieces import pieces
from tutor.games.blockers.table.setup import BlockersSetup
from tutor.games.tables import Table

TABLE = Table(BlockersSetup, pieces, BlockersDrawing)
