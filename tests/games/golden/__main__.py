"""`make golden`: writes the stories anew."""

from tests.games.golden import FOLDER, TOLD, story

for name in TOLD:
    (FOLDER / f"{name}.txt").write_text(story(name), "utf-8")
