"""Converts Python values to settings, `key=value`, of Narrows."""

from __future__ import annotations

import json
import numbers
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias, cast

#: The varied keys of a sweep: a mapping from each key to its values, or options as after `--vary` of `narrows sweep`.
Varied: TypeAlias = Mapping[Any, Any] | str | Sequence[str]

#: Characters that would split a value of a list in two.
_SEPARATORS = set(",;\"'[]{}=#")


def value(python_value: Any) -> str:
    """Returns a value as text for `--set key=`; text is left unchanged."""
    if isinstance(python_value, bool) or type(python_value).__name__ == "bool_":
        return "true" if python_value else "false"
    if isinstance(python_value, numbers.Integral):
        return str(int(python_value))
    if isinstance(python_value, numbers.Real):
        return repr(float(python_value))
    if isinstance(python_value, str):
        return python_value
    if isinstance(python_value, (list, tuple)):
        items = cast("Sequence[Any]", python_value)
        return "[" + ", ".join(json.dumps(one) if isinstance(one, str) else value(one) for one in items) + "]"
    raise TypeError(f"a value is text, a number, true or false, or a list of these, not {type(python_value).__name__}")


def setting(key: str, python_value: Any) -> str:
    """Returns `key=value`."""
    return f"{key}={value(python_value)}"


def _list_item(python_value: Any) -> str:
    """Returns a value of a list, which may be a range as text; other text that the list would split is quoted."""
    text = value(python_value)
    if isinstance(python_value, str) and (_SEPARATORS & set(text) or text != text.strip()):
        return json.dumps(text, ensure_ascii=False)
    return text


def _dimension(key: str, values: Any) -> str:
    if isinstance(values, str):
        return f"{key}={values}"
    if not hasattr(values, "__iter__"):
        raise TypeError(f"`{key}` varies over a list of values, or a range as text, not {type(values).__name__}")
    return f"{key}=" + ",".join(_list_item(one) for one in values)


def dimensions(vary: Varied) -> list[str]:
    """Returns the varied keys as options of `narrows sweep --vary`; the last key varies fastest."""
    if isinstance(vary, str):
        return [vary]
    if not isinstance(vary, Mapping):
        return list(vary)
    options: list[str] = []
    for key, values in vary.items():
        if isinstance(key, tuple):
            keys = cast("tuple[str, ...]", key)
            rows: list[tuple[Any, ...]] = [tuple(row) for row in values]
            if any(len(row) != len(keys) for row in rows):
                raise ValueError(f"`{', '.join(keys)}` vary together: each row has {len(keys)} values")
            columns = [[row[column] for row in rows] for column in range(len(keys))]
            options.append(";".join(_dimension(name, column) for name, column in zip(keys, columns)))
        else:
            options.append(_dimension(key, values))
    return options
