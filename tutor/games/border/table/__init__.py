"""What lies on the table: boards and dice, as they are set up, listed, drawn and used well."""

from tutor.games.border.table.brain import BorderBrain
from tutor.games.border.table.drawing import BorderDrawing
from tutor.games.border.table.pieces import pieces
from tutor.games.border.table.setup import BorderSetup
from tutor.games.tables import Table

TABLE = Table(BorderSetup, pieces, BorderDrawing, BorderBrain)
