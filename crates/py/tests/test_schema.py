"""Checks that the schema accepts every shipped file and rejects faulty ones, as an editor with it would."""

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
        pytest.skip("NARROWS names no program that prints its schema")
    schema = json.loads(subprocess.run([program, "schema"], check=True, capture_output=True, text=True).stdout)
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def errors(validator, description):
    return [f"{error.json_path}: {error.message[:200]}" for error in validator.iter_errors(description)]


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_a_shipped_file_is_accepted(validator, file):
    description = tomllib.loads(file.read_text())
    if file.is_relative_to(ROOT / "machines"):
        # A part alone is not a description: its required tables come from other files.
        description["parts"] = []
    assert errors(validator, description) == []


@pytest.mark.parametrize(
    ("example", "keys", "value"),
    [
        ("offered-load", ("fabric", "router", "virtual-chanels"), 2),
        ("memory-bus", ("workload", "ping-pong", "paylod"), "64 B"),
        ("memory-bus", ("workload", "ping-pong", "messages"), "many"),
        ("memory-bus", ("ni",), "cni32"),
    ],
)
def test_faulty_description_is_rejected(validator, example, keys, value):
    description = tomllib.loads((ROOT / "examples" / f"{example}.toml").read_text())
    assert errors(validator, description) == []
    table = description
    for key in keys[:-1]:
        table = table.setdefault(key, {})
    table[keys[-1]] = value
    assert errors(validator, description) != []
