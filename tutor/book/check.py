"""Cross-checks of the content: what must agree between languages, rules, engine and scenarios.

Each check takes a game's book and yields problems; `check` runs them all and never stops at the first.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po

from tutor.book.load import Library, load
from tutor.book.model import Block, GameBook, Problem, Rulebook
from tutor.book.scenario import Run, run, values_of
from tutor.book.words import CATEGORIES, COMMON_ERRORS, LANGUAGES, MissingWord, Sentence, Words
from tutor.paths import TEMPLATES
from tutor.rules.base import Value
from tutor.rules.errors import Typed

COUNTS = (0, 1, 2, 5, 12, 22)
TYPED = Typed("p1")
"""What somebody may have typed."""


def check(content: Path, translations: Path, templates: Path = TEMPLATES) -> list[Problem]:
    """Every problem of the content and of the interface's translations, in a stable order."""
    library = load(content)
    problems = list(library.problems)
    for book in library.games.values():
        runs, found = play(book)
        problems += found
        for test in CHECKS:
            problems += test(book, runs)
    problems += scripts(library)
    problems += catalogs(translations, templates)
    return sorted(set(problems), key=lambda p: (str(p.file), p.line, p.text))


def play(book: GameBook) -> tuple[dict[str, Run], list[Problem]]:
    """Every scenario runs as it says."""
    runs: dict[str, Run] = {}
    problems: list[Problem] = []
    for name, scenario in book.scenarios.items():
        runs[name], found = run(book.game, scenario)
        problems += found
    return runs, problems


def structure(book: GameBook, runs: dict[str, Run]) -> Iterator[Problem]:
    """The four rulebooks have the same sections, blocks and example lines in the same order."""
    first = book.rulebooks[LANGUAGES[0]]
    wanted = _outline(first)
    for lang in LANGUAGES[1:]:
        other = book.rulebooks[lang]
        found = _outline(other)
        for (key, _), (other_key, line) in zip([*wanted, ("end", 0)], [*found, ("end", 1)], strict=False):
            if key != other_key:
                yield Problem(other.path, line, f"{other_key} stands where {first.path.name} has {key}")
                break
    if len({rulebook.title for rulebook in book.rulebooks.values()} - {""}) == 0:
        yield Problem(first.path, 1, "no title")


def _outline(rulebook: Rulebook) -> list[tuple[str, int]]:
    outline = []
    for section in rulebook.sections:
        outline.append((f"section {section.id}", section.line))
        for block in section.blocks:
            outline.append((f"{block.kind} {block.id}", block.line))
            outline += [(f"line {block.id}/{step}", block.line) for step in block.lines or ()]
    return outline


def declared(book: GameBook, runs: dict[str, Run]) -> Iterator[Problem]:
    """Rules of the engine, of rules.toml and of the rulebooks are the same; nothing is left uncovered."""
    path = book.path / "rules.toml"
    for rulebook in book.rulebooks.values():
        texts = {block.id: block for block in rulebook.blocks.values()}
        for kind, known in (
            ("rule", book.facts.rules),
            ("ruling", book.facts.rulings),
            ("edition", book.facts.editions),
        ):
            written = {name: block for name, block in texts.items() if block.kind == kind}
            for name in known.keys() - written.keys():
                yield Problem(rulebook.path, 1, f"{kind} {name} is missing")
            for name in written.keys() - known.keys():
                yield Problem(rulebook.path, written[name].line, f"{kind} {name} is not in {path.name}")
        for name, rule in book.game.rules.items():
            block = texts.get(name)
            if block is None:
                continue
            if rule.refuses is not None and block.why is None:
                yield Problem(rulebook.path, block.line, f"rule {name} can refuse a move but has no why")
            if rule.refuses is None and block.why is not None:
                yield Problem(rulebook.path, block.line, f"rule {name} refuses nothing but has a why")
            if rule.refuses is not None and block.why is not None and block.why.names - set(rule.refuses):
                unknown = ", ".join(sorted(block.why.names - set(rule.refuses)))
                yield Problem(rulebook.path, block.line, f"rule {name}: nobody fills {unknown}")
    for name in book.game.rules.keys() - book.facts.rules.keys():
        yield Problem(path, 1, f"the engine cites {name}, which is not here")
    covered = {number for facts in book.facts.rules.values() for number in facts.covers}
    for number in sorted(set(range(1, book.file.statements + 1)) - covered):
        yield Problem(path, 1, f"no rule covers statement {number}")


def placeholders(book: GameBook, runs: dict[str, Run]) -> Iterator[Problem]:
    """A refusal names the same values in all four languages."""
    first = book.rulebooks[LANGUAGES[0]]
    for lang in LANGUAGES[1:]:
        rulebook = book.rulebooks[lang]
        for name, block in rulebook.blocks.items():
            twin = first.blocks.get(name)
            if twin and twin.why and block.why and twin.why.names != block.why.names:
                odd = ", ".join(sorted(twin.why.names ^ block.why.names))
                yield Problem(rulebook.path, block.line, f"why of {name}: {odd} stands in one language only")


