// The explorer: holds the machines, asks the engine, and shows the answers.

import { Controls } from "./controls.js";
import { Curve } from "./curve.js";
import { byId, fill, h, setText } from "./dom.js";
import { DROPPED } from "./engine.js";
import { copyMachine, decodeState, encodeState, question } from "./link.js";
import { repairMachine } from "./repair.js";
import { copyText, showNotices } from "./panel.js";
import { partsInUse } from "./parts.js";
import { changeText, metricText } from "./quantity.js";
import { Results, headline } from "./results.js";
import { saveText } from "./save.js";
import { TomlDialog, groupIntoSections } from "./toml.js";
import { Sensitivities } from "./whatif.js";

/** @typedef {import("./types").MachineState} MachineState */
/** @typedef {import("./types").Shown} Shown */
/** @typedef {import("./types").Run} Run */
/** @typedef {import("./types").Problem} Problem */

/** Example that the page shows if the address names none. */
const DEFAULT_EXAMPLE = "memory-bus";
/** Time after the last change until curve, parts and link are updated, in ms. */
const FOLLOW_UP_DELAY_MS = 220;

export class Explorer {
  /** @param {import("./types").Engine} engine */
  constructor(engine) {
    this.engine = engine;
    /** @type {import("./types").PageState} */
    this.state = { machines: [], baseline: null, edited: 0, metric: null, curve: null };
    /** @type {(Shown | null)[]} */
    this.shown = [null, null];
    /** @type {(Run | null)[]} */
    this.runs = [null, null];
    /** @type {Run | null} */
    this.baselineRun = null;
    /** @type {Problem[][]} */
    this.problems = [[], []];
    this.cost = 50;
    this.runningCount = 0;
    this.frame = 0;
    this.link = "";
    this.openingCount = 0;
    /** @type {import("./types").List} */
    this.list = {};
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.followUpTimer = undefined;
    /** @type {ReturnType<typeof setInterval> | undefined} */
    this.progressTimer = undefined;
    this.controls = new Controls(this, {
      onkey: (path, text, isFinal) => this.setKey(path, text, isFinal),
      onpick: (place, part, set) => this.pick(place, part, set),
      onedit: (index) => {
        this.state.edited = index;
        this.renderAll();
        this.showCommand();
      },
    });
    this.results = new Results();
    this.curve = new Curve({
      engine: () => engine,
      machines: () => this.state.machines.map((machine, index) => ({ label: this.label(index), machine })),
      metric: () => this.metricName(),
      values: () => this.shown[this.state.edited]?.values ?? [],
      cost: () => this.cost,
      onchange: () => {
        if (this.curve.metric.value && this.curve.metric.value !== this.metricName()) this.state.metric = this.curve.metric.value;
        this.state.curve = this.curve.isUserChosen ? this.curve.state : null;
        this.render();
        this.curve.figure.draw();
        this.updateAddress(true);
      },
    });
    this.sensitivities = new Sensitivities(
      (onresult) => engine.ask({ ask: "whatif", ...question(this.machine()), ...(this.objective() ? { metric: this.objective() } : {}) }, { channel: "whatif", priority: 1 }).then(onresult),
      () => engine.cancel("whatif"),
      (key) => this.shown[this.state.edited]?.values.find((value) => value.path === key)?.value);
    this.toml = new TomlDialog(engine, () => question(this.machine()), (text) => this.replace({ name: null, text, sets: new Map() }));
    this.attachListeners();
  }

  machine() {
    return this.state.machines[this.state.edited];
  }

  /** @param {number} index */
  label(index) {
    return this.state.machines.length > 1 ? "AB"[index] : this.state.baseline ? "Now" : "";
  }

  metricName() {
    const run = this.runs[this.state.edited];
    return run ? headline(run, this.state.metric)?.name ?? null : this.state.metric;
  }

  /** Returns the metric of `whatif`: the chosen one, or none, in which case the engine uses the workload's objective. */
  objective() {
    return this.state.metric ?? undefined;
  }

