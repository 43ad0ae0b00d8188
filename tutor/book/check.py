"""Cross-checks of the content: what must agree between languages, rules, engine and scenarios.

Each check takes a game's book and yields problems; `check` runs them all and never stops at the first.
Whether sentences can be said is checked in `sentences`, what only concerns translators in `translations`.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from inspect import getfile
from pathlib import Path
from traceback import extract_tb
from typing import Any

from tutor.book import glossary, numbers, sentences, source, translations
from tutor.book.load import load
from tutor.book.model import GameBook, Rulebook, ScreenFile
from tutor.book.scenario import Run, line_of_play, run
from tutor.book.source import Problem
from tutor.book.words import LANGUAGES
from tutor.games import GAMES
from tutor.paths import TEMPLATES
from tutor.rules.base import Game
from tutor.rules.errors import RulesError
from tutor.rules.options import PLAYERS, Seat

Runs = dict[str, Run]


def check(
    content: Path,
    catalogs: Path,
    templates: Path = TEMPLATES,
    games: Mapping[str, type[Game]] = GAMES,
) -> list[Problem]:
    """Every problem of the content and of the interface's translations, in a stable order."""
    library = load(content, games)
    problems = list(library.problems)
    for book in library.games.values():
        runs, found = play(book)
        problems += found
        for test in CHECKS:
            problems += run_proof([book], partial(test, book, runs))
    terms = source.read(content / "terms.toml")
    if not isinstance(terms, Problem):  # otherwise the library has told it
        problems += glossary.check(library.terms, library.games, terms, library.shared_terms)
    problems += translations.check_scripts(content)
    problems += translations.check_catalogs(catalogs, templates)
    problems += translations.check_copies(library, catalogs)
    return sorted(set(problems), key=lambda p: (str(p.file), p.line, p.text))


def run_proof(books: Iterable[GameBook], prove: Callable[[], Iterable[Problem]]) -> list[Problem]:
    """What is proved; where an engine fails on the way, its author is told the line."""
    try:
        return list(prove())
    except Exception as error:
        for book in books:
            if place := _in_engine(book.game, error):
                file, line = place
                return [Problem(file, line, f"the engine fails: {type(error).__name__}: {error}")]
        raise


def _in_engine(game: Game, error: Exception) -> tuple[Path, int] | None:
    """The last line of an engine on the way to an error."""
    home = Path(getfile(type(game))).parent
    passed = [one for one in extract_tb(error.__traceback__) if Path(one.filename).is_relative_to(home)]
    return (Path(passed[-1].filename), passed[-1].lineno or 1) if passed else None


def language_of(problem: Problem) -> str | None:
    """The language that a problem is about: its own, or that of its file; None if it is about all."""
    path = problem.file
    named = [problem.lang, *path.name.split(".")[1:-1], *path.parts[-3:-2]]
    return next((name for name in named if name in LANGUAGES), None)


def play(book: GameBook) -> tuple[Runs, list[Problem]]:
    """Every scenario runs as it says."""
    runs: Runs = {}
    problems: list[Problem] = []
    for name, scenario in book.scenarios.items():
        try:
            runs[name], found = run(book.game, scenario)
        except Exception as error:  # a fault of the engine: its author is told where, and the others go on
            place = _in_engine(book.game, error)
            at = f" ({place[0].name}:{place[1]})" if place else ""
            cause = f"{type(error).__name__}: {error}{at}"
            found = [Problem(scenario.path, 1, f"the engine fails in this scenario: {cause}")]
        problems += found
    return runs, problems


def check_structure(book: GameBook, runs: Runs) -> Iterator[Problem]:
    """The rulebooks have the same sections, blocks and example lines in the same order: that of most."""
    outlines = {rulebook.path: _outline(rulebook) for rulebook in book.rulebooks.values()}
    orders = {path: tuple(key for key, _ in outline) for path, outline in outlines.items()}
    (wanted, _), *_ = Counter(orders.values()).most_common()
    first = next(path for path, order in orders.items() if order == wanted)
    for path, outline in outlines.items():
        for key, (other_key, line) in zip(wanted, outline, strict=False):
            if key != other_key:
                yield Problem(path, line, f"here is {other_key}, but {first.name} has {key}")
                break


