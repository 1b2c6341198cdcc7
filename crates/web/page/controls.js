// The controls of the edited machine: example, parts and keys, and the problems of what was entered.

import { byId, fill, h, prose, setText } from "./dom.js";
import { Keys } from "./keys.js";
import { question } from "./link.js";
import { differenceText, problemList } from "./panel.js";
import { Parts } from "./parts.js";

export class Controls {
  /**
   * @param {import("./explorer.js").Explorer} page
   * @param {{onkey: (path: string, text: string | null, isFinal: boolean) => void, onpick: (place: string, part: string, set: string) => void, onedit: (index: number) => void}} handlers
   */
  constructor(page, handlers) {
    this.page = page;
    this.handlers = handlers;
    this.shownProblems = "";
    this.keys = new Keys(byId("keys"), {
      onchange: (path, text, isFinal) => handlers.onkey(path, text, isFinal),
      onreset: (path) => handlers.onkey(path, null, true),
      oncount: (text) => setText(byId("search-count"), text),
    });
    this.parts = new Parts(byId("parts"), {
      fits: (place) => page.engine.ask({ ask: "fits", place, ...question(page.machine()) }, { channel: `fits-${place}`, priority: 1 }),
      onpick: handlers.onpick,
    });
    byId("search").addEventListener("input", (/** @type {any} */ event) => {
      this.keys.query = event.target.value;
      this.keys.filter();
    });
    byId("only-changed").addEventListener("change", (/** @type {any} */ event) => {
      this.keys.showsOnlyChanged = event.target.checked;
      this.keys.filter();
    });
  }

  /** Shows which of two machines is edited. */
  showMachineSwitch() {
    const { state } = this.page;
    const isTwo = state.machines.length > 1;
    const host = byId("machine-switch");
    host.hidden = !isTwo;
    if (isTwo) {
      fill(host, h("fieldset", { class: "segmented" }, h("legend", { class: "visually-hidden" }, "Machine to edit"), state.machines.map((_, index) =>
        h("label", { class: `machine-label-${index}` }, h("input", { type: "radio", name: "machine", value: index, checked: index === state.edited, onchange: () => this.handlers.onedit(index) }), `Machine ${"AB"[index]}`))));
    }
    setText(byId("second"), isTwo ? "Remove the other machine" : "Compare with a second machine");
  }

  /** Shows the example, parts and keys of the edited machine. */
  show() {
    const { state } = this.page;
    const machine = this.page.machine();
    const shown = this.page.shown[state.edited];
    byId("controls").hidden = false;
    const select = byId("example");
    const ownOption = select.querySelector('option[value=""]');
    if (machine.text !== null && !ownOption) select.prepend(h("option", { value: "" }, "a description of your own"));
    else if (machine.text === null) ownOption?.remove();
    if (machine.name && !Array.from(select.options).some((/** @type {any} */ option) => option.value === machine.name)) select.append(h("option", { value: machine.name }, machine.name));
    select.value = machine.text !== null ? "" : machine.name;
    const about = (this.page.list.examples ?? []).find((/** @type {any} */ each) => each.name === machine.name)?.about;
    fill(byId("about"), prose(machine.text !== null ? shown?.title ?? "" : about ?? shown?.title ?? ""));
    setText(byId("pin"), state.baseline ? "Remove the baseline" : "Pin as baseline");
    byId("reset").hidden = machine.sets.size === 0;
    this.showDifference();
    if (!shown) return;
    this.parts.show(shown, machine.sets);
    this.keys.show(shown.values, machine.sets, `${state.edited} ${machine.name} ${machine.text ?? ""}`);
  }

  /** Shows the values in which the machine differs from the other machine, or from the baseline. */
  showDifference() {
    const { state } = this.page;
    const machine = this.page.machine();
    const other = state.machines[1 - state.edited] ?? state.baseline;
    if (!other) return fill(byId("difference"));
    const isTwo = state.machines.length > 1;
    fill(byId("difference"), differenceText(machine, other, isTwo ? `machine ${"AB"[1 - state.edited]}` : "the baseline"));
  }

  /** Returns a button that goes to the location of a problem, its line in the description or its field. @param {import("./types").Problem} problem */
  problemAction(problem) {
    const { line, file, key } = problem;
    if (this.page.machine().text !== null && line && file !== "--set") return { label: "Go to the line", go: () => this.page.toml.open(problem) };
    if (key && this.keys.has(key)) return { label: "Go to the field", go: () => this.keys.reveal(key) };
    return null;
  }

  /** Shows problems at their fields and in a list. @param {import("./types").Problem[]} problems */
  showProblems(problems) {
    this.keys.showProblems(problems);
    const host = byId("problems");
    const text = JSON.stringify(problems);
    if (text === this.shownProblems) return;
    this.shownProblems = text;
    fill(host, problems.length > 0 && h("div", { class: "card" }, h("h2", null, problems.length === 1 ? "A problem" : `${problems.length} problems`),
      problemList(problems, (problem) => this.problemAction(problem))));
  }
}
