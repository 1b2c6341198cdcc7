#!/usr/bin/env python3
"""Make a linked WebAssembly module one that a page instantiates without imports.

The charts' library brings descriptions of the whole web interface, which nothing calls: thousands of exports, some
imports, and custom sections. This program drops exports other than those of KEPT and all custom sections, and gives
each imported function a body that traps, so that no function has another number. `wasm-opt` then removes what no
export reaches; without it the module is larger and does the same.

Usage: prune.py FROM TO
"""

import sys

KEPT = {"memory", "take", "ask", "answer", "answer_length"}
CUSTOM, IMPORT, FUNCTION, EXPORT, CODE = 0, 2, 3, 7, 10
TRAP = bytes([3, 0, 0, 0x0B])  # size, no locals, unreachable, end


def number(data, at):
    """Return the unsigned LEB128 number at `at`, and the position after it."""
    value = shift = 0
    while True:
        byte = data[at]
        at, value, shift = at + 1, value | (byte & 127) << shift, shift + 7
        if byte < 128:
            return value, at


def leb(value):
    """Return a number as unsigned LEB128."""
    out = bytearray()
    while True:
        value, byte = value >> 7, value & 127
        out.append(byte | (128 if value else 0))
        if not value:
            return bytes(out)


def imported_types(body):
    """Return the type of each imported function."""
    count, at = number(body, 0)
    types = []
    for _ in range(count):
        for _ in range(2):
            length, at = number(body, at)
            at += length
        if body[at] != 0:
            sys.exit("the module imports something other than functions")
        kind, at = number(body, at + 1)
        types.append(leb(kind))
    return types


def kept_exports(body):
    """Return the export section with the exports of KEPT alone."""
    count, at = number(body, 0)
    kept = []
    for _ in range(count):
        start = at
        length, at = number(body, at)
        name = body[at : at + length].decode()
        _, at = number(body, at + length + 1)
        if name in KEPT:
            kept.append(body[start:at])
    if len(kept) != len(KEPT):
        sys.exit(f"the module exports {len(kept)} of the {len(KEPT)} functions that a page calls")
    return leb(len(kept)) + b"".join(kept)


def with_first(body, entries):
    """Return a section whose vector begins with `entries`."""
    count, at = number(body, 0)
    return leb(count + len(entries)) + b"".join(entries) + body[at:]


def pruned(data):
    """Return the module without imports, unused exports and custom sections."""
    out, at, types = [data[:8]], 8, []
    while at < len(data):
        kind = data[at]
        size, at = number(data, at + 1)
        body, at = data[at : at + size], at + size
        if kind == CUSTOM:
            continue
        if kind == IMPORT:
            types = imported_types(body)
            continue
        if kind == FUNCTION:
            body = with_first(body, types)
        elif kind == EXPORT:
            body = kept_exports(body)
        elif kind == CODE:
            body = with_first(body, [TRAP] * len(types))
        out.append(bytes([kind]) + leb(len(body)) + body)
    return b"".join(out)


if __name__ == "__main__":
    source, target = sys.argv[1:]
    with open(source, "rb") as file:
        module = file.read()
    with open(target, "wb") as file:
        file.write(pruned(module))
