#!/usr/bin/env python3
"""Writes the reference of the site from the output of a narrows program: commands, keys, parts, workloads, metrics,
stages, resources, policies, file format; and of the Python module from its docstrings.

    docs/site/reference.py target/release/narrows target/site-source/src

Pages go to the folder `reference` there, and their list replaces the line `<!-- reference -->` of SUMMARY.md. Every part
and workload is run once, in the first compatible machine of a list of preferences, so that the metrics, stages and
resources on the pages are those that the program printed.
"""

import collections
import json
import pathlib
import re
import sys

import python_module
from measured import Measured
from program import Program, anchor, code, escape, read_keys, table

FAMILIES = {"hosts": "host", "ni": "interface", "protocols": "protocol", "fabrics": "fabric", "machines": "machine"}
# Parts that complete a machine, in the order in which they are tried.
PREFERRED = {
    "host": ["hosts/pcie-gen3-x8", "hosts/memory-bus-1998", "hosts/pentium-ii-440lx", "hosts/pentium-iii-815ep"],
    "ni": ["ni/startjr", "ni/cni32qm", "ni/trapeze", "ni/e-udp", "ni/queues"],
    "protocol": ["protocols/none", "protocols/return-to-sender-1998", "protocols/window"],
    "fabric": ["fabrics/ideal-1998", "fabrics/myrinet", "fabrics/nifdy-mesh"],
}
FAMILY_NAMES = {"host": "hosts", "ni": "interfaces", "protocol": "protocols", "fabric": "fabrics"}
# Values of required keys in the examples of workloads.
REQUIRED = {"ping-pong": 'payload = "64 B"\n', "stream": 'payload = "64 B"\n', "offered": "load = 0.2\n"}


def group_of(key):
    """Returns the page of a key: a kind of host, or a choice of another family."""
    names = key.split(".")
    if names[0] == "hosts":
        return f"hosts.NAME.{names[2]}" if len(names) > 2 else "hosts"
    if names[0] in ("fabric", "workload", "ni", "protocol") and len(names) > 1:
        return ".".join(names[:2])
    return names[0]


