#!/usr/bin/env python3
"""Checks the pages of Narrows: examples are run and their output compared, links and anchors are followed.

    docs/site/check.py --narrows target/release/narrows            examples and links of the sources
    docs/site/check.py --narrows target/release/narrows --write    examples with another output are rewritten
    docs/site/check.py --links-only                                links of the sources, without a program
    docs/site/check.py --html target/site                          links of the built site

An example is a block of the language `console`. A line that begins with `$ ` is a command, which a `\\` at its end
continues; the lines up to the next command are its output. The commands of one page run one after the other in one
temporary folder. The comment `<!-- file: NAME -->` before a block of any language writes the block to a file of that
folder; `<!-- picture: NAME -->` compares the picture NAME next to the page with the file that the commands wrote. The output is that on standard output; if the command fails, what it printed on standard error follows, and so do
the notes of the commands in WITH_NOTES. A line that consists of `…` matches any number of lines. All other lines must be equal byte for byte, except for the wall-clock
time in `N events in S s`.

Exits with 1 if a check fails; each failure is printed as FILE:LINE with the difference. Needs the standard library only.
"""

import argparse
import difflib
import html.parser
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
SITE = ROOT / "docs/site/src"
# Programs that an example may call.
PROGRAMS = {"narrows", "cat", "cut", "echo", "grep", "head", "ls", "sed", "sort", "tail", "wc"}
TIMEOUT_S = 300
# Commands without progress, whose notes on standard error are part of the example.
WITH_NOTES = re.compile(r"^narrows (check|merge|new|plot|report)\b[^|>]*$")
# A test of the workspace compares the example of this page.
TESTED_ELSEWHERE = {"docs/measurements.md"}
ANY = "…"
EVENTS = re.compile(r"^(\d+ events in )[\d.]+ s$")


class Block:
    """A fenced block of a page."""

    def __init__(self, page, line, language, indent, directive):
        self.page, self.line, self.language, self.indent = page, line, language, indent
        self.directive = directive  # the name of a file to write, or None
        self.lines = []


def blocks(page, text):
    """Returns the fenced blocks of a page; `line` is the number of the first line inside the block."""
    found, open_block, directive = [], None, None
    for number, line in enumerate(text.splitlines(), 1):
        fence = re.match(r"^(\s*)```(.*)$", line)
        if open_block is None and fence:
            open_block = Block(page, number + 1, fence[2].strip(), fence[1], directive)
            directive = None
        elif open_block is not None and fence:
            found.append(open_block)
            open_block = None
        elif open_block is not None:
            open_block.lines.append(line.removeprefix(open_block.indent))
        elif line.strip():
            match = re.match(r"^<!-- file: (\S+) -->$", line.strip())
            directive = match[1] if match else None
    return found


def examples(block):
    """Returns the commands of a block as (index of the first line, command, index of the first line of output, output)."""
    found, index = [], 0
    lines = block.lines
    while index < len(lines):
        start = index
        if not lines[index].startswith("$ "):
            raise SystemExit(f"{block.page}:{block.line + index}: the block does not begin with a command")
        command = lines[index][2:]
        while command.endswith("\\"):
            index += 1
            command = command[:-1] + lines[index].lstrip().removeprefix("> ")
        index += 1
        first = index
        while index < len(lines) and not lines[index].startswith("$ "):
            index += 1
        output = lines[first:index]
        while output and not output[-1]:  # an empty line before the next command
            output.pop()
        found.append((start, command, first, output))
    return found


def masked(line):
    return EVENTS.sub(r"\1… s", line.rstrip("\r"))


def segments(shown):
    """Returns the runs of lines between lines that match anything."""
    parts = [[]]
    for line in shown:
        if line.strip() == ANY:
            parts.append([])
        else:
            parts[-1].append(line)
    return parts


def matches(shown, actual):
    shown, actual = [masked(line) for line in shown], [masked(line) for line in actual]
    parts = segments(shown)
    if len(parts) == 1:
        return shown == actual
    first, *middle, last = parts
    if actual[: len(first)] != first or len(actual) < len(first) + len(last):
        return False
    if last and actual[-len(last):] != last:
        return False
    at, end = len(first), len(actual) - len(last)
    for part in middle:
        at = next((i + len(part) for i in range(at, end - len(part) + 1) if actual[i: i + len(part)] == part), None)
        if at is None:
            return False
    return True


