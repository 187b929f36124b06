"""Mathematics: what is committed to, and when it equals the reference."""

import os
import socket
import subprocess
import sys
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beam_rs.schema import Case, Completion, Verdict
from beam_rs.verifiers import verify
from beam_rs.verifiers._math_pool import POOL, AlgebraTimeout, Pool
from beam_rs.verifiers.math import Math

MATRIX = r"\begin{pmatrix}1&2\\3&4\end{pmatrix}"


def judge(reference: str, answer: str, options: tuple[str, ...] = (), seconds: float = 5) -> Verdict:
    return verify(Math(seconds=seconds), Case((reference,), options=options), Completion("k", answer=answer))


MATCHES = [
    ("1:2:3", "1 : 2 : 3"),
    ("3:4", r"\frac{3}{4}"),
    ("5", "The final answer is $5$."),
    ("5", "**Final Answer:** 5 cm"),
    ("5", r"So the answer is \boxed{5}."),
    ("12", "Step 1: 3*4.\nStep 2: the product is 12.\n\nTherefore, the area of the rectangle is 12 square units."),
    ("12", "The answer is 12, because 3*4 = 12."),
    (r"\frac{3}{4}", r"$\boxed{\dfrac{3}{4}}$"),
    (r"\frac{3}{4}", r"\boxed{0.75}"),
    ("3/4", r"\boxed{\frac{6}{8}}"),
    ("(1,2)", r"\boxed{(1, 2)}"),
    (r"(-\infty, 2]", r"$(-\infty,2]$"),
    ("x=5", r"\boxed{5}"),
    ("5", r"\boxed{x = 5}"),
    ("5", r"\boxed{y = 5}"),
    (r"50\%", r"\boxed{50}"),
    (r"50\%", r"\boxed{0.5}"),
    ("0.5", r"\boxed{50\%}"),
    (r"12\text{ cm}^2", r"\boxed{12 \text{ cm}^2}"),
    ("12 cm^2", r"\boxed{12}"),
    ("12 square centimeters", r"\boxed{12\ \text{cm}^2}"),
    ("A", r"\boxed{A}"),
    ("A", "The answer is (A)."),
    ("A", r"\boxed{\text{A}}"),
    ("B", "Answer: B. 30°"),
    (r"2\sqrt{3}", r"The answer is $2\sqrt3$."),
    (r"2\sqrt{3}", r"\boxed{\sqrt{12}}"),
    (r"36\pi", r"\boxed{36\pi \text{ cm}^3}"),
    (r"36\pi", "36π"),
    ("x^2+2x+1", r"\boxed{(x+1)^2}"),
    ("x^2+2x+1", r"\boxed{x^2 + 1 + 2x}"),
    (r"\frac{1}{3}", r"\boxed{0.33333333}"),
    ("1000", r"\boxed{1,000}"),
    ("1000000", "1 000 000"),
    (r"\{1,2,3\}", r"\boxed{\{3,2,1\}}"),
    ("1,2", r"\boxed{2} and \boxed{1}"),
    ("2", "First \\boxed{3}, no wait.\n\nActually \\boxed{2}."),
    ("yes", "Yes"),
    ("blue", "The answer is blue."),
    (r"\text{blue}", r"\boxed{\text{Blue}}"),
    ("isosceles triangle", r"\boxed{\text{Isosceles triangle}}"),
    ("isosceles", "The triangle is isosceles."),
    ("y=2x+1", r"\boxed{y = 2x + 1}"),
    ("y=2x+1", r"\boxed{2x+1}"),
    ("y=2x+1", r"\boxed{y=1+2x}"),
    ("y=2x+1", r"\boxed{y-2x=1}"),
    ("x=1,y=2", r"\boxed{x=1, y=2}"),
    ("x=1,y=2", r"\boxed{(1,2)}"),
    ("x=1,y=2", r"\boxed{y=2, x=1}"),
    (r"30^\circ", r"\boxed{30}"),
    ("30", r"$30^{\circ}$"),
    ("30°", "30 degrees"),
    ("30", r"The measure of angle $ABC$ is $30^\circ$."),
    ("30", r"Thus, \[\angle ABC = 30^\circ\]"),
    ("30", "Thus,\n\\[\n\\angle ABC = 180^\\circ - 150^\\circ = 30^\\circ.\n\\]"),
    ("5", "#### 5"),
    ("5", "答案是5。"),
    ("5", "所以答案为：5"),
    ("7", r"The answer is correct: \boxed{7}"),
    ("7", "\\boxed{7}\n\nThe answer is correct."),
    ("2^{10}", r"\boxed{1024}"),
    ("1024", r"\boxed{2^{10}}"),
    ("10!", r"\boxed{3628800}"),
    (r"\frac{\sqrt{2}}{2}", r"\boxed{\frac{1}{\sqrt{2}}}"),
    (r"\sin 30^\circ", r"\boxed{\sin 30^\circ}"),
    (r"\log_2 8", "3"),
    (r"\frac{a+b}{2}", r"\boxed{\frac{1}{2}(a+b)}"),
    ("1:2", r"\boxed{1:2}"),
    (r"\$5", r"\boxed{\$5.00}"),
    ("$5", r"\boxed{5 dollars}"),
    ("5", r"\boxed{5\text{ apples}}"),
    (r"1\frac{1}{2}", r"\boxed{1.5}"),
    ("1 1/2", r"\boxed{\frac{3}{2}}"),
    (r"-\frac{1}{2}", r"\boxed{\frac{-1}{2}}"),
    (r"\infty", r"\boxed{\infty}"),
    (r"+\infty", r"\boxed{\infty}"),
    ("x>2", r"\boxed{x > 2}"),
    ("x>2", r"\boxed{(2,\infty)}"),
    ("x>2", r"\boxed{2<x}"),
    ("1<x<2", r"\boxed{(1,2)}"),
    (MATRIX, r"\boxed{\begin{bmatrix}1 & 2 \\ 3 & 4\end{bmatrix}}"),
    (r"\text{None}", r"\boxed{\text{None}}"),
    ("2+3i", r"\boxed{3i+2}"),
    (r"\frac{1}{2}", r"\boxed{\frac12}"),
    (r"\frac{1}{2}", "1/2"),
    (".5", r"\boxed{\frac12}"),
    ("8", "8 is the answer."),
    ("8", "So the answer is $2^3 = 8$."),
    ("8", r"The value of x is $\mathbf{8}$."),
    ("(3, -2)", "The vertex is at $(3, -2)$."),
    ("(3, -2)", "The coordinates are (3, -2)."),
    ("(3,-2)", r"\boxed{3, -2}"),
    ("14", r"Final Answer: The final answer is $\boxed{14}$. I hope it is correct."),
    ("14", "### Final Answer\n\n$$14$$"),
    ("14", "**Answer**\n14"),
    ("14", "<answer>14</answer>"),
    (r"[1,2] \cup [3,4]", r"\boxed{[1,2]\cup[3,4]}"),
    ("6", r"6\text{ units}"),
    ("17", "The answer is approximately 17."),
    ("4", "\\boxed{4}\n\\boxed{4}"),
    ("10", r"\[ \boxed{10 \, \text{cm}} \]"),
    ("10^{-5}", r"\boxed{0.00001}"),
    (r"2.5\times10^{-3}", "0.0025"),
    (r"\pm 6", "x=6 or x=-6"),
    (r"\pm 6", r"\boxed{6,-6}"),
    (r"2\pm\sqrt{3}", r"2+\sqrt{3}, 2-\sqrt{3}"),
]