def _outline(rulebook: Rulebook) -> list[tuple[str, int]]:
    outline = []
    for section in rulebook.sections:
        outline.append((f"section {section.id}", section.line))
        for block in section.blocks:
            outline.append((f"{block.kind} {block.id}", block.line))
            outline += [(f"line {block.id}/{step}", line.line) for step, line in (block.lines or {}).items()]
    last = max((line for _, line in outline), default=1)
    return [*outline, ("the end", last)]


def check_rules(book: GameBook, runs: Runs) -> Iterator[Problem]:
    """Rules of the engine, of rules.toml and of the rulebooks are the same; nothing is left uncovered."""
    tables: dict[str, Mapping[str, object]] = {
        "rule": book.facts.rules,
        "ruling": book.facts.rulings,
        "edition": book.facts.editions,
    }
    for rulebook in book.rulebooks.values():
        for kind, known in tables.items():
            written = {name: block for name, block in rulebook.blocks.items() if block.kind == kind}
            for name in known.keys() - written.keys():
                line = _place(book, rulebook, name)
                yield Problem(rulebook.path, line, f"{kind} {name} is missing", "add")
            for name in written.keys() - known.keys():
                yield Problem(rulebook.path, written[name].line, f"{kind} {name} is not in rules.toml")
        yield from _check_whys(book, rulebook)
        yield from _check_titles(book, rulebook)
    yield from _check_bases(book)
    for name in book.game.rules.keys() - book.facts.rules.keys():
        yield book.problem("rules.toml", f"the engine cites {name}, which is not here")
    covered = {number for facts in book.facts.rules.values() for number in facts.covers}
    for number in sorted(set(range(1, book.file.statements + 1)) - covered):
        yield book.problem("game.toml", f"no rule covers statement {number}", "statements")


def _check_titles(book: GameBook, rulebook: Rulebook) -> Iterator[Problem]:
    """A rule has a title and a text; a technical one, which is never shown, has neither."""
    for name, block in rulebook.blocks.items():
        if block.kind != "rule":
            continue
        technical = name in book.facts.rules and book.facts.rules[name].technical
        for part, there in (("title", bool(block.title)), ("text", bool(block.body))):
            if technical and there:
                yield Problem(rulebook.path, block.line, f"rule {name} is technical: nobody sees its {part}")
            elif not technical and not there:
                yield Problem(rulebook.path, block.line, f"rule {name} has no {part}")


def _check_bases(book: GameBook) -> Iterator[Problem]:
    """Where each rule is from is told, and no answer is called printed whose rule is our own."""
    for name, facts in book.facts.rules.items():
        if bool(facts.basis) == facts.technical:
            text = "is technical and has no basis" if facts.technical else "has no basis"
            yield book.problem("rules.toml", f"{name}: {text}", "rules", name)
    for name, ruling in book.facts.rulings.items():
        rule = book.facts.rules.get(ruling.rule)
        if ruling.basis != "ours" and rule and rule.basis == "ours":
            text = f"{name}: {ruling.basis}, although its rule is ours"
            yield book.problem("rules.toml", text, "rulings", name)


def _place(book: GameBook, rulebook: Rulebook, name: str) -> int:
    """The line of the section that has the block in another language."""
    homes = {other.section_of[name].id for other in book.rulebooks.values() if name in other.section_of}
    return next((section.line for section in rulebook.sections if section.id in homes), 1)