def rewritten(shown, actual):
    """Returns the actual output, with the same omissions as the shown one."""
    parts = segments(shown)
    if len(parts) == 1:
        return actual
    first, *middle, last = parts
    result = actual[: len(first)]
    at, end = len(result), max(len(result), len(actual) - len(last))
    for part in middle:
        def likeness(start):
            pairs = zip(part, actual[start: start + len(part)])
            return sum(difflib.SequenceMatcher(None, a, b).ratio() for a, b in pairs)
        starts = range(at, max(at + 1, end - len(part) + 1))
        best = max(starts, key=likeness)
        result += [ANY] + actual[best: best + len(part)]
        at = best + len(part)
    return result + [ANY] + (actual[end:] if last else [])


def run(command, folder, environment):
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=folder, env=environment, capture_output=True,
                          timeout=TIMEOUT_S, stdin=subprocess.DEVNULL)
    text = done.stdout.decode()
    # `head` closes a pipe early, which is no failure of the command before it.
    if done.returncode not in (0, 141) or WITH_NOTES.match(command):
        text += done.stderr.decode()
    lines = [line.rstrip() for line in text.splitlines()]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def is_run(block, page):
    if block.language != "console" or str(block.page) in TESTED_ELSEWHERE:
        return False
    programs = {re.split(r"\s", command.strip())[0] for _, command, _, _ in examples(block)}
    foreign = programs - PROGRAMS
    if foreign and SITE in page.parents:
        raise SystemExit(f"{page.relative_to(ROOT)}:{block.line}: {', '.join(sorted(foreign))}: use a block `sh`")
    return not foreign


def check_examples(pages, narrows, is_writing, durations):
    failures = count = 0
    with tempfile.TemporaryDirectory() as programs:
        os.symlink(narrows, pathlib.Path(programs) / "narrows")
        for page in pages:
            text = page.read_text()
            name = page.relative_to(ROOT)
            lines = text.splitlines()
            changes = []
            with tempfile.TemporaryDirectory() as folder:
                environment = {"PATH": f"{programs}:/usr/bin:/bin", "HOME": folder, "LC_ALL": "C.UTF-8",
                               "COLUMNS": "100", "NO_COLOR": "1"}
                for block in blocks(name, text):
                    if block.directive:
                        (pathlib.Path(folder) / block.directive).write_text("\n".join(block.lines) + "\n")
                    if not is_run(block, page):
                        continue
                    for _, command, first, shown in examples(block):
                        count += 1
                        begin = time.monotonic()
                        actual = run(command, folder, environment)
                        durations.append((time.monotonic() - begin, f"{name}:{block.line + first - 1}", command))
                        if matches(shown, [line for line in actual]):
                            continue
                        at = block.line + first - 1  # index of the first line of output
                        if is_writing:
                            new = [block.indent + line if line else line for line in rewritten(shown, actual)]
                            changes.append((at, len(shown), new))
                            continue
                        failures += 1
                        print(f"{name}:{at}: the output of `{command}` differs:")
                        for line in difflib.unified_diff(shown, actual, "page", "program", lineterm="", n=2):
                            print(f"    {line}")
                for number, line in enumerate(lines, 1):
                    match = re.match(r"^<!-- picture: (\S+) -->$", line.strip())
                    if not match:
                        continue
                    made, kept = pathlib.Path(folder) / match[1], page.parent / match[1]
                    if made.exists() and kept.exists() and made.read_bytes() == kept.read_bytes():
                        continue
                    if is_writing and made.exists():
                        shutil.copyfile(made, kept)
                        print(f"{name}: wrote {match[1]}")
                    else:
                        failures += 1
                        print(f"{name}:{number}: the commands of the page do not write this picture")
            if changes:
                for at, length, new in reversed(changes):
                    lines[at: at + length] = new
                page.write_text("\n".join(lines) + "\n")
                print(f"{name}: {len(changes)} outputs rewritten")
    print(f"{count} examples, {failures} differ")
    return failures


def without_code(text):
    """Returns the text with blocks and code spans blanked, so that line numbers stay."""
    lines, is_code = [], False
    for line in text.splitlines():
        if re.match(r"^\s*```", line):
            is_code = not is_code
            lines.append("")
        else:
            lines.append("" if is_code else re.sub(r"`[^`]*`", lambda m: "x" * len(m[0]), line))
    return lines


def slug(heading):
    heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    heading = re.sub(r"[`*]", "", heading).strip().lower()
    return "".join("-" if c.isspace() else c for c in heading if c.isalnum() or c in "-_" or c.isspace())


