// The answer of a run: finding, headline, stages, metrics, utilisation and timeline.

import { distinctStagesOf, stagesChart, stagesTable, utilisationChart } from "./bars.js";
import { breakable, byId, fill, h, prose, setText } from "./dom.js";
import { Figure } from "./figure.js";
import { timelineChart } from "./lines.js";
import { changeText, display, metricText } from "./quantity.js";
import { saveCsv } from "./save.js";

/** @typedef {import("./types").Run} Run */
/** @typedef {import("./types").Metric} Metric */
/** @typedef {{label: string, run: Run | null, isStale: boolean, isBaseline: boolean}} Column */

/** The number of the baseline's colour; machines have the colours 0 and 1. */
const BASELINE_COLOUR = 2;

/** Number of metrics that are shown at first. */
const INITIAL_METRIC_COUNT = 8;
/** Names of metrics for which a larger value is better. For other metrics, no judgement is shown. */
const MORE_IS_BETTER = /bandwidth|throughput|rate$|accepted/;
const LESS_IS_BETTER = /latency|time|dropped/;

/** @param {Run} run @returns {Metric | undefined} */
export function headline(run, /** @type {string | null} */ wanted) {
  return run.metrics.find((metric) => metric.name === wanted)
    ?? run.metrics.find((metric) => metric.name === "message.latency_one_way")
    ?? run.metrics.find((metric) => /bandwidth|latency/.test(metric.name) && metric.value !== null)
    ?? run.metrics.find((metric) => metric.value !== null);
}

/** @param {Metric | undefined} metric */
function valueElements(metric) {
  const { number, unit } = metricText(metric?.value, metric?.unit ?? "");
  return [h("span", { class: "number" }, number), unit && h("span", { class: "unit" }, ` ${unit}`)];
}

/** @param {string} name @param {number | null | undefined} before @param {number | null | undefined} after */
function changeElement(name, before, after) {
  const text = changeText(before, after);
  const isMore = (after ?? 0) > (before ?? 0);
  const isGood = text === "same" || text === "" ? null : MORE_IS_BETTER.test(name) ? isMore : LESS_IS_BETTER.test(name) ? !isMore : null;
  return h("span", { class: isGood === null ? "change" : isGood ? "change good" : "change bad" }, text);
}

/**
 * Returns the first messages, so few that each is wide enough to show its stages.
 * @param {import("./types").Message[]} messages
 */
function messagesToShow(messages) {
  let count = Math.min(3, messages.length);
  const mean = messages.reduce((sum, message) => sum + message.delivered_ps - message.sent_ps, 0) / (messages.length || 1);
  while (count < Math.min(12, messages.length) && messages[count].delivered_ps - messages[0].sent_ps < 9 * mean) count += 1;
  return messages.slice(0, count);
}

export class Results {
  constructor() {
    /** @type {Column[]} */
    this.columns = [];
    /** @type {string | null} */
    this.metric = null;
    this.showsAllMetrics = false;
    const bars = () => this.completedColumns().map((column) => ({ label: column.label, stages: column.run.stages }));
    const resources = () => this.completedColumns().map((column) => ({ label: column.label, colour: column.colour, resources: column.run.resources }));
    this.stages = new Figure(byId("stages"), {
      title: "Where the time of a message goes", name: "narrows-stages", draw: (width) => stagesChart(width, bars()),
      rows: () => [["machine", "stage", "waiting_ps", "service_ps"], ...bars().flatMap((bar) => bar.stages.map((stage) => [bar.label, stage.name, stage.waiting_ps, stage.service_ps]))],
    });
    this.utilisation = new Figure(byId("utilisation"), {
      title: "Utilisation", isTabled: true, name: "narrows-utilisation", draw: (width) => utilisationChart(width, resources()),
      rows: () => [["machine", "resource", "busy", "active"], ...resources().flatMap((bar) => bar.resources.map((each) => [bar.label, each.name, each.busy, each.active ?? null]))],
      emptyText: "No resource was used.",
    });
    this.timeline = new Figure(byId("timeline"), {
      title: "Timeline of the first messages", isTabled: true, name: "narrows-timeline",
      draw: (width) => {
        const run = this.editedRun();
        return run ? timelineChart(width, messagesToShow(run.messages), distinctStagesOf([{ label: "", stages: run.stages }])) : null;
      },
      rows: () => [["message", "source", "destination", "payload_B", "sent_ps", "delivered_ps"], ...(this.editedRun()?.messages ?? []).map((each) => [each.id, each.source, each.destination, each.payload, each.sent_ps, each.delivered_ps])],
    });
    fill(this.stages.aboveCanvas, h("p", { class: "hint" }, "Mean over the measured messages. Hatched: waiting."));
    fill(this.utilisation.aboveCanvas, h("p", { class: "hint" }, "Share of the run in which a resource was active; the pale part was held without moving data. Dashed: 90 %."));
    byId("all-metrics").addEventListener("click", () => {
      this.showsAllMetrics = !this.showsAllMetrics;
      this.showMetrics();
    });
    byId("metrics-csv").addEventListener("click", () => saveCsv(this.rows(), "narrows-metrics"));
    this.edited = 0;
  }

