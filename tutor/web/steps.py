"""What each kind of step shows: the values of its template. Read, watch, do, refuse, choose, ask, recap."""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from urllib.parse import urlencode

from flask import url_for

from tutor.book.model import GameBook
from tutor.book.scenario import Frame, Run, values_of
from tutor.book.words import MissingWord, Words
from tutor.rules.base import CHANCE, Value, Verdict
from tutor.teach.lesson import Step
from tutor.teach.practice import Attempt, attempt
from tutor.web.draw.scene import Option, Scene, Tone
from tutor.web.shelf import shelf

MOST_HELP = 3
"""Point at the places, name the rule, show the rule; the solution comes after that, or after an attempt."""


@dataclass(frozen=True)
class Asked:
    """What an address says beside the step."""

    short: bool
    moves: tuple[str, ...]
    picks: tuple[str, ...]
    help: int
    choices: frozenset[str]
    checked: bool

    @property
    def path(self) -> dict[str, Any]:
        return {} if self.short else {"path": "full"}

    def url(self, game: str, step: str, **args: str) -> str:
        """An address of the same step with other moves, picks or help."""
        return self.extend(url_for("learn.step", game=game, step=step), **args)

    def extend(self, address: str, **args: str) -> str:
        """A step's bare address with what is to be said beside it; a board needs some ninety of them."""
        kept = self.path | {name: value for name, value in args.items() if value}
        return f"{address}?{urlencode(kept)}" if kept else address


def values_of_step(book: GameBook, step: Step, words: Words, asked: Asked) -> dict[str, Any]:
    if step.kind == "read":
        return _read(book, step, words)
    if step.kind == "recap":
        return _recap(book, step, words, asked)
    run = shelf().runs[book.id][step.scenario]
    frame = run.frames[step.frame]
    shown = Shown(book, run, frame, words.with_cast(run.scenario.file.players))
    if step.kind == "do":
        values = _do(shown, step, asked)
    elif step.kind == "refuse":
        values = _refuse(shown, step, asked)
    elif step.kind in ("choose", "ask"):
        choices = _moves_to_choose(shown) if step.kind == "choose" else _answers(shown)
        values = _question(shown, step, asked, choices)
    else:
        values = {"deeds": shown.deeds, **picture(book, shown.still())}
    return {"title": shown.title, "text": [shown.line()], **values}


@dataclass(frozen=True)
class Shown:
    """A frame of an example, told in one language."""

    book: GameBook
    run: Run
    frame: Frame
    words: Words

    @property
    def title(self) -> str:
        """The example's title; a scenario without an example goes by the rule that it shows."""
        blocks = self.book.rulebooks[self.words.lang].blocks
        if self.run.scenario.id in blocks:
            return blocks[self.run.scenario.id].title
        rules = [reason.rule for reason in self.frame.reasons]
        return blocks[[*rules, *self.frame.step.shows, *sorted(self.frame.cited), self.first_rule][0]].title

    @property
    def deeds(self) -> list[str]:
        return [self.words.say_deed(deed) for deed in self.frame.deeds]

    @property
    def seat(self) -> int:
        """Whose board the frame is about: the one it names, or the first player who acts in it."""
        step, game = self.frame.step, self.book.game
        if step.seat:
            return step.seat
        for text in (*step.play, step.refuse, *step.choose):
            seat = game.parse_move(text).seat if text else CHANCE
            if CHANCE < seat <= game.seats(self.frame.before):
                return seat
        return next((seat for seat in game.turn(self.frame.before) if seat != CHANCE), 1)

    @property
    def first_rule(self) -> str:
        return next(iter(self.book.facts.rules))

    def line(self, suffix: str = "", facts: dict[str, Value] | None = None) -> str:
        """The rulebook's sentence for the frame, with its values or those of a learner's own moves."""
        block = self.book.rulebooks[self.words.lang].blocks.get(self.run.scenario.id)
        sentence = (block.lines or {}).get(self.frame.step.id + suffix) if block else None
        if sentence is None:
            return ""
        values = values_of(self.frame, len(self.run.scenario.file.players))
        try:
            return sentence.html(self.words, values | (facts or {}))
        except MissingWord:
            return sentence.html(self.words, values)

    def story(self) -> str:
        """What the frame tells a reader of the rulebook: what happened rather than the task."""
        return self.line("!") or self.line()

    def still(self) -> Scene:
        """The frame as a picture: what changed is marked, or what a refused move wanted and lacked."""
        frame = self.frame
        if frame.kind == "refuse":
            return Scene(frame.before, self.words, self.seat, frame.marks, "refused", frame.deeds[0].at)
        return Scene(frame.after, self.words, self.seat, frame.marks)

    def whys(self, verdict: Verdict | None) -> list[dict[str, str]]:
        """The sentences of a refusal, each with its rule."""
        if verdict is None or verdict.ok:
            return []
        blocks = self.book.rulebooks[self.words.lang].blocks
        found = []
        for reason in verdict.reasons:
            block = blocks[reason.rule]
            assert block.why
            found.append(
                {"rule": block.id, "title": block.title, "html": block.why.html(self.words, reason.args)}
            )
        return found


def picture(book: GameBook, scene: Scene) -> dict[str, Any]:
    """The table as the player in focus sees it: what is hidden from that seat is hidden here."""
    drawing = shelf().drawings[book.id]
    seen = replace(scene, state=book.game.view(scene.state, scene.seat))
    return {"picture": (drawing.template, drawing.table(seen))}