def _check_whys(book: GameBook, rulebook: Rulebook) -> Iterator[Problem]:
    """A rule has a `why` exactly if a move can break it, with values that the engine gives."""
    first = next(iter(book.rulebooks.values()))
    for name, rule in book.game.rules.items():
        block = rulebook.blocks.get(name)
        if block is None:
            continue
        if rule.refuses is None and block.why is not None:
            yield Problem(rulebook.path, block.why.line, f"rule {name} refuses nothing but has a why")
        elif rule.refuses is not None and block.why is None:
            yield Problem(rulebook.path, block.line, f"rule {name} can refuse a move but has no why")
        elif rule.refuses is not None and block.why is not None:
            unknown = ", ".join(sorted(block.why.names - set(rule.refuses)))
            if unknown:
                yield Problem(rulebook.path, block.why.line, f"rule {name}: nobody fills {unknown}")
            for case in block.why.cases:
                for odd in case.guard.unknown(rule.refuses, book.game.vocabulary):
                    text = f"rule {name}: nobody fills {odd} in the guard {case.guard}"
                    yield Problem(rulebook.path, case.sentence.line, text)
            twin = first.blocks.get(name)
            if twin and twin.why and twin.why.names != block.why.names:
                odd = ", ".join(sorted(twin.why.names ^ block.why.names))
                text = f"why of {name}: {odd} is not used both here and in {first.path.name}"
                yield Problem(rulebook.path, block.why.line, text)


def check_links(book: GameBook, runs: Runs) -> Iterator[Problem]:
    """Every rule, scenario and step that another file names is there."""
    for name, facts in book.facts.rulings.items():
        scenario, _, step = facts.proof.partition("/")
        if scenario not in runs or step not in runs[scenario].steps:
            text = f"{name}: there is no step {facts.proof}"
            yield book.problem("rules.toml", text, "rulings", name, "proof")
        elif facts.since and not line_of_play(runs[scenario], facts.since, step):
            text = f"{name}: {step} does not go on from a step {facts.since}"
            yield book.problem("rules.toml", text, "rulings", name, "since")
    named = [("rulings", name, ruling.rule) for name, ruling in book.facts.rulings.items()]
    named += [("editions", name, edition.rule) for name, edition in book.facts.editions.items()]
    for table, name, rule in named:
        if rule not in book.facts.rules:
            yield book.problem("rules.toml", f"{name}: there is no rule {rule}", table, name, "rule")
    for one in runs.values():
        scenario_file = one.scenario
        for played in one.steps.values():
            for rule in played.file.shows:
                if rule not in book.facts.rules:
                    line = scenario_file.line(played.file.id)
                    yield Problem(scenario_file.path, line, f"{played.file.id}: there is no rule {rule}")


def check_asked(book: GameBook, runs: Runs) -> Iterator[Problem]:
    """What players type is told of rules and rulings that are there, in every language."""
    for name, typed in book.asked.items():
        rule = book.facts.rules.get(name)
        if name not in book.facts.rulings and (rule is None or rule.technical):
            yield book.problem("asked.toml", f"there is no rule or ruling {name} to be found", name)
        for lang in LANGUAGES:
            if not typed.get(lang, "").strip():
                text = f"{name}: nothing is asked in {lang}"
                yield book.problem("asked.toml", text, name, todo="add", lang=lang)
        for lang in typed.keys() - set(LANGUAGES):
            yield book.problem("asked.toml", f"{name}: there is no language {lang}", name, lang)


def check_examples(book: GameBook, runs: Runs) -> Iterator[Problem]:
    """Every example has a scenario, every line a step, and the lines that its kind needs."""
    for rulebook in book.rulebooks.values():
        for block in rulebook.blocks.values():
            if block.kind != "example":
                continue
            if block.id not in book.scenarios:
                yield Problem(rulebook.path, block.line, f"example {block.id} has no scenario")
                continue
            lines = block.lines or {}
            if not lines:
                yield Problem(rulebook.path, block.line, f"example {block.id} has no line (- step: ...)")
            ids = [step.id for step in book.scenarios[block.id].file.step]
            steps = runs[block.id].steps if block.id in runs else {}
            for step, sentence in lines.items():
                name = step.rstrip("!?")
                if name not in ids:
                    yield Problem(rulebook.path, sentence.line, f"{block.id}: there is no step {name}")
                elif name in steps and steps[name].kind in ("do", "choose", "ask"):
                    for needed in {name, f"{name}!"} - lines.keys():
                        text = f"{block.id}/{name} is a task: it needs a line {needed} too"
                        yield Problem(rulebook.path, sentence.line, text)


