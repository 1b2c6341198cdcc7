#!/usr/bin/env python3
"""Assembles the sources of the site: the pages of docs/site/src, the guides of docs/, the pages of the studies and of the
project. The texts are in one place each; links between them are rewritten, and files that pages link to are copied.

    docs/site/assemble.py target/site-source [--live]

With --live, the site has the explorer page in its folder `explorer`, and figures are live: the comment
`<!-- live: NAME.toml vary="KEY=RANGE" … -->` makes the picture after it an element <narrows-live> (crates/web/page/live.js)
for the description NAME.toml of the same page, or for a shipped example. Without it, or without a script, the picture
itself is shown.
"""

import argparse
import html
import os
import pathlib
import re
import shutil
import shlex
import sys
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
SITE = "docs/site/src"
PROJECT = {"CONTRIBUTING.md": "project/contributing.md", "CHANGELOG.md": "project/changelog.md",
           "SECURITY.md": "project/security.md", "README.md": "index.md"}
# Files that a browser shows; others get the extension .txt.
SHOWN = {".svg", ".png", ".txt", ".html"}


def pages():
    """Returns the path in the site of each page, by its path in the project."""
    found = {}
    for path in sorted((ROOT / SITE).rglob("*.md")):
        found[str(path.relative_to(ROOT))] = str(path.relative_to(ROOT / SITE))
    for path in sorted((ROOT / "docs").glob("*.md")):
        found[f"docs/{path.name}"] = f"guide/{path.name}"
    for path in sorted((ROOT / "papers").glob("*/README.md")):
        found[str(path.relative_to(ROOT))] = f"studies/{path.parent.name}.md"
    found.update({name: place for name, place in PROJECT.items() if (ROOT / name).exists()})
    return found


# The attributes of a live figure.
LIVE = {"vary", "metric", "against", "label", "set"}


def files(text):
    """Returns the files that a page writes for its examples, by name."""
    found = re.findall(r"^<!-- file: (\S+) -->\n```\w*\n(.*?)^```", text, re.M | re.S)
    return dict(found)


def live(page, text, words):
    """Returns the beginning of the element of a live figure. It is one line, as an element of its own in Markdown is."""
    name, *attributes = shlex.split(words)
    machine = files(text).get(name)
    values = {"description": name} if machine is None else {"text": machine}
    if machine is None and not (ROOT / "examples" / f"{name}.toml").exists():
        sys.exit(f"{page}: the live figure is of `{name}`, which is neither a file of the page nor an example")
    for attribute in attributes:
        key, _, value = attribute.partition("=")
        if key not in LIVE:
            sys.exit(f"{page}: a live figure has no attribute `{key}`; it has {', '.join(sorted(LIVE))}")
        values[key] = value
    written = (f'{key}="{html.escape(value).replace(chr(10), "&#10;")}"' for key, value in values.items())
    return f"<narrows-live {' '.join(written)}>"


class Assembly:
    def __init__(self, out, is_live):
        self.out, self.places, self.is_live = out / "src", pages(), is_live

    def copy(self, path):
        """Copies a file or the list of a folder that a page links to, and returns its path in the site."""
        source = ROOT / path
        if source.is_dir():
            page = self.places.get(f"{path}/README.md")
            if page:
                return page
            place = f"source/{path}.txt"
            names = sorted(entry.name + "/" * entry.is_dir() for entry in source.iterdir())
            text = f"{path}/\n\n" + "".join(f"{name}\n" for name in names)
        else:
            # mdBook takes any name with .md for a page.
            place = f"source/{path}".removesuffix(".md") + ("" if source.suffix in SHOWN else ".txt")
            text = None
        target = self.out / place
        target.parent.mkdir(parents=True, exist_ok=True)
        if text is None:
            shutil.copyfile(source, target)
        else:
            target.write_text(text)
        return place

    def link(self, page, link):
        if re.match(r"^([a-z]+:|#)", link):
            return link
        path, mark, anchor = link.partition("#")
        full = os.path.normpath(os.path.join(os.path.dirname(page), urllib.parse.unquote(path)))
        if full.startswith(f"{SITE}/reference/"):
            place = full.removeprefix(f"{SITE}/")
        else:
            page_of = self.places.get(full) if full != f"{SITE}/SUMMARY.md" else None  # a list, not a page
            place = page_of or self.copy(full)
        here = os.path.dirname(self.places[page])
        return os.path.relpath(place, here or ".") + mark + anchor

    def script(self, page):
        """Returns the line that loads the elements of live figures."""
        here = os.path.dirname(self.places[page])
        return f'<script type="module" src="{os.path.relpath("explorer/live.js", here or ".")}"></script>'

    def rewrite(self, page, text):
        lines, is_code, is_open, has_live = [], False, False, False
        for line in text.splitlines():
            found = re.match(r"^<!-- live: (.*) -->$", line)
            if found and not is_code:
                begin = live(page, text, found[1])
                is_open = has_live = self.is_live
                if is_open:
                    lines += [begin, ""]
                continue
            if is_open and not line.strip():
                lines += ["", "</narrows-live>"]
                is_open = False
            if re.match(r"^\s*```", line):
                is_code = not is_code
            elif not is_code:
                spans = [match.span() for match in re.finditer(r"`[^`]*`", line)]

                def change(match):
                    is_code_span = any(start < match.start() < end for start, end in spans)
                    return match[0] if is_code_span else f"]({self.link(page, match[1])})"

                line = re.sub(r"\]\(([^)\s]+)\)", change, line)
                # The name of a file is shown above its text.
                line = re.sub(r"^<!-- file: (\S+) -->$", r'<p class="file">\1</p>\n', line)
            lines.append(line)
        if is_open:
            lines += ["", "</narrows-live>"]
        if has_live:
            lines += ["", self.script(page)]
        return "\n".join(lines) + "\n"

    def write(self):
        for page, place in self.places.items():
            if page == "README.md":
                continue
            target = self.out / place
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(self.rewrite(page, (ROOT / page).read_text()))
        for name in ("book.toml", "wide.css", "accessible.js"):
            shutil.copyfile(ROOT / "docs/site" / name, self.out.parent / name)
        for path in (ROOT / SITE).rglob("*"):
            if path.is_file() and path.suffix != ".md":
                target = self.out / path.relative_to(ROOT / SITE)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, target)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--live", action="store_true", help="make figures live: the site has the explorer page")
    parser.add_argument("out", metavar="OUT", help="folder to write")
    options = parser.parse_args()
    summary = (ROOT / SITE / "SUMMARY.md").read_text()
    listed = {os.path.normpath(os.path.join(SITE, link)) for link in re.findall(r"\]\(([^)]+)\)", summary)}
    unlisted = sorted(set(pages()) - listed - {"README.md", f"{SITE}/SUMMARY.md"})
    if unlisted:
        sys.exit(f"{SITE}/SUMMARY.md does not list {', '.join(unlisted)}")
    out = pathlib.Path(options.out).resolve()
    shutil.rmtree(out, ignore_errors=True)
    Assembly(out, options.live).write()


if __name__ == "__main__":
    main()
