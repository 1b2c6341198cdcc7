"""Writes the lists of metrics, stages and resources from `narrows explain`, with the examples that show each."""

import collections
import pathlib

from program import anchor, escape, table

# Words of a pattern that match any words, as in crates/core/src/part/result_name.rs.
PLACEHOLDERS = {"BYTES", "DISTANCE", "FROM", "INDEX", "NAME", "NODE", "NUMBER", "REASON", "TO", "TRANSACTION"}
STATISTICS = ("_min", "_max", "_p50", "_p90", "_p99", "_p999", "_samples", "_ci95")


def fits(pattern, words):
    """Returns whether a list of words fits a list of words some of which match any."""
    if not pattern or not words:
        return not pattern and not words
    if pattern[0] in PLACEHOLDERS:
        return any(fits(pattern[1:], words[end:]) for end in range(1, len(words) + 1))
    return pattern[0] == words[0] and fits(pattern[1:], words[1:])


def describes(word, name):
    """Returns whether a word of the vocabulary is, or describes, a name in a result."""
    if word["kind"] == "metric":
        names = [name] + [name.removesuffix(ending) for ending in STATISTICS if name.endswith(ending)]
        return any(fits(word["name"].split("."), one.split(".")) for one in names)
    words = name.split(" ")
    starts = range(len(words)) if word["kind"] == "resource" else [0]
    return any(fits(word["name"].split(" "), words[start:]) for start in starts)


class Measured:
    def __init__(self, program):
        self.words = {kind: [] for kind in ("metric", "stage", "resource", "outcome", "statistic of a metric")}
        for word in program.json("explain"):
            if word["kind"] in self.words:
                self.words[word["kind"]].append(word)
        self.pages_of = collections.defaultdict(set)  # (kind, pattern): pages that show it
        self.unknown = set()

    def note(self, result, page, _nodes=()):
        """Notes what a result on a page measured."""
        names = [("metric", name) for name in result["metrics"]]
        names += [("stage", stage["stage"]) for stage in (result.get("ledger") or {}).get("stages") or []]
        names += [("resource", resource["resource"]) for resource in result.get("resources") or []]
        for kind, name in names:
            known = [word for word in self.words[kind] if describes(word, name)]
            for word in known[:1]:
                self.pages_of[kind, word["name"]].add(page)
            if not known:
                self.unknown.add(f"{kind} {name}")

    def shown_on(self, kind, name):
        pages = self.pages_of[kind, name]
        links = [f"[{pathlib.PurePath(page).stem}]({page})" for page in sorted(pages)[:4]]
        return ", ".join(links) + (f" and {len(pages) - 4} more" if len(pages) > 4 else "")

    def rows(self, kind, with_unit=False):
        rows, seen = [], set()
        for word in self.words[kind]:
            name = word["name"]
            part = f" (`{word['reported with']}`)" if "reported with" in word else ""
            id_ = "" if name in seen else f'<a id="{anchor(name)}"></a>'
            seen.add(name)
            unit = [word["unit"].replace("a plain number", "").replace("us", "µs")] if with_unit else []
            rows.append([f"{id_}`{name}`", *unit, escape(word["meaning"]) + part, self.shown_on(kind, name)])
        return rows

    def pages(self):
        """Returns the pages, each with its name, title and text."""
        endings = table(["ending", "meaning"], [[f"`{word['name']}`", escape(word["meaning"])]
                                                for word in self.words["statistic of a metric"]])
        yield "metrics.md", "Metrics", """
All metrics that the shipped parts report, with the part that adds each. Words in capitals match names and numbers.
[How each number is made](../guide/measurements.md) defines them. A metric without a unit is a count or a fraction.

""" + table(["metric", "unit", "meaning", "examples"], self.rows("metric", with_unit=True)) + """
A metric that is the mean of a distribution has statistics, whose names end as follows:

""" + endings
        yield "stages.md", "Stages", """
All stages of messages in ledgers, with the part that adds each. The stages of a message are consecutive and sum to its
latency. [Read a ledger](../how-to/read-a-ledger.md) shows how to use them.

""" + table(["stage", "meaning", "examples"], self.rows("stage"))
        yield "resources.md", "Resources", """
All resources whose utilisation is reported, with the part that adds each. In results the name of the node precedes that
of the resource. [Instruments](../guide/instruments.md#resources) states when a resource is busy and when it is active.

""" + table(["resource", "meaning", "examples"], self.rows("resource"))
        rows = [[f"`{word['name']}`", word["exit code"], escape(word["meaning"])] for word in self.words["outcome"]]
        yield "outcomes.md", "Outcomes", """
How a run can end. The outcome is the first line of the text of `narrows run`, and the key `outcome` of its JSON.

""" + table(["outcome", "exit code", "meaning"], rows)
