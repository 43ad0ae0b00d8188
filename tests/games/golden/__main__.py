"""`make golden`: writes the stories and the answers anew."""

from tests.games.golden import ASKED, FOLDER, TOLD, answered, story

for name in TOLD:
    (FOLDER / f"{name}.txt").write_text(story(name), "utf-8")
for name, path in ASKED.items():
    path.write_text(answered(name, path.read_text("utf-8")), "utf-8")
