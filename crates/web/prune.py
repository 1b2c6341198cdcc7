#!/usr/bin/env python3
"""Change a linked WebAssembly module so that a page can instantiate it without imports.

The charts' library brings descriptions of the whole web interface, which nothing calls: thousands of exports, some
imports, and custom sections. This program drops exports other than those of KEPT_EXPORTS and all custom sections, and
gives each imported function a body that traps, so that the number of no function changes. `wasm-opt` then removes code
that no export reaches; without `wasm-opt` the module is larger, but equivalent.

Usage: prune.py FROM TO
"""

import sys

KEPT_EXPORTS = {"memory", "take", "ask", "answer", "answer_length"}
CUSTOM, IMPORT, FUNCTION, EXPORT, CODE = 0, 2, 3, 7, 10
TRAP = bytes([3, 0, 0, 0x0B])  # size, no locals, unreachable, end


def decode_leb128(data, position):
    """Return the unsigned LEB128 number at `position`, and the position after it."""
    value = shift = 0
    while True:
        byte = data[position]
        position, value, shift = position + 1, value | (byte & 127) << shift, shift + 7
        if byte < 128:
            return value, position


def encode_leb128(value):
    """Return a number as unsigned LEB128."""
    output = bytearray()
    while True:
        value, byte = value >> 7, value & 127
        output.append(byte | (128 if value else 0))
        if not value:
            return bytes(output)


def imported_types(body):
    """Return the type of each imported function."""
    count, position = decode_leb128(body, 0)
    types = []
    for _ in range(count):
        for _ in range(2):
            length, position = decode_leb128(body, position)
            position += length
        if body[position] != 0:
            sys.exit("the module imports something other than functions")
        kind, position = decode_leb128(body, position + 1)
        types.append(encode_leb128(kind))
    return types


def kept_exports(body):
    """Return the export section with only the exports of KEPT_EXPORTS."""
    count, position = decode_leb128(body, 0)
    kept = []
    for _ in range(count):
        start = position
        length, position = decode_leb128(body, position)
        name = body[position : position + length].decode()
        _, position = decode_leb128(body, position + length + 1)
        if name in KEPT_EXPORTS:
            kept.append(body[start:position])
    if len(kept) != len(KEPT_EXPORTS):
        sys.exit(f"the module exports {len(kept)} of the {len(KEPT_EXPORTS)} functions that a page calls")
    return encode_leb128(len(kept)) + b"".join(kept)


def with_leading_entries(body, entries):
    """Return a section whose vector begins with `entries`."""
    count, position = decode_leb128(body, 0)
    return encode_leb128(count + len(entries)) + b"".join(entries) + body[position:]


def prune(data):
    """Return the module without imports, unused exports and custom sections."""
    output, position, types = [data[:8]], 8, []
    while position < len(data):
        kind = data[position]
        size, position = decode_leb128(data, position + 1)
        body, position = data[position : position + size], position + size
        if kind == CUSTOM:
            continue
        if kind == IMPORT:
            types = imported_types(body)
            continue
        if kind == FUNCTION:
            body = with_leading_entries(body, types)
        elif kind == EXPORT:
            body = kept_exports(body)
        elif kind == CODE:
            body = with_leading_entries(body, [TRAP] * len(types))
        output.append(bytes([kind]) + encode_leb128(len(body)) + body)
    return b"".join(output)


if __name__ == "__main__":
    source, target = sys.argv[1:]
    with open(source, "rb") as file:
        module = file.read()
    with open(target, "wb") as file:
        file.write(prune(module))
