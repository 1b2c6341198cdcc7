// Compares the module of studies with the native program: constants and claims of studies, with the published constants and
// with another value of one, must be equal byte for byte.
//
//   node compare-studies.mjs MODULE NARROWS PAPER…

import { spawnSync } from "node:child_process";
import { answering } from "./module.mjs";

const [path, narrows, ...papers] = process.argv.slice(2);
/** The largest number of runs of an artifact that is compared. */
const RUNS_MAX = 12;
const ask = await answering(path);

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