def links(book: GameBook, runs: dict[str, Run]) -> Iterator[Problem]:
    """Every rule, scenario and step that another file names is there."""
    path = book.path / "rules.toml"
    targets = [(name, facts.picture) for name, facts in book.facts.rules.items() if facts.picture]
    targets += [(name, facts.proof) for name, facts in book.facts.rulings.items()]
    for name, target in targets:
        scenario, _, step = target.partition("/")
        if scenario not in runs or step not in runs[scenario].frames:
            yield Problem(path, 1, f"{name}: there is no step {target}")
    for name, rule in [(n, f.rule) for n, f in book.facts.rulings.items()] + [
        (n, f.rule) for n, f in book.facts.editions.items()
    ]:
        if rule not in book.facts.rules:
            yield Problem(path, 1, f"{name}: there is no rule {rule}")
    for one in runs.values():
        scenario_file = one.scenario
        for frame in one.frames.values():
            for rule in frame.step.shows:
                if rule not in book.facts.rules:
                    line = scenario_file.line(frame.step.id)
                    yield Problem(scenario_file.path, line, f"{frame.step.id}: there is no rule {rule}")
        for step in scenario_file.file.short:
            if step not in one.frames:
                yield Problem(scenario_file.path, 1, f"short: there is no step {step}")


def examples(book: GameBook, runs: dict[str, Run]) -> Iterator[Problem]:
    """Every example has a scenario, every line a step, and the lines that its kind needs."""
    for rulebook in book.rulebooks.values():
        for block in rulebook.blocks.values():
            if block.kind != "example":
                continue
            if block.id not in book.scenarios:
                yield Problem(rulebook.path, block.line, f"example {block.id} has no scenario")
                continue
            frames = runs[block.id].frames
            lines = block.lines or {}
            for step in lines:
                name = step.removesuffix("!")
                if name not in frames:
                    yield Problem(rulebook.path, block.line, f"{block.id}: there is no step {name}")
                elif frames[name].kind in ("do", "choose", "ask") and not {name, f"{name}!"} <= lines.keys():
                    yield Problem(rulebook.path, block.line, f"{block.id}/{name} needs a line {name}!")


def shown(book: GameBook, runs: dict[str, Run]) -> Iterator[Problem]:
    """Every rule is shown by a legal step and, where a move can break it, by a refused one."""
    path = book.path / "rules.toml"
    legal: set[str] = set()
    refused: set[str] = set()
    for one in runs.values():
        for frame in one.frames.values():
            legal |= frame.cited | set(frame.step.shows)
            if frame.kind == "refuse":
                refused |= {reason.rule for reason in frame.reasons}
    for name in book.facts.rules:
        rule = book.game.rules.get(name)
        breakable = rule is not None and rule.refuses is not None
        if name not in legal and not (breakable and name in refused):
            yield Problem(path, 1, f"no scenario step shows {name}")
        if breakable and name not in refused:
            yield Problem(path, 1, f"no scenario step is refused by {name}")


def sentences(book: GameBook, runs: dict[str, Run]) -> Iterator[Problem]:
    """Every sentence can be said: whys, deeds, errors and phrases for many counts, examples as they are."""
    for lang, rulebook in book.rulebooks.items():
        words = book.words[lang]
        fresh = dict(book.game.facts(book.game.setup({})))
        for block in rulebook.blocks.values():
            for sentence in block.body:
                yield from _sayable(sentence, words, [fresh], rulebook.path, block.line, block.id)
            if block.why:
                samples = _samples(book, block.why)
                yield from _sayable(block.why, words, samples, rulebook.path, block.line, block.id)
            if block.lines and block.id in runs:
                yield from _lines(block, runs[block.id], words, rulebook.path)
        path = book.path / f"words.{lang}.toml"
        for table, wanted in (("deeds", book.game.deeds), ("errors", COMMON_ERRORS | book.game.errors())):
            written: dict[str, Sentence] = getattr(words, table)
            for key in wanted.keys() - written.keys():
                yield Problem(path, 1, f"{table}.{key} is missing")
            for key, sentence in written.items():
                if sentence.names - set(wanted.get(key, ())):
                    odd = ", ".join(sorted(sentence.names - set(wanted.get(key, ()))))
                    yield Problem(path, 1, f"{table}.{key}: nobody fills {odd}")
                samples = _samples(book, sentence)
                yield from _sayable(sentence, words, samples, path, 1, f"{table}.{key}")
        first = book.words[LANGUAGES[0]]
        for key in first.phrases.keys() ^ words.phrases.keys():
            yield Problem(path, 1, f"phrases.{key} does not stand in all languages")
        for key, sentence in words.phrases.items():
            samples = _samples(book, sentence)
            yield from _sayable(sentence, words, samples, path, 1, f"phrases.{key}")
            if key in first.phrases and sentence.names != first.phrases[key].names:
                odd = ", ".join(sorted(sentence.names ^ first.phrases[key].names))
                yield Problem(path, 1, f"phrases.{key}: {odd} stands in one language only")
        for key in sorted(first.ids.keys() ^ words.ids.keys()):
            yield Problem(path, 1, f"ids.{key} does not stand in all languages")
        for player in {player for one in runs.values() for player in one.scenario.file.players}:
            if player not in words.players:
                yield Problem(path, 1, f"players.{player} is missing")