  attachListeners() {
    byId("example").addEventListener("change", (/** @type {any} */ event) => this.replace({ name: event.target.value, text: null, sets: new Map() }));
    byId("pin").addEventListener("click", () => {
      this.state.baseline = this.state.baseline ? null : copyMachine(this.machine());
      this.baselineRun = this.state.baseline ? this.runs[this.state.edited] : null;
      this.render();
      this.updateAddress(true);
    });
    byId("second").addEventListener("click", () => {
      if (this.state.machines.length > 1) {
        this.state.machines = [this.machine()];
        this.shown = [this.shown[this.state.edited], null];
        this.runs = [this.runs[this.state.edited], null];
        this.problems = [this.problems[this.state.edited], []];
        this.state.edited = 0;
      } else {
        this.state.machines.push(copyMachine(this.machine()));
        this.shown[1] = this.shown[0];
        this.runs[1] = this.runs[0];
        this.state.edited = 1;
      }
      this.renderAll();
      this.updateAddress(true);
      this.curve.refresh();
    });
    byId("reset").addEventListener("click", () => this.replace({ ...this.machine(), sets: new Map() }));
    byId("open-toml").addEventListener("click", () => this.toml.open());
    byId("copy-link").addEventListener("click", async () => {
      await this.updateAddress(false);
      await copyText(location.href.replace(/\?token=[^#]*/, ""), byId("copy-link"), "Copy link");
    });
    byId("cancel").addEventListener("click", () => this.cancel());
    byId("copy-command").addEventListener("click", () => copyText(byId("command-text").textContent ?? "", byId("copy-command"), "Copy"));
    byId("save-toml").addEventListener("click", async () => {
      const answer = await this.engine.ask({ ask: "toml", ...question(this.machine()) }, { priority: 5 });
      if (answer.text !== undefined) saveText(groupIntoSections(answer.text), `${this.machine().name ?? "machine"}.toml`);
      else showNotices(answer.error ?? answer.problems?.[0]?.message ?? "");
    });
    for (const radio of /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll('input[name="command"]'))) radio.addEventListener("change", () => this.showCommand());
    for (const link of document.querySelectorAll("[data-goto]")) {
      link.addEventListener("click", (event) => {
        // The fragment of the address holds the state; these links only move the focus.
        event.preventDefault();
        byId("results").scrollIntoView();
        byId("results").focus({ preventScroll: true });
      });
    }
    addEventListener("hashchange", () => location.hash.slice(1) !== this.link && this.open(location.hash));
    addEventListener("popstate", () => location.hash.slice(1) !== this.link && this.open(location.hash));
  }

  /** Opens the state of a fragment. @param {string} fragment */
  async open(fragment) {
    this.link = fragment.replace(/^#/, "");
    this.openingCount += 1;
    const opening = this.openingCount;
    const { state, notices } = await decodeState(fragment);
    const isEmpty = fragment.replace("#", "") === "";
    const firstMachine = state.machines[0];
    if (isEmpty) firstMachine.name = DEFAULT_EXAMPLE;
    else if (!firstMachine.name && firstMachine.text === null) firstMachine.name = DEFAULT_EXAMPLE;
    const machines = [...state.machines, ...(state.baseline ? [state.baseline] : [])];
    const examples = (this.list.examples ?? []).map((/** @type {any} */ each) => each.name);
    for (const machine of machines) notices.push(...(await repairMachine(this.engine, machine, examples, DEFAULT_EXAMPLE)));
    if (opening !== this.openingCount) return;
    this.state = { ...state, edited: 0 };
    this.curve.state = state.curve;
    this.curve.isUserChosen = state.curve !== null;
    this.shown = [null, null];
    this.runs = [null, null];
    this.baselineRun = null;
    showNotices(...(notices.length > 0 ? ["This version does not support all of this link:", ...notices] : []));
    this.renderAll();
    await this.refresh(true);
  }

  /** Replaces the edited machine. @param {MachineState} machine */
  replace(machine) {
    this.state.machines[this.state.edited] = machine;
    if (this.state.machines.length === 1) this.state.metric = null;
    this.problems[this.state.edited] = [];
    this.renderAll();
    this.updateAddress(true);
    this.refresh();
  }

  /** Sets or resets a key. @param {string} path @param {string | null} text @param {boolean} isFinal */
  setKey(path, text, isFinal) {
    const machine = this.machine();
    const base = this.shown[this.state.edited]?.values.find((value) => value.path === path);
    if (text === null || (base && !machine.sets.has(path) && base.value === text)) machine.sets.delete(path);
    else machine.sets.set(path, text);
    // Overrides below a changed choice are dropped, since they belong to the earlier one.
    if (base?.key.choices) for (const key of Array.from(machine.sets.keys())) if (key.startsWith(`${path}.`)) machine.sets.delete(key);
    this.controls.keys.previewOverride(path, machine.sets.get(path) ?? null);
    this.run(this.state.edited);
    this.curve.redraw();
    this.sensitivities.markStale();
    if (isFinal) this.scheduleFollowUp(true);
    else this.scheduleFollowUp(false);
  }

  /** Chooses a part; overrides of keys of the previous part are dropped. @param {string} place @param {string} part @param {string} set the override that chooses it */
  pick(place, part, set) {
    const machine = this.machine();
    const family = place.split(".").pop() ?? place;
    const shown = this.shown[this.state.edited];
    const section = family === "host" ? "hosts" : family;
    const droppedKeys = Array.from(machine.sets.keys()).filter((key) => key.startsWith(`${section}.`) || (!place.includes(".") && new RegExp(`^nodes\\.[^.]+\\.${family}$`).test(key)));
    const previousPart = shown ? partsInUse(shown, family, machine.sets).join(", ") : "";
    if (previousPart === part && machine.sets.get(place) === undefined) return;
    for (const key of droppedKeys) machine.sets.delete(key);
    machine.sets.delete(place);
    const equals = set.indexOf("=");
    machine.sets = new Map([[set.slice(0, equals), set.slice(equals + 1)], ...machine.sets]);
    if (droppedKeys.length > 0 && family !== "workload") showNotices(`${droppedKeys.length === 1 ? "A change" : `${droppedKeys.length} changes`} of ${previousPart} ${droppedKeys.length === 1 ? "was" : "were"} dropped: ${droppedKeys.join(", ")}.`);
    this.sensitivities.markStale();
    this.updateAddress(true);
    this.refresh();
  }

  /** Updates link, parts, command and curve some time after the last change. @param {boolean} isFinal */
  scheduleFollowUp(isFinal) {
    clearTimeout(this.followUpTimer);
    this.followUpTimer = setTimeout(async () => {
      this.updateAddress(isFinal);
      await this.describe(this.state.edited);
      this.showCommand();
      this.curve.refresh();
      this.announce();
    }, FOLLOW_UP_DELAY_MS);
  }

  /** Asks the engine for the keys and the run of every machine. @param {boolean} [isLink] whether the state is that of a link */
  async refresh(isLink = false) {
    this.curve.stop();
    const indices = this.state.machines.map((_, index) => index);
    await Promise.all([...indices.map((index) => this.describe(index)), ...indices.map((index) => this.run(index)), this.runBaseline()]);
    byId("loading").hidden = this.runs.some(Boolean);
    setText(byId("loading"), "This machine has problems and did not run.");
    this.showCommand();
    this.curve.show(this.results.metricNames(), this.metricName());
    this.curve.refresh(isLink && this.curve.isUserChosen);
    this.announce();
    this.updateAddress(false);
  }

  /** Asks for the keys of a machine. @param {number} index */
  async describe(index) {
    const machine = this.state.machines[index];
    if (!machine) return;
    const answer = await this.engine.ask({ ask: "show", ...question(machine) }, { channel: `show-${index}`, priority: 8 });
    if (answer === DROPPED || this.state.machines[index] !== machine) return;
    if (answer.problems || answer.error) {
      this.problems[index] = answer.problems ?? [{ message: answer.error }];
      this.showProblems();
      return;
    }
    this.shown[index] = Array.isArray(answer) ? { values: answer } : answer;
    if (index === this.state.edited) this.renderControls();
  }

  /** Runs a machine. @param {number} index */
  async run(index) {
    const machine = this.state.machines[index];
    const begin = performance.now();
    this.countRunning(1);
    const answer = await this.engine.ask({ ask: "run", ...question(machine), record: false }, { channel: `run-${index}`, priority: 10 });
    this.countRunning(-1);
    if (answer === DROPPED || this.state.machines[index] !== machine) return;
    if (answer.problems || answer.error) {
      this.problems[index] = answer.problems ?? [{ message: answer.error }];
    } else {
      this.problems[index] = [];
      this.runs[index] = answer;
      this.cost = performance.now() - begin;
    }
    this.showProblems();
    this.redraw();
  }

  async runBaseline() {
    const machine = this.state.baseline;
    if (!machine || this.baselineRun) return;
    const answer = await this.engine.ask({ ask: "run", ...question(machine), record: false }, { channel: "run-baseline", priority: 5 });
    if (answer === DROPPED || this.state.baseline !== machine || answer.problems || answer.error) return;
    this.baselineRun = answer;
    this.redraw();
  }

  /** Counts running questions. While one runs for long, its time and the button Cancel are shown. @param {1 | -1} step */
  countRunning(step) {
    this.runningCount += step;
    if (this.runningCount > 0 && !this.progressTimer) {
      const begin = performance.now();
      this.progressTimer = setInterval(() => {
        const seconds = (performance.now() - begin) / 1000;
        byId("cancel").hidden = byId("progress").hidden = seconds < 0.4;
        setText(byId("progress"), `Running, ${seconds.toFixed(0)} s`);
      }, 200);
    } else if (this.runningCount === 0) {
      clearInterval(this.progressTimer);
      this.progressTimer = undefined;
      byId("cancel").hidden = byId("progress").hidden = true;
    }
  }

  cancel() {
    this.engine.cancelAll();
    this.curve.stop();
    setText(byId("progress"), "Cancelled");
    byId("progress").hidden = false;
  }

  redraw() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.render();
    });
  }

