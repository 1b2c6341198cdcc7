"""Collects what runs measured, and writes the lists of metrics, stages and resources."""

import collections
import pathlib
import re

from program import anchor, escape, table


class Measured:
    def __init__(self):
        self.metrics = {}  # name: (unit, set of pages that show it)
        self.stages = collections.defaultdict(set)
        self.resources = collections.defaultdict(set)

    def note(self, result, page, nodes=()):
        """Notes what a result on a page measured; `nodes` are the names of its nodes."""
        for name, metric in result["metrics"].items():
            self.metrics.setdefault(self.metric(name, nodes), (metric.get("unit", ""), set()))[1].add(page)
        for stage in (result.get("ledger") or {}).get("stages") or []:
            self.stages[stage["stage"]].add(page)
        for resource in result.get("resources") or []:
            self.resources[self.resource(resource["resource"], nodes)].add(page)

    def metric(self, name, nodes):
        """Replaces the names of nodes, sizes and distances in the name of a metric."""
        parts = ["NODE" if part in nodes or re.fullmatch(r"(node|n)?\d+", part) else part for part in name.split(".")]
        name = re.sub(r"^(messages\.size\.).*", r"\1N", ".".join(parts))
        return re.sub(r"^zero_load\.d\d+\.", "zero_load.dN.", name)

    def resource(self, name, nodes):
        """Replaces the names of nodes and switches, and numbers, in the name of a resource."""
        def site(word):
            is_node = word.split(":")[0] in nodes or re.fullmatch(r"(node|n)?\d+(:\d+)?", word)
            return "NODE" if is_node else "SWITCH"

        link = re.match(r"^link (.+?) ([→←]) (.+?)(, .*)?$", name)
        if link:
            ends = [re.sub(r"\d+", "N", end) if re.match(r"^(fabric|router|place)\b", end) else site(end)
                    for end in (link[1], link[3])]
            return f"link {ends[0]} {link[2]} {ends[1]}{link[4] or ''}"
        first, _, rest = name.partition(" ")
        return f"NODE {rest}" if rest and site(first) == "NODE" else re.sub(r"\d+", "N", name)

    def shown_on(self, pages):
        links = [f"[{pathlib.PurePath(page).stem}]({page})" for page in sorted(pages)[:6]]
        return ", ".join(links) + (f" and {len(pages) - 6} more" if len(pages) > 6 else "")

    def pages(self):
        """Returns the pages, each with its name, title and text."""
        rows = [[f'<a id="{anchor(name)}"></a>`{name}`', unit.replace("us", "µs"), self.shown_on(pages)]
                for name, (unit, pages) in sorted(self.metrics.items())]
        yield "metrics.md", "Metrics", f"""
The {len(rows)} metrics that the examples of this reference measured. NODE is the name of a node, N a number.
[How each number is made](../guide/measurements.md) defines them. A metric without a unit is a count or a fraction.

""" + table(["metric", "unit", "example"], rows)
        rows = [[f'<a id="{anchor(name)}"></a>{escape(name)}', self.shown_on(pages)] for name, pages in sorted(self.stages.items())]
        yield "stages.md", "Stages", """
The stages of messages in the ledgers of the examples of this reference. The stages of a message are consecutive and sum to
its latency. [Read a ledger](../how-to/read-a-ledger.md) explains the common ones.

""" + table(["stage", "example"], rows)
        rows = [[f'<a id="{anchor(name)}"></a>{escape(name)}', self.shown_on(pages)]
                for name, pages in sorted(self.resources.items())]
        yield "resources.md", "Resources", """
The resources whose busy and active times the examples of this reference measured. NODE is the name of a node, SWITCH that of
a switch, N a number. [Instruments](../guide/instruments.md#resources) states when a resource is busy and when it is active.

""" + table(["resource", "example"], rows)
