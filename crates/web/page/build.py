#!/usr/bin/env python3
"""Writes the finished page: its files, the module, and the scripts for a page that is opened from a file.

    build.py MODULE OUT             MODULE is narrows.wasm; OUT/index.html is the page
    build.py --studies MODULE OUT   MODULE is the module of studies; OUT/study.html is their page in one file
    build.py --server OUT           the page of a native server, without the module

A page that is opened from a file may load neither modules of JavaScript nor the WebAssembly module. For it, bundle.js
holds the JavaScript in one classic script, and narrows.wasm.js the WebAssembly module in base64. The page of studies
holds styles, script and module (LZMA in base64) itself; `narrows reproduce PAPER --live --out FILE` writes the name of its paper into it.
Needs the standard library only; with the program `brotli`, narrows.wasm.br is written, too.
"""

import argparse
import base64
import gzip
import hashlib
import lzma
import pathlib
import re
import shutil
import subprocess
import sys
import tomllib

PAGE = pathlib.Path(__file__).resolve().parent
IMPORT = re.compile(r'^import \{([^}]*)\} from "\./([\w-]+\.js)";\n', re.M)
EXPORT = re.compile(r"^export ((?:async )?function|const|let|class) (\w+)", re.M)
COPIED_PATTERNS = ("*.js", "*.css", "*.html", "*.svg")
#: The files of the page of a study, without their extension.
STUDY_FILES = ("study", "lzma")


def imported_modules(text):
    """Returns the modules that a module imports."""
    return [match[2] for match in IMPORT.finditer(text)]


def append_with_imports(name, visited_names, ordered_names):
    """Appends a module to `ordered_names`, after all modules that it imports."""
    if name in visited_names:
        return
    visited_names.add(name)
    for imported_name in imported_modules((PAGE / name).read_text()):
        append_with_imports(imported_name, visited_names, ordered_names)
    ordered_names.append(name)


def module(name):
    """Returns a module as a function whose result is its exports."""
    text = (PAGE / name).read_text()
    exported = [match[2] for match in EXPORT.finditer(text)]

    def binding(match):
        names = ", ".join(part.strip().replace(" as ", ": ") for part in match[1].split(",") if part.strip())
        return f'const {{ {names} }} = modules["{match[2]}"];\n'

    text = EXPORT.sub(lambda match: f"{match[1]} {match[2]}", IMPORT.sub(binding, text))
    unsupported = re.search(r"^(?:import|export)\b.*", text, re.M)
    if unsupported:
        sys.exit(f"{name}: `{unsupported[0]}` is neither `import {{…}} from \"./FILE.js\"` nor an export of one declaration")
    return f'modules["{name}"] = (function () {{\n{text}\nreturn {{ {", ".join(exported)} }};\n}})();\n'


def bundle(entry):
    """Returns a module and all that it imports as one classic script."""
    ordered_names = []
    append_with_imports(entry, set(), ordered_names)
    return '(function () {\n"use strict";\nconst modules = {};\n' + "".join(map(module, ordered_names)) + "})();\n"


def in_base64(data):
    """Returns bytes as text."""
    return base64.b64encode(data).decode()


def compress_lzma(wasm):
    """Returns a module in the format that lzma.js unpacks: an .lzma file with a known size.

    The option `pb` is 0, since code has no alignment over several bytes.
    """
    options = {"id": lzma.FILTER_LZMA1, "preset": 9 | lzma.PRESET_EXTREME, "dict_size": 1 << 23, "lc": 4, "lp": 0, "pb": 0}
    data = lzma.compress(wasm, format=lzma.FORMAT_ALONE, filters=[options])
    return data[:5] + len(wasm).to_bytes(8, "little") + data[13:]


def replace_once(text, old, new):
    """Returns a text in which `old`, which must be there once, is replaced."""
    if text.count(old) != 1:
        sys.exit(f"study.html: `{old}` is there {text.count(old)} times")
    return text.replace(old, new)