def _read(book: GameBook, step: Step, words: Words) -> dict[str, Any]:
    block = book.rulebooks[words.lang].blocks[step.rule]
    values = book.game.facts(book.game.setup({}))
    shown: dict[str, Any] = {
        "title": block.title,
        "text": [sentence.html(words, values) for sentence in block.body],
        "basis": book.facts.rules[step.rule].basis,
    }
    if step.scenario:
        run = shelf().runs[book.id][step.scenario]
        cast = words.with_cast(run.scenario.file.players)
        shown |= picture(book, Shown(book, run, run.frames[step.frame], cast).still())
    return shown


def _recap(book: GameBook, step: Step, words: Words, asked: Asked) -> dict[str, Any]:
    path = shelf().lessons[book.id].path(asked.short)
    blocks = book.rulebooks[words.lang].blocks
    values = book.game.facts(book.game.setup({}))
    rules = [blocks[other.rule] for other in path if other.section == step.section and other.rule]
    return {
        "rules": [
            {"id": rule.id, "title": rule.title, "html": rule.body[0].html(words, values)} for rule in rules
        ]
    }


def _do(shown: Shown, step: Step, asked: Asked) -> dict[str, Any]:
    book, frame = shown.book, shown.frame
    tried = attempt(book.game, frame, asked.moves)
    played = ";".join(tried.played)
    level = 0 if tried.met else min(asked.help, MOST_HELP)
    tone, marks = _emphasis(shown, tried, level)

    here = partial(asked.extend, asked.url(book.id, step.id).partition("?")[0])

    def link(option: Option) -> str:
        if option.move:
            return here(moves=";".join((*tried.played, option.move)))
        return here(moves=played, pick=" ".join(option.picks))

    scene = Scene(
        tried.state,
        shown.words,
        shown.seat,
        marks,
        tone,
        tried.wanted,
        asked.picks,
        None if tried.met else link,
    )
    return {
        "deeds": [shown.words.say_deed(deed) for deed in tried.deeds],
        "whys": shown.whys(tried.verdict),
        "won": shown.line("!", dict(tried.facts or {})) if tried.met else "",
        "again": here() if tried.tried else "",
        "help": level,
        "ladder": _ladder(shown, level),
        "more_help": here(moves=played, help=str(level + 1)) if level < MOST_HELP else "",
        "solution": here(moves=";".join(frame.step.play)) if tried.tried or level == MOST_HELP else "",
        **picture(book, scene),
    }


def _emphasis(shown: Shown, tried: Attempt, level: int) -> tuple[Tone, tuple[str, ...]]:
    """What the picture points at: the refusal, the places of the solution, or what was just done."""
    if tried.refused:
        return "refused", tried.marks
    if level and not tried.played:
        return "hint", attempt(shown.book.game, shown.frame, shown.frame.step.play).marks
    return "changed", tried.marks


def _ladder(shown: Shown, level: int) -> list[dict[str, str]]:
    """The rungs of help so far."""
    if not level:
        return []
    rungs = [{"kind": "places"}]
    rules = [*shown.frame.step.shows, *sorted(shown.frame.cited)]
    if rules and level > 1:
        block = shown.book.rulebooks[shown.words.lang].blocks[rules[0]]
        rungs.append({"kind": "rule", "id": block.id, "title": block.title})
        if level > 2:
            values = shown.book.game.facts(shown.frame.before)
            rungs.append({"kind": "text", "html": block.body[0].html(shown.words, values)})
    return rungs


def _refuse(shown: Shown, step: Step, asked: Asked) -> dict[str, Any]:
    """The move stands in the scenario, so the address only says whether it was tried."""
    if not asked.moves:
        return {
            "deeds": shown.deeds,
            "try_it": asked.url(shown.book.id, step.id, moves=shown.frame.step.refuse),
            **picture(shown.book, Scene(shown.frame.before, shown.words, shown.seat)),
        }
    return {
        "deeds": shown.deeds,
        "whys": shown.whys(shown.frame.verdict),
        **picture(shown.book, shown.still()),
    }


@dataclass(frozen=True)
class Choice:
    """One answer to a question; whether it is right was computed by the engine."""

    value: str
    label: str
    right: bool
    note: str = ""
    whys: tuple[dict[str, str], ...] = ()


def _moves_to_choose(shown: Shown) -> list[Choice]:
    game = shown.book.game
    return [
        Choice(
            str(i),
            shown.words.say_deed(game.tell(shown.frame.before, game.parse_move(text))),
            verdict.ok,
            "allowed" if verdict.ok else "refused",
            tuple(shown.whys(verdict)),
        )
        for i, (text, verdict) in enumerate(shown.frame.choices)
    ]


def _answers(shown: Shown) -> list[Choice]:
    """A number among its neighbours, or players of the table."""
    answer = shown.frame.answer
    if isinstance(answer, int):
        least = max(0, answer - 1 - len(shown.frame.step.id) % 3)
        return [Choice(str(n), str(n), n == answer) for n in range(least, least + 5)]
    right = answer if isinstance(answer, tuple) else (answer,)
    seats = range(1, shown.book.game.seats(shown.frame.after) + 1)
    return [Choice(f"p{n}", shown.words.word(f"p{n}"), f"p{n}" in right) for n in seats]


def _question(shown: Shown, step: Step, asked: Asked, choices: list[Choice]) -> dict[str, Any]:
    right = all(choice.right == (choice.value in asked.choices) for choice in choices)
    scene = Scene(shown.frame.after, shown.words, shown.seat, shown.frame.step.at, picks=asked.picks)
    return {
        "choices": choices,
        "chosen": asked.choices,
        "single": isinstance(shown.frame.answer, int) and step.kind == "ask",
        "answered": asked.checked,
        "right": right,
        "explained": shown.line("!") if asked.checked else "",
        "again": asked.url(shown.book.id, step.id) if asked.checked else "",
        **picture(shown.book, scene),
    }
