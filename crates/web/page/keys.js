// The keys of a machine: each with its meaning, range, source and default, as slider, list, switch or text field.

import { breakable, fill, freshId, h, prose, setText } from "./dom.js";
import { display, fromBase, parse, scaleOf, toBase, write } from "./quantity.js";

/** @typedef {import("./types").Value} Value */
/** @typedef {import("./types").Problem} Problem */

/** Keys that the part lists choose. */
const PART_KEYS = /^(ni|protocol|fabric|host|workload|nodes\.[^.]+\.(host|ni|protocol))$/;
const GROUP_TITLES = /** @type {Record<string, string>} */ ({ workload: "Workload", ni: "Interface", protocol: "Protocol", fabric: "Fabric", messaging: "Messaging library", "shared-memory": "Shared memory", run: "Run", nodes: "Nodes" });
const GROUP_ORDER = ["workload", "hosts", "ni", "protocol", "fabric", "messaging", "shared-memory", "nodes", "run"];

/**
 * Returns the group of a key and the key's name in it.
 * @param {string} path
 */
export function groupOf(path) {
  const parts = path.split(".");
  if (parts[0] === "hosts") return { group: `hosts.${parts[1]}`, name: parts.slice(3).join(".") || parts.slice(2).join(".") || parts[1], prefix: parts.slice(0, 3).join(".") };
  const hasKind = ["ni", "protocol", "fabric", "workload"].includes(parts[0]) && parts.length > 2;
  return { group: parts[0], name: parts.slice(hasKind ? 2 : parts.length > 1 ? 1 : 0).join("."), prefix: parts.slice(0, hasKind ? 2 : 1).join(".") };
}

/** @param {string} group */
function groupRank(group) {
  const index = GROUP_ORDER.indexOf(group.split(".")[0]);
  return index < 0 ? GROUP_ORDER.length : index;
}

/** The fields of one key. */
class Row {
  /** @param {Value} value @param {Keys} owner */
  constructor(value, owner) {
    this.owner = owner;
    this.path = value.path;
    this.value = value;
    this.originalText = value.value;
    this.id = freshId("key");
    const { name } = groupOf(value.path);
    this.searchText = [value.path, value.key.meaning, value.source ?? ""].join(" ").toLowerCase();
    this.reset = h("button", { type: "button", class: "quiet reset", "aria-label": `Reset ${value.path}`, onclick: () => owner.onreset(this.path) }, "reset");
    this.facts = h("p", { class: "facts", id: `${this.id}-facts` });
    this.problem = h("p", { class: "problem", id: `${this.id}-problem` });
    this.control = h("div", { class: "control" });
    this.label = h("label", { for: this.id, title: value.path }, breakable(name));
    this.element = h("div", { class: "key", "data-key": value.path },
      h("div", { class: "key-head" }, this.label, this.reset),
      this.control,
      h("p", { class: "meaning", id: `${this.id}-meaning` }, prose(value.key.meaning)),
      this.facts, this.problem);
    this.build();
    this.update(value, null);
  }

  build() {
    const { key } = this.value;
    const descriptionIds = `${this.id}-meaning ${this.id}-facts ${this.id}-problem`;
    this.input = null;
    this.slider = null;
    if (key.kind === "boolean") {
      this.input = h("input", { type: "checkbox", role: "switch", class: "switch", id: this.id, "aria-describedby": descriptionIds, onchange: () => this.commit(this.input.checked ? "true" : "false") });
      this.control.append(this.input);
      return;
    }
    const names = (key.choices ?? []).map((each) => (typeof each === "string" ? each : each.name));
    if (names.includes(this.originalText) && key.choices) {
      const options = key.choices.map((each) => (typeof each === "string" ? { name: each, about: "" } : each));
      this.choices = options;
      this.input = h("select", { id: this.id, "aria-describedby": descriptionIds, onchange: () => this.commit(this.input.value) },
        options.map((option) => h("option", { value: option.name, title: option.about || null }, option.name)));
      this.control.append(this.input);
      return;
    }
    this.input = h("input", { type: "text", id: this.id, class: "value", autocomplete: "off", spellcheck: "false", "aria-describedby": descriptionIds,
      onchange: () => this.commit(this.input.value.trim()),
      onkeydown: (/** @type {KeyboardEvent} */ event) => event.key === "Enter" && this.input.blur() });
    this.scale = !["boolean", "list", "text"].includes(key.kind) ? scaleOf(key, this.originalText) : null;
    if (this.scale) {
      this.slider = h("input", { type: "range", min: 0, max: this.scale.steps, step: 1, "aria-label": this.path, "aria-describedby": descriptionIds,
        oninput: () => this.slide(false), onchange: () => this.slide(true) });
      this.control.append(this.slider);
    } else {
      this.control.classList.add("wide");
    }
    this.control.append(this.input);
  }

