"""The whole job on an object store: pool, source manifest, pictures, output and ledger, on a storage emulator."""

import hashlib
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from beam_rs import sample_pool

ENGINE = "engine={name: scripted, default: '<think>It is short.</think>coffee', faults: {sample-00003: timeout}}"


@dataclass(frozen=True)
class Store:
    """A bucket of an emulator.

    Attributes:
      host: address of the emulator.
    """

    host: str
    bucket: str = "data"

    @property
    def objects(self) -> Any:
        from google.auth.credentials import AnonymousCredentials
        from google.cloud.storage import Client

        client = Client("p", AnonymousCredentials(), client_options={"api_endpoint": self.host})
        return client.bucket(self.bucket)

    def make(self) -> None:
        from requests.exceptions import ConnectionError

        for _ in range(300):
            try:
                self.objects.create()
                return
            except ConnectionError:
                time.sleep(0.1)
        pytest.fail("the storage emulator does not answer")

    def upload(self, folder: Path, prefix: str) -> None:
        bucket = self.objects
        for file in sorted(path for path in folder.rglob("*") if path.is_file()):
            bucket.blob(f"{prefix}/{file.relative_to(folder)}").upload_from_string(file.read_bytes())

    def names(self, prefix: str) -> list[str]:
        return sorted(blob.name.removeprefix(prefix) for blob in self.objects.list_blobs(prefix=prefix))

    def read(self, name: str) -> bytes:
        data: bytes = self.objects.blob(name).download_as_bytes()
        return data


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    pytest.importorskip("gcp_storage_emulator", reason="needs gcp-storage-emulator, of the extra dev")
    pytest.importorskip("google.cloud.storage", reason="needs the extra gcp")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "gcp_storage_emulator", "start", "--in-memory", f"--port={port}"]
    emulator = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        made = Store(f"http://127.0.0.1:{port}")
        made.make()
        yield made
    finally:
        emulator.terminate()
        emulator.wait()


def run(config: Path, *arguments: object, host: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "beam_rs", "run", str(config), "--set", ENGINE, *map(str, arguments)]
    environment = {**os.environ, "STORAGE_EMULATOR_HOST": host} if host else dict(os.environ)
    return subprocess.run(command, capture_output=True, text=True, env=environment)


def on_store(config: Path, store: Store, output: str, *more: object) -> subprocess.CompletedProcess[str]:
    base = f"gs://{store.bucket}/in"
    places = {
        "pool": f"[{base}/pool*.jsonl]",
        "images.root": f"{base}/images",
        "output": f"gs://{store.bucket}/{output}",
    }
    places["cleaning.provenance.manifest"] = f"{base}/sources.jsonl"
    sets = [word for name, value in places.items() for word in ("--set", f"{name}={value}")]
    return run(config, *sets, "--no_auth", *more, host=store.host)


def figures(manifest: dict[str, Any]) -> Any:
    return manifest["counts"], manifest["reasons"], manifest["purity_shares"]


def test_the_whole_job(store: Store, tmp_path: Path, published):
    folder = tmp_path / "pool"
    sample_pool.write(folder, 60)
    config = folder / "config.yaml"
    here = run(config, "--set", f"output={tmp_path / 'out'}")
    assert here.returncode == 0, here.stderr
    store.upload(folder, "in")

    there = on_store(config, store, "out")
    assert there.returncode == 0, there.stdout + there.stderr
    manifest = json.loads(store.read("out/manifest.json"))
    local = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert figures(manifest) == figures(local) and manifest["counts"]["total"]["failed"] == 1

    files = {name: hashlib.sha256(store.read(f"out/{name}")).hexdigest() for name in store.names("out/")}
    kept = {name: sha for name, sha in files.items() if not name.startswith(".work/")}
    assert {file["path"] for file in manifest["files"]} | {"manifest.json"} == set(kept)
    data = published(tmp_path / "out", ".parquet", ".md")
    assert {name: sha for name, sha in kept.items() if name.endswith((".parquet", ".md"))} == data
    assert any(name.startswith(".work/ledger/") for name in files)
    assert not any(name.startswith(".work/attempts/") for name in files)


def test_pictures_by_uri_and_what_is_refused(store: Store, tmp_path: Path):
    """Local lines name pictures in a bucket; only those under an allowed prefix are read."""
    folder = tmp_path / "pool"
    sample_pool.write(folder, 60)
    word = (folder / "images" / "words" / "00000.png").read_bytes()
    for name in ("open/a.png", "openly/a.png"):
        store.objects.blob(name).upload_from_string(word)
    images = [
        f"gs://{store.bucket}/{path}" for path in ("open/a.png", "openly/a.png", "open/../in/a.png", "open/b.png")
    ]
    base = {"family": sample_pool.FAMILY, "question": "Read the word.", "answer": "coffee"}
    lines = [
        json.dumps({"id": f"u{n}", "image": image, **base}) for n, image in enumerate([*images, "words/00000.png"])
    ]
    (folder / "uris.jsonl").write_text("\n".join(lines))
    sets = [f"images.allow=[gs://{store.bucket}/open]", "cleaning.provenance=null", "limits.dead_letters=1"]
    more = [word for one in sets for word in ("--set", one)]
    config, output = folder / "config.yaml", tmp_path / "out"
    pool = ["--set", f"pool=[{folder}/uris.jsonl]", "--set", f"output={output}"]
    done = run(config, *pool, *more, "--no_auth", host=store.host)
    assert done.returncode == 0, done.stderr
    manifest = json.loads((output / "manifest.json").read_text())
    reasons = {name: n for name, n in manifest["reasons"]["total"].items() if name != "accepted.verifier"}
    # the same bytes in the bucket and under the root are one picture
    assert reasons == {"undecodable.refused": 2, "undecodable.missing": 1, "duplicate.equal": 1}

    for wrong, said in ((f"gs://{store.bucket}/none*.jsonl", "no file matches"), ("gs://no-such-bucket/*.jsonl", "")):
        refused = run(config, "--set", f"pool=[{wrong}]", *pool[2:], "--no_auth", host=store.host)
        assert refused.returncode == 2 and said in refused.stderr, refused.stderr
