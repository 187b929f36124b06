"""Grade one's own cases: what the rules make of an answer, of a multiple-choice question, of a judge's reply.

A line in, a line out with `got` added. No bytes whatever stop it: a line that cannot be read gets an error.
"""

import functools
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, TextIO

from beam_rs import reasoning
from beam_rs.cleaning.base import Refusal
from beam_rs.cleaning.choices import normalise
from beam_rs.errors import BeamRsError, UsageError
from beam_rs.judge import replies
from beam_rs.keys import canonical
from beam_rs.registry import build
from beam_rs.schema import Case, Completion, Json
from beam_rs.verifiers import VERIFIERS, Verifier, verify

TOLERANCE: Final = 1e-4
MAX_LISTED: Final = 1000
"""So many differing cases are named in a summary; all of them are counted."""


@dataclass(frozen=True)
class Summary:
    """What became of a file of cases.

    Attributes:
      total: lines that are not blank.
      compared: lines with `expected`.
      agreed: those of them where `got` is what is expected.
      differing: id, or else line number, of the first thousand of the others.
      errors: lines whose `got` is an error.
    """

    total: int
    compared: int
    agreed: int
    differing: tuple[str, ...]
    errors: int

    @property
    def holds(self) -> bool:
        """Whether every line with `expected` agrees."""
        return self.compared == self.agreed


