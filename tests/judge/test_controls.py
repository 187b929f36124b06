import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beam_rs.judge import Word
from beam_rs.judge.controls import Control, Sample, choose, controls, plan
from beam_rs.judge.edits import alike, edits, wrong_for
from beam_rs.judge.gate import Calibration, Gate, gate, merge, observe
from beam_rs.judge.screens import screen_text
from beam_rs.schema import Case

WORDS = ["hotel", "exit", "sale", "bakery", "school", "office", "market", "police", "ticket", "open", "beware", "12 cm"]
NUMBERS = [str(value) for value in range(12, 120, 3)]


def family(references: list[str]) -> list[Sample]:
    return [Sample(f"item {i}", Case((text,), "What is it?"), text) for i, text in enumerate(references)]


def tried(plans: tuple[Control, ...], judge: Callable[[Control], Word]) -> Calibration:
    fates = [(c, "screened" if screen_text(c.case, c.candidate) else judge(c)) for c in plans]
    return merge(observe(control, fate) for control, fate in fates)  # type: ignore[arg-type]


def honest(control: Control) -> Word:
    return "CORRECT" if control.expect_promoted else "WRONG"


def yes_man(control: Control) -> Word:
    return "CORRECT"


@pytest.mark.parametrize("references", [WORDS, NUMBERS, ["yes", "no"] * 20, ["3 km", "5 kg", "-7", "$12"] * 4])
def test_the_gate_tells_an_honest_judge_from_a_yes_man(references: list[str]) -> None:
    plans = plan(choose(family(references), 60))
    good, bad = tried(plans, honest), tried(plans, yes_man)
    assert gate(good, 0.95).open
    assert good.agreement.share == good.specificity.share == 1
    assert not gate(bad, 0.95).open
    assert "controls not promoted: 0 of" in gate(bad, 0.95).reason
    assert gate(bad, 0).open


def test_a_judge_that_never_agrees_is_held_back() -> None:
    found = gate(tried(plan(family(WORDS)), lambda control: "UNSURE"), 0.95)
    assert not found.open
    assert "agreement: 0 of 12" in found.reason


def test_few_accepted_items_leave_it_to_the_wrong_ones() -> None:
    few = [*family(WORDS[:3]), *(Sample(f"other {i}", Case((text,))) for i, text in enumerate(WORDS[3:]))]
    found = gate(tried(plan(choose(few, 60)), honest), 0.95)
    assert found.open
    assert "only 3 accepted controls" in found.reason


def test_nothing_asked_is_nothing_known() -> None:
    assert gate(Calibration(), 0.5) == Gate(False, gate(Calibration(), 0.5).reason)
    assert "nothing is known" in gate(Calibration(), 0.5).reason


def test_the_gate_is_reached_by_equality() -> None:
    accepted = [observe(Control("accepted", "i", Case(("a",)), "a", True), "CORRECT")] * 20
    wrong = [observe(Control("row", "i", Case(("a",)), "b"), "WRONG")] * 57
    missed = [observe(Control("row", "i", Case(("a",)), "b"), "CORRECT")] * 3
    assert gate(merge([*accepted, *wrong, *missed]), 0.95).open
    assert not gate(merge([*accepted, *wrong, *missed, missed[0]]), 0.95).open


def test_calibrations_add_up_in_any_order() -> None:
    parts = [observe(control, honest(control)) for control in plan(family(WORDS))]
    shuffled = random.Random(1).sample(parts, len(parts))
    halves = merge(shuffled[:9]) + merge(shuffled[9:])
    assert merge(parts) == halves
    table = json.loads(json.dumps(halves.as_json(), allow_nan=False))
    assert sum(row["controls"] for row in table["kinds"]) == len(parts)
    assert table["kinds"][0]["kind"] == "accepted"


