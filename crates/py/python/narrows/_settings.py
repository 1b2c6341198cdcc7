"""Converts Python values to settings, `key=value`, of Narrows."""

from __future__ import annotations

import json
import numbers
from collections.abc import Iterable, Mapping
from typing import Any

#: Characters that would split a value of a list in two.
_PARTING = set(",;\"'[]{}=#")


def value(given: Any) -> str:
    """Returns a value as text for `--set key=`; text is left unchanged."""
    if isinstance(given, bool) or type(given).__name__ == "bool_":
        return "true" if given else "false"
    if isinstance(given, numbers.Integral):
        return str(int(given))
    if isinstance(given, numbers.Real):
        return repr(float(given))
    if isinstance(given, str):
        return given
    if isinstance(given, (list, tuple)):
        return "[" + ", ".join(json.dumps(one) if isinstance(one, str) else value(one) for one in given) + "]"
    raise TypeError(f"a value is text, a number, true or false, or a list of these, not {type(given).__name__}")


def setting(key: str, given: Any) -> str:
    """Returns `key=value`."""
    return f"{key}={value(given)}"


def _in_list(given: Any) -> str:
    """Returns a value of a list; text that the list would split, or read as a range, is quoted."""
    text = value(given)
    if isinstance(given, str) and (_PARTING & set(text) or ".." in text or text != text.strip()):
        return json.dumps(text, ensure_ascii=False)
    return text


def _dimension(key: str, values: Any) -> str:
    if isinstance(values, str):
        return f"{key}={values}"
    if not isinstance(values, Iterable):
        raise TypeError(f"`{key}` varies over a list of values, or a range as text, not {type(values).__name__}")
    return f"{key}=" + ",".join(_in_list(one) for one in values)


def dimensions(vary: Mapping[Any, Any]) -> list[str]:
    """Returns the varied keys as options of `narrows sweep --vary`; the last key varies fastest."""
    options = []
    for key, values in vary.items():
        if isinstance(key, tuple):
            rows = [tuple(row) for row in values]
            if any(len(row) != len(key) for row in rows):
                raise ValueError(f"`{', '.join(key)}` vary together: each row has {len(key)} values")
            options.append(";".join(_dimension(one, [row[at] for row in rows]) for at, one in enumerate(key)))
        else:
            options.append(_dimension(key, values))
    return options
