// Compares the module of studies with the native program: constants and claims of studies, with the published constants and
// with another value of one, must be equal byte for byte.
//
//   node compare-studies.mjs MODULE NARROWS PAPER…

import { spawnSync } from "node:child_process";
import fs from "node:fs";

const [path, narrows, ...papers] = process.argv.slice(2);
/** The largest number of runs of an artifact that is compared. */
const RUNS_MAX = 12;
const module = await WebAssembly.compile(fs.readFileSync(path));
const imported = WebAssembly.Module.imports(module);
if (imported.length > 0) throw new Error(`the module imports ${imported.length} names, and a page gives none`);
const instance = new WebAssembly.Instance(module, {}).exports;

/** Returns the answer of the module to a question, as text. */
function ask(question) {
  const bytes = new TextEncoder().encode(JSON.stringify(question));
  const pointer = instance.take(bytes.length);
  new Uint8Array(instance.memory.buffer, pointer, bytes.length).set(bytes);
  instance.ask(pointer, bytes.length);
  return new TextDecoder().decode(new Uint8Array(instance.memory.buffer, instance.answer(), instance.answer_length()));
}

let equal = 0;
const differ = [];
/** Asks both, and returns the answer of the module. */
function compare(question) {
  const answer = ask(question);
  const native = spawnSync(narrows, ["answer"], { input: JSON.stringify(question), maxBuffer: 1 << 29, encoding: "utf8" }).stdout;
  if (answer === native) equal += 1;
  else differ.push(JSON.stringify(question));
  return JSON.parse(answer);
}

for (const study of papers) {
  const { constants, artifacts } = compare({ ask: "study", study });
  const changed = constants.map(({ path, value }) => `${path}=${value.replace(/^[\d.]+/, (number) => 2 * Number(number))}`);
  for (const { id } of artifacts.filter(({ claims, runs }) => claims.length > 0 && runs <= RUNS_MAX)) {
    compare({ ask: "claims", study, artifact: id, sets: [] });
    compare({ ask: "claims", study, artifact: id, sets: changed.slice(0, 1) });
  }
}
compare({ ask: "claims", study: papers[0], artifact: "nothing" });

console.log(`${equal} answers about studies are equal to those of the native program, ${differ.length} differ`);
for (const question of differ) console.log(`differs: ${question}`);
process.exit(differ.length > 0 ? 1 : 0);
