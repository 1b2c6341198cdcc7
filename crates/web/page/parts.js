// The parts of a machine as pick lists. A part that does not fit is shown with the reason.

import { fill, freshId, h, prose } from "./dom.js";

/** @typedef {import("./types").Fit} Fit */
/** @typedef {import("./types").Shown} Shown */

const FAMILIES = [
  { family: "host", title: "Host", perNode: true },
  { family: "ni", title: "Interface", perNode: true },
  { family: "protocol", title: "Protocol", perNode: false },
  { family: "fabric", title: "Fabric", perNode: false },
  { family: "workload", title: "Workload", perNode: false },
];

/**
 * Returns the parts in use of a family: from the answer, the overrides, or the files that set its keys.
 * @param {Shown} shown @param {string} family @param {Map<string, string>} sets
 */
export function partsInUse(shown, family, sets) {
  const set = sets.get(family);
  if (set) return [partName(set)];
  const answeredParts = shown.chosen?.[family];
  if (answeredParts) return answeredParts;
  const pattern = family === "host" ? /^nodes\.[^.]+\.host$/ : new RegExp(`^(${family}|nodes\\.[^.]+\\.${family})$`);
  const names = shown.values.filter((value) => pattern.test(value.path)).map((value) => {
    const file = /^machines\/(?:[^/]+)\/(.+)\.toml/.exec(value.from ?? "");
    return family !== "host" && file ? file[1] : value.value;
  });
  return Array.from(new Set(names));
}

/** Returns the name of a part without the folder of its family. @param {string} part */
function partName(part) {
  return part.replace(/^(hosts|ni|protocols|fabrics|workloads)\//, "");
}

export class Parts {
  /**
   * @param {HTMLElement} host
   * @param {{fits: (place: string) => Promise<any>, onpick: (place: string, part: string, set: string) => void}} handlers
   */
  constructor(host, handlers) {
    this.handlers = handlers;
    /** @type {Map<string, any>} */
    this.familyPicks = new Map();
    for (const entry of FAMILIES) {
      const current = h("span", { class: "part-name" });
      const body = h("div", { class: "part-body" });
      const details = h("details", { class: "part", name: "parts", ontoggle: () => details.open && this.loadFits(entry.family) },
        h("summary", null, h("span", { class: "part-family" }, entry.title), current), body);
      this.familyPicks.set(entry.family, { ...entry, details, current, body, place: entry.family, isStale: true, fits: null, names: [] });
      host.append(details);
    }
  }

  /** @param {Shown} shown @param {Map<string, string>} sets */
  show(shown, sets) {
    const nodes = Array.from(new Set(shown.values.map((value) => /^nodes\.([^.]+)\./.exec(value.path)?.[1]).filter((node) => node !== undefined)));
    for (const pick of this.familyPicks.values()) {
      const names = partsInUse(shown, pick.family, sets);
      pick.names = names;
      pick.details.hidden = names.length === 0;
      fill(pick.current, names.length > 3 ? `${names.slice(0, 3).join(", ")}, …` : names.join(", "));
      pick.nodes = pick.perNode && nodes.length > 1 && nodes.length <= 16 ? nodes : [];
      pick.isStale = true;
      if (pick.details.open) this.loadFits(pick.family);
    }
  }

  /** @param {string} family */
  async loadFits(family) {
    const pick = this.familyPicks.get(family);
    if (!pick.isStale) return;
    pick.isStale = false;
    if (!pick.fits) fill(pick.body, h("p", { class: "hint" }, "Checking which parts fit …"));
    const answer = await this.handlers.fits(pick.place);
    if (answer.dropped) {
      pick.isStale = true;
      return;
    }
    pick.fits = (Array.isArray(answer) ? answer : answer.fits ?? []).map((/** @type {Fit} */ fit) => ({ ...fit, part: partName(fit.part), set: fit.set ?? `${pick.place}=${fit.part}` }));
    this.draw(pick, answer);
  }

  /** @param {any} pick @param {any} answer */
  draw(pick, answer) {
    const focused = pick.body.contains(document.activeElement) ? /** @type {any} */ (document.activeElement).value : null;
    const name = freshId("part");
    const fits = /** @type {Fit[]} */ (pick.fits);
    const orderedFits = [...fits.filter((fit) => fit.fits), ...fits.filter((fit) => !fit.fits)];
    const scope = pick.nodes.length > 0 && h("label", { class: "scope" }, "Change ", h("select", {
      onchange: (/** @type {any} */ event) => {
        pick.place = event.target.value;
        pick.isStale = true;
        this.loadFits(pick.family);
      },
    }, h("option", { value: pick.family }, "all nodes"), pick.nodes.map((/** @type {string} */ node) => h("option", { value: `nodes.${node}.${pick.family}`, selected: pick.place === `nodes.${node}.${pick.family}` }, `node ${node}`))));
    const options = orderedFits.map((fit) => {
      const about = freshId("about");
      const input = h("input", { type: "radio", name, value: fit.part, checked: pick.names.length === 1 && pick.names[0] === fit.part, disabled: !fit.fits, "aria-describedby": about,
        onchange: () => this.handlers.onpick(pick.place, fit.part, /** @type {string} */ (fit.set)) });
      return h("div", { class: fit.fits ? "option" : "option unfit" },
        h("label", null, input, h("span", { class: "option-name" }, fit.part)),
        h("div", { id: about, class: "option-about" }, h("span", null, prose(fit.title)), !fit.fits && h("span", { class: "reason" }, prose(`Does not fit: ${fit.reason || "no reason is known"}`))));
    });
    const unfitCount = fits.filter((fit) => !fit.fits).length;
    fill(pick.body, scope,
      answer.problems && h("p", { class: "reason" }, answer.problems[0]?.message ?? "The machine has problems."),
      answer.error && h("p", { class: "reason" }, answer.error),
      h("fieldset", null, h("legend", { class: "visually-hidden" }, pick.title), options.slice(0, orderedFits.length - unfitCount)),
      unfitCount > 0 && h("h3", { class: "unfit-title" }, `${unfitCount} ${unfitCount === 1 ? "part does" : "parts do"} not fit`),
      unfitCount > 0 && h("fieldset", null, h("legend", { class: "visually-hidden" }, `${pick.title}: parts that do not fit`), options.slice(orderedFits.length - unfitCount)));
    if (focused !== null) pick.body.querySelector(`input[value="${CSS.escape(focused)}"]`)?.focus();
  }
}
