"""The direction of imports: pure modules ← the five folders ← the job ← transforms ← runners ← the command line."""

import ast
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "beam_rs"
FOLDERS = ("formats", "cleaning", "verifiers", "engines", "exports")
GROUND = ("schema", "errors", "naming", "registry", "")
WIRING = ("transforms", "runners")
TOP = ("cli", "commands", "__main__")
HEAVY = ("apache_beam", "vllm", "tensorflow", "torch", "rapidocr", "onnxruntime", "datasets", "sympy")

FILES = sorted(path for path in PACKAGE.rglob("*.py") if "__pycache__" not in path.parts)
FILES += sorted(path for name in WIRING for path in (PACKAGE / name).rglob("*.py") if path not in FILES)
NAMES = {".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path for path in FILES}
PURE = sorted(name for name in NAMES if name.split(".")[1:2] not in ([one] for one in (*WIRING, *TOP)))


def imports(name: str, *, everywhere: bool = True) -> set[str]:
    """Modules that a module imports; names of our package are taken down to the module."""
    tree = ast.parse(NAMES[name].read_text(encoding="utf-8"))
    inner = [node for top in tree.body if isinstance(top, (ast.FunctionDef, ast.ClassDef)) for node in ast.walk(top)]
    late = set() if everywhere else {id(node) for node in inner}
    found: set[str] = set()
    for node in ast.walk(tree):
        if id(node) in late:
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name}: a relative import"
            found |= {_module(node.module or "", alias.name) for alias in node.names}
    return found


def _module(module: str, name: str) -> str:
    return f"{module}.{name}" if f"{module}.{name}" in NAMES else module


def layer(name: str) -> str:
    """`schema` and the like for a module of the package, `formats` and the like for one of a folder."""
    return ".".join(name.split(".")[1:2])


OURS = {name: sorted(one for one in imports(name) if one.split(".")[0] == "beam_rs") for name in NAMES}
JOB = {"config", "settings", "yamlfile", "job"}
"""What reads the configuration: it knows the tables of the five folders."""


def knows_folders(name: str) -> bool:
    """Whether a pure module outside the folders imports one of them, itself or by another pure module."""
    return any(layer(one) in FOLDERS or (layer(one) not in GROUND and knows_folders(one)) for one in OURS[name])


def test_all_modules_are_seen():
    assert {"beam_rs.transforms.recipes", "beam_rs.runners.launch", "beam_rs.verifiers.alnum"} <= set(NAMES)


@pytest.mark.parametrize("name", [n for n in NAMES if layer(n) in GROUND])
def test_the_ground_imports_nothing_of_ours(name: str):
    assert {layer(one) for one in OURS[name]} <= set(GROUND)


@pytest.mark.parametrize("name", [n for n in NAMES if layer(n) in FOLDERS])
def test_a_folder_imports_pure_modules_and_itself(name: str):
    for one in OURS[name]:
        assert layer(one) == layer(name) or layer(one) not in (*FOLDERS, *WIRING, *TOP, *JOB), one
        assert layer(one) in (layer(name), *GROUND) or not knows_folders(one), f"{one} imports one of the folders"


@pytest.mark.parametrize(
    ("below", "above"),
    [(PURE, (*WIRING, *TOP)), ([n for n in NAMES if layer(n) == "transforms"], ("runners", *TOP))],
    ids=["pure", "transforms"],
)
def test_nothing_imports_upwards(below: list[str], above: tuple[str, ...]):
    assert not [(name, one) for name in below for one in OURS[name] if layer(one) in above]


def test_runners_are_imported_by_the_command_line_alone():
    users = {name for name in NAMES for one in OURS[name] if layer(one) == "runners" and layer(name) != "runners"}
    assert {layer(name) for name in users} <= set(TOP)


def test_there_is_no_cycle():
    graph = {name: {one for one in imports(name, everywhere=False) if one in NAMES} - {name} for name in NAMES}
    packages = {name for name, path in NAMES.items() if path.name == "__init__.py"}
    TopologicalSorter({name: found - packages for name, found in graph.items()}).prepare()


@pytest.mark.parametrize("name", sorted(NAMES))
def test_what_no_module_does(name: str):
    text = NAMES[name].read_text(encoding="utf-8")
    assert "__future__" not in imports(name), "it turns every Beam type hint into Any"
    assert not {one for one in imports(name) if one.split(".")[0] in WIRING}, "import beam_rs.transforms, .runners"
    assert "except Exception: pass" not in text
    if layer(name) not in WIRING:
        assert not {one for one in imports(name, everywhere=False) if one.split(".")[0] in HEAVY}


def test_importing_pure_modules_loads_nothing_heavy():
    pure = [name for name in PURE if not name.endswith("__main__")]
    code = f"import importlib, sys\nfor name in {pure}: importlib.import_module(name)\n"
    code += f"print([name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.strip() == "[]"


def test_the_links_are_relative():
    assert {name: str((PACKAGE / name).readlink()) for name in WIRING} == {name: f"../{name}" for name in WIRING}