  columns() {
    const machines = this.state.machines.map((_, index) => ({ label: this.label(index), run: this.runs[index], isStale: this.problems[index].length > 0, isBaseline: false }));
    return this.state.baseline ? [{ label: "Baseline", run: this.baselineRun, isStale: false, isBaseline: true }, ...machines] : machines;
  }

  render() {
    if (!this.runs.some(Boolean)) return;
    byId("loading").hidden = true;
    byId("answers").hidden = false;
    this.results.show(this.columns(), this.state.metric, this.state.edited);
    this.curve.show(this.results.metricNames(), this.metricName());
  }

  renderAll() {
    this.controls.showMachineSwitch();
    this.renderControls();
    this.showProblems();
    this.render();
  }

  renderControls() {
    this.controls.show();
  }

  showProblems() {
    this.controls.showProblems(this.problems[this.state.edited]);
  }

  /** Announces the result to screen readers. */
  announce() {
    const metric = this.runs[this.state.edited] && headline(/** @type {Run} */ (this.runs[this.state.edited]), this.state.metric);
    if (!metric) return;
    const { number, unit } = metricText(metric.value, metric.unit);
    const reference = this.columns()[0]?.run;
    const change = reference && this.columns().length > 1 ? changeText(reference.metrics.find((each) => each.name === metric.name)?.value, metric.value) : "";
    setText(this.speaker, `${metric.name}: ${number} ${unit}${change ? `, ${change}` : ""}`);
  }

