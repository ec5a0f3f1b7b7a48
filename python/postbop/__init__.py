"""Postbop: a model checker for programs with procedures.

>>> report = check("decl g; void main() begin g := *; if (g) then R: skip; fi end", reach=["R"])
>>> report.results[0].verdict
'reachable'
>>> [step.text for step in report.results[0].trace.steps]
['g := *', 'if (g)', 'skip']
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from dataclasses import dataclass, field
from typing import Any, Iterable, Mapping, Optional, Sequence, Union

from . import _postbop

__version__ = _postbop.__version__
__all__ = [
    "Place", "Problem", "Proof", "Refused", "Report", "Result", "Step", "Trace", "check", "check_file", "states",
]


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong with a program or a question."""

    message: str
    code: Optional[str] = None
    file: Optional[str] = None
    line: Optional[int] = None
    column: Optional[int] = None
    help: Optional[str] = None

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}:{self.column}: " if self.line else ""
        return f"{place}{self.message}" + (f" ({self.help})" if self.help else "")


class Refused(ValueError):
    """The program or the question is refused; `problems` says why, and where."""

    def __init__(self, problems: Sequence[Problem]):
        super().__init__("; ".join(str(problem) for problem in problems))
        self.problems = list(problems)


@dataclass(frozen=True)
class Step:
    """A statement that is about to be executed, and what holds just before it."""

    file: str
    proc: str
    line: int
    column: int
    depth: int
    text: str
    state: Mapping[str, Any]
    events: Sequence[str] = ()
    folded: Optional[int] = None


@dataclass(frozen=True)
class Trace:
    """A run. For one without end, `steps[loop_start:]` repeats for ever."""

    steps: Sequence[Step]
    shortest: bool
    loop_start: Optional[int] = None

    def __len__(self) -> int:
        return len(self.steps)

    def __iter__(self):
        return iter(self.steps)


@dataclass(frozen=True)
class Place:
    """A place in a source file."""

    file: str
    line: int
    column: int


@dataclass(frozen=True)
class Result:
    """The answer to one question."""

    property: Mapping[str, Any]
    verdict: str
    engine: str
    trace: Optional[Trace]
    stop_reason: Optional[str]
    message: Optional[str]
    place: Optional[Place]
    proved: bool
    raw: Mapping[str, Any] = field(repr=False)

    @property
    def holds(self) -> Optional[bool]:
        """Whether it holds (or is unreachable); None if that is unknown."""
        return {"holds": True, "unreachable": True, "violated": False, "reachable": False}.get(self.verdict)


@dataclass(frozen=True)
class Proof:
    """What proves that something holds: sets of states, by procedure and statement (schema `postbop.proof/1`)."""

    property: Mapping[str, Any]
    raw: Mapping[str, Any] = field(repr=False)


@dataclass(frozen=True)
class Report:
    """The answers to all questions about a program."""

    file: str
    results: Sequence[Result]
    proofs: Sequence[Proof]
    raw: Mapping[str, Any] = field(repr=False)
    _program: tuple = field(repr=False, default=())
    _proofs: Optional[str] = field(repr=False, default=None)

    @property
    def holds(self) -> Optional[bool]:
        """Whether all hold; None if none is violated and some is unknown."""
        answers = [result.holds for result in self.results]
        return False if False in answers else None if None in answers else True

    def replay(self) -> bool:
        """Checks all proofs again, on the program and without the engine."""
        if not self._proofs:
            raise ValueError("there are no proofs: say `proofs=True`")
        name, text, lang = self._program
        return all(_native(_postbop.replay_proofs, name, text, lang, self._proofs))


