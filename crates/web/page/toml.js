// The dialog in which a description in TOML is pasted, opened from a file, or edited.

import { byId, fill } from "./dom.js";
import { problemList } from "./panel.js";

/** Largest length of a description, in characters. */
const LENGTH_MAX = 300_000;

const KEY_PART = '(?:[\\w-]+|"[^"]*")';
const ASSIGNMENT = new RegExp(`^(${KEY_PART}(?:\\.${KEY_PART})*)\\.(${KEY_PART}) = (.*)$`);

/**
 * Returns a description of dotted keys with a table for each section. Other descriptions are returned as they are.
 * @param {string} text
 */
export function groupIntoSections(text) {
  /** @type {Map<string, string[]>} */
  const tables = new Map();
  for (const line of text.split("\n")) {
    if (line.trim() === "") continue;
    const match = ASSIGNMENT.exec(line);
    if (!match) return text;
    tables.set(match[1], [...(tables.get(match[1]) ?? []), `${match[2]} = ${match[3]}`]);
  }
  return Array.from(tables, ([name, lines]) => `[${name}]\n${lines.join("\n")}\n`).join("\n");
}

export class TomlDialog {
  /**
   * @param {import("./types").Engine} engine
   * @param {() => import("./types").Machine} machine
   * @param {(text: string) => void} onuse
   */
  constructor(engine, machine, onuse) {
    this.engine = engine;
    this.machine = machine;
    this.dialog = byId("toml");
    this.text = byId("toml-text");
    this.host = byId("toml-problems");
    byId("toml-use").addEventListener("click", async () => {
      const text = this.text.value;
      if (text.length > LENGTH_MAX) return this.showProblems([{ message: `The description is longer than ${LENGTH_MAX} characters.` }]);
      const answer = await engine.ask({ ask: "check", text, file: "mine.toml" }, { channel: "toml", priority: 9 });
      if (answer.dropped) return;
      if (answer.error || (answer.problems ?? []).length > 0) return this.showProblems(answer.problems ?? [{ message: answer.error }]);
      this.dialog.close();
      onuse(text);
    });
    byId("toml-file").addEventListener("change", async (/** @type {any} */ event) => {
      const file = event.target.files[0];
      if (!file) return;
      if (file.size > LENGTH_MAX) return this.showProblems([{ message: `The file is longer than ${LENGTH_MAX} bytes.` }]);
      this.text.value = await file.text();
      event.target.value = "";
    });
  }

  /** Opens the dialog, at the line of a problem where there is one. @param {import("./types").Problem | null} [problem] */
  async open(problem = null) {
    this.showProblems(problem ? [problem] : []);
    this.dialog.showModal();
    const editedMachine = this.machine();
    if (editedMachine.text !== undefined && (editedMachine.sets ?? []).length === 0) {
      this.text.value = editedMachine.text;
      this.text.focus();
      return this.reveal(problem?.line ?? 1, problem !== null);
    }
    const answer = await this.engine.ask({ ask: "toml", ...editedMachine }, { channel: "toml", priority: 9 });
    if (answer.text !== undefined) this.text.value = groupIntoSections(answer.text);
    this.text.focus();
    this.text.setSelectionRange(0, 0);
  }

  /** @param {import("./types").Problem[]} problems */
  showProblems(problems) {
    fill(this.host, problems.length > 0 && problemList(problems, (problem) => (problem.line ? { label: "Go to the line", go: () => this.reveal(/** @type {number} */ (problem.line)) } : null)));
  }

  /** @param {number} line @param {boolean} [isSelected] */
  reveal(line, isSelected = true) {
    const lines = this.text.value.split("\n");
    const begin = lines.slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
    this.text.focus();
    this.text.setSelectionRange(begin, begin + (isSelected ? (lines[line - 1] ?? "").length : 0));
  }
}
