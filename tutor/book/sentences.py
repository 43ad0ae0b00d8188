"""Checks that every sentence of a game can be said in every language, with the values it may be given.

What is said with the very values that a reader meets is also read; see `reading`.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from tutor.book.model import Block, GameBook
from tutor.book.reading import find_faults, miscounts
from tutor.book.scenario import Run, values_of
from tutor.book.source import Problem, Todo
from tutor.book.words import COMMON_ERRORS, MissingWord, Sentence, Words
from tutor.rules.base import Value
from tutor.rules.errors import RulesError, Typed

COUNTS = (0, 1, 2, 5, 12, 22)
TYPED = Typed("p1")
"""What somebody may have typed."""

Runs = Mapping[str, Run]


def check_rulebooks(book: GameBook, runs: Runs) -> Iterator[Problem]:
    """Texts can be said with the facts of a new game, whys for many counts, examples as they are."""
    try:
        fresh = dict(book.game.facts(book.game.setup({})))
    except RulesError as error:
        yield book.problem("game.toml", f"the engine has no game without options: setup({{}}) says {error}")
        return
    for lang, rulebook in book.rulebooks.items():
        words, path = book.words[lang], rulebook.path
        texts = [("lead", sentence) for sentence in rulebook.lead]
        for section in rulebook.sections:
            texts += [(section.id, sentence) for sentence in section.lead]
            texts += [(block.id, sentence) for block in section.blocks for sentence in block.body]
        for name, sentence in texts:
            yield from _check_sayable(sentence, words, [fresh], path, name)
        for block in rulebook.blocks.values():
            for why in block.why.wordings if block.why else ():
                yield from _check_sayable(why, words, _samples(book, why), path, block.id, read=False)
            if block.lines and block.id in runs:
                yield from _lines(block, runs[block.id], words, path)


def check_tables(book: GameBook, runs: Runs) -> Iterator[Problem]:
    """Deeds, errors and phrases: all are there in all languages, with values that somebody fills."""
    wanted = {"deeds": book.game.deeds, "errors": COMMON_ERRORS | book.game.errors()}
    for lang, words in book.words.items():
        for table, known in wanted.items():
            written: dict[str, Sentence] = getattr(words, table)
            for key in known.keys() - written.keys():
                yield _problem(book, lang, table, key, "is missing", "add")
            for key in written.keys() & known.keys():
                odd = ", ".join(sorted(written[key].names - set(known[key])))
                if odd:
                    yield _problem(book, lang, table, key, f"nobody fills {odd}")
                yield from _guards(book, lang, table, key, written[key], known[key])
                yield from _table_entry(book, lang, table, key, written[key])
            own = {key.partition(" ")[0] for key in getattr(words.files[-1], table)}
            for key in own - known.keys():
                yield _problem(book, lang, table, key, "the engine never says this")
        for key, sentence in words.phrases.items():
            yield from _table_entry(book, lang, "phrases", key, sentence)
            yield from _guards(book, lang, "phrases", key, sentence, sentence.names)
            other, twin = next((code, w.phrases[key]) for code, w in book.words.items() if key in w.phrases)
            odd = ", ".join(sorted(sentence.names ^ twin.names))
            if odd:
                yield _problem(book, lang, "phrases", key, f"{odd} is not used both here and in {other}")
    for table in ("phrases", "ids"):
        everywhere = {key: lang for lang, words in book.words.items() for key in getattr(words, table)}
        for lang, words in book.words.items():
            for key in everywhere.keys() - getattr(words, table).keys():
                yield _problem(book, lang, table, key, f"is missing: {everywhere[key]} has it", "add")
    for key in book.file.ours:
        if not any(key in words.phrases for words in book.words.values()):
            yield book.problem("game.toml", f"ours: there is no phrase {key}", "ours")


def check_players(book: GameBook, runs: Runs) -> Iterator[Problem]:
    """Everybody who plays in a scenario has a name in every language, and so has a nameless player."""
    cast = {"player": "every page"}
    cast |= {
        name: one.scenario.path.name for one in runs.values() for name in one.scenario.file.players if name
    }
    for lang, words in book.words.items():
        for name in cast.keys() - words.players.keys():
            text = f"players.{name} is missing: {cast[name]} needs it"
            yield book.problem(f"shared/words.{lang}.toml", text, "players", todo="add")
    yield from _names(book)


def _names(book: GameBook) -> Iterator[Problem]:
    """At a table of many languages the players have the same names in all."""
    for lang, words in book.words.items():
        for other in book.words.values():
            if words.players.keys() == other.players.keys():
                try:
                    words.with_names_of(other)
                except MissingWord as error:
                    text = f"{error} is missing: so a player is called in {other.lang}"
                    yield book.problem(f"shared/words.{lang}.toml", text, "players")


def check_told(book: GameBook, runs: Runs) -> Iterator[Problem]:
    """What the scenarios' moves do, and why some are refused, can be said with the very values they have."""
    for one in runs.values():
        path = one.scenario.path
        for lang, rulebook in book.rulebooks.items():
            cast = book.words[lang].with_cast(one.scenario.file.players)
            for step in one.steps.values():
                name = f"{step.file.id} in {lang}"
                line = one.scenario.line(step.file.id)
                verdicts = [step.verdict, *(verdict for _, verdict in step.choices)]
                refusals = [v for v in verdicts if v is not None and not v.ok]
                said = [(cast.deeds.get(deed.kind), deed.args) for deed in step.deeds]
                for reason in (reason for verdict in refusals for reason in verdict.reasons):
                    block = rulebook.blocks.get(reason.rule)
                    said.append((block.why if block else None, reason.args))
                for sentence, values in said:
                    if sentence is not None:
                        yield from _check_sayable(sentence, cast, [values], path, name, line)