def check(
    text: str,
    *,
    name: str = "program.bp",
    lang: Optional[str] = None,
    reach: Union[str, Iterable[str]] = (),
    reach_all: bool = False,
    asserts: bool = False,
    ltl: Union[str, Iterable[str]] = (),
    fair: Iterable[str] = (),
    sere: Union[str, Iterable[str]] = (),
    terminates: bool = False,
    rules: Union[str, Iterable[str]] = (),
    engine: str = "auto",
    entry: Optional[str] = None,
    timeout: Optional[float] = None,
    memory: Optional[int] = None,
    proofs: bool = False,
) -> Report:
    """Checks a program that is a text. The language is that of the name's ending, or `lang`; C is preprocessed text.

    With nothing asked, assertions are checked. `timeout` is in seconds, `memory` in bytes.
    """
    asked = {
        "reach": _list(reach), "reach_all": reach_all, "asserts": asserts, "ltl": _list(ltl), "fair": _list(fair),
        "sere": _list(sere), "terminates": terminates, "rules": _list(rules), "engine": engine, "entry": entry,
        "timeout": timeout, "memory": memory, "proofs": proofs,
    }
    page, proved = _native(_postbop.check, name, text, lang, asked)
    return _report(json.loads(page), proved, (name, text, lang))


def check_file(path: Union[str, os.PathLike], *, flags: Sequence[str] = (), cc: Optional[str] = None, **asked) -> Report:
    """Checks a program in a file. C is preprocessed by `cc` (default: $CC, or cc) with the flags."""
    name = os.fspath(path)
    if name.endswith((".c", ".h")):
        command = shlex.split(cc or os.environ.get("CC") or "cc")
        done = subprocess.run([*command, "-E", *flags, name], capture_output=True, text=True)
        if done.returncode != 0:
            raise Refused([Problem(done.stderr.strip() or "the preprocessor failed", file=name)])
        text = done.stdout
    else:
        with open(name, encoding="utf-8") as file:
            text = file.read()
    return check(text, name=name, **asked)


def states(text: str, at: str, *, name: str = "program.bp", lang: Optional[str] = None) -> Mapping[str, Any]:
    """What can hold at a statement: `L`, `proc:L` or `:LINE` (schema `postbop.states/1`)."""
    page, _ = _native(_postbop.states, name, text, lang, at)
    return json.loads(page)


def _list(words: Union[str, Iterable[str]]) -> list:
    return [words] if isinstance(words, str) else list(words)


def _native(function, *args):
    try:
        return function(*args)
    except ValueError as error:
        try:
            page = json.loads(str(error))
        except json.JSONDecodeError:
            raise error from None
        problems = []
        for entry in page["errors"]:
            place = entry.get("place", {})
            problems.append(Problem(
                entry["message"], entry.get("code"), place.get("file"), place.get("line"), place.get("column"),
                entry.get("help"),
            ))
        raise Refused(problems) from None


def _report(page: dict, proved: Optional[str], program: tuple) -> Report:
    proofs = json.loads(proved) if proved else {}
    listed = [Proof(proof.get("property", {}), proof) for proof in proofs.get("proofs", [])]
    results = [_result(result, page["file"]) for result in page["results"]]
    return Report(page["file"], results, listed, page, program, proved)


def _result(raw: dict, file: str) -> Result:
    place = raw.get("place")
    trace = raw.get("trace")
    return Result(
        property=raw["property"],
        verdict=raw["verdict"],
        engine=raw["engine"],
        trace=_trace(trace, file) if trace else None,
        stop_reason=raw["stop_reason"],
        message=raw.get("message"),
        place=Place(place.get("file", file), place["line"], place["column"]) if place else None,
        proved=bool(raw.get("certificate", {}).get("checked")),
        raw=raw,
    )


def _trace(raw: dict, file: str) -> Trace:
    steps = [
        Step(
            step.get("file", file), step["proc"], step["line"], step["column"], step["depth"], step["text"],
            step["state"], tuple(step.get("events", ())), int(step["folded"]) if "folded" in step else None,
        )
        for step in raw["steps"]
    ]
    return Trace(steps, raw["shortest"], raw["loop_start"])