def check_shown(book: GameBook, runs: Runs) -> Iterator[Problem]:
    """Every rule is shown by a legal step and, where a move can break it, by a refused one."""
    legal: set[str] = set()
    refused: set[str] = set()
    for one in runs.values():
        for step in one.steps.values():
            legal |= step.cited | set(step.file.shows)
            if step.kind == "refuse":
                refused |= {reason.rule for reason in step.reasons}
    for name in book.facts.rules:
        rule = book.game.rules.get(name)
        breakable = rule is not None and rule.refuses is not None
        if name not in legal and not (breakable and name in refused):
            yield book.problem("rules.toml", f"no scenario step shows {name}", "rules", name)
        if breakable and name not in refused:
            yield book.problem("rules.toml", f"no scenario step is refused by {name}", "rules", name)


MOST_MOVES_JUDGED = 40
"""Moves that come to mind at a step, for which the rules that the engine cites are looked at."""


def check_cited(book: GameBook, runs: Runs) -> Iterator[Problem]:
    """Every rule that the engine cites is declared in its rules."""
    game, found = book.game, set[str]()
    for step in (step for one in runs.values() for step in one.steps.values()):
        found |= {*step.cited, *(reason.rule for reason in step.reasons)}
        for move in game.thinkable(step.before, step.seat)[:MOST_MOVES_JUDGED]:
            found |= {reason.rule for reason in game.judge(step.before, move).reasons}
        ended = game.outcome(step.after)
        found |= {ended.reason} if ended else set()
    for rule in sorted(found - game.rules.keys()):
        text = f"the engine cites {rule}, which its rules do not declare"
        yield Problem(*_where_said(game, rule), text)


def _where_said(game: Game, text: str) -> tuple[Path, int]:
    """The first line of an engine with a text in quotes."""
    main = Path(getfile(type(game)))
    for path in sorted(main.parent.glob("*.py")):
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            if f'"{text}"' in line:
                return path, number
    return main, 1


def check_options(book: GameBook, runs: Runs) -> Iterator[Problem]:
    """The numbers of players are those of the engine, and a scenario is played with every other option."""
    seats = book.game.options[PLAYERS].schema()
    limits = (seats["minimum"], seats["maximum"])
    if book.file.players != limits:
        text = f"players: the engine is for {limits[0]} to {limits[1]} players"
        yield book.problem("game.toml", text, "players")
    used = {name for one in runs.values() for name in _list_unusual(book.game, one)}
    for name, option in book.game.options.items():
        # Who begins, and how many play, is not a rule of its own.
        if name != PLAYERS and not isinstance(option, Seat) and name not in used:
            text = f"no scenario is played with another value of the option {name}"
            yield Problem(book.path / "scenarios", 1, text)


def _list_unusual(game: Game, one: Run) -> Iterator[str]:
    """The options that a scenario or a position in it has at another value than the usual one."""
    tables: list[dict[str, Any]] = [one.scenario.file.setup]
    starts = [one.start, *(step.before for step in one.steps.values() if step.file.start)]
    tables += [game.agreed(state) for state in starts if state is not None]
    for table in tables:
        players = table.get(PLAYERS, game.options[PLAYERS].usual(0))
        for name, value in table.items():
            same = tuple(value) if isinstance(value, list) else value
            if name in game.options and same != game.options[name].usual(players):
                yield name


