// The page of `narrows reproduce PAPER --live`: calibrated constants of a study with sliders, and its claims, which are
// judged again after each change. The fragment of the address holds the state: #STUDY&KEY=VALUE… A page in one file also
// names its study in a `meta` element.

import { breakable, byId, fill, freshId, h, prose, setText } from "./dom.js";
import { DROPPED, fromBase64, TIMED_OUT, start } from "./engine.js";
import { unpackLzma } from "./lzma.js";
import { display, fromBase, parse, percent, scaleOf, toBase, write } from "./quantity.js";

/** @typedef {{id: string, source: string, statement: string, role: string, expected: string, measured: string,
 *   measured_value: number | null, error: number | null, tolerance: number | null, holds: boolean | null, expected_failure: string | null}} Claim */
/** @typedef {{path: string, value: string, meaning: string, fitted_on: string}} Constant */
/** @typedef {{id: string, runs: number, claims: Claim[], left_out: {id: string, reason: string}[]}} Artifact */

/** Time after the last change of a slider until the claims are judged, in ms. */
const JUDGE_DELAY_MS = 250;
/** Longest time in ms of runs that are started by a change of a slider. Longer runs are stopped, and are made on request only. */
const AUTOMATIC_TIME_MAX_MS = 20_000;

/** @param {boolean | null} holds */
function verdict(holds) {
  return holds === null ? "–" : holds ? "holds" : "fails";
}

class LiveArtifact {
  /** @param {StudyPage} page @param {Artifact} artifact */
  constructor(page, artifact) {
    this.page = page;
    this.artifact = artifact;
    /** @type {Map<string, Claim>} */
    this.published = new Map();
    /** @type {Map<string, Claim>} */
    this.judged = new Map();
    this.exceedsTimeLimit = false;
    this.isRunning = false;
    /** The number of the last question. */
    this.lastQuestion = 0;
    this.status = h("span", { class: "hint", role: "status" });
    this.button = h("button", { type: "button", hidden: true, onclick: () => this.press() });
    /** @type {Map<string, {row: any, measured: any, error: any, holds: any}>} */
    this.rows = new Map();
    const body = artifact.claims.map((claim) => {
      const row = { row: null, measured: h("td", { class: "number" }), error: h("td", { class: "number" }), holds: h("td") };
      row.row = h("tr", { "data-claim": claim.id },
        h("th", { scope: "row" }, claim.id),
        h("td", { class: "statement" }, claim.statement, h("div", { class: "hint" }, `${claim.source} · ${claim.role}`)),
        h("td", { class: "number" }, claim.expected), row.measured, row.error,
        h("td", { class: "number" }, claim.tolerance === null ? "" : `±${percent(claim.tolerance)}`), row.holds);
      this.rows.set(claim.id, row);
      return row.row;
    });
    const headings = ["claim", "statement", "published", "simulated", "error", "allowed", "verdict"];
    this.element = h("div", { "data-artifact": artifact.id },
      h("h3", null, `${artifact.id}: ${artifact.runs} runs `, this.button, " ", this.status),
      h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `Claims of ${artifact.id}` },
        h("table", null, h("thead", null, h("tr", null, headings.map((head) => h("th", { scope: "col" }, head)))), h("tbody", null, body))));
  }

  /** @param {string} text @param {"Judge" | "Stop" | ""} action */
  show(text, action) {
    this.isRunning = action === "Stop";
    setText(this.status, text);
    setText(this.button, action);
    this.button.setAttribute("aria-label", `${action} ${this.artifact.id}`);
    this.button.hidden = action === "";
  }

  press() {
    if (this.isRunning) for (const channel of ["claims", "published"]) this.page.engine.cancel(`${channel}-${this.artifact.id}`);
    else this.judge(true);
  }

  /** @param {boolean} isAsked */
  async judge(isAsked) {
    const sets = this.page.sets();
    const isPublished = sets.length === 0;
    const number = (this.lastQuestion += 1);
    const id = this.artifact.id;
    // A newer question replaces an older one of its channel. Runs with the published constants go on, since all others
    // are compared with them.
    const isDeferred = this.exceedsTimeLimit && !isAsked && !(isPublished && this.published.size > 0);
    if (isDeferred || isPublished) this.page.engine.cancel(`claims-${id}`);
    if (isDeferred) {
      this.show(`These claims take more than ${AUTOMATIC_TIME_MAX_MS / 1000} s, and are judged only when asked for. The verdicts are of other values.`, "Judge");
      return;
    }
    this.show("running…", "Stop");
    const question = /** @type {any} */ ({ ask: "claims", study: this.page.study, artifact: id, sets });
    const options = isPublished ? { channel: `published-${id}`, priority: 1 } : { channel: `claims-${id}`, priority: 2 };
    const answer = await this.page.engine.ask(question, { ...options, limit: isAsked ? undefined : AUTOMATIC_TIME_MAX_MS });
    const isLast = number === this.lastQuestion;
    if (answer === TIMED_OUT) this.exceedsTimeLimit = true;
    if (answer === DROPPED || answer === TIMED_OUT) {
      const why = answer === TIMED_OUT ? `These claims take more than ${AUTOMATIC_TIME_MAX_MS / 1000} s.` : "Stopped.";
      if (isLast) this.show(`${why} The verdicts are of other values.`, "Judge");
      return;
    }
    const why = answer.error ?? answer.problems?.[0]?.message;
    if (why) {
      if (isLast) {
        this.show("", "");
        fill(this.status, prose(why));
      }
      return;
    }
    const claims = new Map(answer.claims.map((/** @type {Claim} */ claim) => [claim.id, claim]));
    if (isPublished) this.published = claims;
    if (isLast) {
      this.show("", "");
      this.judged = claims;
    }
    this.draw();
    this.page.updateTally();
  }

  draw() {
    for (const [id, claim] of this.judged) {
      const row = this.rows.get(id);
      if (!row) continue;
      const publishedClaim = this.published.get(id);
      fill(row.measured, claim.measured, publishedClaim && publishedClaim.measured !== claim.measured && h("div", { class: "hint" }, `before: ${publishedClaim.measured}`));
      setText(row.error, claim.error === null ? "" : `${claim.error > 0 ? "+" : ""}${percent(claim.error)}`);
      fill(row.holds, h("span", { class: claim.holds === null ? "" : claim.holds ? "holds" : "fails", title: claim.expected_failure ?? "" }, verdict(claim.holds)));
      row.row.classList.toggle("turned", Boolean(publishedClaim) && publishedClaim?.holds !== claim.holds);
    }
  }
}