def grade_line(line: bytes | str) -> dict[str, Any]:
    """The case on a line with `got` added; `{"got": {"error": …}}` alone where there is none to be read.

    >>> grade_line('{"reply": "Verdict: WRONG"}')
    {'reply': 'Verdict: WRONG', 'got': {'outcome': 'WRONG'}}
    """
    try:
        text = line.decode("utf-8") if isinstance(line, bytes) else line
        case = json.loads(text.removeprefix("\ufeff"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        return {"got": {"error": f"no JSON: {str(error)[:200]}"}}
    if not isinstance(case, dict):
        return {"got": {"error": f"a case is an object, got {type(case).__name__}"}}
    try:
        got = grade(case)
    except (BeamRsError, TypeError, ValueError) as error:
        got = {"error": str(error)[:500]}
    except Exception as error:  # a verifier of the user's own may raise anything; the next case is not to blame
        got = {"error": f"{type(error).__name__}: {str(error)[:500]}"}
    return {**case, "got": got}


def grade(case: Mapping[str, Json]) -> dict[str, Any]:
    """What the rules make of a case; its keys say of which kind it is.

    Raises:
      TypeError: it is of no kind, or a value has a wrong type.
      ConfigError: the verifier or a parameter is unknown.
    """
    if "verifier" in case:
        return _grade_answer(case)
    if "question_in" in case:
        return _grade_choices(case)
    if "reply" in case:
        return {"outcome": replies.parse(_text(case, "reply"))}
    raise TypeError("a case has one of the keys 'verifier', 'question_in' and 'reply'")


def agrees(case: Mapping[str, Json]) -> bool | None:
    """Whether `got` is what a graded case expects; None where it expects nothing.

    >>> agrees({"expected": "match", "score": 0.5, "got": {"outcome": "match", "score": 0.50001}})
    True
    """
    if "expected" not in case:
        return None
    got = case["got"]
    same = got.get("outcome") == case["expected"] and _same_score(case, got)
    for given, key in (("reference_out", "reference_out"), ("question_out_options", "options")):
        same = same and (given not in case or got.get(key) == case[given])
    return bool(same)


def grade_file(path: str | os.PathLike[str], out: TextIO | None = None) -> Summary:
    """Grade every line of a file, one at a time, and write each with `got` to `out`.

    Raises:
      UsageError: the file cannot be read.
    """
    total = compared = agreed = errors = 0
    differing: list[str] = []
    try:
        with open(path, "rb") as file:
            for number, line in enumerate(file, 1):
                if not line.strip():
                    continue
                case = grade_line(line)
                total, errors = total + 1, errors + ("error" in case["got"])
                if out is not None:
                    out.write(_dump(case) + "\n")
                verdict = agrees(case)
                compared, agreed = compared + (verdict is not None), agreed + (verdict is True)
                if verdict is False and len(differing) < MAX_LISTED:
                    differing.append(str(case.get("id", f"line {number}")))
    except (FileNotFoundError, IsADirectoryError, PermissionError) as error:
        raise UsageError(f"cannot read the cases in {os.fspath(path)}: {error.strerror}") from error
    return Summary(total, compared, agreed, tuple(differing), errors)


def _grade_answer(case: Mapping[str, Json]) -> dict[str, Any]:
    parameters = _parameters(case)
    raw = bool(parameters.get("raw_completion"))
    settings = canonical({key: value for key, value in parameters.items() if key != "raw_completion"})
    verifier = _verifier(_text(case, "verifier"), settings)
    if "reference" not in case:
        raise TypeError("'reference' is missing")
    references = verifier.references(case["reference"])
    prediction = _text(case, "prediction")
    thought = reasoning.split(prediction) if raw else reasoning.Split(None, prediction, False)
    question = _text(case, "question", "")
    completion = Completion("", text=prediction, answer=thought.answer, truncated=thought.truncated)
    verdict = verify(verifier, Case(references, question, _options(case)), completion)
    keys = ("outcome", "admitted", "score", "extracted", "form", "reason")
    return {key: getattr(verdict, key) for key in keys}


def _grade_choices(case: Mapping[str, Json]) -> dict[str, Any]:
    question = _text(case, "question_in")
    base = _parameters(case).get("index_base")
    if base is not None and (not isinstance(base, int) or isinstance(base, bool)):
        raise TypeError(f"'index_base' must be a whole number, got {base!r}")
    value = case.get("reference_in")
    references = [_reference(v) for v in (value if isinstance(value, list) else [value])]
    if not references:
        raise TypeError("'reference_in' is an empty list")
    found = normalise(question, references, _options(case), base)
    got: dict[str, Any] = {
        "outcome": "unchanged",
        "question_out": question,
        "options": [],
        "reference_out": None,
        "reason": "",
    }
    if isinstance(found, Refusal):
        return {**got, "outcome": "dropped", "reason": found.reason}
    if found is None:
        return got
    outcome = "normalised" if found.changed else "unchanged"
    written = {"question_out": found.question, "options": list(found.options), "reference_out": found.reference}
    return {**got, "outcome": outcome, **written}


@functools.lru_cache(maxsize=256)
def _verifier(name: str, settings: str) -> Verifier:
    built: Verifier = build(VERIFIERS, {**json.loads(settings), "name": name}, "verifier")
    return built


def _parameters(case: Mapping[str, Json]) -> dict[str, Json]:
    parameters = case.get("params")
    if parameters is not None and not isinstance(parameters, dict):
        raise TypeError(f"'params' must be an object, got {type(parameters).__name__}")
    return parameters or {}


def _text(case: Mapping[str, Json], key: str, default: str | None = None) -> str:
    value = case.get(key, default)
    if not isinstance(value, str):
        raise TypeError(f"{key!r} must be a text, got {'nothing' if key not in case else type(value).__name__}")
    return value


def _reference(value: Json) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return str(value)
    raise TypeError(f"'reference_in' must be a text or a number, got {type(value).__name__}")


def _options(case: Mapping[str, Json]) -> tuple[str, ...]:
    """The texts of `options`: a list, or an object whose keys are the letters."""
    value = case.get("options") or []
    if isinstance(value, dict):
        value = [value[key] for key in sorted(value)]
    if not isinstance(value, list) or not all(isinstance(v, (str, int, float)) for v in value):
        raise TypeError("'options' must be a list of texts")
    return tuple(str(v) for v in value)


def _same_score(case: Mapping[str, Json], got: Mapping[str, Json]) -> bool:
    expected, score = case.get("score"), got.get("score")
    if "score" not in case or expected == score:
        return True
    if not isinstance(expected, (int, float)) or not isinstance(score, (int, float)):
        return False
    return abs(expected - score) <= TOLERANCE


def _refuse_constant(name: str) -> Json:
    raise ValueError(f"{name} is no JSON")


def _dump(case: Mapping[str, Json]) -> str:
    """A case as one line of ASCII, so that lone surrogates survive; what JSON cannot say is left out."""
    try:
        return json.dumps(case, allow_nan=False)
    except (ValueError, RecursionError) as error:
        return json.dumps({"got": {"error": f"the case cannot be written: {error}"[:200]}})
