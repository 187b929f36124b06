import json

import pytest

from beam_rs.cleaning.base import Refusal
from beam_rs.cleaning.choices import ABSENT, AMBIGUOUS, Choices, normalise
from beam_rs.prompts import parse_block
from beam_rs.schema import Item

Q = "What animal is it?"
THREE = ("cat", "dog", "bird")
DIRECTLY = "Answer with the option's letter from the given choices directly."

LISTED = [
    f"{Q} Options: A. cat B. dog C. bird",
    f"{Q} A) cat B) dog C) bird",
    f"{Q} A) cat, B) dog, or C) bird?",
    f"{Q} (A) cat (B) dog (C) bird",
    f"{Q} (a) cat; (b) dog; (c) bird",
    f"{Q} [A] cat [B] dog [C] bird",
    f"{Q} A: cat; B: dog; C: bird",
    f"{Q} A.cat B.dog C.bird",
    f"{Q} A. cat / B. dog / C. bird",
    f"{Q} A) cat | B) dog | C) bird",
    f"{Q}\tA. cat\tB. dog\tC. bird",
    f"{Q} A. cat. B. dog. C. bird.".replace(". B", " B").replace(". C", " C"),
    f"{Q}\n**A.** cat\n**B.** dog\n**C.** bird",
    f"{Q}\n**A) cat**\n**B) dog**\n**C) bird**",
    f"{Q}\n- A. cat\n- B. dog\n- C. bird",
    f"{Q}\n\nA. cat\n\nB. dog\n\nC. bird",
    f"{Q}\r\nA. cat\r\nB. dog\r\nC. bird",
    f"{Q}<br>A. cat<br>B. dog<br>C. bird",
    f"{Q}\na. cat\nb. dog\nc. bird",
    f"{Q}\nA - cat\nB - dog\nC - bird",
    f"{Q} Option A: cat Option B: dog Option C: bird",
    f"{Q} 1) cat 2) dog 3) bird",
    f"{Q}\n1. cat\n2. dog\n3. bird",
    f"{Q} (i) cat (ii) dog (iii) bird",
    f"{Q}\nI. cat\nII. dog\nIII. bird",
    f"{Q}\nThere are several options:\nA. cat\nB. dog\nC. bird",
    f"{Q}\n**Options:**\nA. cat\nB. dog\nC. bird",
    f"{Q} Answer choices: A. cat B. dog C. bird",
    f"{Q}\nSelect from the following choices.\n(A) cat\n(B) dog\n(C) bird",
    f"{Q}\nOptions:\nA cat\nB dog\nC bird",
    f"{Q} Choices: cat, dog, bird",
    f"{Q} Choices: cat, dog, or bird.",
    f"{Q} Choices: cat, dog or bird",
    f"{Q} The options are: cat; dog; bird",
    f"{Q} Options: cat/dog/bird",
    f"{Q} Options: cat | dog | bird",
    f"{Q} Options: cat or dog or bird",
    f"{Q} Select from: [cat, dog, bird]",
    f"{Q} Choose from: ['cat', \"dog\", 'bird']",
    f'{Q} Options: ["cat", "dog", "bird"]',
    f"{Q}\nOptions:\n- cat\n- dog\n- bird",
    f"{Q}\nOptions:\ncat\ndog\nbird",
    f"{Q} 选项：cat、dog、bird",
    f"{Q} 选项：A：cat；B：dog；C：bird",
    f"{Q}A．cat　B．dog　C．bird",
    f"{Q}\nA、cat\nB、dog\nC、bird",
    f"{Q}（A）cat（B）dog（C）bird",
    f"{Q} A.) cat B.) dog C.) bird",
    f"{Q}\n[Choices]\n(A) cat\n(B) dog\n(C) bird",
    f"{Q} ①cat ②dog ③bird",
    f"{Q}请选择：cat，dog，bird",
    f"{Q} Ａ．cat Ｂ．dog Ｃ．bird",
]

