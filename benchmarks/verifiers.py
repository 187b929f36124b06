"""Verdicts per second of every verifier: `python benchmarks/verifiers.py [CASES.jsonl] [--seconds 1]`.

Runs over a file of cases (`{verifier, reference, prediction, question?, options?, params?}` a line) or, without one,
over a table of its own. The table's answers are the usual kinds: bare, a sentence, and a page that commits at its end.
"""

import argparse
import json
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from beam_rs import registry
from beam_rs.schema import Case, Completion
from beam_rs.verifiers import VERIFIERS, Verifier, verify

PAGE = (
    "I look at the picture. There is a house, and in front of it something else. That rules out the first idea.\n\n"
    * 12
)
TABLE_HTML = "<html><body><table><tr><td>a</td><td>b</td></tr><tr><td>1</td><td>2</td></tr></table></body></html>"
OWN: dict[str, tuple[Any, list[str]]] = {
    "alnum": ("HELLO", ["hello", "HELLO\nThe sign is red.", "The word is HELLO"]),
    "anls": (["Paris", "Paris, France"], ["paris", "Pariss", "London"]),
    "count": ("3", ["3", "There are three dogs.", PAGE + "Total: 3"]),
    "exact": ("left", ["left", "right", PAGE + "Final answer: left"]),
    "formula": (r"\frac{a}{b}", [r"\frac{a}{b}", r"\frac {a} {c}"]),
    "iou": ([0, 0, 100, 100], ["[0, 0, 100, 90]", '```json\n[{"bbox_2d": [5, 5, 100, 100]}]\n```']),
    "kie_f1": ({"total": "5.00"}, ['{"total": "5.00"}', '```json\n{"total": "6.00"}\n```']),
    "longform": ("A man rides a wave.", ["A man rides a wave."]),
    "math": (r"\frac{1}{2}", [r"\boxed{\frac{1}{2}}", PAGE + r"\boxed{0.5}", r"\boxed{\frac{1}{3}}"]),
    "mcq": ("B", ["B", "B. dog", "The answer is (B).", PAGE + "Answer: B", PAGE + "So it must be a dog."]),
    "mmmu_open": ("3.5", ["3.50", "The result is 3.5", PAGE + "So the result is 3.5"]),
    "numeric": ("12", ["12", "The value is 12.", PAGE + "Answer: 12"]),
    "ocr_contains": (["CENTRE"], ["The text reads Centre.", PAGE]),
    "relaxed": ("10", ["10.2", "11", "Yes"]),
    "table": (TABLE_HTML, [TABLE_HTML, TABLE_HTML.replace("2", "3")]),
    "vqa_soft": (["red"] * 9 + ["dark red"], ["red", "The red.", "blue"]),
    "yesno": ("yes", ["Yes", "Yes, there is a dog.", PAGE + "Therefore, the answer is yes."]),
}

Work = tuple[Verifier, Case, Completion]


def own_table() -> Iterator[tuple[str, Work]]:
    for name, (reference, answers) in OWN.items():
        verifier = registry.build(VERIFIERS, name, "verifier")
        case = Case(
            verifier.references(reference), "Which one?", ("cat", "dog", "bird") if name == "mcq" else (), 1000, 1000
        )
        for answer in answers:
            yield name, (verifier, case, Completion("", answer=answer))


def from_file(path: Path) -> Iterator[tuple[str, Work]]:
    for line in map(json.loads, path.read_text("utf-8").splitlines()):
        parameters = {k: v for k, v in (line.get("params") or {}).items() if k != "raw_completion"}
        verifier = registry.build(VERIFIERS, {"name": line["verifier"], **parameters}, "verifier")
        case = Case(verifier.references(line["reference"]), line.get("question", ""), tuple(line.get("options") or ()))
        yield line["verifier"], (verifier, case, Completion("", answer=line["prediction"]))


def rate(work: list[Work], seconds: float) -> float:
    for piece in work:
        verify(*piece)  # imports, caches and worker processes are not what is measured
    start, done = time.perf_counter(), 0
    while time.perf_counter() - start < seconds:
        for piece in work:
            verify(*piece)
        done += len(work)
    return done / (time.perf_counter() - start)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="?", type=Path)
    parser.add_argument("--seconds", type=float, default=1.0)
    arguments = parser.parse_args()
    groups: dict[str, list[Work]] = defaultdict(list)
    for name, work in from_file(arguments.cases) if arguments.cases else own_table():
        groups[name].append(work)
    for name in sorted(VERIFIERS):
        found = groups.get(name)
        print(f"{name:14} {rate(found, arguments.seconds):12,.0f} verdicts/s" if found else f"{name:14}     no cases")


if __name__ == "__main__":
    main()
