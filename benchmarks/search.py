"""How long a search takes, over our games and over many more that are made up from their texts."""

import gc
import random
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
from sqlite_utils import Database

from tutor.book.load import Library
from tutor.search.index import add_index
from tutor.search.opening import Store
from tutor.search.ranking import Search
from tutor.search.rulebook import rows_of

QUERIES = 400
WARMING = 400
"""So many others are asked before: a server that has run for a while knows its texts."""
REPLACED = 0.1
"""The share of words by which the text of a made-up game differs from its model."""


def search(library: Library, games: int) -> dict[str, float]:
    """The same queries over the real games and over so many made-up ones, in process."""
    asked = _queries(library)
    results: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, count in (("our games", 0), (f"{games} games", games)):
            path = Path(folder) / f"{count}.db"
            many = _with_more(library, count)
            begin = time.perf_counter()
            texts = _build(many, path, count)
            results |= {
                f"search in {name}: texts": texts,
                f"search in {name}: seconds to build": time.perf_counter() - begin,
                f"search in {name}: MB": path.stat().st_size / 1e6,
            }
            results |= {f"search in {name}: {key}": value for key, value in _times(many, path, asked).items()}
        ours, others = (results[f"search in {name}: p95 ms"] for name in ("our games", f"{games} games"))
        return results | {"search: p95 of many games to ours": others / ours}


def _queries(library: Library) -> list[tuple[str, str]]:
    """Titles of rules and questions in all languages, some of them with a typo."""
    chosen = random.Random(1)  # nosec B311
    titles = [
        (lang, entry.title)
        for by_lang in library.texts.values()
        for lang, texts in by_lang.items()
        for entry in texts.entries.values()
        if entry.kind in ("rule", "ruling")
    ]
    asked = chosen.sample(titles, WARMING + QUERIES)
    return [(lang, title[:4] + title[5:] if i % 10 == 0 else title) for i, (lang, title) in enumerate(asked)]


def _with_more(library: Library, count: int) -> Library:
    """The library as if it had so many games more: each has the words and sections of one of ours."""
    models = list(library.games)
    more = {f"game{i}": models[i % len(models)] for i in range(count)}
    terms = {
        name: msgspec.structs.replace(
            term, rules=term.rules | {new: term.rules[old] for new, old in more.items() if old in term.rules}
        )
        for name, term in library.terms.items()
    }
    many = replace(
        library,
        games={**library.games, **{new: library.games[old] for new, old in more.items()}},
        terms=terms,
    )
    many.__dict__["texts"] = library.texts | {new: library.texts[old] for new, old in more.items()}
    many.__dict__["runs"] = library.runs
    return many


def _build(library: Library, path: Path, count: int) -> int:
    ours = [name for name in library.games if not name.startswith("game")]
    only = replace(library, games={name: library.games[name] for name in ours})
    only.__dict__.update(texts=library.texts, runs=library.runs)
    base = rows_of(only)
    entries = [row for row in base if row["kind"] != "term"]
    rows = [*base, *_made_up(entries, ours, count)]
    numbered = [{**row, "number": number} for number, row in enumerate(rows, 1)]
    db = Database(path)
    table: Any = db["entries"]
    table.insert_all(numbered, pk="number")
    table.create_index(["game", "lang", "kind", "id"])
    add_index(db.conn, library, numbered)
    db.close()
    return len(numbered)


def _made_up(entries: Sequence[Mapping[str, Any]], ours: list[str], count: int) -> Iterator[dict[str, Any]]:
    chosen = random.Random(2)  # nosec B311
    words: dict[str, list[str]] = {}
    for row in entries:
        words.setdefault(row["lang"], []).extend(row["text"].split())
    for i in range(count):
        for row in entries:
            if row["game"] == ours[i % len(ours)]:
                other = words[row["lang"]]
                text = " ".join(
                    chosen.choice(other) if chosen.random() < REPLACED else word
                    for word in row["text"].split()
                )
                yield {**row, "game": f"game{i}", "id": f"game{i}.{row['id']}", "text": text}


def _times(library: Library, path: Path, asked: list[tuple[str, str]]) -> dict[str, float]:
    finder = Search(library, Store(path).index)
    for lang, query in asked[:WARMING]:
        finder.find(query, lang)
    spent = []
    gc.collect()
    gc.freeze()  # as the server does
    for lang, query in asked[WARMING:]:
        begin = time.perf_counter()
        finder.find(query, lang)
        spent.append(1000 * (time.perf_counter() - begin))
    gc.unfreeze()
    spent.sort()
    return {"median ms": spent[len(spent) // 2], "p95 ms": spent[int(len(spent) * 0.95)]}