@settings(deadline=None, max_examples=25)
@given(st.lists(st.sampled_from(WORDS + NUMBERS), unique=True, max_size=30), st.integers(0, 40), st.randoms())
def test_the_choice_does_not_depend_on_order_or_grouping(
    references: list[str], limit: int, chance: random.Random
) -> None:
    samples = family(references)
    shuffled = chance.sample(samples, len(samples))
    cut = len(shuffled) // 2
    grouped = [*choose(shuffled[:cut], limit), *choose(shuffled[cut:], limit)]
    assert choose(samples, limit) == choose(shuffled, limit) == choose(grouped, limit)
    assert plan(choose(samples, limit)) == plan(choose([*shuffled, *shuffled], limit))


def test_accepted_items_are_drawn_first() -> None:
    mixed = [Sample(f"r{i}", Case((text,))) for i, text in enumerate(NUMBERS)] + family(WORDS)
    assert all(sample.answer is not None for sample in choose(mixed, len(WORDS)))


@pytest.mark.parametrize(
    ("reference", "kind", "candidate"),
    [
        ("yes", "negation", "no"),
        ("12 cm", "unit", "12 m"),
        ("$5", "unit", "€5"),
        ("-5", "sign", "5"),
        ("hotel", "negation", "not hotel"),
    ],
)
def test_edits(reference: str, kind: str, candidate: str) -> None:
    assert edits(reference)[kind] == [candidate]  # type: ignore[index]


def test_digits_change_the_value_for_any_tolerance() -> None:
    assert edits("7")["digit"] == ["1", "2", "3", "4", "5", "6", "8", "9"]
    assert all(abs(int(text) - 1985) > 198 for text in edits("1985")["digit"])


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("The Cat.", "cat", True),
        ("1,200", "1200", True),
        ("red car", "car", True),
        ("50%", "0.5", True),
        ("12 cm", "12 m", False),
        ("A", "B", False),
        ("hotel", "hostel", False),
        ("…", "hotel", True),
    ],
)
def test_alike(one: str, other: str, expected: bool) -> None:
    assert alike(one, other) is alike(other, one) is expected


def test_options_with_the_same_text_are_no_wrong_answers() -> None:
    assert not wrong_for("option", "C", ["B"], ["cat", "dog", "Dog"])
    case = Case(("B",), "Which?\nA. cat\nB. dog\nC. dog", ("cat", "dog", "dog"))
    made = controls(Sample("i", case, "B. dog"), ["C", "A"])
    assert {(c.kind, c.candidate) for c in made if c.kind in ("row", "option")} == {("row", "A"), ("option", "A")}


def test_a_wrong_answer_keeps_the_words_of_the_right_one() -> None:
    made = controls(Sample("i", Case(("hotel",)), "The word is hotel."), ["exit"])
    assert ("row", "The word is exit.") in [(c.kind, c.candidate) for c in made]


@pytest.mark.parametrize("reference", ["", "…", "\\", "(a+", "\\1", "a" * 10_000, "\ud800", "0", "-0", "1/0", "]{["])
def test_any_reference_gives_controls_that_can_be_screened(reference: str) -> None:
    for control in plan([Sample("i", Case((reference,)), f"It is {reference}"), Sample("j", Case(()), "x")]):
        screen_text(control.case, control.candidate)
        assert control.expect_promoted is (control.kind == "accepted")


def test_orders_are_stopped_by_the_screens() -> None:
    orders = [control for control in plan(family(WORDS + NUMBERS)) if control.kind == "order"]
    assert len(orders) == len(WORDS + NUMBERS)
    assert {screen_text(control.case, control.candidate) for control in orders} == {"order"}


def test_references_of_true_paraphrases_give_wrong_controls() -> None:
    lines = (Path(__file__).parents[1] / "data/paraphrases.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    samples = [
        Sample(str(i), Case((row["reference"],), row["question"]), row["paraphrase"]) for i, row in enumerate(rows)
    ]
    made = plan(choose(samples, 60))
    assert sum(control.kind == "accepted" for control in made) == 60
    assert not [
        c for c in made if c.kind != "accepted" and c.candidate in (*c.case.references, samples[int(c.item_id)].answer)
    ]