CHATTY = [
    (
        "5",
        "We use the Pythagorean theorem:\n\n $c=\\sqrt{9+16}=5$.\n\nTherefore, the hypotenuse is **5 cm**.",
    ),
    ("5", "The length of the hypotenuse is 5 cm."),
    ("5", "Thus, the value of $x$ is $\\boxed{5}$.\n\n**Answer: B**"),
    ("5", "Therefore, $x = 5$."),
    ("5", "So, x equals 5."),
    ("5", "Hence the number of apples is 5."),
    ("5", "The correct answer is $\\mathbf{5}$."),
    ("5", "**Answer:** $x = 5$ cm"),
    ("5", "The final answer is: $\\boxed{5}$"),
    ("5", "### Answer:\n$$\\boxed{5}$$"),
    ("5", "Therefore, the answer is:\n\n5"),
    ("5", "Therefore, the answer is:\n\n$$\nx = 5\n$$"),
    ("5", "\\[\n\\boxed{5}\n\\]\n\nSo the length is 5 units."),
    ("30", "Thus, the measure of ∠ABC is 30°."),
    ("30", "m∠ABC = 30°"),
    ("30^\\circ", "The angle is $\\angle ABC=30^{\\circ}$"),
    ("\\frac{3}{5}", "So $\\sin A = \\frac{3}{5}$."),
    ("\\frac{3}{5}", "Therefore, $\\sin A = \\dfrac{3}{5} = 0.6$."),
    ("12\\pi", "The area of the shaded region is $12\\pi$ square centimeters."),
    ("12\\pi", "Area = 12π cm²"),
    ("12\\pi", "The circumference is approximately $12\\pi \\approx 37.7$."),
    ("A", "The correct answer is **A**."),
    ("A", "So the answer is option A."),
    ("A", "Answer: (A) 45°"),
    ("A", "Therefore, the correct option is A."),
    ("A", "The correct choice is (A)."),
    ("A", "A"),
    ("A", "A. 45°"),
    ("A", "Thus, the answer is A: 45°"),
    ("C", "Therefore, the correct option is **C. 60°**."),
    ("C", "\\boxed{C}"),
    ("C", "The answer is C because the triangle is isosceles."),
    ("2\\sqrt{5}", "Therefore, the length of AB is $2\\sqrt{5}$ cm."),
    ("x=2", "The solution is $x = 2$."),
    ("(2,3)", "The coordinates of point P are $(2, 3)$."),
    ("(2,3)", "So P = (2, 3)."),
    ("y=2x+1", "The equation of the line is $y = 2x + 1$."),
    ("18", "The total area is 6 * 3 = 18 square meters."),
    ("0.5", "The probability is 1/2."),
    ("1200", "The total is $1,200."),
    ("25%", "25 percent"),
    ("6", "There are 6 faces."),
    ("6", "6 faces"),
    ("7", "The answer should be 7."),
    ("7", "My final answer: 7"),
    ("7", "Final answer: The value is 7."),
    ("-4", "Therefore k = −4."),
    ("8", "The answer is: **8**.\n\nLet me know if you need more help!"),
    ("8", "The answer is 8.\n\nExplanation: 3 + 5 = 8 and 2 + 7 = 9."),
    ("10", "<answer>\\boxed{10}</answer>"),
    ("x^2-1", "We get $f(x) = x^2 - 1$."),
    ("x > 3", "The solution is x > 3."),
    ("x > 3", "The solution set is $(3, \\infty)$."),
]