  /** @param {boolean} isFinal */
  slide(isFinal) {
    const scale = /** @type {import("./quantity.js").Scale} */ (this.scale);
    const unit = parse(this.originalText)?.unit ?? "";
    const text = write(fromBase(scale.at(Number(this.slider.value)), unit));
    this.input.value = display(text);
    this.slider.setAttribute("aria-valuetext", display(text));
    this.owner.onchange(this.path, text, isFinal);
  }

  /** @param {string} text */
  commit(text) {
    if (text === "") return this.owner.onreset(this.path);
    const written = text.replaceAll("µ", "u");
    const quantity = parse(this.originalText);
    // A number without a unit keeps the unit that was there.
    const isBare = quantity && quantity.unit && /^[\d.]+$/.test(written);
    this.owner.onchange(this.path, isBare ? `${written} ${quantity.unit}` : written, true);
  }

  /** @param {Value} value @param {string | null} override */
  update(value, override) {
    this.value = value;
    const text = override ?? value.value;
    if (this.input.type === "checkbox") {
      this.input.checked = text === "true";
    } else if (this.input.tagName === "SELECT") {
      if (!this.choices?.some((each) => each.name === text) && !Array.from(this.input.options).some((/** @type {any} */ option) => option.value === text)) {
        this.input.append(h("option", { value: text }, text));
      }
      this.input.value = text;
    } else if (document.activeElement !== this.input) {
      this.input.value = display(text);
    }
    if (this.slider && document.activeElement !== this.slider) {
      const quantity = parse(text);
      if (quantity) this.slider.value = String(/** @type {any} */ (this.scale).position(toBase(quantity)));
    }
    if (this.slider) this.slider.setAttribute("aria-valuetext", display(text));
    this.element.classList.toggle("changed", override !== null);
    this.reset.hidden = override === null;
    setText(this.facts, this.factsText(override !== null));
  }

  /** @param {boolean} isChanged */
  factsText(isChanged) {
    const { key, source, from } = this.value;
    const facts = [];
    const low = key.least === null || key.least === undefined ? "" : display(String(key.least));
    const high = key.most === null || key.most === undefined ? "" : display(String(key.most));
    if (low && high) facts.push(`${low} – ${high}`);
    else if (high) facts.push(`at most ${high}`);
    else if (low && low !== "0" && !/^0\D/.test(low)) facts.push(`at least ${low}`);
    if (key.default !== null && key.default !== undefined && key.default !== "") facts.push(`default ${display(String(key.default))}`);
    if (source) facts.push(source);
    else if (from && from !== "default" && from !== "--set") facts.push(`set in ${from.replace(/^machines\//, "")}`);
    if (isChanged && this.originalText !== this.value.value) facts.push(`was ${display(this.originalText)}`);
    return facts.join(" · ");
  }

  /** @param {string | null} text */
  showProblems(text) {
    fill(this.problem, prose(text ?? ""));
    this.element.classList.toggle("invalid", text !== null);
    if (text === null) this.input.removeAttribute("aria-invalid");
    else this.input.setAttribute("aria-invalid", "true");
  }
}

/** The list of keys, in groups. */
export class Keys {
  /**
   * @param {HTMLElement} host
   * @param {{onchange: (path: string, text: string, isFinal: boolean) => void, onreset: (path: string) => void, oncount: (text: string) => void}} handlers
   */
  constructor(host, handlers) {
    this.host = host;
    this.onchange = handlers.onchange;
    this.onreset = handlers.onreset;
    this.oncount = handlers.oncount;
    /** @type {Map<string, {details: any, body: any, summary: any, values: Value[], isBuilt: boolean}>} */
    this.groups = new Map();
    /** @type {Map<string, Row>} */
    this.rows = new Map();
    /** @type {Map<string, string>} */
    this.overrides = new Map();
    /** @type {Problem[]} */
    this.problems = [];
    this.query = "";
    this.showsOnlyChanged = false;
    this.machine = "";
  }

  /**
   * Shows the keys of a machine. Rows of keys that were there before are kept.
   * @param {Value[]} values @param {Map<string, string>} overrides @param {string} machine name of the machine; if it differs from the last one, all rows are rebuilt
   */
  show(values, overrides, machine) {
    this.overrides = overrides;
    if (machine !== this.machine) {
      this.rows.clear();
      this.machine = machine;
    }
    const shown = values.filter((value) => !PART_KEYS.test(value.path));
    /** @type {Map<string, Value[]>} */
    const byGroup = new Map();
    for (const value of shown) {
      const { group } = groupOf(value.path);
      byGroup.set(group, [...(byGroup.get(group) ?? []), value]);
    }
    const shownPaths = new Set(shown.map((value) => value.path));
    for (const path of Array.from(this.rows.keys())) if (!shownPaths.has(path)) this.rows.delete(path);
    const names = Array.from(byGroup.keys()).sort((a, b) => groupRank(a) - groupRank(b));
    if (names.join() !== Array.from(this.groups.keys()).join()) this.buildGroups(names);
    for (const name of names) {
      const group = /** @type {any} */ (this.groups.get(name));
      group.values = byGroup.get(name);
      fill(group.summary, this.titleOf(name, group.values));
      if (group.isBuilt) this.build(name);
    }
    this.filter();
    this.showProblems(this.problems);
  }