def told(book: GameBook, runs: dict[str, Run]) -> Iterator[Problem]:
    """What the scenarios' moves do, and why some are refused, can be said with the very values they have."""
    for one in runs.values():
        path = one.scenario.path
        for lang, rulebook in book.rulebooks.items():
            cast = book.words[lang].with_cast(one.scenario.file.players)
            for frame in one.frames.values():
                name = f"{frame.step.id} in {lang}"
                line = one.scenario.line(frame.step.id)
                verdicts = [frame.verdict, *(verdict for _, verdict in frame.choices)]
                refusals = [v for v in verdicts if v is not None and not v.ok]
                said = [(cast.deeds.get(deed.kind), deed.args) for deed in frame.deeds]
                for reason in (reason for verdict in refusals for reason in verdict.reasons):
                    block = rulebook.blocks.get(reason.rule)
                    said.append((block.why if block else None, reason.args))
                for sentence, values in said:
                    if sentence is not None:
                        yield from _sayable(sentence, cast, [dict(values)], path, line, name)


def _lines(block: Block, one: Run, words: Words, path: Path) -> Iterator[Problem]:
    cast = words.with_cast(one.scenario.file.players)
    for step, sentence in (block.lines or {}).items():
        frame = one.frames.get(step.removesuffix("!"))
        if frame:
            values = values_of(frame, len(one.scenario.file.players))
            yield from _sayable(sentence, cast, [values], path, block.line, f"{block.id}/{step}")


def _sayable(
    sentence: Sentence, words: Words, samples: list[dict[str, Value]], path: Path, line: int, name: str
) -> Iterator[Problem]:
    for sample in samples:
        try:
            sentence.text(words, sample)
        except MissingWord as error:
            yield Problem(path, line, f"{name}: cannot say {error}")
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


CHECKS: tuple[Callable[[GameBook, dict[str, Run]], Iterator[Problem]], ...] = (
    structure,
    declared,
    placeholders,
    links,
    examples,
    shown,
    sentences,
    told,
)


def scripts(library: Library) -> Iterator[Problem]:
    """No letter of a foreign script: look-alike Cyrillic letters cannot be searched for."""
    for path in sorted(library.path.rglob("*")):
        if path.suffix not in (".md", ".toml", ".txt"):
            continue
        for number, line in enumerate(path.read_text("utf-8", "replace").splitlines(), 1):
            odd = {c for c in line if c.isalpha() and not unicodedata.name(c, "").startswith("LATIN")}
            if odd:
                yield Problem(path, number, f"letters of a foreign script: {' '.join(sorted(odd))}")


def catalogs(translations: Path, templates: Path) -> Iterator[Problem]:
    """Every string of the templates is translated, with the same placeholders and all plural forms."""
    wanted = {_key(message) for _, _, message, _, _ in extract_from_dir(templates, [("**.html", "jinja2")])}
    for lang in LANGUAGES:
        if lang == "en":
            continue  # the strings in the templates are the English text
        path = translations / lang / "LC_MESSAGES" / "messages.po"
        if not path.exists():
            yield Problem(path, 1, "missing")
            continue
        with path.open("rb") as file:
            catalog = read_po(file, locale=lang)
        known = {_key(message.id) for message in catalog if message.id}
        for key in sorted(wanted - known):
            yield Problem(path, 1, f"not there: {key}")
        for key in sorted(known - wanted):
            yield Problem(path, 1, f"no template says: {key}")
        for message in catalog:
            if not message.id:
                continue
            strings = message.string if isinstance(message.string, tuple | list) else (message.string,)
            forms = len(CATEGORIES[lang]) if message.pluralizable else 1
            if message.fuzzy or not all(strings) or len(strings) != forms:
                yield Problem(path, message.lineno or 1, f"not translated: {message.id}")
            for error in message.check(catalog):
                yield Problem(path, message.lineno or 1, str(error))
            if re.search(r"%\((\w+)\)", str(message.id)) and _fields(message.id) != _fields(strings):
                yield Problem(path, message.lineno or 1, f"other placeholders: {message.id}")


def _key(message: str | tuple[str, ...] | list[str]) -> str:
    """A string by its singular."""
    return message if isinstance(message, str) else str(message[0])


def _fields(text: object) -> set[str]:
    return set(re.findall(r"%\((\w+)\)", str(text)))
