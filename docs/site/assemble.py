#!/usr/bin/env python3
"""Assembles the sources of the site: the pages of docs/site/src, the guides of docs/, the pages of the studies and of the
project. The texts are in one place each; links between them are rewritten, and files that pages link to are copied.

    docs/site/assemble.py target/site-source
"""

import os
import pathlib
import re
import shutil
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


class Assembly:
    def __init__(self, out):
        self.out, self.places = out / "src", pages()

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

    def rewrite(self, page, text):
        lines, is_code = [], False
        for line in text.splitlines():
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
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    summary = (ROOT / SITE / "SUMMARY.md").read_text()
    listed = {os.path.normpath(os.path.join(SITE, link)) for link in re.findall(r"\]\(([^)]+)\)", summary)}
    unlisted = sorted(set(pages()) - listed - {"README.md", f"{SITE}/SUMMARY.md"})
    if unlisted:
        sys.exit(f"{SITE}/SUMMARY.md does not list {', '.join(unlisted)}")
    out = pathlib.Path(sys.argv[1]).resolve()
    shutil.rmtree(out, ignore_errors=True)
    Assembly(out).write()


if __name__ == "__main__":
    main()