PROSE = [
    "",
    "What is written on the sign?",
    "Is it big? Please answer yes or no.",
    "Is it big? (yes/no)",
    "Is it a cat or a dog?",
    "What is in A, B and C?",
    "What grade did he get: A, B or C?",
    "What does the stamp with the mark (A) cost?",
    "Are angle (A) and angle (B) equal?",
    "Which plan (A) or (B) is shown?",
    "What is the relation of circle (A) with circle (B) and circle (C)?",
    "Who are A. Smith and B. Jones?",
    'Read the text: "A. Smith, 12 Main St." What is the street?',
    'Read: "A. Smith B. Jones C. Doe" What is the second name?',
    "Explain the difference between type A. and type B. batteries.",
    "What is f(a) + f(b) if a. b. c?",
    "What does Figure 1. show and Figure 2. show?",
    "Was it on 1. 2. 2020?",
    "Steps: 1. Mix 2. Pour 3. Bake. What is step 2?",
    "How many steps are there? 1. Cut the paper. 2. Fold it. 3. Glue.",
    "List the ingredients:\n1. salt\n2. sugar",
    "Answer these questions:\n1. What is it?\n2. Where is it?",
    "(1) What is x? (2) What is y?",
    "In triangle ABC, (a) find AB; (b) find BC.",
    "A: Hello. B: Hi. What does B say?",
    "Read.\nA: Where are you?\nB: Home.\nA: When?\nB: Six.\nWhere is B?",
    "def f(a):\n  # A. x\n  # B. y\nWhat does it print?",
    "What does the sign say? Options: soup, salad. Thanks",
    "Which is right? A. B. C. D.",
    "What is the ratio A:B if A is 2 and B is 3?",
    "Which? B. x C. y",
    "Plane(1, 1, 2), normal(2, 4)\nWhat is shown?",
    "array([ 1.,  2.,  3.])\nWhat is shown?",
    "Which of the graphs (A)-(D) is right?",
    "Which of (A), (B), (C), (D) is right?",
    "Q: What is it?\nA: a bird B: a cat",
    "Which? Choices: (1, 2), (3, 4)",
    "A. " * 5000,
]


@pytest.mark.parametrize("question", LISTED)
def test_every_style_becomes_the_same_block(question):
    for reference in ("bird", "Bird."):
        found = normalise(question, (reference,))
        assert (found.options, found.reference, found.changed) == (THREE, "C", True)
        assert found.question == f"{Q}\nA. cat\nB. dog\nC. bird"


@pytest.mark.parametrize("question", LISTED[:-5:4])
def test_an_instruction_keeps_a_line_of_its_own(question):
    assert normalise(f"{question}\n{DIRECTLY}", ("dog",)).question.splitlines()[-2:] == ["C. bird", DIRECTLY]


@pytest.mark.parametrize(
    "tail",
    [
        DIRECTLY,
        "Please answer with the letter only.",
        "Answer:",
        "Please select the correct answer.",
        "请直接回答选项字母。",
    ],
)
def test_so_does_one_on_the_same_line(tail):
    assert normalise(f"{Q} A. cat B. dog C. bird {tail}", ("dog",)).question == f"{Q}\nA. cat\nB. dog\nC. bird\n{tail}"


@pytest.mark.parametrize("question", PROSE)
@pytest.mark.parametrize("reference", ["3", "x", "Hi.", "Pour", "A"])
def test_a_question_without_options_is_left_alone(question, reference):
    item = Item("1", "F", "a.png", question, (reference,))
    assert Choices().apply(item, {}) is item


@pytest.mark.parametrize(
    ("question", "options"),
    [
        ("How many? A. 3.5 B. 4,500 C. 1/2", ("3.5", "4,500", "1/2")),
        ("Where? Choices: 1,000, 2,000", ("1,000", "2,000")),
        ("Where? Choices: Paris, France; London, UK", ("Paris, France", "London, UK")),
        ("Where? A. Washington, D.C. B. U.S.A. C. St. Louis", ("Washington, D.C.", "U.S.A.", "St. Louis")),
        ("Which?\nA.cat\nB.U.S.A.", ("cat", "U.S.A.")),
        ("What is made? A. heat B. light C. Both A and B D. Neither", ("heat", "light", "Both A and B", "Neither")),
        ("Which gate? A. AND B. OR C. NOT", ("AND", "OR", "NOT")),
        ("Which sign? A. < B. > C. =", ("<", ">", "=")),
        ("Which? (A) f(x) = x (B) f(x) = g(a)", ("f(x) = x", "f(x) = g(a)")),
        ("Which? A. $\\frac{1}{2}$ B. $f(A)$", ("$\\frac{1}{2}$", "$f(A)$")),
        ("Which image? (A) <image 1> (B) <image 2>", ("<image 1>", "<image 2>")),
        ("What rhymes?\nA. night\nof light\nB. day\nof May\n\nAnswer:", ("night of light", "day of May")),
        ("∠2是（  ）A.30°B.60°C.90°", ("30°", "60°", "90°")),
        ("Which? Choices: ['it\\'s', \"a, b\", 'c']", ("it's", "a, b", "c")),
        ("In case A. it boils. Which gas? A. oxygen B. steam C. neon", ("oxygen", "steam", "neon")),
        ("Which is true?\n1. x\n2. y\nA. only 1\nB. only 2", ("only 1", "only 2")),
    ],
)
def test_option_texts_are_kept(question, options):
    assert normalise(question, (options[1],)).options == options


