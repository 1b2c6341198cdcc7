// The dialog in which a description in TOML is pasted, opened from a file, or edited.

import { byId, fill } from "./dom.js";
import { problemList } from "./panel.js";

/** Longest description that is taken, in characters. */
const LONGEST = 300_000;

const PART = '(?:[\\w-]+|"[^"]*")';
const LINE = new RegExp(`^(${PART}(?:\\.${PART})*)\\.(${PART}) = (.*)$`);

/**
 * Returns a description of dotted keys with a table for each section. Other descriptions are returned as they are.
 * @param {string} text
 */
export function sections(text) {
  /** @type {Map<string, string[]>} */
  const tables = new Map();
  for (const line of text.split("\n")) {
    if (line.trim() === "") continue;
    const match = LINE.exec(line);
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
      if (text.length > LONGEST) return this.complain([{ message: `The description is longer than ${LONGEST} characters.` }]);
      const answer = await engine.ask({ ask: "check", text, file: "mine.toml" }, { channel: "toml", priority: 9 });
      if (answer.dropped) return;
      if (answer.error || (answer.problems ?? []).length > 0) return this.complain(answer.problems ?? [{ message: answer.error }]);
      this.dialog.close();
      onuse(text);
    });
    byId("toml-file").addEventListener("change", async (/** @type {any} */ event) => {
      const file = event.target.files[0];
      if (!file) return;
      if (file.size > LONGEST) return this.complain([{ message: `The file is longer than ${LONGEST} bytes.` }]);
      this.text.value = await file.text();
      event.target.value = "";
    });
  }

  /** Opens the dialog, at the line of a problem where there is one. @param {import("./types").Problem | null} [problem] */
  async open(problem = null) {
    this.complain(problem ? [problem] : []);
    this.dialog.showModal();
    const own = this.machine();
    if (own.text !== undefined && (own.sets ?? []).length === 0) {
      this.text.value = own.text;
      this.text.focus();
      return this.reveal(problem?.line ?? 1, problem !== null);
    }
    const answer = await this.engine.ask({ ask: "toml", ...own }, { channel: "toml", priority: 9 });
    if (answer.text !== undefined) this.text.value = sections(answer.text);
    this.text.focus();
    this.text.setSelectionRange(0, 0);
  }

  /** @param {import("./types").Problem[]} problems */
  complain(problems) {
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