AS_WRITTEN = [
    ("2\\sqrt{3}", "\\boxed{2\\sqrt{3} \\approx 3.46}"),
    ("3.46", "The answer is $x = 2\\sqrt{3} \\approx 3.46$ cm."),
    ("11", "$x\\approx11$"),
    ("5", "5 (five)"),
    ("5", "five"),
    ("5", '{"answer": 5}'),
    ("5", '```json\n{"reasoning": "2 and 3", "answer": "5"}\n```'),
    ("\\frac{1}{2}", r"\boxed{\\frac{1}{2}}"),
    ("11111111100", r"is $\boxed{11,\! 111,\! 111,\! 100}$"),
    ("(12,102)", "(12, 102)"),
    ("1000.99", "1000,99"),
    ("1000.99", "it is 1,000.99€"),
    ("125", r"The distance is $\boxed{125\textnormal{ miles}}.$"),
    ("x \\le 2", "Thus $x <= 2$ is our answer."),
    ("x<1 or x>3", r"(-\infty,1)\cup(3,\infty)"),
    ("(2, 3)", "The answer is P(2, 3)."),
    ("(5, 8), (8, 5)", r"\boxed{(x, y) = (5, 8) \quad \text{and} \quad (8, 5)}"),
    ("(2, 2), (6, 2)", r"$$\boxed{(2, 2)} \quad \text{and} \quad \boxed{(6, 2)}$$"),
    ("(1,2),(2,1)", r"\boxed{(2,1), (1,2), (2,1)}"),
    ("|AB|=1", "$1$"),
    (r"V_{1}:V_{2}=11:21", "$11:21$"),
    (r"\frac{NO}{BO}=\frac{1}{\sqrt{6}}", r"$\frac{1}{\sqrt{6}}$"),
    ("3:4", "3 to 4"),
    ("1:4", "We have found the ratio we were looking for: 1 : 4."),
    ("a=3,b=4", r"Thus the value is \(a=3,b=4\)."),
    ("C", "The correct answer is: option C"),
    ("45", "The correct option is B. 45"),
    ("isosceles", "an isosceles triangle"),
    ("Yes", "**YES**"),
    ("12", "We go through them.\n\nTherefore, there are 12 sequences that meet the three conditions."),
    ("12", "The answer is 12.<|im_end|>\n<|im_start|>user"),
    ("4", "Therefore, the median is **4**.\n\nI hope this helps! Let me know if you have any other questions."),
]

