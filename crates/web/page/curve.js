// The curve: a metric over a key. Its points are run one by one, and each is drawn when it has been run.

import { byId, fill, freshId, h, prose, setText } from "./dom.js";
import { DROPPED } from "./engine.js";
import { Figure } from "./figure.js";
import { groupOf } from "./keys.js";
import { question } from "./link.js";
import { curveChart } from "./lines.js";
import { display, fromBase, metricText, parse, toBase, write } from "./quantity.js";

/** @typedef {import("./types").Value} Value */
/** @typedef {import("./types").MachineState} MachineState */
/** @typedef {import("./lines.js").CurvePoint} CurvePoint */

/** Longest expected time of a curve that is drawn without a press of Draw, in ms. */
const AUTOMATIC_TIME_MAX_MS = 6000;
/** Largest number of points of a curve. */
const POINTS_MAX = 60;

/** @param {Value} value */
function isNumeric(value) {
  return !["boolean", "list", "text"].includes(value.key.kind) && parse(value.value) !== null;
}

/**
 * Returns the key that a curve is drawn over at first: the load of the workload, else its size.
 * @param {Value[]} values
 */
export function defaultKey(values) {
  const numeric = values.filter(isNumeric);
  const isLoad = (/** @type {Value} */ value) => value.key.role === "load" && value.path.startsWith("workload.");
  return (numeric.find((value) => isLoad(value) && /payload|size|transfer/.test(value.path))
    ?? numeric.find(isLoad)
    ?? numeric.find((value) => /^workload\..*(payload|size|load|transfer)/.test(value.path))
    ?? numeric.find((value) => value.path.startsWith("workload."))
    ?? numeric[0])?.path ?? null;
}

/**
 * Returns a range around the value of a key, as `--vary` reads it.
 * @param {Value} value
 */
export function suggestRange(value) {
  const quantity = parse(value.value);
  if (!quantity) return "";
  const base = toBase(quantity);
  const least = value.key.least === null || value.key.least === undefined ? 0 : toBase(parse(value.key.least) ?? { number: 0, unit: "" });
  const most = value.key.most === null || value.key.most === undefined ? Infinity : toBase(parse(value.key.most) ?? { number: Infinity, unit: "" });
  const text = (/** @type {number} */ number) => write(fromBase(number, quantity.unit));
  if (["B", "KiB", "MiB", "GiB"].includes(quantity.unit)) {
    const nearestPower = 2 ** Math.round(Math.log2(Math.max(base, 1)));
    const low = Math.max(8, nearestPower / 16, 2 ** Math.ceil(Math.log2(Math.max(least, 1))));
    const high = Math.max(low * 2, Math.min(nearestPower * 4, 2 ** Math.floor(Math.log2(most))));
    return `${text(low)}..${text(high)}*2`;
  }
  if (most <= 1 && !quantity.unit) {
    const high = Math.min(most, Math.max(0.5, base * 2));
    return `${write({ number: high / 10, unit: "" })}..${write({ number: high, unit: "" })}+${write({ number: high / 10, unit: "" })}`;
  }
  if (base <= 0) return `${text(0)}..${text(Math.min(most, toBase({ number: 10, unit: quantity.unit })))}+lin6`;
  if (value.key.kind === "integer") return `${Math.max(1, least, Math.round(base / 8))}..${Math.min(most, Math.max(2, base * 4))}*2`;
  return `${text(Math.max(least, base / 4))}..${text(Math.min(most, base * 4))}*log9`;
}

/**
 * Returns the keys that vary together: those of `A=1,2;B=3,4`.
 * @param {string} vary
 */
export function variedKeys(vary) {
  return new Set(vary.split(";").map((each) => each.slice(0, Math.max(0, each.indexOf("="))).trim()));
}

