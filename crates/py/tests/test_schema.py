"""Does an editor that knows the schema accept every file that ships, and see what is wrong with others?"""

import json
import os
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
FILES = sorted([*(ROOT / "examples").glob("*.toml"), *(ROOT / "machines").rglob("*.toml")])


@pytest.fixture(scope="module")
def validator():
    jsonschema = pytest.importorskip("jsonschema")
    program = os.environ.get("NARROWS")
    if not program:
        pytest.skip("NARROWS names no program that tells its schema")
    schema = json.loads(subprocess.run([program, "schema"], check=True, capture_output=True, text=True).stdout)
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def wrong(validator, description):
    return [f"{error.json_path}: {error.message[:200]}" for error in validator.iter_errors(description)]


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_a_shipped_file_is_accepted(validator, file):
    description = tomllib.loads(file.read_text())
    if file.is_relative_to(ROOT / "machines"):
        # A part is no description by itself: what must stand is another's to bring.
        description["parts"] = []
    assert wrong(validator, description) == []


@pytest.mark.parametrize(
    ("of", "keys", "value"),
    [
        ("offered-load", ("fabric", "router", "virtual-chanels"), 2),
        ("memory-bus", ("workload", "ping-pong", "paylod"), "64 B"),
        ("memory-bus", ("workload", "ping-pong", "messages"), "many"),
        ("memory-bus", ("ni",), "cni32"),
    ],
)
def test_what_is_wrong_is_seen(validator, of, keys, value):
    description = tomllib.loads((ROOT / "examples" / f"{of}.toml").read_text())
    assert wrong(validator, description) == []
    table = description
    for key in keys[:-1]:
        table = table.setdefault(key, {})
    table[keys[-1]] = value
    assert wrong(validator, description) != []