DIFFERENT = [
    ("3.46", "The answer is $2\\sqrt{5} \\approx 3.46$."),
    ("5", "4 (five)"),
    ("4", "So the side is 4 times the base."),
    ("4", "The answer cannot be 4."),
    ("1", "The solution is as follows:\n\n1. We look at the figure."),
    (r"x \in [-2,7]", r"$-2 \le x \le 7$"),
    ("2x = 4", "4"),
    ("x=4", "Hence, after the last step, the required value is y=4."),
    ("x^2+y^2=1", "1"),
    ("(2, 3)", "The answer is P(3, 2)."),
    ("1,1,2", "1,2"),
    ("1.5", "1, 5"),
    ("2,3", "2.3"),
    ("5", "The answer is 5 less than x."),
    ("5", "The answer is 5 million."),
    ("Area = 5, Perimeter = 6", r"\boxed{Area = 6, Perimeter = 5}"),
    ("AB=5", "AC=5"),
    ("AB", "ab"),
    (r"\frac{1}{2}ab", "1:2"),
    ("1:2:3", "1:6"),
    (r"30^\circ", r"30\%"),
    ("5", "Let x = 3. Then we compute 5.\nLet me know if you need more."),
    ("12", "The answer is 13, because 3*4 + 1 = 13 and not 12."),
    ("12", "We get 12.\n\nWait, I made an error. So the answer is 14."),
    (r"\frac{3}{4}", r"The probability is \boxed{\frac{3}{4"),
    ("(1,2)", r"\boxed{(2,1)}"),
    ("(1,2)", r"\boxed{(1,3)}"),
    ("(2,1)", r"\boxed{(3,1)}"),
    ("[0,1]", r"\boxed{[0,1)}"),
    ("x=5", r"\boxed{y=5}"),
    ("5x", r"\boxed{5}"),
    ("5", r"\boxed{5x}"),
    ("5", r"\boxed{-5}"),
    ("50", r"\boxed{0.5}"),
    ("12 cm", "12 m"),
    ("12 cm^2", "12 cm^3"),
    ("A", "The answer is B."),
    ("B", "Answer: b"),
    (r"2\sqrt{3}", r"\boxed{3.46}"),
    (r"2\sqrt{3}", r"\boxed{\sqrt{11}}"),
    (r"\pi", r"\boxed{3.14}"),
    ("x^2+2x+1", r"\boxed{(x-1)^2}"),
    (r"\frac{1}{3}", r"\boxed{0.333}"),
    ("0", r"\boxed{0.0000001}"),
    ("0.0000001", r"\boxed{0.0000002}"),
    ("10,20", r"\boxed{1020}"),
    ("23", r"\boxed{2, 3}"),
    ("23", r"\boxed{2\ 3}"),
    ("2", r"$\boxed{2}$ or $\boxed{3}$"),
    ("3", r"\boxed{2}, \boxed{3}"),
    ("no", "The answer is yes."),
    ("blue", r"\boxed{red}"),
    ("y=2x+1", r"\boxed{y=x+1}"),
    ("x=1,y=2", r"\boxed{(2,1)}"),
    ("30", r"Hence $\angle A = 30^\circ$ and $\angle B = 40^\circ$."),
    ("40", r"Hence $\angle A = 30^\circ$ and $\angle B = 40^\circ$."),
    ("3", "The total is 7.\nThere are 3 red ones."),
    ("7", r"\boxed{7}. Hmm, the answer is 8."),
    (r"\frac{a+b}{2}", r"\boxed{\frac{a-b}{2}}"),
    ("e", r"\boxed{E}"),
    ("x", r"\boxed{X}"),
    ("AB", r"\boxed{BA}"),
    ("1:2", r"\boxed{2:1}"),
    ("3", r"\boxed{3\text{ or }4}"),
    (r"\infty", r"\boxed{-\infty}"),
    ("x>2", r"\boxed{x\ge 2}"),
    (MATRIX, r"\boxed{\begin{pmatrix}1&2\\4&3\end{pmatrix}}"),
    ("9", "9^9^9^9"),
    ("9^{9^{9^9}}", "9"),
    ("2+3i", r"\boxed{2-3i}"),
    (r"[1,2] \cup [3,4]", r"\boxed{[1,2]\cup[3,5]}"),
    (r"\frac{2}{3}", r"\boxed{\frac{2}{3}\pi}"),
    ("6", "x=6 or x=-6"),
    (r"\pm 6", r"\boxed{6}"),
]


