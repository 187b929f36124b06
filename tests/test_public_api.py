import importlib

import pytest

import beam_rs
from beam_rs import registry
from beam_rs.cleaning import RULES, Rule
from beam_rs.engines import ENGINES, Engine
from beam_rs.errors import BeamRsError, ConfigError
from beam_rs.formats import FORMATS, Format
from beam_rs.verifiers import VERIFIERS, Verifier

TABLES = [(FORMATS, Format), (RULES, Rule), (VERIFIERS, Verifier), (ENGINES, Engine)]
PIECES = [(name, table, base) for table, base in TABLES for name in table]


@pytest.mark.parametrize("module", ["", ".formats", ".cleaning", ".verifiers", ".engines", ".ledger"])
def test_every_exported_name_is_there(module: str):
    found = importlib.import_module(f"beam_rs{module}")
    assert sorted(set(found.__all__)) == sorted(found.__all__)
    assert all(hasattr(found, name) for name in found.__all__)


def test_the_names_that_others_may_build_on():
    assert {"BeamRsError", "Completion", "Item", "Request", "Verdict", "__version__"} <= set(beam_rs.__all__)


@pytest.mark.parametrize(("name", "table", "base"), PIECES, ids=[name for name, *_ in PIECES])
def test_every_piece_keeps_the_contract_of_its_folder(name: str, table: dict[str, str], base: type):
    found = registry.lookup(table, name, "piece")
    assert issubclass(found, base) and found.name == name  # type: ignore[attr-defined]
    assert found.__doc__ and found.__doc__.strip().split("\n")[0].endswith((".", "?"))


@pytest.mark.parametrize(("table", "base"), TABLES)
def test_every_table_takes_ones_own_and_names_the_nearest(table: dict[str, str], base: type):
    name, target = next(iter(table.items()))
    assert registry.lookup(table, target, "piece") is registry.lookup(table, name, "piece")
    with pytest.raises(ConfigError, match="known: "):
        registry.lookup(table, f"{name}x", "piece")


def test_the_verifiers_that_are_promised():
    promised = "alnum anls vqa_soft exact relaxed mcq yesno count numeric math formula table iou kie_f1 ocr_contains"
    assert {*promised.split(), "mmmu_open", "longform"} <= set(VERIFIERS)


def test_every_error_of_ours_has_an_exit_code():
    def below(kind: type[BeamRsError]) -> list[type[BeamRsError]]:
        return [kind, *(one for sub in kind.__subclasses__() for one in below(sub))]

    assert {one.exit_code for one in below(BeamRsError)} == {1, 2, 130}
