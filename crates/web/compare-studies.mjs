// Compares the module of studies with the native program: constants and claims of studies, with the published constants and
// with another value of one, must be equal byte for byte.
//
//   node compare-studies.mjs MODULE NARROWS PAPER…

import { spawnSync } from "node:child_process";
import { loadModule } from "./module.mjs";

const [path, narrows, ...papers] = process.argv.slice(2);
/** The largest number of runs of an artifact that is compared. */
const RUNS_MAX = 12;
const ask = await loadModule(path);

let equalCount = 0;
const differingQuestions = [];
/** Asks both, and returns the answer of the module. */
function compare(question) {
  const answer = ask(question);
  const nativeAnswer = spawnSync(narrows, ["answer"], { input: JSON.stringify(question), maxBuffer: 1 << 29, encoding: "utf8" }).stdout;
  if (answer === nativeAnswer) equalCount += 1;
  else differingQuestions.push(JSON.stringify(question));
  return JSON.parse(answer);
}

for (const study of papers) {
  const { constants, artifacts } = compare({ ask: "study", study });
  const doubledOverrides = constants.map(({ path, value }) => `${path}=${value.replace(/^[\d.]+/, (number) => 2 * Number(number))}`);
  for (const { id } of artifacts.filter(({ claims, runs }) => claims.length > 0 && runs <= RUNS_MAX)) {
    compare({ ask: "claims", study, artifact: id, sets: [] });
    compare({ ask: "claims", study, artifact: id, sets: doubledOverrides.slice(0, 1) });
  }
}
compare({ ask: "claims", study: papers[0], artifact: "nothing" });

console.log(`${equalCount} answers about studies are equal to those of the native program, ${differingQuestions.length} differ`);
for (const question of differingQuestions) console.log(`differs: ${question}`);
process.exit(differingQuestions.length > 0 ? 1 : 0);