@pytest.mark.parametrize(("reference", "answer"), [*MATCHES, *CHATTY, *AS_WRITTEN])
def test_match(reference: str, answer: str) -> None:
    assert judge(reference, answer).outcome == "match"


@pytest.mark.parametrize(("reference", "answer"), DIFFERENT)
def test_no_match(reference: str, answer: str) -> None:
    verdict = judge(reference, answer)
    assert (verdict.outcome, verdict.admitted) == ("no_match", False)
    assert verdict.reason


@pytest.mark.parametrize(
    ("question", "outcome"),
    [("", "match"), ("What percentage is it?", "match"), ("What is x?", "no_match")],
)
def test_a_percentage_is_no_number_unless_asked_for(question: str, outcome: str) -> None:
    case = Case(("5",), question)
    assert verify(Math(), case, Completion("k", answer=r"\boxed{5\%}")).outcome == outcome


@pytest.mark.parametrize(
    "reference",
    ["", "   ", "$$", "{", r"\frac{1}{2", "The proof is complete by induction, since each step holds.", "x" * 9_000],
)
def test_unjudgeable(reference: str) -> None:
    assert judge(reference, reference).outcome == "unjudgeable"


@pytest.mark.parametrize(
    ("answer", "extracted", "form"),
    [
        (r"So $x = \boxed{\frac{1}{2}}$.", r"\frac{1}{2}", "boxed"),
        (r"\fbox{7}", "7", "boxed"),
        (r"\boxed{2}, then \boxed{3}", "3", "boxed"),
        (r"$\boxed{2}$ or $\boxed{3}$", "2, 3", "boxed"),
        ("**Final answer:** 12 cm", "12 cm", "statement"),
        ("The answer is 3.\n\nWait. The answer is 4.", "4", "statement"),
        (r"\boxed{3}. Checking again, the answer is 4.", "4", "statement"),
        ("First.\nTherefore the total is 9 apples.", "9 apples", "closing line"),
        ("$-3, 3$", "$-3, 3$", "whole"),
        ("We have 5 apples.\nLet me know whether this helps you.", "5 apples", "whole"),
        ("We count.\nSo there are 5 apples which are red.", "5", "amount"),
        ("The side is 4 times the base of the triangle that we drew before.", None, "closing line"),
        ('{"answer": 10}', "10", "json"),
        (r"\boxed{\frac{1}{2", None, "boxed"),
    ],
)
def test_commitment(answer: str, extracted: str | None, form: str) -> None:
    verdict = judge("1", answer)
    assert (verdict.extracted or None, verdict.form) == (extracted, form)