def check_description(book: GameBook, runs: Runs) -> Iterator[Problem]:
    """What other programs are told of the engine is what it reads and writes itself."""
    game = book.game
    notation = game.describe().get("notation", {})
    example = notation.get("position", {}).get("example", "")
    if not notation.get("moves") or not example:
        yield book.problem(
            "game.toml", "describe() of the engine needs notation: moves, position with example"
        )
    examples: list[tuple[str, Callable[[str], Any], Callable[[Any], str]]] = [
        *((text, game.parse_move, game.format_move) for text in notation.get("moves", ())),
        *([(example, game.parse_position, game.format_position)] if example else ()),
    ]
    for text, read, write in examples:
        try:
            written = write(read(text))
        except RulesError as error:
            written = str(error)
        if written != text:
            yield book.problem("game.toml", f"describe() shows {text}, which the engine takes for {written}")
    for one in runs.values():
        for step in one.steps.values():
            if "winners" not in step.facts:
                yield book.problem("game.toml", "facts() of the engine must always have winners, () at first")
                return


MOST_RULES_A_SCREEN = 2
"""Rules that one screen of a lesson may introduce."""


def check_storylines(book: GameBook, runs: Runs) -> Iterator[Problem]:
    """Every rule, step and player that a lesson names is there; ids are used once, rules introduced once."""
    seen: set[str] = set()
    number = 0
    for i, lesson in enumerate(book.lessons):
        introduced: set[str] = set()
        for screen in lesson.screen:
            for text in _screen_faults(book, runs, screen, seen, introduced):
                yield book.problem("lesson.toml", f"{screen.id}: {text}", "lesson", "screen", number)
            seen.add(screen.id)
            introduced |= set(screen.rules)
            number += 1
        for lang, words in book.words.items():
            if f"lesson-{lesson.id}" not in words.phrases:
                text = f"phrases.lesson-{lesson.id} is missing"
                yield book.problem(f"words.{lang}.toml", text, "phrases", todo="add")
            for player in lesson.players:
                if player not in words.players:
                    text = f"{lesson.id}: nobody is called {player} in {lang}"
                    yield book.problem("lesson.toml", text, "lesson", i)


def _screen_faults(
    book: GameBook, runs: Runs, screen: ScreenFile, seen: set[str], introduced: set[str]
) -> Iterator[str]:
    if screen.id in seen:
        yield "the id is used twice"
    scenario, _, step = screen.show.partition("/")
    if screen.show and not (scenario in runs and step in runs[scenario].steps):
        yield f"there is no step {screen.show}"
    elif screen.ask:
        if not screen.show or screen.ask not in runs[scenario].steps[step].facts:
            yield f"there is no fact {screen.ask} to ask for"
        phrase = f"ask-{screen.ask.partition('.')[0]}"
        for lang, words in book.words.items():
            if phrase not in words.phrases:
                yield f"phrases.{phrase} is missing in words.{lang}.toml"
    if not screen.rules and not screen.recap and (screen.read or not screen.show):
        yield "has nothing to read"
    if screen.title and (screen.title not in book.facts.rules or book.facts.rules[screen.title].technical):
        yield f"there is no title of a rule {screen.title}"
    for rule in screen.rules:
        if rule not in book.facts.rules:
            yield f"there is no rule {rule}"
        elif book.facts.rules[rule].technical:
            yield f"{rule} is technical: it is shown nowhere"
        if rule in introduced:
            yield f"{rule} was introduced before"
    if len(screen.rules) > MOST_RULES_A_SCREEN:
        yield f"introduces {len(screen.rules)} rules; {MOST_RULES_A_SCREEN} at most"


CHECKS: tuple[Callable[[GameBook, Runs], Iterator[Problem]], ...] = (
    check_structure,
    check_rules,
    check_links,
    check_asked,
    check_storylines,
    check_examples,
    check_shown,
    check_cited,
    check_options,
    check_description,
    sentences.check_rulebooks,
    sentences.check_tables,
    sentences.check_players,
    sentences.check_told,
    numbers.check_typed,
)
