"""Pictures of positions: what a drawing is, what lies over every board, and the plain one."""
