import pytest

from beam_rs.schema import Case
from beam_rs.verifiers.count import Count


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ("3", 3), ("3.", 3), (" 3\n", 3), ("**3**", 3), ("three", 3), ("Three.", 3), ("twenty-one", 21), ("１２", 12),
        ("1,000", 1000), ("3 dogs", 3), ("Three dogs.", 3), ("none", 0), ("None", 0), ("zero", 0),
        ("There are 3 dogs in the image.", 3), ("There are three dogs: one is brown and two are white.", 3),
        ("There is only one dog.", 1), ("I can see 3 dogs.", 3), ("I count exactly 3 dogs in this picture.", 3),
        ("The image shows 3 dogs and a cat.", 3), ("The number of dogs is 3.", 3),
        ("The total number of dogs is 3.", 3),
        ("Answer: 3", 3), ("The answer is 3.", 3), (r"\boxed{3}", 3), (r"So the count is $\boxed{3}$.", 3),
        ("<answer>3</answer>", 3), ("**Answer:** three", 3), ("答案：3", 3), ("图中共有3只狗。", 3),
        ("一共有 3 只狗", 3),
        ("1. A brown dog\n2. A white dog\n3. A black dog\n\nTotal: 3", 3),
        ("Front row: 2\nBack row: 3\n\n2 + 3 = 5", 5), ("Final answer: 4. No, wait.\nFinal answer: 5", 5),
        ("The bag has 4 dots in 2 groups. So the answer is 2.", 2), ("The answer is that one dog barks.", 1),
        ("There are 4 dogs and 2 cats.\n\nTherefore, there are a total of **3** pets in at least one of 5 rooms.", 3),
        ("4 - 4 = 0\n\nTherefore, 0 are left.\n\n3 - 3 = 0\n\nTherefore, there are 0 objects left.</s>", 0),
        ("Start: 12\n12 - 2 = 10\n10 - 5 = 5\nFinal number of objects left: 5", 5),
        ("The number of shops with sales lower than 8 in at least one year is 3.", 3),
        ("If we take the cubes away, there will be 1 object left.\n\nSo the answer is 1", 1),
        ("The meeting of 5th April, 2012 had a total of 12 persons present.", 12),
        ("There are no dogs in the image.", 0), ("No dogs.", 0), ("There are none.", 0),
    ],
)  # fmt: skip
def test_the_number_an_answer_commits_to(answer, value):
    assert Count().compare(Case((str(value),)), answer).admitted
    for other in {0, 1, 2, 3, 4, 5, 21} - {value}:
        assert Count().compare(Case((str(other),)), answer).outcome == "no_match"


@pytest.mark.parametrize(
    "answer",
    [
        *[
            "",
            "-3",
            "3-4",
            "So there are 3 red dogs. The number of brown dogs is 4.",
            "3 to 4",
            "3 or 4",
            "3.5",
            "3/4",
            "3%",
            "sixteen",
            "13",
            "3rd",
            "x3",
            "3D",
            "several",
            "many",
        ],
        *["There are 3 dogs. There are 4 cats.", "3 dogs and 2 cats", "no idea", "Answer: 3 or 4", "Answer: many"],
        r"\boxed{3} or \boxed{4}",
    ],
)
def test_no_commitment_to_three(answer):
    assert Count().compare(Case(("3",)), answer).outcome == "no_match"


@pytest.mark.parametrize(
    "answer",
    [
        "There are about 3 dogs.",
        "There are at least 3 dogs.",
        "approximately 3",
        "Maybe 3",
        "3+",
        "So there are 3 or 4 dogs.",
    ],
)
def test_a_hedged_number_is_not_admitted(answer):
    assert not Count().compare(Case(("3",)), answer).admitted


@pytest.mark.parametrize(
    ("reference", "judgeable"),
    [("3", True), ("three", True), ("3.0", True), ("3.5", False), ("many", False), ("nan", False)],
)
def test_references(reference, judgeable):
    assert (Count().unjudgeable(Case((reference,))) is None) == judgeable


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ("There are 3 cats and 2 dogs.", None), ("There are 2 dogs and 3 cats.", 2),
        ("There is no dog, only 2 cats.", None),
        ("In the 2 cars there are 3 dogs.", 3), ("The dog wears number 7.", None),
        ("There are 2 dogs on the left and 3 on the right, making 5 dogs in total.", 5),
        ("So the number of dogs is 2 + 1 = 3.", 3), ("Therefore, the number of dogs left is 5 - 2 = 3.", 3),
        ("I count 3 dogs. Actually, 4.", None), ("There are 3 dogs visible, but there may be more.", None),
    ],
)  # fmt: skip
def test_the_number_of_what_was_asked(answer, value):
    for reference in range(8):
        verdict = Count().compare(Case((str(reference),), "How many dogs are there?"), answer)
        assert verdict.admitted == (reference == value), verdict
