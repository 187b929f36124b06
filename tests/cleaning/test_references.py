import pytest

from beam_rs.cleaning._reference import meaning

ANIMALS = ("cat", "dog", "bird")


@pytest.mark.parametrize(
    "reference",
    [
        *["B", "b", "(B)", "[b]", "B.", "B)", "B:", "Ｂ", "**B**", "$B$", "\\boxed{B}", "'B'", "['B']", "  B\n"],
        *["dog", "DOG", " Dog. ", '"dog"', "B. dog", "(B) dog", "B) dog", "B: Dog.", "b、dog", "B - dog"],
        *["The answer is B.", "Answer: B", "answer: (B) dog", "The correct option is (B).", "So, the answer is dog."],
        *[
            "Option B",
            "B is correct.",
            "Option B is the right answer.",
            "答案是B",
            "答案：B",
            "正确答案是B。",
            "选B",
            "B选项",
        ],
        *["B\n\nIt barks.", "B. dog\nExplanation: it barks", "It barks.\nThe answer is B."],
    ],
)
def test_the_second_of_three(reference):
    assert meaning(reference, ANIMALS, "upper", None) == 1


@pytest.mark.parametrize(
    ("reference", "options", "labels", "base", "expected"),
    [
        ("2", ANIMALS, "digit", None, 1),
        ("(2)", ANIMALS, "digit", None, 1),
        ("ii", ANIMALS, "roman", None, 1),
        ("②", ANIMALS, "digit", None, 1),
        ("B", ANIMALS, "digit", None, "absent"),
        ("1.0", ANIMALS, "none", 0, 1),
        ("2", ANIMALS, "upper", None, "absent"),
        ("2", ANIMALS, "none", 0, 2),
        ("2", ANIMALS, "none", 1, 1),
        ("3", ANIMALS, "none", 0, "absent"),
        ("2", ("4", "3", "2", "1"), "upper", None, 2),
        ("2", ("4", "2", "1"), "none", 0, "ambiguous"),
        ("3", ("2", "3", "4"), "digit", None, "ambiguous"),
        ("B", ("B", "A", "C"), "upper", None, "ambiguous"),
        ("C", ("B", "A", "C"), "upper", None, 2),
        ("A. dog", ANIMALS, "upper", None, "ambiguous"),
        ("A. horse", ANIMALS, "upper", None, "absent"),
        ("E", ANIMALS, "upper", None, "absent"),
        ("A, C", ANIMALS, "upper", None, "ambiguous"),
        ("A and B", ANIMALS, "upper", None, "ambiguous"),
        ("AC", ANIMALS, "upper", None, "ambiguous"),
        ("A and B", ("heat", "light", "A and B"), "upper", None, 2),
        ("B\nThe answer is C.", ANIMALS, "upper", None, "ambiguous"),
        ("PH", ("pH", "PH"), "upper", None, 1),
        ("ph", ("pH", "PH"), "upper", None, "ambiguous"),
        ("5", ("-5", "5"), "upper", None, 1),
        ("Vitamin C", ("Vitamin C", "Vitamin D", "Vitamin A"), "upper", None, 0),
        ("", ANIMALS, "upper", None, "absent"),
        ("It is not B.", ANIMALS, "upper", None, "absent"),
    ],
)
def test_readings(reference, options, labels, base, expected):
    assert meaning(reference, options, labels, base) == expected