class StudyPage {
  /** @param {import("./types").Engine} engine */
  constructor(engine) {
    this.engine = engine;
    this.study = "";
    /** @type {Map<string, string>} */
    this.values = new Map();
    /** @type {LiveArtifact[]} */
    this.artifacts = [];
    /** @type {(() => void)[]} */
    this.resets = [];
    this.timer = 0;
  }

  sets() {
    return Array.from(this.values, ([key, value]) => `${key}=${value}`);
  }

  async begin() {
    const [name, ...items] = location.hash.slice(1).split("&").map((item) => decodeURIComponent(item.replaceAll("+", "%20")));
    this.study = name || (document.querySelector('meta[name="narrows-study"]')?.getAttribute("content") ?? "");
    if (!this.study) throw new Error("the address names none: add its name behind #, such as #trapeze");
    const study = await this.engine.ask(/** @type {any} */ ({ ask: "study", study: this.study }));
    const why = study.error ?? study.problems?.[0]?.message;
    if (why) throw new Error(why);
    document.title = `${study.title} – Narrows`;
    for (const id of ["title", "reference", "abstract"]) setText(byId(id), study[id]);
    const valuesOfLink = new Map(items.map((item) => /** @type {[string, string]} */ ([item.slice(0, item.indexOf("=")), item.slice(item.indexOf("=") + 1)])));
    /** @type {Constant[]} */
    const constants = study.constants.filter((/** @type {Constant} */ one, /** @type {number} */ index, /** @type {Constant[]} */ all) => all.findIndex((other) => other.path === one.path) === index);
    fill(byId("constants"), constants.map((constant) => this.constant(constant)));
    if (constants.length === 0) fill(byId("constants"), h("p", null, "The machines of this study have no calibrated constants."));
    this.artifacts = study.artifacts.filter((/** @type {Artifact} */ one) => one.claims.length > 0).map((/** @type {Artifact} */ one) => new LiveArtifact(this, one));
    fill(byId("artifacts"), this.artifacts.map((artifact) => artifact.element));
    const leftOutClaims = study.artifacts.flatMap((/** @type {Artifact} */ artifact) => artifact.left_out);
    fill(byId("left-out"), h("ul", null, leftOutClaims.map((/** @type {{id: string, reason: string}} */ one) => h("li", { "data-left-out": one.id }, h("code", null, one.id), `: ${one.reason}`))));
    byId("reset").addEventListener("click", () => this.resets.forEach((reset) => reset()));
    // The published constants first, with which all others are compared.
    setText(byId("notice"), "Judging the claims with the published constants…");
    await Promise.all(this.artifacts.map((artifact) => artifact.judge(false)));
    setText(byId("notice"), "");
    for (const constant of constants) {
      const value = valuesOfLink.get(constant.path);
      if (value !== undefined) this.values.set(constant.path, value);
    }
    if (this.values.size > 0) this.judge();
    document.body.dataset.ready = "";
  }