  /** @returns {{label: string, colour: number, run: Run}[]} */
  completedColumns() {
    const firstMachineIndex = this.columns.findIndex((column) => !column.isBaseline);
    return this.columns.flatMap((column, index) => (column.run && !column.run.stopped ? [{ label: column.label, colour: column.isBaseline ? BASELINE_COLOUR : index - firstMachineIndex, run: column.run }] : []));
  }

  /** Returns the run of the edited machine. */
  editedRun() {
    const machines = this.columns.filter((column) => !column.isBaseline);
    return machines[Math.min(this.edited, machines.length - 1)]?.run ?? null;
  }

  /**
   * @param {Column[]} columns the baseline, where there is one, then the machines
   * @param {string | null} metric @param {number} edited index of the edited machine
   */
  show(columns, metric, edited) {
    this.columns = columns;
    this.metric = metric;
    this.edited = edited;
    const isStale = columns.some((column) => column.isStale);
    byId("answers").classList.toggle("stale", isStale);
    this.showFinding();
    this.showHeadline();
    this.stages.draw();
    const bars = this.completedColumns().map((column) => ({ label: column.label, stages: column.run.stages }));
    fill(this.stages.belowCanvas, distinctStagesOf(bars).length > 0 && h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Stages in numbers" }, stagesTable(bars)));
    this.showMetrics();
    this.utilisation.draw();
    this.showLegend();
    this.timeline.draw();
    byId("stages").hidden = distinctStagesOf(bars).length === 0;
    byId("utilisation").hidden = !bars.length;
    byId("timeline").hidden = (this.editedRun()?.messages ?? []).length === 0;
  }

  showFinding() {
    const machines = this.columns.filter((column) => !column.isBaseline);
    const texts = machines.map((column) => {
      const run = column.run;
      if (!run) return null;
      const text = run.stopped ? `The run ended early: ${run.stopped}` : run.finding || "No bottleneck was found.";
      return h("span", { class: run.stopped ? "line stopped" : "line" }, machines.length > 1 && h("strong", null, `${column.label}: `), prose(text));
    });
    fill(byId("finding-text"), texts);
    const notes = Array.from(new Set(machines.flatMap((column) => [...(column.run?.notes ?? []), ...(column.run?.warnings ?? []), ...(column.run?.headline && !column.run.stopped ? [`${machines.length > 1 ? `${column.label}: ` : ""}${display(column.run.headline)}`] : [])])));
    const shown = this.editedRun();
    const meaning = shown ? headline(shown, this.metric)?.meaning : "";
    fill(byId("notes"), meaning && h("li", null, prose(`${meaning}.`)), notes.map((note) => h("li", null, prose(note))));
  }

  showHeadline() {
    const reference = this.columns[0]?.run;
    this.showCompactHeadline();
    fill(byId("headline"), this.columns.map((column, index) => {
      const metric = column.run ? headline(column.run, this.metric) : undefined;
      if (!metric) return null;
      const before = reference ? reference.metrics.find((each) => each.name === metric.name)?.value : null;
      return h("div", { class: "figure-number" },
        h("span", { class: "figure-label" }, this.columns.length > 1 ? `${column.label} · ${metric.name}` : metric.name),
        h("span", { class: "figure-big", title: metric.meaning || null }, valueElements(metric)),
        index > 0 && changeElement(metric.name, before, metric.value));
    }));
  }

  /** Repeats the headline at the lower edge of a narrow window. */
  showCompactHeadline() {
    const run = this.editedRun();
    const metric = run ? headline(run, this.metric) : undefined;
    byId("mini").hidden = !metric;
    if (!metric) return;
    const before = this.columns.length > 1 ? this.columns[0].run?.metrics.find((each) => each.name === metric.name)?.value : null;
    fill(byId("mini"), h("span", { class: "muted" }, metric.name), h("span", null, h("strong", null, valueElements(metric)), " ", changeElement(metric.name, before, metric.value)));
  }

  metricNames() {
    /** @type {string[]} */
    const names = [];
    for (const column of this.columns) for (const metric of column.run?.metrics ?? []) if (!names.includes(metric.name)) names.push(metric.name);
    return names;
  }

  showMetrics() {
    const names = this.metricNames();
    const headlineName = headline(/** @type {any} */ (this.editedRun() ?? { metrics: [] }), this.metric)?.name;
    const hasValue = (/** @type {string} */ name) => this.columns.some((column) => typeof column.run?.metrics.find((metric) => metric.name === name)?.value === "number");
    const otherNames = names.filter((name) => name !== headlineName);
    const ordered = [...(headlineName ? [headlineName] : []), ...otherNames.filter(hasValue), ...otherNames.filter((name) => !hasValue(name))];
    const shown = this.showsAllMetrics ? ordered : ordered.slice(0, INITIAL_METRIC_COUNT);
    const button = byId("all-metrics");
    button.hidden = names.length <= INITIAL_METRIC_COUNT;
    setText(button, this.showsAllMetrics ? "Show fewer metrics" : `Show all ${names.length} metrics`);
    const metricOf = (/** @type {Run | null} */ run, /** @type {string} */ name) => run?.metrics.find((metric) => metric.name === name);
    fill(byId("metrics-table"), h("table", { class: "numbers" },
      h("thead", null, h("tr", null, h("th", { scope: "col" }, "Metric"), this.columns.flatMap((column, index) => [
        h("th", { scope: "col" }, this.columns.length > 1 ? column.label : "Value"), index > 0 && h("th", { scope: "col" }, "Change")]))),
      h("tbody", null, shown.map((name) => {
        const meaning = this.columns.map((column) => metricOf(column.run, name)?.meaning).find(Boolean);
        const before = metricOf(this.columns[0]?.run ?? null, name)?.value;
        return h("tr", null, h("th", { scope: "row", title: meaning || null }, breakable(name)), this.columns.flatMap((column, index) => {
          const metric = metricOf(column.run, name);
          return [h("td", null, valueElements(metric)), index > 0 && h("td", null, changeElement(name, before, metric?.value))];
        }));
      }))));
  }

  rows() {
    const names = this.metricNames();
    return [["metric", "unit", ...this.columns.map((column) => column.label)], ...names.map((name) => {
      const metrics = this.columns.map((column) => column.run?.metrics.find((metric) => metric.name === name));
      return [name, metrics.find(Boolean)?.unit ?? "", ...metrics.map((metric) => metric?.value ?? null)];
    })];
  }

  showLegend() {
    const completed = this.completedColumns();
    fill(this.utilisation.belowCanvas, completed.length > 1 && h("p", { class: "legend" }, completed.map((column) => h("span", { class: "legend-item" }, h("span", { class: `dot machine-dot-${column.colour}` }), column.label))));
  }
}
