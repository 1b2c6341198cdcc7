// Compares the module with the native program: the results of every shipped example, a sweep, sensitivities, and refusals
// must be equal byte for byte.
//
//   node compare.mjs MODULE NARROWS [--times]
//
// --times also prints the processor time of some runs, the least of 15.

import { spawnSync } from "node:child_process";
import { loadModule } from "./module.mjs";

const [path, narrows, ...options] = process.argv.slice(2);
const ask = await loadModule(path);

/** Runs the native program with these arguments. */
function runNative(...commandArguments) {
  return spawnSync(narrows, commandArguments, { maxBuffer: 1 << 29, encoding: "utf8" });
}

const outcomes = { equalCount: 0, differingNames: [] };
function compare(name, answer, expected) {
  if (answer === expected) outcomes.equalCount += 1;
  else outcomes.differingNames.push(name);
}

const overrides = (sets) => sets.flatMap((set) => ["--set", set]);
const recordComparison = (name, sets = []) => [`run ${name} ${sets.join(" ")}`, ask({ ask: "record", name, sets }), runNative("run", name, "--format", "json", "--no-host", ...overrides(sets)).stdout];

const examples = JSON.parse(ask({ ask: "list" })).examples.map((example) => example.name);
for (const name of examples) compare(...recordComparison(name));
console.log(`${outcomes.equalCount} of ${examples.length} examples are equal`);

for (const ni of ["ni2w", "cni32qm", "cni512q"])
  for (const payload of ["8 B", "64 B", "248 B"]) compare(...recordComparison("memory-bus", [`ni=${ni}`, `workload.ping-pong.payload=${payload}`]));

const vary = ["ni=ni2w,cni32qm", "workload.ping-pong.payload=8 B,64 B,248 B"];
const sweep = runNative("sweep", "memory-bus", "--format", "json", ...vary.flatMap((values) => ["--vary", values]));
compare("sweep", ask({ ask: "sweep", name: "memory-bus", vary }), sweep.stdout);
const seeds = ["run.seed=1,2,3"];
const seedSweep = runNative("sweep", "offered-load", "--format", "json", "--vary", seeds[0], "--set", "workload.offered.load=0.1");
compare("sweep of seeds", ask({ ask: "sweep", name: "offered-load", sets: ["workload.offered.load=0.1"], vary: seeds }), seedSweep.stdout);

for (const [name, sets] of [["memory-bus", ["ni=ni2w"]], ["ping-pong", []], ["pcie-messages", []]]) {
  const json = JSON.parse(ask({ ask: "whatif", name, sets }));
  const text = json.text;
  delete json.text;
  const expected = JSON.parse(runNative("whatif", name, "--format", "json", ...overrides(sets)).stdout);
  compare(`whatif ${name}`, JSON.stringify(json), JSON.stringify(expected));
  compare(`text of whatif ${name}`, text, runNative("whatif", name, ...overrides(sets)).stdout);
}

// Refusals: the text of each problem is what the command line prints.
for (const [name, sets] of [["memory-bus", ["workload.ping-pong.payload=8K"]], ["memory-bus", ["ni=cmmu"]], ["stream", ["run.sed=1"]], ["udp", ["fabric=ideal"]]]) {
  const { problems = [] } = JSON.parse(ask({ ask: "run", name, sets }));
  const printed = runNative("check", name, ...overrides(sets)).stderr.split("\n").filter((line) => !/^Using the shipped example|^\d+ problems$/.test(line)).join("\n").trim();
  compare(`refusal ${name} ${sets}`, problems.map((problem) => problem.text).join("\n\n").trim(), printed);
}
compare("list", JSON.stringify(JSON.parse(ask({ ask: "list" })).hosts), JSON.stringify(JSON.parse(runNative("list", "--format", "json").stdout).hosts));

if (options.includes("--times")) {
  const processorMilliseconds = (run) => {
    const begin = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(begin);
    return (user + system) / 1e3;
  };
  const runs = [["memory-bus", ["ni=ni2w"]], ["memory-bus", []], ["ping-pong", []], ["stream", []], ["udp", []], ["offered-load", []], ["nifdy", []], ["nifdy", ["workload=em3d"]]];
  for (const [name, sets] of runs) {
    const moduleTimes = Array.from({ length: 15 }, () => processorMilliseconds(() => ask({ ask: "record", name, sets })));
    // The shell's `time` counts the processor time of the native process.
    const line = `time '${narrows}' run ${name} --format json --no-host ${overrides(sets).map((word) => `'${word}'`).join(" ")} >/dev/null 2>&1`;
    const nativeTimes = Array.from({ length: 15 }, () => {
      const { stderr } = spawnSync("bash", ["-c", `TIMEFORMAT='%U %S'; ${line}`], { encoding: "utf8" });
      return stderr.trim().split(" ").reduce((sum, part) => sum + 1e3 * Number(part), 0);
    });
    const [moduleTime, nativeTime] = [Math.min(...moduleTimes), Math.min(...nativeTimes)];
    console.log(`${`${name} ${sets.join(" ")}`.padEnd(24)} native ${nativeTime.toFixed(1).padStart(7)} ms  module ${moduleTime.toFixed(1).padStart(7)} ms  ratio ${(moduleTime / nativeTime).toFixed(2)}`);
  }
}

console.log(`${outcomes.equalCount} answers are equal to those of the native program, ${outcomes.differingNames.length} differ`);
for (const name of outcomes.differingNames) console.log(`differs: ${name}`);
process.exit(outcomes.differingNames.length > 0 ? 1 : 0);
