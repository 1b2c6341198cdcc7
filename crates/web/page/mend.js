// Links of other versions: what no longer holds is dropped, and said.

import { question } from "./link.js";

/** Most problems of one link that are mended. */
const MOST = 40;

/**
 * Drops from a machine what the engine refuses, and returns what was dropped, in words.
 * @param {import("./types").Engine} engine
 * @param {import("./types").MachineState} machine
 * @param {string[]} examples names of the shipped examples
 * @param {string} fallback example in place of an unknown one
 */
export async function mend(engine, machine, examples, fallback) {
  /** @type {string[]} */
  const lost = [];
  // A native server also knows descriptions of its folder by their file names.
  const isKnown = machine.text !== null || examples.includes(machine.name ?? "") || !(await engine.ask({ ask: "show", name: machine.name ?? "", sets: [] }, { priority: 9 })).error;
  if (!isKnown) {
    lost.push(`There is no example “${(machine.name ?? "").slice(0, 80)}”; ${fallback} is shown instead.`);
    machine.name = fallback;
  }
  for (let round = 0; round < MOST && machine.sets.size > 0; round += 1) {
    const answer = await engine.ask({ ask: "check", ...question(machine) }, { priority: 9 });
    const problems = answer.problems ?? [];
    if (problems.length === 0) break;
    const keys = Array.from(machine.sets.keys());
    const doomed = new Map();
    for (const problem of problems) {
      const named = keys.find((each) => `${each}=${machine.sets.get(each)}` === problem.override);
      const key = named ?? problem.key;
      if (key && machine.sets.has(key)) doomed.set(key, problem.label ? `${problem.message}: ${problem.label}` : problem.message);
    }
    // A problem of no override in particular: the last override goes, and the rest is checked again.
    if (doomed.size === 0) doomed.set(keys[keys.length - 1], problems[0].message);
    for (const [key, message] of doomed) {
      lost.push(`${key.slice(0, 120)} = ${(machine.sets.get(key) ?? "").slice(0, 80)} was left out: ${message}`);
      machine.sets.delete(key);
    }
  }
  return lost;
}
