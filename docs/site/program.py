"""Calls a narrows program, reads its keys, and writes tables in Markdown."""

import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

# Longest time of a call, in seconds.
TIMEOUT_S = 120


def escape(text):
    return text.replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")


def code(text):
    return f"`{text}`" if text else ""


def table(heads, rows):
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def anchor(name):
    return re.sub(r"[^a-z0-9._-]+", "-", name.lower()).strip("-")


class Program:
    def __init__(self, path):
        self.path = str(pathlib.Path(path).resolve())
        self.folder = tempfile.TemporaryDirectory()
        # The help names the program as it was called.
        self.name = pathlib.Path(self.folder.name) / "narrows"
        self.name.symlink_to(self.path)

    def call(self, *arguments):
        """Returns the exit code, standard output and standard error of a call."""
        try:
            done = subprocess.run([str(self.name), *arguments], capture_output=True, text=True, timeout=TIMEOUT_S,
                                  cwd=self.folder.name)
        except subprocess.TimeoutExpired:
            return None, "", f"not finished after {TIMEOUT_S} s"
        return done.returncode, done.stdout, done.stderr

    def text(self, *arguments):
        code, out, err = self.call(*arguments)
        if code != 0:
            sys.exit(f"narrows {' '.join(arguments)}: exit code {code}\n{err}")
        return out

    def json(self, *arguments):
        return json.loads(self.text(*arguments, "--format", "json"))

    def run(self, description):
        """Runs a description; returns its result, or the error."""
        (pathlib.Path(self.folder.name) / "machine.toml").write_text(description)
        code, out, err = self.call("run", "machine.toml", "--format", "json")
        if code not in (0, 3) or not out:
            return None, err.strip()
        return json.loads(out), ""


Key = collections.namedtuple("Key", "name kind range meaning default about")


def read_keys(listing):
    keys, lines = [], listing.splitlines()
    for index, line in enumerate(lines):
        match = re.match(r"^([a-z][^ ]*)  \((.*)\)$", line)
        if not match:
            continue
        about = []
        for below in lines[index + 1:]:
            if not below.startswith("    "):
                break
            about.append(below.strip())
        fields = match[2].split("; ")
        kind, _, bounds = fields[0].partition(", ")
        keys.append(Key(match[1], kind, bounds, fields[1] if len(fields) > 2 else "", fields[-1], " ".join(about)))
    if not keys:
        sys.exit("narrows schema --keys prints no keys in the form that this script reads")
    return keys