def _guards(
    book: GameBook, lang: str, table: str, key: str, sentence: Sentence, known: Collection[str]
) -> Iterator[Problem]:
    for case in sentence.cases:
        for odd in case.guard.unknown(known, book.game.vocabulary):
            yield _problem(book, lang, table, key, f"nobody fills {odd}")


def _table_entry(book: GameBook, lang: str, table: str, key: str, sentence: Sentence) -> Iterator[Problem]:
    for wording in sentence.wordings:
        for sample in _samples(book, wording):
            try:
                wording.text(book.words[lang], sample)
            except MissingWord as error:
                yield _problem(book, lang, table, key, f"cannot say {error}")
                return


def _problem(book: GameBook, lang: str, table: str, key: str, text: str, todo: Todo = "mend") -> Problem:
    """A problem at a key of a words file: the game's own, unless only the shared one has it."""
    common, own = book.words[lang].files
    only_shared = key in getattr(common, table) and key not in getattr(own, table)
    file = f"shared/words.{lang}.toml" if only_shared else f"words.{lang}.toml"
    return book.problem(file, f"{table}.{key}: {text}", table, key, todo=todo)


def _lines(block: Block, one: Run, words: Words, path: Path) -> Iterator[Problem]:
    cast = words.with_cast(one.scenario.file.players)
    for step, sentence in (block.lines or {}).items():
        played = one.steps.get(step.rstrip("!?"))
        if played:
            values = values_of(played, len(one.scenario.file.players))
            yield from _check_sayable(sentence, cast, [values], path, f"{block.id}/{step}")


def _check_sayable(
    sentence: Sentence,
    words: Words,
    samples: Sequence[Mapping[str, Value]],
    path: Path,
    name: str,
    line: int = 0,
    read: bool = True,
) -> Iterator[Problem]:
    for sample in samples:
        try:
            said = sentence.text(words, sample)
            for fault in (*find_faults(said, words), *miscounts(said, words)) if read else ():
                yield Problem(path, line or sentence.line, f"{name} {fault}: {said}")
        except MissingWord as error:
            if not str(error).startswith("players."):  # see `players`, which says it once
                yield Problem(path, line or sentence.line, f"{name}: cannot say {error}")
            return


def _samples(book: GameBook, sentence: Sentence) -> list[dict[str, Value]]:
    """Values of the right kinds for a sentence: every id that the engine may give, counts elsewhere."""
    known: dict[str, Sequence[Value]] = {
        "value": (TYPED,),
        "option": (TYPED,),
        "name": (TYPED,),
        "choices": ((TYPED,),),
    }
    known |= book.game.vocabulary
    values = {name: known.get(name, COUNTS) for name in sorted(sentence.names)}
    longest = max(map(len, values.values()), default=1)
    return [{name: some[i % len(some)] for name, some in values.items()} for i in range(longest)]
