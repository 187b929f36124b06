import pytest

from beam_rs.schema import Case, Completion
from beam_rs.verifiers import verify
from beam_rs.verifiers.longform import Longform


@pytest.mark.parametrize("answer", ["A man rides a wave.", "Something else.", ""])
def test_nothing_is_judged_not_even_the_reference_itself(answer):
    case = Case(("A man rides a wave.",), "Describe the image.")
    assert Longform().unjudgeable(case) == "free-form reference"
    assert verify(Longform(), case, Completion("k", answer=answer)).outcome == "unjudgeable"