  /** Returns the slider of a constant. @param {Constant} constant */
  constant(constant) {
    const scale = scaleOf({ kind: "quantity", meaning: constant.meaning }, constant.value);
    const unit = parse(constant.value)?.unit ?? "";
    const id = freshId("constant");
    const output = h("output", { for: id }, display(constant.value));
    const row = h("div", { class: "constant", "data-key": constant.path });
    /** @param {string | null} value */
    const setValue = (value) => {
      if (value === null) this.values.delete(constant.path);
      else this.values.set(constant.path, value);
      setText(output, display(value ?? constant.value));
      row.classList.toggle("changed", value !== null);
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.judge(), JUDGE_DELAY_MS);
    };
    const quantity = parse(constant.value);
    const slider = scale && quantity && h("input", { type: "range", id, min: 0, max: scale.steps, step: 1, value: scale.position(toBase(quantity)), oninput: () => setValue(write(fromBase(scale.at(Number(slider.value)), unit))) });
    const reset = () => {
      if (slider && scale && quantity) slider.value = scale.position(toBase(quantity));
      if (this.values.has(constant.path)) setValue(null);
    };
    this.resets.push(reset);
    fill(row, h("label", { for: id, title: constant.meaning }, breakable(constant.path)), slider || h("span"), output,
      h("button", { type: "button", onclick: reset, "aria-label": `Reset ${constant.path}` }, "Reset"),
      h("p", { class: "hint" }, `${constant.meaning}. Fitted on: ${constant.fitted_on}`));
    return row;
  }

  judge() {
    const items = [this.study, ...this.sets()].map((item) => encodeURIComponent(item).replaceAll("%3D", "="));
    history.replaceState(null, "", `${location.pathname}${location.search}#${items.join("&")}`);
    for (const artifact of this.artifacts) artifact.judge(false);
  }

  updateTally() {
    const count = (/** @type {boolean | null} */ holds) => this.artifacts.flatMap((artifact) => [...artifact.judged.values()]).filter((claim) => claim.holds === holds).length;
    const changedVerdicts = this.artifacts.flatMap((artifact) => [...artifact.judged.values()].filter((claim) => artifact.published.has(claim.id) && artifact.published.get(claim.id)?.holds !== claim.holds)).length;
    setText(byId("tally"), `${count(true)} hold, ${count(false)} fail, ${count(null)} not judged; ${changedVerdicts} verdicts differ from those with the published constants.`);
  }
}

/** Starts the page, with the module that it contains or with the server that sent it. */
async function main() {
  const packedModule = document.getElementById("narrows-wasm")?.textContent;
  if (packedModule) await new Promise((resolve) => setTimeout(resolve, 30)); // The page is drawn before it is busy.
  const engine = await start(document.baseURI, packedModule ? unpackLzma(fromBase64(packedModule)) : undefined);
  await new StudyPage(engine).begin();
}

addEventListener("hashchange", () => location.reload());
main().catch((error) => setText(byId("notice"), `The study could not be shown: ${error instanceof Error ? error.message : String(error)}`));
