// Small panels next to the keys: problems, notices, and the difference between two machines.

import { byId, fill, h, prose } from "./dom.js";
import { display } from "./quantity.js";

/** @typedef {import("./types").Problem} Problem */
/** @typedef {import("./types").MachineState} MachineState */

/**
 * Returns a list of problems.
 * @param {Problem[]} problems
 * @param {(problem: Problem) => {label: string, go: () => void} | null} action returns a button that goes to the location of a problem
 */
export function problemList(problems, action) {
  return h("ul", null, problems.map((problem) => {
    const button = action(problem);
    return h("li", null, prose(problem.message), problem.label ? prose(`: ${problem.label}`) : null,
      problem.file && problem.file !== "--set" && problem.line && h("span", { class: "muted" }, ` (${problem.file}:${problem.line})`),
      [problem.help ?? []].flat().filter(Boolean).map((line) => h("span", { class: "line help" }, prose(line))),
      button && h("button", { type: "button", class: "quiet", onclick: button.go }, button.label));
  }));
}

/** Shows texts above the page until they are dismissed. @param {...string} texts */
export function showNotices(...texts) {
  fill(byId("notices"), texts.filter(Boolean).map((text) => h("p", null, prose(text))),
    texts.some(Boolean) && h("button", { type: "button", class: "quiet", onclick: () => fill(byId("notices")) }, "Dismiss"));
}

/**
 * Returns a sentence with the values in which a machine differs from another.
 * @param {MachineState} machine @param {MachineState} other @param {string} name name of the other one
 */
export function differenceText(machine, other, name) {
  const keys = new Set([...machine.sets.keys(), ...other.sets.keys()]);
  const parts = Array.from(keys)
    .filter((key) => machine.sets.get(key) !== other.sets.get(key))
    .map((key) => `${key} = ${display(machine.sets.get(key) ?? "unchanged")}`);
  if (machine.name !== other.name || machine.text !== other.text) parts.unshift("another description");
  return parts.length > 0 ? `Differs from ${name}: ${parts.slice(0, 4).join("; ")}${parts.length > 4 ? " …" : ""}` : `The same as ${name}.`;
}

/** Copies a text, and shows on the button whether that succeeded. @param {string} text @param {HTMLElement} button @param {string} label */
export async function copyText(text, button, label) {
  let isCopied = true;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = h("textarea", { class: "visually-hidden", "aria-hidden": "true" }, text);
    document.body.append(area);
    area.select();
    isCopied = document.execCommand("copy");
    area.remove();
  }
  fill(button, isCopied ? "Copied" : "Not copied");
  setTimeout(() => fill(button, label), 1500);
}