@pytest.mark.parametrize(
    ("question", "references", "reason"),
    [
        (f"{Q} A. cat B. dog", ["horse"], ABSENT),
        (f"{Q} A. cat B. dog", [""], ABSENT),
        (f"{Q} A. cat B. dog", ["C"], ABSENT),
        (f"{Q} A. cat B. dog", ["2"], ABSENT),
        (f"{Q} A. cat B. dog", ["A", "dog"], AMBIGUOUS),
        (f"{Q} A. cat B. dog", ["A", "horse"], AMBIGUOUS),
        (f"{Q} A. cat B. cat", ["cat"], AMBIGUOUS),
        ("Which? A. Vitamin B. B. Vitamin C. C. Vitamin D.", ["A"], AMBIGUOUS),
        ("Which? A. x B. y D. z", ["A"], AMBIGUOUS),
        ("Which? Choices: " + ", ".join(f"x{i}" for i in range(27)), ["x1"], AMBIGUOUS),
        ("Where? Choices: Paris, France, London, UK", ["Paris, France"], ABSENT),
    ],
)
def test_what_needs_guessing_is_dropped(question, references, reason):
    assert normalise(question, references).reason == reason


@pytest.mark.parametrize(
    ("question", "options", "reference", "rendered"),
    [
        (Q, ["cat", "dog"], "dog", f"{Q}\nA. cat\nB. dog"),
        (Q, ["A. cat", "B. dog"], "B", f"{Q}\nA. cat\nB. dog"),
        (Q, ["cat", "dog", "", ""], "dog", f"{Q}\nA. cat\nB. dog"),
        (f"{Q}\n{DIRECTLY}", ["cat", "a\ndog"], "B", f"{Q}\nA. cat\nB. a dog\n{DIRECTLY}"),
        (f"{Q} A. cat B. dog", ["cat", "dog"], "B", f"{Q}\nA. cat\nB. dog"),
        (f"{Q} A. cat B. dog", ["A", "B"], "B", f"{Q}\nA. cat\nB. dog"),
        (f"{Q} Choices: red, blue, dog", ["red, blue", "dog"], "B", f"{Q}\nA. red, blue\nB. dog"),
        ("", ["cat", "dog"], "dog", "A. cat\nB. dog"),
    ],
)
def test_own_options_are_rendered_alike_and_once(question, options, reference, rendered):
    assert normalise(question, (reference,), options).question == rendered


def test_own_options_that_contradict_the_question_are_refused():
    assert normalise(f"{Q} A. cat B. dog", ("B",), ("red", "blue")).reason == AMBIGUOUS


def test_an_item_says_what_was_changed():
    item = Item("1", "F", "a.png", f"{Q} Options: cat, dog", ("1",))
    found = Choices(index_base=0).apply(item, {})
    assert (found.references, found.options, found.verifier) == (("B",), ("cat", "dog"), "mcq")
    assert json.loads(found.changes[0].before)["references"] == ["1"]
    assert json.loads(found.changes[0].after) == {
        "question": f"{Q}\nA. cat\nB. dog",
        "references": ["B"],
        "options": ["cat", "dog"],
    }
    assert parse_block(found.question).options == found.options


def test_a_finished_item_is_only_marked():
    item = Item("1", "F", "a.png", f"{Q}\nA. cat\nB. dog", ("B",))
    found = Choices().apply(item, {})
    assert (found.question, found.references, found.changes) == (item.question, ("B",), ())
    assert (found.options, found.verifier) == (("cat", "dog"), "mcq")
    assert Choices().apply(found, {}) == found


def test_a_refusal_names_reference_and_options():
    refusal = normalise(f"{Q} A. cat B. dog", ("horse",))
    assert isinstance(refusal, Refusal)
    assert "horse" in refusal.detail and "cat" in refusal.detail


@pytest.mark.parametrize(
    "question",
    [
        "A. x B. y " * 100_000,
        "Options: " * 2000,
        "Choices: a" + " " * 15_000 + ",b",
        "A. x B. y ? " * 1500,
        "\0\ud800A. x",
    ],
)
def test_hostile_questions_are_survived(question):
    assert normalise(question, ("x" * 1_000_000, "A" + " " * 100_000 + "!")) is None or True
