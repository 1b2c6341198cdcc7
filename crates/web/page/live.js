// <narrows-live description="memory-bus" vary="workload.ping-pong.payload=8 B..256 B" metric="message.latency_one_way">
//
// A slider, the result of the machine at the value of the slider, and a link to the explorer. The children of the element
// are shown without a script, and until the simulator has answered. Attributes:
//
//   description  name of a shipped example
//   text         a description in TOML, in place of an example
//   set          overrides, as KEY=VALUE, separated by `;`
//   vary         KEY=LOW..HIGH, or KEY alone
//   metric       metric that is shown [default: the first of the workload]
//   against      overrides of a second machine that is drawn next to the first
//   explorer     address of the explorer [default: next to this module]

import { stagesChart } from "./bars.js";
import { fill, h, s, setText } from "./dom.js";
import { DROPPED, start } from "./engine.js";
import { encodeState, question } from "./link.js";
import { display, fromBase, metricText, parse, scaleOf, toBase, write } from "./quantity.js";
import { headline } from "./results.js";

/** @typedef {import("./types").MachineState} MachineState */

const HOME = new URL(".", /** @type {any} */ (import.meta).url).href;

/** @type {Promise<import("./types").Engine> | null} */
let engine = null;
let elementCount = 0;

/** @param {string | null} text */
function parseOverrides(text) {
  const sets = new Map();
  for (const part of (text ?? "").split(";")) {
    const equals = part.indexOf("=");
    if (equals > 0) sets.set(part.slice(0, equals).trim(), part.slice(equals + 1).trim());
  }
  return sets;
}

class NarrowsLive extends HTMLElement {
  connectedCallback() {
    if (this.shadowRoot) return;
    const root = this.attachShadow({ mode: "open" });
    root.append(h("slot"));
    // The simulator is loaded when the element is scrolled near the window.
    const watcher = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      watcher.disconnect();
      this.begin(root).catch((error) => this.setAttribute("data-error", String(error)));
    }, { rootMargin: "400px" });
    watcher.observe(this);
  }

  /** @param {ShadowRoot} root */
  async begin(root) {
    engine ??= start(HOME);
    const narrowsEngine = await engine;
    elementCount += 1;
    const channel = `live-${elementCount}`;
    const sets = parseOverrides(this.getAttribute("set"));
    const text = this.getAttribute("text");
    /** @type {MachineState[]} */
    const machines = [{ name: text === null ? this.getAttribute("description") ?? "memory-bus" : null, text, sets }];
    if (this.hasAttribute("against")) machines.push({ name: machines[0].name, text, sets: new Map([...sets, ...parseOverrides(this.getAttribute("against"))]) });
    const shown = await narrowsEngine.ask({ ask: "show", ...question(machines[0]) });
    if (shown.problems || shown.error) throw new Error(shown.error ?? shown.problems[0]?.message);
    const vary = this.getAttribute("vary") ?? "";
    const [key, range] = vary.includes("=") ? [vary.slice(0, vary.indexOf("=")), vary.slice(vary.indexOf("=") + 1)] : [vary, ""];
    const value = shown.values.find((/** @type {any} */ each) => each.path === key);
    const [least, most] = range.includes("..") ? range.split("..").map((each) => each.replace(/[*+].*$/, "").trim()) : [value?.key.least, value?.key.most];
    const scale = value ? scaleOf({ ...value.key, least, most }, value.value) : null;
    const unit = parse(value?.value)?.unit ?? "";

    const style = h("link", { rel: "stylesheet", href: new URL("live.css", HOME).href });
    const output = h("output", { class: "value" });
    const slider = scale && h("input", { type: "range", min: 0, max: scale.steps, step: 1, value: scale.position(toBase(/** @type {any} */ (parse(value.value)))), "aria-label": `${key}: ${value.key.meaning}`, oninput: () => applySlider() });
    const number = h("p", { class: "number", role: "status" });
    const figure = h("div", { class: "figure" });
    const problem = h("p", { class: "problem" });
    const link = h("a", { target: "_top" }, "Open in the explorer");
    fill(/** @type {any} */ (root), style,
      h("div", { class: "live" },
        scale && h("div", { class: "row" }, h("span", { class: "key", title: value.key.meaning }, key.split(".").pop()), slider, output),
        number, figure, problem, h("p", { class: "more" }, link)));
    this.setAttribute("data-ready", "");

    /** @type {(any | null)[]} */
    const runs = machines.map(() => null);
    const labels = machines.map((machine, index) => (machines.length < 2 ? "" : index === 0 ? this.getAttribute("label") ?? "A" : this.getAttribute("against") ?? "B"));
    let frame = 0;
    const draw = () => {
      frame = 0;
      const completedRuns = runs.filter(Boolean);
      if (completedRuns.length === 0) return;
      const texts = runs.map((run, index) => {
        const metric = run && headline(run, this.getAttribute("metric"));
        const { number: digits, unit: shownUnit } = metricText(metric?.value, metric?.unit ?? "");
        return h("span", { class: `machine-${index}` }, labels[index] && `${labels[index]}: `, h("strong", null, digits), ` ${shownUnit}`, index === 0 && h("small", null, ` ${metric?.name ?? ""}`));
      });
      fill(number, texts);
      const width = Math.max(260, Math.floor(figure.clientWidth));
      const chart = stagesChart(width, runs.flatMap((run, index) => (run ? [{ label: labels[index], stages: run.stages }] : [])));
      fill(figure, chart ?? s("svg", { width: 0, height: 0 }));
    };
    const runMachines = () => {
      machines.forEach(async (machine, index) => {
        const answer = await narrowsEngine.ask({ ask: "run", ...question(machine), record: false }, { channel: `${channel}-${index}`, priority: 10 });
        if (answer === DROPPED) return;
        const problemText = answer.error ?? answer.problems?.[0]?.message ?? answer.stopped ?? "";
        setText(problem, problemText);
        if (!problemText) runs[index] = answer;
        frame ||= requestAnimationFrame(draw);
      });
    };
    const updateLink = async () => {
      const state = await encodeState({ machines, baseline: null, edited: 0, metric: this.getAttribute("metric"), curve: null });
      link.href = `${new URL(this.getAttribute("explorer") ?? "index.html", HOME).href}#${state}`;
    };
    const applySlider = () => {
      const text = write(fromBase(/** @type {any} */ (scale).at(Number(slider.value)), unit));
      setText(output, display(text));
      slider.setAttribute("aria-valuetext", display(text));
      for (const machine of machines) machine.sets.set(key, text);
      runMachines();
      updateLink();
    };
    if (value) setText(output, display(value.value));
    new ResizeObserver(() => (frame ||= requestAnimationFrame(draw))).observe(figure);
    runMachines();
    await updateLink();
  }
}

if (!customElements.get("narrows-live")) customElements.define("narrows-live", NarrowsLive);