def anchors(page):
    found, is_code = {}, False
    result = set()
    for line in page.read_text().splitlines():
        if re.match(r"^\s*```", line):
            is_code = not is_code
        match = None if is_code else re.match(r"^#{1,6}\s+(.*?)\s*#*$", line)
        if match:
            name = slug(match[1])
            result.add(name if name not in found else f"{name}-{found[name]}")
            found[name] = found.get(name, 0) + 1
        result.update(re.findall(r'\bid="([^"]+)"', line))
    return result


def links(page):
    """Returns the links of a page in Markdown as (line, target)."""
    for number, line in enumerate(without_code(page.read_text()), 1):
        for match in re.finditer(r"\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)", line):
            yield number, match[1]


def check_links(pages):
    failures = count = 0
    for page in pages:
        for number, link in links(page):
            if re.match(r"^[a-z]+:", link):
                continue
            count += 1
            path, _, anchor = link.partition("#")
            target = (page.parent / urllib.parse.unquote(path)).resolve() if path else page
            problem = None
            if SITE / "reference" in target.parents:
                continue  # generated; `--html` checks these links
            if not target.exists():
                problem = f"there is no file {os.path.relpath(target, ROOT)}"
            elif anchor and target.suffix == ".md" and urllib.parse.unquote(anchor) not in anchors(target):
                problem = f"{os.path.relpath(target, ROOT)} has no heading #{anchor}"
            if problem:
                failures += 1
                print(f"{page.relative_to(ROOT)}:{number}: {link}: {problem}")
    print(f"{count} links of {len(pages)} pages, {failures} broken")
    return failures


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.ids, self.links = set(), []

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.ids.update(value for value in (values.get("id"), values.get("name") if tag == "a" else None) if value)
        for key in ("href", "src"):
            if values.get(key) and tag != "base":
                self.links.append((self.getpos()[0], values[key]))


def check_html(folder):
    pages = {}
    for path in sorted(folder.rglob("*.html")):
        page = Page()
        page.feed(path.read_text())
        pages[path] = page
    failures = count = 0
    for path, page in pages.items():
        if path.name in ("404.html", "toc.html"):  # their links are relative to another page
            continue
        for number, link in page.links:
            if re.match(r"^([a-z]+:|//)", link):
                continue
            count += 1
            target, _, anchor = link.partition("#")
            target = (path.parent / urllib.parse.unquote(target.partition("?")[0])).resolve() if target else path
            problem = None
            if not target.exists():
                problem = f"there is no file {os.path.relpath(target, folder)}"
            elif anchor and target in pages and urllib.parse.unquote(anchor) not in pages[target].ids:
                problem = f"{os.path.relpath(target, folder)} has no anchor #{anchor}"
            if problem:
                failures += 1
                print(f"{path.relative_to(folder)}:{number}: {link}: {problem}")
    print(f"{count} links of {len(pages)} built pages, {failures} broken")
    return failures


def sources():
    pages = sorted((ROOT / "docs").rglob("*.md")) + sorted((ROOT / "papers").rglob("README.md"))
    names = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")
    return pages + [ROOT / name for name in names if (ROOT / name).exists()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--narrows", metavar="PROGRAM", help="program to run the examples with")
    parser.add_argument("--write", action="store_true", help="rewrite the outputs that differ")
    parser.add_argument("--links-only", action="store_true", help="check the links of the sources only")
    parser.add_argument("--html", metavar="FOLDER", help="check the links of a built site only")
    parser.add_argument("--slowest", type=int, default=0, metavar="N", help="print the N slowest examples")
    parser.add_argument("pages", nargs="*", help="pages to check [default: all]")
    options = parser.parse_args()
    if options.html:
        sys.exit(1 if check_html(pathlib.Path(options.html).resolve()) else 0)
    pages = [pathlib.Path(page).resolve() for page in options.pages] or sources()
    failures = check_links(pages)
    if not options.links_only:
        if not options.narrows:
            parser.error("--narrows PROGRAM is required to run the examples; --links-only checks the links alone")
        durations = []
        narrows = pathlib.Path(options.narrows).resolve()
        failures += check_examples(pages, narrows, options.write, durations)
        for seconds, place, command in sorted(durations, reverse=True)[: options.slowest]:
            print(f"{seconds:6.1f} s  {place}  {command}")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
