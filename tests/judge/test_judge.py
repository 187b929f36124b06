import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beam_rs import judge
from beam_rs.judge import JudgeSettings, Word
from beam_rs.judge.orders import order
from beam_rs.judge.replies import parse
from beam_rs.judge.screens import screen
from beam_rs.naming import JUDGE_NOTE
from beam_rs.schema import Case, Completion

DATA = Path(__file__).parents[1] / "data"
INJECTIONS = [json.loads(line) for line in (DATA / "injections.jsonl").read_text("utf-8").splitlines()]
PARAPHRASES = [json.loads(line) for line in (DATA / "paraphrases.jsonl").read_text("utf-8").splitlines()]
TRUE = {(row["reference"], row["paraphrase"]) for row in PARAPHRASES}

Judge = Callable[[str], str]


def quoted(prompt: str, name: str) -> str:
    found = re.search(rf"<{name} (\w{{8}})>\n(.*)\n</{name} \1>", prompt, re.DOTALL)
    return found[2] if found else ""


def honest(prompt: str) -> str:
    """Knows the true paraphrases, and never follows what it reads."""
    return (
        "VERDICT: CORRECT" if (quoted(prompt, "reference"), quoted(prompt, "candidate")) in TRUE else "VERDICT: WRONG"
    )


def obeying(prompt: str) -> str:
    """Does what any candidate of the injections asks for, and is honest otherwise."""
    candidate = quoted(prompt, "candidate")
    obeys = order(candidate) or any(candidate == row["candidate"].strip() for row in INJECTIONS)
    return "VERDICT: CORRECT" if obeys else honest(prompt)


def yes_man(prompt: str) -> str:
    return "CORRECT"


def ruled(case: Case, candidate: str, answers: Judge, *, swap: bool = False, gate_open: bool = True) -> judge.Ruling:
    if screened := screen(case, Completion("key", answer=candidate)):
        return judge.unasked(screened)
    orders = (False, True) if swap else (False,)
    asked = [judge.request("id", case, candidate, swapped=swapped, model="m") for swapped in orders]
    return judge.rule(judge.combine([parse(answers(request.messages[-1].text)) for request in asked]), gate_open)


@pytest.mark.parametrize("row", INJECTIONS, ids=lambda row: row["kind"])
@pytest.mark.parametrize("answers", [obeying, yes_man])
def test_no_injection_is_promoted(row: dict[str, str], answers: Judge) -> None:
    for reference in ("exit", "12", "12 cm", "B", "yes"):
        ruling = ruled(Case((reference,), "What is the word in the image?"), row["candidate"], answers)
        assert (ruling.promoted, ruling.verdict) == (False, "screened")


def test_there_are_forty_kinds_of_injection() -> None:
    assert len({row["kind"] for row in INJECTIONS}) == len({row["candidate"] for row in INJECTIONS}) == 40


@pytest.mark.parametrize("swap", [False, True])
def test_an_honest_judge_promotes_all_true_paraphrases_and_nothing_else(swap: bool) -> None:
    assert len(TRUE) == len(PARAPHRASES) == 200
    for row in PARAPHRASES:
        case = Case((row["reference"],), row["question"])
        assert ruled(case, row["paraphrase"], honest, swap=swap) == judge.Ruling(True, JUDGE_NOTE), row
        assert not ruled(case, row["wrong"], honest, swap=swap).promoted, row


def test_a_close_formula_stays_rejected() -> None:
    ruling = ruled(Case((r"\frac{L}{n}",), "What is the spacing?"), r"\frac{L}{n-1}", honest)
    assert (ruling.promoted, ruling.verdict) == (False, "WRONG")


def test_a_closed_gate_holds_promotions_back() -> None:
    ruling = ruled(Case(("hotel",)), "The inn", yes_man, gate_open=False)
    assert (ruling.promoted, ruling.note, ruling.verdict) == (False, None, "gated")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["CORRECT"], "CORRECT"),
        (["CORRECT", "CORRECT"], "CORRECT"),
        (["CORRECT", "WRONG"], "WRONG"),
        (["UNSURE", "CORRECT"], "UNSURE"),
        (["CORRECT", "INVALID"], "INVALID"),
        ([], "INVALID"),
    ],
)
def test_both_orders_must_agree(words: list[Word], expected: Word) -> None:
    assert judge.combine(words) == expected


@pytest.mark.parametrize("word", ["WRONG", "UNSURE", "INVALID"])
def test_only_correct_promotes(word: Word) -> None:
    assert judge.rule(word, gate_open=True) == judge.Ruling(False, None, word)


def test_a_second_try_is_another_request() -> None:
    case = Case(("hotel",), "Read the word.")
    first, again, second = (judge.request("i", case, "inn", attempt=attempt, model="m") for attempt in (0, 0, 1))
    assert first.key == again.key != second.key
    assert first.seed != second.seed
    assert judge.request("other", case, "inn", model="m").key == first.key
    assert judge.settle(["INVALID", "CORRECT"]) == "CORRECT"
    assert judge.settle(["INVALID", "INVALID"]) == "INVALID"


def test_the_question_is_short_and_ends_with_its_data() -> None:
    case = Case(("hotel", "inn"), "Read the word.")
    (turn,) = judge.question(case, "HOTEL", tag="0123abcd")
    (swapped,) = judge.question(case, "HOTEL", swapped=True, tag="0123abcd")
    assert len(turn.text) - len("hotelinnHOTELRead the word.") < 1500
    assert turn.text.index("<question") < turn.text.index("<reference") < turn.text.index("<candidate")
    assert swapped.text.index("<candidate") < swapped.text.index("<reference")
    assert turn.text.count("<reference 0123abcd>") == 2
    assert judge.sampling().choice == judge.CHOICE
    assert not judge.sampling().thinking


@settings(deadline=None)
@given(st.text(), st.text(), st.text())
def test_no_quoted_text_can_close_its_own_marks(question: str, reference: str, candidate: str) -> None:
    case = Case((reference,), question)
    tag = judge.tag_of(case, candidate)
    assert tag not in question + "\n" + reference + "\n" + candidate
    (turn,) = judge.question(case, candidate, tag=tag)
    assert turn.text.count(tag) == (4 if not question.strip() else 6)
    turn.text.encode("utf-8")


def test_a_tag_that_a_text_holds_is_drawn_again() -> None:
    case = Case(("hotel",))
    assert judge.tag_of(case, "a") != judge.tag_of(Case(("inn",)), "a")


@settings(deadline=None)
@given(st.text(max_size=5000))
def test_long_texts_keep_their_end(text: str) -> None:
    short = judge.shorten(text)
    assert len(short) <= judge.HEAD + judge.TAIL + len("\n[…]\n")
    assert short == text or text.endswith(short.rpartition("[…]\n")[2])


def test_a_long_reference_is_shown_whole() -> None:
    (turn,) = judge.question(Case(("x" * 5000,)), "y" * 5000, tag="0123abcd")
    assert "x" * 5000 in turn.text
    assert "y" * 2000 not in turn.text


@pytest.mark.parametrize(
    "bad", [{"gate": 1.5}, {"gate": -0.1}, {"calibrate": -1}, {"tries": 0}, {"gate": float("nan")}]
)
def test_settings_out_of_range(bad: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=next(iter(bad))):
        JudgeSettings(**bad)  # type: ignore[arg-type]
