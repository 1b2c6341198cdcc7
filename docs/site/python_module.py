"""Writes the page of the Python module from its docstrings."""

import ast
import pathlib
import re

PYTHON = pathlib.Path(__file__).resolve().parents[2] / "crates/py/python/narrows"


def markdown_of(docstring):
    """Returns a docstring with its sections (Args, Raises) as lists."""
    lines, is_section = [], False
    for line in (docstring or "").splitlines():
        section = re.match(r"^(Args|Attributes|Raises|Returns|Yields):$", line)
        if section:
            is_section = True
            lines += [f"**{section[1].replace('Args', 'Arguments')}**", ""]
        elif is_section and re.match(r"^    \S", line):
            name, colon, text = line.strip().partition(": ")
            lines.append(f"- `{name}`: {text}" if colon else f"- {name}")
        elif is_section and line.startswith("     "):
            lines.append("  " + line.strip())
        else:
            is_section = is_section and not line.strip()
            lines.append(line)
    return "\n".join(lines) + "\n"


def page():
    """Returns the page of the public names of the Python module, from its source: no module has to be built."""
    nodes = {}
    for path in [*sorted(PYTHON.glob("_[a-z]*.py")), PYTHON / "_narrows.pyi"]:
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
                nodes.setdefault(node.name, node)
    module = ast.parse((PYTHON / "__init__.py").read_text())
    names = next(ast.literal_eval(node.value) for node in module.body
                 if isinstance(node, ast.Assign) and node.targets[0].id == "__all__")
    text = "The public names of the module `narrows`, from their documentation. [Python](../guide/python.md) shows how "
    text += "they are used together.\n"
    for name in names:
        node = nodes.get(name)
        if not node:
            continue
        if isinstance(node, ast.FunctionDef):
            text += f"\n## {name}\n\n" + entry(node, name)
            continue
        text += f"\n## {name}\n\n{markdown_of(ast.get_docstring(node))}"
        fields = [f"`{item.target.id}: {ast.unparse(item.annotation)}`" for item in node.body
                  if isinstance(item, ast.AnnAssign) and not item.target.id.startswith("_")]
        text += f"\nFields: {', '.join(fields)}.\n" if fields else ""
        for item in node.body:
            if isinstance(item, ast.FunctionDef) and (not item.name.startswith("_") or item.name == "__init__"):
                title = name if item.name == "__init__" else f"{name}.{item.name}"
                text += f"\n### {title}\n\n" + entry(item, title)
    return text


def entry(node, title):
    """Returns the signature and the documentation of a function or a property."""
    decorators = {ast.unparse(decorator) for decorator in node.decorator_list}
    if "property" in decorators:
        signature = title + (f": {ast.unparse(node.returns)}" if node.returns else "")
    else:
        arguments = re.sub(r"^(self|cls)(, )?", "", ast.unparse(node.args))
        signature = f"{title}({arguments})" + (f" -> {ast.unparse(node.returns)}" if node.returns else "")
    return f"```python\n{signature}\n```\n\n{markdown_of(ast.get_docstring(node))}"
