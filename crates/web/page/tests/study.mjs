#!/usr/bin/env node
// Walks the page of a study in a headless Chromium: its claims are judged, and again after a constant is moved.
//
//     node study.mjs NARROWS [STUDY]     the program, and the study to show [default: trapeze]
//
// Needs node 18 and Chromium (or CHROMIUM=PROGRAM), and no packages.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { findChromium, Browser } from "./browser.mjs";
import { check, equal } from "./harness.mjs";

const [program, study = "trapeze"] = process.argv.slice(2);
const chromium = findChromium();
if (!program || !existsSync(program) || !chromium) {
  console.log("study: skipped: name the program, and install Chromium");
  process.exit(0);
}

const server = spawn(program, ["reproduce", study, "--live", "--no-browser"], { stdio: ["ignore", "pipe", "inherit"] });
const address = await new Promise((resolve, reject) => {
  let text = "";
  server.stdout.on("data", (data) => {
    text += data;
    if (text.includes("\n")) resolve(text.trim());
  });
  server.on("exit", () => reject(new Error("the server ended")));
});
const browser = new Browser(chromium);
let code = 0;
try {
  const page = await browser.page(1280, 1000);
  const begin = performance.now();
  await page.open(address);
  await page.until("'ready' in document.body.dataset", "the verdicts with the published constants");
  console.log(`study: ${study}: ${((performance.now() - begin) / 1000).toFixed(1)} s to the first verdicts`);
  const tally = () => page.value("document.getElementById('tally').textContent");
  const published = await tally();
  check(/^\d+ hold, \d+ fail, .*; 0 differ/.test(published), published);
  const measured = "Array.from(document.querySelectorAll('[data-claim]'), (row) => row.children[3].textContent).join('|')";
  const numbers = await page.value(measured);
  check(numbers.length > 10 && await page.value("document.querySelectorAll('[data-left-out]').length") >= 0, "claims");
  // Constants are moved to their ends, until one changes a number.
  const count = await page.value("document.querySelectorAll('.constant input').length");
  check(count > 0, "sliders");
  for (let index = 0; index < count; index += 1) {
    const moved = performance.now();
    const key = await page.value(`{ const slider = document.querySelectorAll('.constant input')[${index}]; slider.value = slider.max; slider.dispatchEvent(new Event('input')); slider.closest('.constant').dataset.key; }`);
    await page.until(`location.hash.includes(${JSON.stringify(`${key}=`)})`, "the constant in the link");
    await page.until("!Array.from(document.querySelectorAll('[data-artifact] [role=status]')).some((each) => each.textContent === 'running…')", "the verdicts");
    if ((await page.value(measured)) !== numbers) {
      console.log(`study: ${((performance.now() - moved) / 1000).toFixed(1)} s to the verdicts of another constant: ${await tally()}`);
      break;
    }
    check(index + 1 < count, "no constant changes a number");
  }
  // The link opens the same values again; reset returns to the published ones.
  const again = await browser.page(480, 1000);
  await again.open(await page.value("location.href"));
  await again.until(`'ready' in document.body.dataset && ${measured} === ${JSON.stringify(await page.value(measured))}`, "the values of the link");
  check(await again.value("document.documentElement.scrollWidth <= innerWidth"), "the page is wider than the window");
  await page.value("document.getElementById('reset').click()");
  await page.until(`${measured} === ${JSON.stringify(numbers)}`, "the published values");
  equal(await tally(), published, "the tally");
  equal([...page.faults, ...again.faults], [], "errors of the console");
  console.log("study: ok");
} catch (error) {
  code = 1;
  console.log(`study: FAILED: ${error.stack ?? error}`);
} finally {
  await browser.close();
  server.kill();
}
process.exit(code);