export class Curve {
  /**
   * @param {{engine: () => import("./types").Engine, machines: () => {label: string, machine: MachineState}[], metric: () => string | null,
   *   values: () => Value[], cost: () => number, onchange: () => void}} page
   */
  constructor(page) {
    this.page = page;
    /** @type {import("./types").CurveState | null} */
    this.state = null;
    this.isUserChosen = false;
    /** @type {{label: string, points: CurvePoint[]}[]} */
    this.series = [];
    this.axis = { unit: "", logarithmic: true };
    this.unit = "";
    this.metricName = "";
    this.runNumber = 0;
    this.frame = 0;
    this.firstPointTime = 0;
    this.elapsed = 0;
    this.shownPaths = "";
    this.shownMetrics = "";
    /** @type {AbortController | null} */
    this.abortController = null;
    this.key = h("select", { id: freshId("curve"), onchange: () => this.pickKey(this.key.value) });
    this.range = h("input", { type: "text", id: freshId("range"), spellcheck: "false", autocomplete: "off", onchange: () => this.pickRange(this.range.value.trim()) });
    this.metric = h("select", { id: freshId("metric"), onchange: () => this.page.onchange() });
    this.button = h("button", { type: "button", onclick: () => (this.abortController ? this.stop() : this.run()) }, "Draw");
    this.status = h("p", { class: "hint", role: "status" });
    this.reading = h("p", { class: "reading", "aria-hidden": "true" });
    this.figure = new Figure(byId("curve"), { title: "Curve", name: "narrows-curve", draw: (width) => this.draw(width), rows: () => this.rows() });
    fill(this.figure.aboveCanvas, h("div", { class: "curve-fields" },
      h("div", null, h("label", { for: this.metric.id }, "Metric"), this.metric),
      h("div", null, h("label", { for: this.key.id }, "over key"), this.key),
      h("div", null, h("label", { for: this.range.id }, "Values"), this.range),
      this.button));
    this.data = h("details", { class: "data" }, h("summary", null, "Points in numbers"), h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Points in numbers" }));
    this.data.addEventListener("toggle", () => this.fillTable());
    fill(this.figure.belowCanvas, this.reading, this.status, this.data);
  }

  /** Fills the lists from the keys and metrics of the machine. @param {string[]} metrics @param {string | null} metric */
  show(metrics, metric) {
    const values = this.page.values().filter(isNumeric);
    const paths = values.map((value) => value.path).join("\n");
    if (paths !== this.shownPaths) {
      this.shownPaths = paths;
      /** @type {Map<string, Value[]>} */
      const groups = new Map();
      for (const value of values) groups.set(groupOf(value.path).group, [...(groups.get(groupOf(value.path).group) ?? []), value]);
      fill(this.key, Array.from(groups, ([group, groupValues]) => h("optgroup", { label: group }, groupValues.map((value) => h("option", { value: value.path }, groupOf(value.path).name || value.path)))));
    }
    const isKnown = this.state && values.some((value) => value.path === this.state?.key);
    if (!isKnown) {
      const key = defaultKey(this.page.values());
      const value = values.find((each) => each.path === key);
      this.state = value ? { key: value.path, range: suggestRange(value) } : null;
      this.isUserChosen = false;
    }
    if (this.state) {
      this.key.value = this.state.key;
      if (document.activeElement !== this.range) this.range.value = display(this.state.range);
    }
    const names = metrics.join("\n");
    if (names !== this.shownMetrics) {
      this.shownMetrics = names;
      fill(this.metric, metrics.map((name) => h("option", { value: name }, name)));
    }
    if (metric) this.metric.value = metric;
  }

  /** @param {string} path */
  pickKey(path) {
    const value = this.page.values().find((each) => each.path === path);
    if (!value) return;
    this.state = { key: path, range: suggestRange(value) };
    this.isUserChosen = true;
    this.range.value = display(this.state.range);
    this.page.onchange();
    this.run();
  }

  /** @param {string} text */
  pickRange(text) {
    if (!this.state || text === "") return;
    this.state = { key: this.state.key, range: text.replaceAll("µ", "u") };
    this.isUserChosen = true;
    this.page.onchange();
    this.run();
  }

  stop() {
    this.abortController?.abort();
    this.abortController = null;
    setText(this.button, "Draw");
  }

  /** Draws the curve if it is quick or was asked for; otherwise states that the shown points are of an earlier machine. */
  refresh(isAsked = false) {
    if (!this.state) return;
    if (isAsked || (this.page.cost() * this.expectedPoints()) / this.page.engine().workers < AUTOMATIC_TIME_MAX_MS) this.run();
    else {
      this.stop();
      if (this.series.length > 0) fill(this.status, prose("These points are of an earlier machine. Press Draw for this one."));
      else fill(this.status, prose(`Each point runs the machine, about ${(this.page.cost() / 1000).toFixed(1)} s.`));
      this.figure.draw();
    }
  }

  expectedPoints() {
    return Math.max(7, this.series[0]?.points.length ?? 8) * this.page.machines().length;
  }

  async run() {
    const state = this.state;
    if (!state) return;
    this.stop();
    this.runNumber += 1;
    const runNumber = this.runNumber;
    const abort = new AbortController();
    this.abortController = abort;
    const engine = this.page.engine();
    const machines = this.page.machines();
    const vary = [`${state.key}=${state.range}`];
    const varied = variedKeys(vary[0]);
    setText(this.button, "Stop");
    const begin = performance.now();
    /** @type {{label: string, points: CurvePoint[]}[]} */
    const series = [];
    /** @type {{machine: MachineState, sets: string[], point: CurvePoint}[]} */
    const jobs = [];
    for (const { label, machine } of machines) {
      const baseQuestion = question(machine);
      baseQuestion.sets = (baseQuestion.sets ?? []).filter((set) => !varied.has(set.slice(0, set.indexOf("="))));
      const answer = await engine.ask({ ask: "points", ...baseQuestion, vary }, { priority: 2, signal: abort.signal });
      if (runNumber !== this.runNumber || abort.signal.aborted) return;
      const problem = answer.error ?? answer.problems?.[0]?.message;
      if (problem) {
        series.push({ label, points: [] });
        fill(this.status, prose(`${machines.length > 1 ? `${label}: ` : ""}${problem}`));
        continue;
      }
      this.axis = { unit: "", logarithmic: answer.axes?.[0]?.logarithmic ?? /\*/.test(state.range) };
      const points = answer.points.slice(0, POINTS_MAX).map((/** @type {{sets: string[], labels: string[]}} */ each) => {
        const text = each.labels[0] ?? each.sets[0].slice(each.sets[0].indexOf("=") + 1);
        const quantity = parse(text);
        if (quantity?.unit) this.axis.unit = ["KiB", "MiB", "GiB"].includes(quantity.unit) ? "B" : quantity.unit;
        const point = { x: quantity ? toBase(quantity) : NaN, y: null, label: display(text) };
        jobs.push({ machine: { ...machine }, sets: [...(baseQuestion.sets ?? []), ...each.sets], point });
        return point;
      });
      if (points.some((/** @type {CurvePoint} */ point) => !Number.isFinite(point.x))) points.forEach((/** @type {CurvePoint} */ point, /** @type {number} */ index) => (point.x = index));
      series.push({ label: machines.length > 1 ? label : "", points });
    }
    // Points of all machines alternate, so that the curves grow together.
    const orderedJobs = machines.length > 1 ? interleave(jobs, machines.length) : jobs;
    if (jobs.length > 0) this.series = series;
    let doneCount = 0;
    this.firstPointTime = 0;
    await Promise.all(orderedJobs.map(async ({ machine, sets, point }) => {
      const { name, text, file } = question(machine);
      const answer = await engine.ask({ ask: "run", ...(text === undefined ? { name } : { text, file }), sets, record: false }, { priority: 0, signal: abort.signal });
      if (answer === DROPPED || runNumber !== this.runNumber) return;
      doneCount += 1;
      if (doneCount === 1) this.firstPointTime = performance.now() - begin;
      this.storeAnswer(point, answer);
      if (doneCount < orderedJobs.length) fill(this.status, prose(`${doneCount} of ${orderedJobs.length} points`));
      this.redraw();
    }));
    if (runNumber !== this.runNumber || abort.signal.aborted) return;
    this.abortController = null;
    setText(this.button, "Draw again");
    const failedCount = jobs.filter((job) => job.point.why).length;
    if (jobs.length > 0) {
      fill(this.status, prose(failedCount > 0 ? `${failedCount} of ${jobs.length} points did not run: ${jobs.find((job) => job.point.why)?.point.why}` : `${jobs.length} points.`));
      this.elapsed = performance.now() - begin;
      this.figure.canvas.dataset.done = String(jobs.length);
      this.figure.canvas.dataset.ms = this.elapsed.toFixed(0);
      this.figure.canvas.dataset.first = this.firstPointTime.toFixed(0);
    }
    this.redraw();
    this.fillTable();
  }

  /** @param {CurvePoint & {answer?: any}} point @param {any} answer */
  storeAnswer(point, answer) {
    point.answer = { metrics: answer.metrics ?? [] };
    if (answer.error || answer.problems || answer.stopped) point.why = answer.error ?? answer.problems?.[0]?.message ?? answer.stopped;
  }

  /** Reads the chosen metric from the points that have been run. */
  readMetric() {
    const name = this.page.metric() ?? this.metric.value;
    this.metricName = name;
    for (const series of this.series) {
      for (const point of /** @type {any[]} */ (series.points)) {
        const metric = point.answer?.metrics.find((/** @type {any} */ each) => each.name === name);
        point.y = point.why || !metric ? null : metric.value;
        if (metric) this.unit = metric.unit;
      }
    }
  }

  redraw() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.figure.draw();
    });
  }

  /** @param {number} width */
  draw(width) {
    this.readMetric();
    const state = this.state;
    if (!state || this.series.length === 0) return null;
    const marks = this.page.machines().map(({ machine }) => {
      const text = machine.sets.get(state.key) ?? this.page.values().find((value) => value.path === state.key)?.value;
      const quantity = parse(text);
      return quantity ? toBase(quantity) : null;
    });
    return curveChart(width, {
      series: this.series, xLabel: state.key, xUnit: this.axis.unit, log: this.axis.logarithmic, yLabel: this.metricName, unit: this.unit, marks,
      onpoint: (point, series) => {
        const value = point ? metricText(point.y, this.unit) : null;
        setText(this.reading, point && value ? `${series?.label ? `${series.label} · ` : ""}${point.label}: ${value.number} ${value.unit}` : "");
      },
    });
  }

  rows() {
    const key = this.state?.key ?? "key";
    return [["machine", key, this.metricName, "unit"], ...this.series.flatMap((series) => series.points.map((point) => [series.label, point.label, point.y, point.y === null ? point.why ?? "" : this.unit]))];
  }

  fillTable() {
    if (!this.data.open) return;
    this.readMetric();
    fill(this.data.lastElementChild, h("table", { class: "numbers" },
      h("thead", null, h("tr", null, h("th", { scope: "col" }, this.state?.key ?? ""), this.series.map((series) => h("th", { scope: "col" }, series.label || this.metricName)))),
      h("tbody", null, (this.series[0]?.points ?? []).map((point, index) => h("tr", null, h("th", { scope: "row" }, point.label), this.series.map((series) => {
        const pointOfSeries = series.points[index];
        const value = metricText(pointOfSeries?.y, this.unit);
        return h("td", null, pointOfSeries?.y === null || !pointOfSeries ? pointOfSeries?.why ?? "–" : `${value.number} ${value.unit}`);
      }))))));
  }
}

/** @template T @param {T[]} jobs @param {number} machines @returns {T[]} */
function interleave(jobs, machines) {
  const pointsPerMachine = Math.ceil(jobs.length / machines);
  const interleaved = [];
  for (let index = 0; index < pointsPerMachine; index += 1) for (let machine = 0; machine < machines; machine += 1) if (jobs[machine * pointsPerMachine + index]) interleaved.push(jobs[machine * pointsPerMachine + index]);
  return interleaved;
}
