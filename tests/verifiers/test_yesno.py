import pytest

from beam_rs.schema import Case
from beam_rs.verifiers.yesno import YesNo, read_yes_no

QUESTION = "Is there a dog in the image? Please answer yes or no."
DOUBTED = [
    ("Yes and no", "no"), ("Yes, there is no dog.", "yes"),
    ("I cannot see the image clearly enough to answer.", "yes"),
    ("It is not clear whether there is a dog.", "no"), ("There is a cat.", "yes"),
    ("There isn't a dog in the image.", "yes"),
    ("Is there a dog in the image?", "yes"), ("There is a dog. But on a second look it is a cat.", "yes"),
    ("No, wait, yes.", "no"), ("Yes... actually no.", "yes"), ("Yes, I see no dog.", "yes"),
    ("It might be a dog.", "yes"), ("Yes. But looking again, the answer is no.", "yes"), ("No cat is there.", "no"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("answer", "word"),
    [
        ("yes", "yes"), ("Yes.", "yes"), ("YES", "yes"), ("**Yes**", "yes"), ('"Yes"', "yes"), ("Yes!", "yes"),
        ("Yep", "yes"),
        ("Yes, there is a dog.", "yes"), ("Yes there is a dog", "yes"),
        ("Yes - a brown dog lies on the grass.", "yes"),
        ("No", "no"), ("no.", "no"), ("No, the bars are not equal.", "no"), ("No. The sign says YES.", "no"),
        ("No\nIt is a cat.", "no"),
        ("There is a dog.", "yes"), ("There is a brown dog in the image.", "yes"), ("The image shows a dog.", "yes"),
        ("There is no dog in the image.", "no"), ("There is not a dog in the image.", "no"),
        ("Answer: yes", "yes"), ("Answer: No", "no"), ("**Answer:** No, there is no dog.", "no"),
        (r"\boxed{Yes}", "yes"),
        (r"The final answer is $\boxed{\text{No}}$.", "no"), ("<answer>no</answer>", "no"),
        ("Final answer: yes", "yes"),
        ("The street is empty. Therefore, the answer is no.", "no"), ("I look at the grass.\n\nYes", "yes"),
        ("A brown animal lies on the grass. It has floppy ears. So, yes.", "yes"), ("The answer is yes.", "yes"),
        ("The answer to the question is **no**, as only a cat is visible.", "no"), ("是", "yes"), ("是的。", "yes"),
        ("否", "no"),
        ("没有", "no"), ("答案是：否", "no"), ("'No'", "no"), ("True", "yes"), ("False.", "no"),
        ("Yes, there is a dog that is not on a leash.", "yes"), ("Yes, there are two dogs, not one.", "yes"),
    ],
)  # fmt: skip
def test_the_word_an_answer_commits_to(answer, word):
    assert read_yes_no(answer, QUESTION)[0] == word
    assert YesNo().compare(Case((word,), QUESTION), answer).admitted
    assert YesNo().compare(Case(({"yes": "no", "no": "yes"}[word],), QUESTION), answer).outcome == "no_match"


@pytest.mark.parametrize(("answer", "word"), DOUBTED)
def test_what_the_rule_reads_and_a_person_would_not_is_not_admitted(answer, word):
    verdict = YesNo().compare(Case((word,), QUESTION), answer)
    assert (verdict.outcome, verdict.admitted) == ("match", False) and verdict.reason


@pytest.mark.parametrize(
    "answer",
    ["", "Unknown", "yesterday", "Nobody", "note", "A dog", "None", "not", "eyes", "maybe", "Answer: yes or no"],
)
@pytest.mark.parametrize("word", ["yes", "no"])
def test_whole_words_only_and_no_default(answer, word):
    assert YesNo().compare(Case((word,), QUESTION), answer).outcome == "no_match"


@pytest.mark.parametrize(
    ("reference", "judgeable"), [("Yes", True), ("no.", True), ("TRUE", True), ("maybe", False), ("", False)]
)
def test_references(reference, judgeable):
    assert (YesNo().unjudgeable(Case((reference,))) is None) == judgeable
