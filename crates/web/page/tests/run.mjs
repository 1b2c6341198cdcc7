#!/usr/bin/env node
// Walks the journeys of the explorer in a headless Chromium.
//
//     node run.mjs MODULE        the finished page with this narrows.wasm, served and opened from a file
//     node run.mjs --url URL     a page that is served, such as that of `narrows explore --no-browser`
//     … [FILTER]                 only tests whose name contains FILTER
//
// Needs node 18 and Chromium (or CHROMIUM=PROGRAM), and no packages. AXE=axe.min.js checks the page with axe-core, too.

import { existsSync } from "node:fs";
import { findChromium, Browser } from "./browser.mjs";
import { build, check, folder, pageBytes, PAGE, serve } from "./harness.mjs";
import * as injection from "./injection.mjs";
import * as journeys from "./journeys.mjs";

const [first, ...more] = process.argv.slice(2);
const isServed = first === "--url";
const subject = isServed ? more.shift() : first;
const filter = more[0] ?? "";

function skip(why) {
  console.log(`page: skipped: ${why}`);
  process.exit(0);
}

if (!subject) skip("no module is named: node run.mjs MODULE");
if (!isServed && !existsSync(subject)) skip(`there is no module ${subject}`);
const chromium = findChromium();
if (!chromium) skip("Chromium is not installed");

const built = isServed ? null : build(subject);
const server = built ? await serve(built, injection.pages(PAGE)) : null;
const address = server ? server.address : subject;
const downloads = folder("downloads");
const browser = new Browser(chromium, ["--allow-file-access-from-files=false"]);
const context = { browser, address, built, downloads, axe: process.env.AXE ?? null };
let failed = 0;
let count = 0;

const tests = [["page_and_types_are_at_most_200_kB", () => check(pageBytes() <= 200_000, `${pageBytes()} bytes`)], ...Object.entries(journeys), ...Object.entries(injection).filter(([name]) => name.includes("_"))];
try {
  for (const [name, test] of tests) {
    if (!name.includes(filter)) continue;
    count += 1;
    const begin = performance.now();
    try {
      const note = await test(context);
      console.log(`ok      ${name}${note ? ` (${note})` : ""}  ${((performance.now() - begin) / 1000).toFixed(1)} s`);
    } catch (error) {
      failed += 1;
      console.log(`FAILED  ${name}\n        ${error.stack ?? error}`);
    }
  }
} finally {
  await browser.close();
  server?.close();
}
console.log(`page: ${count} tests, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
