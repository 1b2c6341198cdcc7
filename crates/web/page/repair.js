// Repair of links of other versions: overrides that no longer hold are dropped and reported.

import { question } from "./link.js";

/** Largest number of rounds in which overrides of one link are dropped. */
const ROUNDS_MAX = 40;

/**
 * Drops the overrides that the engine rejects from a machine, and returns a notice of each.
 * @param {import("./types").Engine} engine
 * @param {import("./types").MachineState} machine
 * @param {string[]} examples names of the shipped examples
 * @param {string} fallback example in place of an unknown one
 */
export async function repairMachine(engine, machine, examples, fallback) {
  /** @type {string[]} */
  const notices = [];
  // A native server also knows descriptions of its folder by their file names.
  const isKnown = machine.text !== null || examples.includes(machine.name ?? "") || !(await engine.ask({ ask: "show", name: machine.name ?? "", sets: [] }, { priority: 9 })).error;
  if (!isKnown) {
    notices.push(`There is no example “${(machine.name ?? "").slice(0, 80)}”; ${fallback} is shown instead.`);
    machine.name = fallback;
  }
  for (let round = 0; round < ROUNDS_MAX && machine.sets.size > 0; round += 1) {
    const answer = await engine.ask({ ask: "check", ...question(machine) }, { priority: 9 });
    const problems = answer.problems ?? [];
    if (problems.length === 0) break;
    const keys = Array.from(machine.sets.keys());
    const droppedOverrides = new Map();
    for (const problem of problems) {
      const overriddenKey = keys.find((each) => `${each}=${machine.sets.get(each)}` === problem.override);
      const key = overriddenKey ?? problem.key;
      if (key && machine.sets.has(key)) droppedOverrides.set(key, problem.label ? `${problem.message}: ${problem.label}` : problem.message);
    }
    // If no problem belongs to an override, the last override is dropped and the rest is checked again.
    if (droppedOverrides.size === 0) droppedOverrides.set(keys[keys.length - 1], problems[0].message);
    for (const [key, message] of droppedOverrides) {
      notices.push(`${key.slice(0, 120)} = ${(machine.sets.get(key) ?? "").slice(0, 80)} was left out: ${message}`);
      machine.sets.delete(key);
    }
  }
  return notices;
}