@pytest.mark.parametrize(
    ("reference", "answer", "outcome"),
    [
        ("B", r"\boxed{12}", "match"),
        ("12", r"\boxed{B}", "match"),
        ("B", r"\boxed{10}", "no_match"),
        ("C", "D", "no_match"),
    ],
)
def test_options(reference: str, answer: str, outcome: str) -> None:
    assert judge(reference, answer, ("10", "12", "14")).outcome == outcome


@pytest.mark.parametrize(
    "expression",
    [
        "9^{9^{9^9}}",
        "((99999!)!)!",
        r"(x+y+z+w+1)^{900}",
        r"\prod_{k=1}^{99999}(x+k)",
        "(" * 500 + "1" + ")" * 500,
        r"\sqrt{" * 200 + "2" + "}" * 200,
        "9" * 100_000,
        r"\binom{999999}{499999}x",
    ],
)
def test_costly_expressions_end(expression: str) -> None:
    started = time.monotonic()
    assert judge("x+1", rf"\boxed{{{expression}}}", seconds=2).outcome == "no_match"
    assert time.monotonic() - started < 60


def test_a_process_is_killed_at_the_limit_and_replaced() -> None:
    with pytest.raises(AlgebraTimeout):
        POOL.equal("(x+y+z+w+1)^{900}+x", "x+1", 0.5)
    assert POOL.equal("x+1", "1+x", 60)


def test_no_process_outlives_its_killed_parent() -> None:
    code = (
        "from beam_rs.verifiers._math_pool import POOL; import time; POOL.equal('x', 'y', 60);"
        "print(next(iter(POOL._all))._process.pid, flush=True); time.sleep(600)"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    with parent:
        child = int(parent.stdout.readline())
        parent.kill()
    for _ in range(100):
        if not os.path.exists(f"/proc/{child}"):
            return
        time.sleep(0.1)
    pytest.fail("the worker is still there")


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=60))
def test_nothing_raises(text: str) -> None:
    for answer in (text, rf"\boxed{{{text}}}"):
        assert judge(r"\frac{1}{2}", answer, seconds=1).outcome in ("match", "no_match")
        judge(text, answer, seconds=1)


@given(st.fractions(max_denominator=999), st.fractions(max_denominator=999))
def test_fractions(a, b) -> None:
    said = rf"The answer is $\frac{{{2 * b.numerator}}}{{{2 * b.denominator}}}$."
    assert (judge(str(a), said).outcome == "match") == (a == b)


def test_a_default_timeout_of_sockets_does_not_reach_the_algebra() -> None:
    """Google's storage client sets one for the whole process."""
    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(5)
    pool = Pool()
    try:
        assert pool.equal("2+3i", "3i+2", 60)
    finally:
        socket.setdefaulttimeout(before)
        pool.close()
