"""The package as users get it: a wheel built from the sdist, an editable install and a plain checkout import alike."""

import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1_500)]

IGNORED = shutil.ignore_patterns(".*", "__pycache__", "*.egg-info", "build", "dist", "out", "tests", "benchmarks")
LOOK = """
import os, beam_rs, beam_rs.runners.launch, beam_rs.transforms.recipes, importlib.util as util
top = os.path.dirname(os.path.dirname(beam_rs.__file__))
for module in (beam_rs.runners.launch, beam_rs.transforms.recipes):
    assert module.__file__.startswith(os.path.join(top, "beam_rs")), module.__file__
print(beam_rs.__version__, top, [name for name in ("runners", "transforms") if util.find_spec(name)])
"""


def called(*command: object, **options: object) -> str:
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)  # type: ignore[call-overload]
    assert done.returncode == 0, done.stdout + done.stderr
    return str(done.stdout)


@pytest.fixture(scope="module")
def checkout(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sources, its links kept, so that building leaves nothing in the repository."""
    place = tmp_path_factory.mktemp("checkout") / "beam_rs"
    shutil.copytree(root, place, symlinks=True, ignore=IGNORED)
    return place


@pytest.fixture(scope="module")
def sdist(checkout: Path) -> Path:
    called(sys.executable, "-m", "build", "--sdist", "--no-isolation", checkout)
    (made,) = (checkout / "dist").glob("*.tar.gz")
    return made


@pytest.fixture(scope="module")
def wheel(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from the sdist, as pip and Beam's `--setup_file` do."""
    folder = tmp_path_factory.mktemp("wheel")
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    (unpacked,) = folder.iterdir()
    called(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, unpacked)
    (made,) = folder.glob("*.whl")
    return made


def environment(folder: Path) -> Path:
    """Python of a new environment that sees the dependencies installed here, but not this package."""
    venv.create(folder, symlinks=True)
    (own,) = folder.glob("lib/python*/site-packages")
    for path in Path(sysconfig.get_path("purelib")).iterdir():
        # An editable install is a pointer of some sort; whatever its name, it holds the package's.
        if not path.name.replace("-", "_").lstrip("_").startswith(("beam_rs", "editable__beam_rs", "_editable")):
            (own / path.name).symlink_to(path)
    return folder / "bin" / "python"


def installed(folder: Path, source: str | Path, *options: str) -> Path:
    """Python of an environment with the package installed."""
    python = environment(folder)
    command = [
        python,
        "-m",
        "pip",
        "install",
        "-q",
        "--no-deps",
        "--no-build-isolation",
        "--no-index",
        *options,
        source,
    ]
    called(*command, cwd=folder)
    return python


def test_the_sdist_holds_links_as_folders_and_no_foreign_top(sdist: Path):
    with tarfile.open(sdist) as archive:
        names = [name.split("/", 1)[1] for name in archive.getnames() if "/" in name]
    assert {"LICENSE", "README.md", "setup.py", "pyproject.toml"} <= set(names)
    assert {"beam_rs/transforms/recipes.py", "beam_rs/runners/launch.py", "beam_rs/cli.py"} <= set(names)


def test_the_wheel_holds_one_package_and_all_of_it(wheel: Path, root: Path):
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    tops = {name.split("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"beam_rs"}
    ours = [path for folder in ("beam_rs", "transforms", "runners") for path in (root / folder).rglob("*.py")]
    parts = [path.relative_to(root).parts for path in ours if "__pycache__" not in path.parts]
    expected = {"/".join(part if part[0] == "beam_rs" else ("beam_rs", *part)) for part in parts}
    assert expected <= names
    data = {path.name for path in (root / "beam_rs").rglob("*") if path.suffix in (".j2", ".typed")}
    assert data <= {name.rsplit("/", 1)[-1] for name in names}
    assert any(name.endswith("LICENSE") for name in names)


def test_the_wheel_names_its_licence_and_its_command(wheel: Path):
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith("METADATA"))
        (entry,) = (name for name in archive.namelist() if name.endswith("entry_points.txt"))
        metadata, commands = archive.read(name).decode(), archive.read(entry).decode()
    head = metadata.split("\n\n")[0]
    assert "Apache-2.0" in head and "Requires-Python: >=3.10,<3.14" in head
    assert "beam-rs = beam_rs.cli:main" in commands


def test_wheel_editable_and_checkout_import_alike(wheel: Path, checkout: Path, tmp_path: Path):
    by_wheel = installed(tmp_path / "wheel", wheel)
    by_link = installed(tmp_path / "editable", checkout, "--editable")
    plain = environment(tmp_path / "plain")
    places = [(by_wheel, tmp_path), (by_link, tmp_path), (plain, checkout)]
    found = [called(python, "-c", LOOK, cwd=place).split() for python, place in places]
    assert len({version for version, *_ in found}) == 1
    assert [tops for *_, tops in found[:2]] == ["[]", "[]"], "only beam_rs is importable at the top"
    assert "site-packages" in found[0][1] and found[1][1] == found[2][1] == str(checkout)
    assert called(by_wheel.parent / "beam-rs", "--version", cwd=tmp_path).startswith("beam-rs ")