  /** @param {string[]} names */
  buildGroups(names) {
    const openGroups = new Set(Array.from(this.groups).filter(([, group]) => group.details.open).map(([name]) => name));
    const isFirst = this.groups.size === 0;
    this.groups.clear();
    this.host.replaceChildren();
    for (const name of names) {
      const summary = h("span", { class: "group-title" });
      const body = h("div", { class: "group-body" });
      const details = h("details", { class: "group", ontoggle: () => details.open && this.build(name) }, h("summary", null, summary), body);
      this.groups.set(name, { details, body, summary, values: [], isBuilt: false });
      if (openGroups.has(name) || (isFirst && name === "workload")) {
        details.open = true;
        /** @type {any} */ (this.groups.get(name)).isBuilt = true;
      }
      this.host.append(details);
    }
  }

  /** @param {string} name @param {Value[]} values */
  titleOf(name, values) {
    const changed = values.filter((value) => this.overrides.has(value.path)).length;
    const title = name.startsWith("hosts.") ? "Host" : GROUP_TITLES[name] ?? name;
    const kind = name.startsWith("hosts.") ? name.slice(6) : values.find((value) => value.path === name)?.value ?? groupOf(values.find((value) => value.path.split(".").length > 2)?.path ?? "").prefix.split(".")[1];
    return [title, " ", kind && h("span", { class: "muted" }, kind), h("span", { class: "count" }, changed > 0 ? `${changed} changed` : String(values.length))];
  }

  /** @param {string} name */
  build(name) {
    const group = /** @type {any} */ (this.groups.get(name));
    group.isBuilt = true;
    /** @type {Element[]} */
    const elements = [];
    for (const value of group.values) {
      if (value.path === name && name !== "workload") continue;
      let row = this.rows.get(value.path);
      const choices = JSON.stringify(value.key.choices ?? null);
      if (row && row.value.key.kind === value.key.kind && JSON.stringify(row.value.key.choices ?? null) === choices) {
        row.update(value, this.overrides.get(value.path) ?? null);
      } else {
        row = new Row(value, this);
        row.update(value, this.overrides.get(value.path) ?? null);
        this.rows.set(value.path, row);
      }
      elements.push(row.element);
    }
    const currentElements = Array.from(group.body.children);
    if (currentElements.length !== elements.length || currentElements.some((element, index) => element !== elements[index])) group.body.replaceChildren(...elements);
    if (group.values.every((/** @type {Value} */ value) => value.path === name)) fill(group.body, h("p", { class: "hint" }, "This part has no keys."));
  }

  /** Shows an override before the engine has answered. @param {string} path @param {string | null} override */
  previewOverride(path, override) {
    const row = this.rows.get(path);
    if (row) row.update(row.value, override);
  }

  filter() {
    const words = this.query.toLowerCase().split(/\s+/).filter(Boolean);
    const isFiltered = words.length > 0 || this.showsOnlyChanged;
    let count = 0;
    for (const [name, group] of this.groups) {
      if (isFiltered && !group.isBuilt) this.build(name);
      let shownInGroup = 0;
      if (group.isBuilt) {
        for (const value of group.values) {
          const row = this.rows.get(value.path);
          if (!row) continue;
          const isShown = words.every((word) => row.searchText.includes(word)) && (!this.showsOnlyChanged || this.overrides.has(value.path));
          row.element.hidden = !isShown;
          if (isShown) shownInGroup += 1;
        }
      }
      group.details.hidden = isFiltered && shownInGroup === 0;
      if (isFiltered && shownInGroup > 0) group.details.open = true;
      count += shownInGroup;
    }
    this.oncount(isFiltered ? (count === 0 ? "No key matches." : `${count} ${count === 1 ? "key" : "keys"}`) : "");
  }

  /**
   * Shows problems at their fields.
   * @param {Problem[]} problems
   */
  showProblems(problems) {
    this.problems = problems;
    for (const [path, row] of this.rows) {
      const problemsOfKey = problems.filter((problem) => problem.key === path);
      row.showProblems(problemsOfKey.length > 0 ? problemsOfKey.map((problem) => [problem.label || problem.message, [problem.help ?? []].flat()[0]].filter(Boolean).join("; ")).join("; ") : null);
    }
  }

  /** Returns whether a key is shown. @param {string} path */
  has(path) {
    return this.groups.get(groupOf(path).group)?.values.some((value) => value.path === path) ?? false;
  }

  /** Opens the group of a key and moves the focus to it. @param {string} path */
  reveal(path) {
    const name = groupOf(path).group;
    const group = this.groups.get(name);
    if (!group) return false;
    group.details.open = true;
    this.build(name);
    const row = this.rows.get(path);
    row?.element.scrollIntoView({ block: "center" });
    (row?.slider ?? row?.input)?.focus();
    return row !== undefined;
  }
}