class Reference:
    def __init__(self, program, out):
        self.program, self.out = program, out / "reference"
        self.summary = []
        self.keys = read_keys(program.text("schema", "--keys"))
        self.by_name = {key.name: key for key in self.keys}
        self.list = program.json("list")
        self.measured = Measured(program)
        self.missing = []
        self.read_combinations()

    def write(self, path, title, text, level=1, listed=True):
        target = self.out / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(f"# {title}\n\n{text.rstrip()}\n")
        if listed:
            self.summary.append("  " * level + f"- [{title}](reference/{path})")

    # Keys

    def key_page(self, group):
        return "keys/" + group.replace("NAME.", "").replace(".", "-") + ".md"

    def key_link(self, name, up):
        """Returns a link to a key from a page `up` folders below the reference."""
        general = re.sub(r"^(hosts|nodes)\.[^.]+", r"\1.NAME", name)
        key = self.by_name.get(general)
        if not key:
            return code(name)
        return f"[`{name}`]({'../' * up}{self.key_page(group_of(general))}#{anchor(general)})"

    def write_keys(self):
        groups = collections.defaultdict(list)
        for key in self.keys:
            groups[group_of(key.name)].append(key)
        rows = [[f"[`{group}`]({self.key_page(group).removeprefix('keys/')})", str(len(keys)), escape(keys[0].about)]
                for group, keys in groups.items()]
        self.write("keys/index.md", "Keys", f"""
The {len(self.keys)} keys of a description, by table. `narrows schema --keys` prints the same list, and `narrows show FILE`
the value of each key of a machine, where it is set, and its source.

A quantity is a number with a unit, such as `"64 B"`, `"8 KiB"`, `"1.5 us"`, `"33 MHz"` or `"40 Gbit/s"`. A *count* is an
integer, a *number* may have a fraction, a *flag* is `true` or `false`. The meaning of a number states how
[`narrows whatif`](../../guide/bottlenecks.md#what-a-parameter-means) may change it, and the resource that it belongs to.

""" + table(["table", "keys", "about"], rows))
        for group, keys in groups.items():
            rows = []
            for key in keys:
                kind = key.kind + (f", {key.range}" if key.range else "")
                rows.append([f'<a id="{anchor(key.name)}"></a>`{key.name}`', escape(kind), escape(key.meaning),
                             escape(key.default), escape(key.about)])
            self.write(self.key_page(group), f"Keys of {group}",
                       table(["key", "kind and range", "meaning", "default", "about"], rows), level=2)

    # Machines of parts

    def read_combinations(self):
        self.accepted = collections.defaultdict(list)
        self.refused = collections.defaultdict(collections.Counter)
        for entry in self.program.json("list", "combinations")["combinations"]:
            parts = [entry[family] for family in ("host", "ni", "protocol", "fabric")]
            if not entry["refused"]:
                self.accepted[entry["workload"]].append(dict(zip(("host", "ni", "protocol", "fabric"), parts)))
            for reason in entry["refused"]:
                for part in parts:
                    self.refused[part][reason] += 1

    def machine(self, part, family):
        """Returns the first compatible machine with a part, by preference, and its workload."""
        def rank(entry):
            return sum((PREFERRED[other].index(entry[other]) if entry[other] in PREFERRED[other] else 9)
                       for other in PREFERRED if other != family)
        for workload in ("ping-pong", "dma", "bursts"):
            entries = [entry for entry in self.accepted[workload] if entry[family] == part]
            if entries:
                return min(entries, key=rank), workload
        return None, None

    def description(self, entry, workload, body):
        host = entry["host"].removeprefix("hosts/")
        names = ", ".join(f'"{entry[family]}"' for family in ("host", "ni", "protocol", "fabric"))
        return f'parts = [{names}]\nnodes.node = {{ host = "{host}", count = 2 }}\n\n[workload.{workload}]\n{body}'

    def show_run(self, description, page, folder):
        """Returns the text on a page about one run of a description, and notes what it measured."""
        result, error = self.program.run(description)
        if result is None:
            self.missing.append(f"{page}: {error.splitlines()[0] if error else 'no result'}")
            return f"```toml\n{description}```\n\nNo result: {escape(error.splitlines()[0] if error else '')}\n"
        self.measured.note(result, page)
        shown = [(name, metric) for name, metric in result["metrics"].items()
                 if metric["value"] is not None and not re.search(r"_(min|max|p\d+|samples)$", name)]
        rows = [[code(name), f"{metric['value']:.6g}", metric.get("unit", "").replace("us", "µs")] for name, metric in shown]
        text = f"```toml\n{description}```\n\n{len(rows)} metrics were measured.\n\n" + table(["metric", "value", "unit"], rows)
        stages = (result.get("ledger") or {}).get("stages") or []
        if stages:
            cells = [[stage["stage"], f"{stage['waiting_us']:.3f}", f"{stage['service_us']:.3f}",
                      f"{100 * stage['share']:.1f} %"] for stage in stages]
            text += "\n" + table(["stage", "waiting [µs]", "service [µs]", "share"], cells)
        resources = result.get("resources") or []
        if resources:
            cells = [[escape(resource["resource"]), f"{resource['busy_us']:.3f}", f"{resource['active_us']:.3f}"]
                     for resource in sorted(resources, key=lambda resource: -resource["active_us"])[:8]]
            text += "\n" + table(["resource", "busy [µs]", "active [µs]"], cells)
        return text

    def values(self, name):
        rows = []
        for entry in self.program.json("show", name):
            general = re.sub(r"^(hosts|nodes)\.[^.]+", r"\1.NAME", entry["key"])
            key = self.by_name.get(general)
            kind = (key.kind + (f", {key.range}" if key.range else "")) if key else ""
            default = key.default.removeprefix("default ") if key and key.default.startswith("default") else ""
            rows.append([self.key_link(entry["key"], 1), code(entry["value"]), escape(entry["source"]), escape(kind),
                         code(default), escape(key.about) if key else ""])
        return table(["key", "value", "source", "kind and range", "default", "about"], rows)

    def write_part(self, kind, part):
        name, about = part["name"], part["about"]
        path = f"parts/{name.replace('/', '-')}.md"
        family = {"hosts": "host", "ni": "ni", "protocols": "protocol", "fabrics": "fabric"}.get(kind)
        text = f"{escape(about)}\n\nA description names this {FAMILIES[kind]} by `parts = [\"{name}\"]`.\n\n## Values\n\n"
        text += "`narrows show " + name + "` prints these values.\n\n" + self.values(name)
        accepted = [entry for entries in self.accepted.values() for entry in entries if family and entry[family] == name]
        if accepted:
            text += "\n## Compatibility\n\n"
            for other in ("host", "ni", "protocol", "fabric"):
                if other != family:
                    names = sorted({entry[other] for entry in accepted})
                    links = ", ".join(f"[`{n}`]({n.replace('/', '-')}.md)" for n in names)
                    text += f"- {FAMILY_NAMES[other]}, {len(names)} of the shipped ones: {links}\n"
            needs = self.requirements(name)
            if family == "ni" and needs:
                text += f"\nIt needs of a host: {', '.join(needs)}.\n"
            reasons = sorted({re.sub(r"\(ni\.[^)]*\)", "", reason) for reason in self.refused[name]})
            own = [reason for reason in reasons if name.split("/")[-1] in reason or family == "ni"]
            if own:
                text += "\nOther combinations are rejected. The program gives these reasons:\n\n"
                text += "".join(f"- {escape(reason)}\n" for reason in own[:20])
                if len(own) > 20:
                    text += f"- and {len(own) - 20} more, which `narrows list combinations` prints\n"
        description = self.example(kind, name, family)
        if description:
            text += "\n## Example\n\n" + self.show_run(description, path, 2)
        else:
            self.missing.append(f"{path}: the program names no combination to run it in")
        self.write(path, name, text, level=2)

    def requirements(self, name):
        """Returns what the errors about hosts state that an interface needs and they lack."""
        found = set()
        for reason in self.refused[name]:
            match = re.search(r"lacks what \[[^]]*\] needs: (.*)$", reason)
            if match:
                found.update(match[1].split(", "))
        return sorted(found)

    def example(self, kind, name, family):
        if kind == "machines":
            return f'parts = ["{name}"]\n\n[workload.costs]\n'
        entry, workload = self.machine(name, family)
        if entry:
            body = {"ping-pong": 'payload = "64 B"\nwarm-up = 150\nmessages = 20\n'}.get(workload, "")
            return self.description(entry, workload, body)
        if kind == "fabrics":
            return f'parts = ["{name}"]\n\n[workload.zero-load]\n'
        return None

    def write_parts(self):
        rows = [[f"[`{part['name']}`]({part['name'].replace('/', '-')}.md)", escape(part["about"])]
                for kind in FAMILIES for part in self.list[kind]]
        self.write("parts/index.md", "Parts", """
A part is a named component of a description: `parts = ["hosts/pcie-gen3-x8", …]` takes the values of shipped parts, and keys
of the description override them. `narrows list` prints this table, and `narrows list combinations` which parts are compatible.

""" + table(["part", "about"], rows))
        for kind in FAMILIES:
            for part in self.list[kind]:
                self.write_part(kind, part)

    # Workloads

    def write_workloads(self):
        rows = [[f"[`{entry['name']}`]({entry['name']}.md)", escape(entry["about"])] for entry in self.list["workloads"]]
        self.write("workloads/index.md", "Workloads", "A description has one workload, `[workload.NAME]`.\n\n"
                   + table(["workload", "about"], rows))
        for entry in self.list["workloads"]:
            name = entry["name"]
            path = f"workloads/{name}.md"
            keys = [key for key in self.keys if key.name.startswith(f"workload.{name}.")]
            text = f"{escape(entry['about'])}.\n\n## Keys\n\n"
            text += table(["key", "default", "about"], [[self.key_link(key.name, 1), escape(key.default), escape(key.about)]
                                                        for key in keys]) if keys else "It has no keys.\n"
            entries = self.accepted.get(name)
            if entries:
                def rank(entry):
                    return sum((PREFERRED[family].index(entry[family]) if entry[family] in PREFERRED[family] else 9)
                               for family in PREFERRED)
                description = self.description(min(entries, key=rank), name, REQUIRED.get(name, "")).replace(", count = 2", ", count = 4")
                text += "\n## Example\n\n" + self.show_run(description, path, 1)
            else:
                text += self.fabric_alone(name, path)
            self.write(path, f"workload.{name}", text, level=2)

    def fabric_alone(self, name, path):
        if name == "replay":
            for example in self.list["examples"]:
                if example["name"].startswith("replay"):
                    return f"\nThe shipped example `{example['name']}` has this workload.\n"
        return "\n## Example\n\n" + self.show_run(f'parts = ["fabrics/nifdy-mesh"]\n\n[workload.{name}]\n{REQUIRED.get(name, "")}', path, 1)

    # Other lists

    def write_commands(self):
        top = self.program.text("--help")
        section = top.split("Commands:\n", 1)[1].split("\n\n", 1)[0]
        names = re.findall(r"^  ([a-z]+)  ", section, re.M)
        self.write("commands/index.md", "Commands", f"```text\n{top.rstrip()}\n```\n")
        for name in names:
            text = self.program.text(name, "--help")
            self.write(f"commands/{name}.md", f"narrows {name}", f"```text\n{text.rstrip()}\n```\n", level=2)
        codes = top.split("Exit codes:\n", 1)[1]
        rows = []
        for line in codes.splitlines():
            match = re.match(r"^  (\d+)  (.*)$", line)
            if match:
                rows.append([match[1], match[2]])
            elif line.strip() and rows:
                rows[-1][1] += " " + line.strip()
        self.write("exit-codes.md", "Exit codes", "The exit codes of all commands, as `narrows --help` prints them.\n\n"
                   + table(["exit code", "meaning"], [[code, escape(text)] for code, text in rows]) + """
[How a run ends](../guide/measurements.md#how-a-run-ends) lists the outcomes of runs.
""")

    def write_lists(self):
        for entry in self.list["examples"]:
            keys = [value["key"].split(".") for value in self.program.json("show", entry["name"])]
            nodes = {names[1] for names in keys if names[0] == "nodes"}
            self.measured.note(self.program.json("run", entry["name"]), "examples.md", nodes)
        rows = [[code(entry["name"]), escape(entry["about"])] for entry in self.list["policies"]]
        self.write("policies.md", "Policies", "The alternatives that keys select: `KEY = \"NAME\"`, or `[KEY.NAME]` with further "
                   "keys.\n\n" + table(["key and alternative", "about"], rows))
        rows = [[code(entry["name"]), escape(entry["about"])] for entry in self.list["examples"]]
        self.write("examples.md", "Examples", "The shipped examples: `narrows run NAME` runs one, `narrows show NAME` prints "
                   "all of its values.\n\n" + table(["example", "about"], rows))

    def write_format(self):
        schema = self.program.text("schema")
        unlisted = sorted(set(keys_of(json.loads(schema))) - set(self.by_name) - {"parts"})
        if unlisted:
            sys.exit(f"keys of the schema that the list of keys lacks: {', '.join(unlisted)}")
        (self.out / "narrows.schema.json").write_text(schema)
        tables = json.loads(schema)["properties"]
        rows = [[code(name), escape(entry.get("description", ""))] for name, entry in tables.items()]
        units = collections.defaultdict(set)
        def visit(node):
            if isinstance(node, dict):
                pattern = node.get("pattern")
                match = re.search(r"\(([A-Za-zµ/|]+)\)\\s\*\$$", pattern) if isinstance(pattern, str) else None
                if match:
                    units[match[1]].update(node.get("examples", []))
                for value in node.values():
                    visit(value)
            elif isinstance(node, list):
                for value in node:
                    visit(value)
        visit(tables)
        quantities = [[", ".join(code(unit) for unit in units_of.split("|")), ", ".join(code(e) for e in sorted(examples)[:3])]
                      for units_of, examples in units.items()]
        self.write("file-format.md", "File format", """
A description is a [TOML](https://toml.io) file. `narrows check FILE` validates it, and [its JSON Schema](narrows.schema.json)
(`narrows schema`) lets an editor check and complete it. A result of `narrows run --format json` is a description, too.

## Tables

""" + table(["key", "about"], rows) + """
The key `parts` is a list of shipped parts, or of files, whose values are the defaults of the description.

## Quantities

A quantity is a text with a number and a unit. `kB` is 1000 bytes and `KiB` 1024 bytes; `KB` is refused as ambiguous.

""" + table(["units", "examples"], quantities))

    def write_all(self):
        version = self.program.text("--version").strip()
        self.write("index.md", "Reference", f"""
These pages are generated from the output of `{version}` when the site is built, so they describe exactly that program.

- [Commands](commands/index.md) and [exit codes](exit-codes.md)
- [File format](file-format.md) and [keys](keys/index.md)
- [Parts](parts/index.md), [workloads](workloads/index.md), [policies](policies.md) and [examples](examples.md)
- [Metrics](metrics.md), [stages](stages.md) and [resources](resources.md)
- [The Python module](python.md), from its docstrings; the library in Rust: `cargo doc --open`, and
  [Narrows as a library](../guide/library.md)
""", level=0)
        self.write_commands()
        self.write_format()
        self.write_keys()
        self.write_parts()
        self.write_workloads()
        self.write_lists()
        for path, title, text in self.measured.pages():
            self.write(path, title, text)
        self.write("python.md", "Python module", python_module.page())
        summary = self.out.parent / "SUMMARY.md"
        text = summary.read_text()
        if "<!-- reference -->" not in text:
            sys.exit(f"{summary} has no line <!-- reference -->")
        summary.write_text(text.replace("<!-- reference -->", "\n".join(self.summary)))
        for line in self.missing:
            print(f"reference: {line}", file=sys.stderr)
        if self.measured.unknown:
            sys.exit("without an explanation: " + ", ".join(sorted(self.measured.unknown)))
        counts = [f"{len(self.measured.words[kind])} {kind}s" for kind in ("metric", "stage", "resource")]
        print(f"reference: {len(self.keys)} keys, {', '.join(counts)}, {len(self.summary)} pages")


def keys_of(schema, name=""):
    """Returns the names of all keys in a JSON Schema, as the list of keys writes them."""
    for key, entry in (schema.get("properties") or {}).items():
        full = f"{name}.{key}".lstrip(".")
        yield full
        yield from keys_of(entry, full)
    further = schema.get("additionalProperties")
    if isinstance(further, dict):
        yield from keys_of(further, f"{name}.NAME")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    Reference(Program(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()).write_all()


if __name__ == "__main__":
    main()