  get speaker() {
    let speaker = document.getElementById("speaker");
    if (!speaker) {
      speaker = h("div", { id: "speaker", class: "visually-hidden", role: "status" });
      byId("results").append(/** @type {HTMLElement} */ (speaker));
    }
    return /** @type {HTMLElement} */ (speaker);
  }

  async showCommand() {
    const kind = /** @type {HTMLInputElement} */ (document.querySelector('input[name="command"]:checked')).value;
    const curve = this.curve.state;
    const vary = kind === "sweep" && curve ? { vary: [`${curve.key}=${curve.range}`], ...(this.metricName() ? { metrics: [this.metricName()] } : {}) } : {};
    const metric = kind === "whatif" && this.objective() ? { metric: this.objective() } : {};
    const answer = await this.engine.ask(/** @type {any} */ ({ ask: "command", do: kind, ...question(this.machine()), ...vary, ...metric }), { channel: "command", priority: 3 });
    if (answer !== DROPPED) setText(byId("command-text"), answer.text ?? answer.error ?? answer.problems?.[0]?.message ?? "");
  }

  /** Writes the state into the address. @param {boolean} isStep whether the button Back returns to the earlier state */
  async updateAddress(isStep) {
    const link = await encodeState(this.state);
    if (link === location.hash.slice(1)) return;
    this.link = link;
    const address = `${location.pathname}${location.search}#${link}`;
    if (isStep) history.pushState(null, "", address);
    else history.replaceState(null, "", address);
    document.title = `${this.machine().name ?? "Own description"} – Narrows explorer`;
  }

  async begin() {
    const [about, list] = await Promise.all([this.engine.ask({ ask: "about" }, { priority: 9 }), this.engine.ask({ ask: "list" }, { priority: 9 })]);
    if (about.error || list.error) throw new Error(about.error ?? list.error);
    setText(byId("version"), about.version ?? "");
    this.list = list;
    fill(byId("example"), (list.examples ?? []).map((/** @type {any} */ each) => h("option", { value: each.name, title: each.about }, each.name)));
    await this.open(location.hash);
  }
}