def csp_hash(text):
    """Returns the source of a content security policy that admits an embedded script or style sheet."""
    return f"'sha256-{in_base64(hashlib.sha256(text.encode()).digest())}'"


def study_page(wasm):
    """Returns the page of studies in one file, which makes no request."""
    version = tomllib.loads((PAGE.parents[2] / "Cargo.toml").read_text())["workspace"]["package"]["version"]
    script = bundle("study.js")
    style = "".join((PAGE / name).read_text() for name in ("page.css", "study.css"))
    for text in (script, style):
        if re.search(r"</(script|style)|<!--", text, re.I):
            sys.exit("study.html: a script or style sheet contains the end of its element")
    icon = in_base64((PAGE / "icon.svg").read_bytes())
    policy = (f"default-src 'none'; script-src {csp_hash(script)} 'wasm-unsafe-eval'; worker-src blob:; "
              f"style-src {csp_hash(style)}; img-src data:; base-uri 'none'; form-action 'none'")
    meta_elements = [f'<meta http-equiv="Content-Security-Policy" content="{policy}">', '<meta name="narrows-engine" content="wasm">',
             f'<meta name="narrows-version" content="{version}">', '<meta name="narrows-study" content="">']
    page = (PAGE / "study.html").read_text()
    page = replace_once(page, '<meta name="narrows-engine" content="server">', "\n".join(meta_elements))
    page = replace_once(page, 'href="icon.svg"', f'href="data:image/svg+xml;base64,{icon}"')
    page = replace_once(page, '<link rel="stylesheet" href="page.css">\n', "")
    page = replace_once(page, '<link rel="stylesheet" href="study.css">', f"<style>{style}</style>")
    page = replace_once(page, '<script type="module" src="study.js"></script>\n', "")
    module = f'<script type="application/x-lzma" id="narrows-wasm">{in_base64(compress_lzma(wasm))}</script>'
    return replace_once(page, "</body>", f"{module}\n<script>{script}</script>\n</body>")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--server", action="store_true", help="write the page of a native server")
    parser.add_argument("--studies", action="store_true", help="write the page of studies in one file")
    parser.add_argument("module", nargs="?", metavar="MODULE", help="the WebAssembly module")
    parser.add_argument("out", metavar="OUT", help="folder to write")
    options = parser.parse_args()
    if options.server == bool(options.module):
        parser.error("name either a module or --server")
    out = pathlib.Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    if options.studies:
        (out / "study.html").write_text(study_page(pathlib.Path(options.module).read_bytes()))
        print(f"{(out / 'study.html').stat().st_size:9} study.html")
        return
    for pattern in COPIED_PATTERNS:
        for path in sorted(PAGE.glob(pattern)):
            if path.stem in STUDY_FILES and not options.server:
                continue  # the explorer's module does not judge the claims of studies
            shutil.copyfile(path, out / path.name)
    if options.server:
        index = (PAGE / "index.html").read_text()
        engine_mark = '<meta name="narrows-engine" content="wasm">'
        assert engine_mark in index
        (out / "index.html").write_text(index.replace(engine_mark, engine_mark.replace("wasm", "server")))
        return
    (out / "bundle.js").write_text(bundle("main.js"))
    wasm = pathlib.Path(options.module).read_bytes()
    (out / "narrows.wasm").write_bytes(wasm)
    module_base64 = in_base64(gzip.compress(wasm, 9, mtime=0))
    (out / "narrows.wasm.js").write_text(f'globalThis.NARROWS_WASM_GZIP = "{module_base64}";\n')
    if shutil.which("brotli"):
        subprocess.run(["brotli", "-q", "11", "-f", "-k", str(out / "narrows.wasm")], check=True)
    for path in sorted(out.iterdir()):
        print(f"{path.stat().st_size:9} {path.name}")


if __name__ == "__main__":
    main()
