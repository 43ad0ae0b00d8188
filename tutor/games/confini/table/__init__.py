"""What lies on the table: board, hands and cards, as they are set up, listed and drawn."""

from tutor.games.confini.table.brain import ConfiniBrain
from tutor.games.confini.table.drawing import ConfiniDrawing
from tutor.games.confini.table.pieces import pieces
from tutor.games.confini.table.setup import ConfiniSetup
from tutor.games.tables import Table

TABLE = Table(ConfiniSetup, pieces, ConfiniDrawing, ConfiniBrain)
