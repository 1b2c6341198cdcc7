// Sensitivities: the change of the metric when a resource or key is made faster or slower, and with other settings:
// other words of a choice, and numbers in place of 0.

import { tornadoChart } from "./bars.js";
import { breakable, byId, fill, h, prose, setText } from "./dom.js";
import { Figure } from "./figure.js";
import { display, parse } from "./quantity.js";

/** @typedef {import("./types").WhatIf} WhatIf */
/** @typedef {import("./types").Trial} Trial */

/** Number of bars. */
const BARS_MAX = 10;

/** @param {Trial} trial */
function detailText(trial) {
  const changes = trial.changes ?? (trial.key ? [{ key: trial.key, before: trial.before ?? "", value: trial.value ?? "", factor: 1 }] : []);
  return changes.map((change) => `${change.key}: ${display(change.before)} → ${display(change.value)}`).join(", ");
}

/** @param {number | null} ratio factor by which a change improves the metric */
function improvementText(ratio) {
  if (ratio === null) return "–";
  const percent = (Math.abs(ratio - 1) * 100).toFixed(1);
  return percent === "0.0" ? "same" : `${percent} % ${ratio > 1 ? "better" : "worse"}`;
}

/**
 * Returns the rows of other settings: the key, its value, the value that was tried, and the change of the metric or the
 * reason why it could not be tried. Of the refused trials these are those in place of a word or of 0.
 * @param {WhatIf} answer @param {(key: string) => string | undefined} valueOf
 */
function settingRows(answer, valueOf) {
  const settings = (answer.settings ?? []).map(({ key, before, value, ratio }) => [key, before, value, improvementText(ratio)]);
  const refused = (answer.refused ?? []).flatMap(({ change, reason }) => {
    const [key, value] = change.split(" = ");
    const before = valueOf(key);
    if (before === undefined || change.includes(", ")) return [];
    const number = parse(before);
    return !number || number.number === 0 ? [[key, before, value, `not tried: ${reason}`]] : [];
  });
  return [...settings, ...refused];
}

export class Sensitivities {
  /**
   * @param {(onresult: (answer: any) => void) => void} ask @param {() => void} cancel
   * @param {(key: string) => string | undefined} valueOf returns the value of a key of the machine
   */
  constructor(ask, cancel, valueOf) {
    this.valueOf = valueOf;
    /** @type {WhatIf | null} */
    this.answer = null;
    this.isStale = false;
    this.isBusy = false;
    this.showsSingleKeys = false;
    this.button = h("button", { type: "button", onclick: () => {
      if (this.isBusy) {
        cancel();
        this.setBusy(false);
        fill(this.status, prose("Cancelled."));
        return;
      }
      this.setBusy(true);
      ask((answer) => {
        this.setBusy(false);
        if (answer.dropped) return;
        if (answer.error || answer.problems) fill(this.status, prose(answer.error ?? answer.problems[0]?.message ?? ""));
        else this.show(answer);
      });
    } }, "Find the bottleneck by experiment");
    this.toggle = h("label", { class: "check", hidden: true }, h("input", { type: "checkbox", onchange: (/** @type {any} */ event) => {
      this.showsSingleKeys = event.target.checked;
      this.figure.draw();
    } }), " single keys");
    this.status = h("p", { class: "hint", role: "status" }, "Every resource and every key is made faster and slower by a factor of 2, one after the other.");
    this.figure = new Figure(byId("whatif"), {
      title: "What would help", isTabled: true, name: "narrows-sensitivities", draw: (width) => tornadoChart(width, this.rows()),
      rows: () => [["what", "faster_ratio", "slower_ratio", "changes"], ...this.rows().map((row) => [row.name, row.faster, row.slower, row.detail])],
    });
    fill(this.figure.aboveCanvas, h("div", { class: "row-actions" }, this.button, this.toggle), this.status);
  }

  /** @param {boolean} isBusy */
  setBusy(isBusy) {
    this.isBusy = isBusy;
    setText(this.button, isBusy ? "Cancel" : this.answer ? "Find the bottleneck again" : "Find the bottleneck by experiment");
    if (isBusy) fill(this.status, prose("Trying each resource and key, faster and slower …"));
  }

  markStale() {
    if (!this.answer || this.isStale) return;
    this.isStale = true;
    fill(this.status, prose("These trials are of an earlier machine."));
    this.figure.canvas.classList.add("old");
    this.figure.belowCanvas.classList.add("old");
  }

  /** @param {WhatIf} answer */
  show(answer) {
    this.answer = answer;
    this.isStale = false;
    this.toggle.hidden = false;
    this.figure.canvas.classList.remove("old");
    this.figure.belowCanvas.classList.remove("old");
    const bottleneck = answer.bottleneck;
    const sentences = [];
    if (bottleneck?.resources && bottleneck.ratio !== null) sentences.push(`Bottleneck: ${bottleneck.resources.join(" and ")}. Twice as fast, it improves ${answer.metric} by ${((bottleneck.ratio - 1) * 100).toFixed(1)} %.`);
    else sentences.push(`No resource limits ${answer.metric} alone.`);
    sentences.push(...(answer.notes ?? []));
    if (answer.runs) sentences.push(`${answer.runs} runs.`);
    fill(this.status, prose(sentences.join(" ")));
    this.showSettings(answer);
    this.figure.draw();
  }

  /** Shows the other settings that were tried, in a table below the drawing. @param {WhatIf} answer */
  showSettings(answer) {
    const rows = settingRows(answer, this.valueOf);
    const label = "Other settings, tried one at a time";
    const headings = ["setting", "from → to", `change of ${answer.metric}`];
    fill(this.figure.belowCanvas, rows.length > 0 && h("details", { class: "data", open: true }, h("summary", null, label),
      h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": label }, h("table", { class: "numbers", id: "settings-table" },
        h("thead", null, h("tr", null, headings.map((heading) => h("th", { scope: "col", class: "text" }, heading)))),
        h("tbody", null, rows.map(([key, before, value, result]) => h("tr", null,
          h("th", { scope: "row", class: "text" }, breakable(key)),
          h("td", { class: "text" }, `${display(before)} → ${display(value)}`),
          h("td", { class: "text" }, prose(result)))))))));
  }

  rows() {
    if (!this.answer) return [];
    const trials = this.showsSingleKeys ? this.answer.gains ?? [] : this.answer.resources ?? [];
    return trials
      .filter((trial) => trial.ratio !== null && (Math.abs(trial.ratio - 1) > 5e-4 || Math.abs((trial.slower_ratio ?? 1) - 1) > 5e-4))
      .map((trial) => ({ name: trial.resources?.join(" and ") ?? trial.key ?? "", detail: detailText(trial), faster: trial.ratio, slower: trial.slower_ratio ?? null }))
      .sort((a, b) => Math.max(Math.abs((b.faster ?? 1) - 1), Math.abs((b.slower ?? 1) - 1)) - Math.max(Math.abs((a.faster ?? 1) - 1), Math.abs((a.slower ?? 1) - 1)))
      .slice(0, BARS_MAX);
  }
}
