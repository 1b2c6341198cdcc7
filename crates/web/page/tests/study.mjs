#!/usr/bin/env node
// Walks the page of a study in a headless Chromium: its claims are judged, and again after a constant is moved.
//
//     node study.mjs NARROWS [STUDY]     the page that this program serves, with this study [default: trapeze]
//     node study.mjs PAGE.html [STUDY]   a page in one file, opened as a file
//
// Needs node 18 and Chromium (or CHROMIUM=PROGRAM), and no packages. AXE=axe.min.js checks the page with axe-core, too.

import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { findChromium, Browser } from "./browser.mjs";
import { check, equal } from "./harness.mjs";
import { PAYLOADS, assertUnharmed } from "./injection.mjs";

const [subject, study = "trapeze"] = process.argv.slice(2);
const chromium = findChromium();
if (!subject || !existsSync(subject) || !chromium) {
  console.log("study: skipped: name the program or a page, and install Chromium");
  process.exit(0);
}

/** Starts the server of a program, and returns it with the address that it prints. */
async function startServer(program) {
  const server = spawn(program, ["reproduce", study, "--live", "--no-browser"], { stdio: ["ignore", "pipe", "inherit"] });
  const address = await new Promise((found, failed) => {
    let text = "";
    server.stdout.on("data", (data) => {
      text += data;
      if (text.includes("\n")) found(text.trim());
    });
    server.on("exit", () => failed(new Error("the server ended")));
  });
  return { server, address };
}

const isFile = subject.endsWith(".html");
// The page in one file names its study itself, or has the name behind #.
const source = isFile ? readFileSync(subject, "utf8") : "";
const isNamed = source.includes(`<meta name="narrows-study" content="${study}">`);
const fileAddress = () => pathToFileURL(resolve(subject)).href;
const { server, address } = isFile ? { server: null, address: `${fileAddress()}${isNamed ? "" : `#${study}`}` } : await startServer(subject);

const seconds = (from) => ((performance.now() - from) / 1000).toFixed(1);
const TALLY = "document.getElementById('tally').textContent";
const MEASURED = "Array.from(document.querySelectorAll('[data-claim]'), (row) => row.children[3].textContent).join('|')";
const VERDICTS = "Array.from(document.querySelectorAll('[data-claim]'), (row) => row.lastElementChild.textContent).join('|')";
const IDLE = "!Array.from(document.querySelectorAll('[data-artifact] [role=status]')).some((each) => each.textContent === 'running…')";
const READY = "'ready' in document.body.dataset";

/** Moves a constant to its end, and returns its key. */
async function moveConstant(page, index, end = "max") {
  const key = await page.value(`{ const slider = document.querySelectorAll('.constant input')[${index}]; slider.value = slider.${end}; slider.dispatchEvent(new Event('input')); slider.closest('.constant').dataset.key; }`);
  await page.waitUntil(`location.hash.includes(${JSON.stringify(`${key}=`)})`, "the constant in the link");
  return key;
}

async function without_axe_violations(page) {
  if (!process.env.AXE || !existsSync(process.env.AXE)) return "axe is not used";
  await page.value(`${readFileSync(process.env.AXE, "utf8")}; null`);
  for (const scheme of ["light", "dark"]) {
    await page.scheme(scheme);
    const look = "axe.run({ resultTypes: ['violations'] }).then((found) => found.violations.map((each) => `${each.id}: ${each.nodes.slice(0, 4).map((node) => node.html.slice(0, 160)).join(' | ')}`))";
    equal(await page.value(look), [], `axe, ${scheme}`);
  }
  await page.scheme("light");
  return "axe finds nothing";
}

/** Constants are moved until one changes a number and one a verdict, and the link and the button Reset are tried. */
async function constants_are_moved(browser) {
  const page = await browser.page(1280, 1000);
  const begin = performance.now();
  await page.open(address);
  await page.waitUntil(READY, "the verdicts with the published constants");
  console.log(`study: ${study}: ${seconds(begin)} s to the first verdicts`);
  const published = await page.value(TALLY);
  check(/^\d+ hold, \d+ fail, .*; 0 verdicts differ/.test(published), published);
  const [numbers, verdicts] = [await page.value(MEASURED), await page.value(VERDICTS)];
  check(numbers.length > 10, "numbers of claims");
  console.log(`study: ${await without_axe_violations(page)}`);
  const count = await page.value("document.querySelectorAll('.constant input').length");
  check(count > 0, "sliders");
  let isTurned = false;
  for (let index = 0; index < count && !isTurned; index += 1) {
    const from = performance.now();
    const key = await moveConstant(page, index);
    await page.waitUntil(IDLE, "the verdicts");
    isTurned = (await page.value(VERDICTS)) !== verdicts;
    if (isTurned) console.log(`study: ${seconds(from)} s to the verdicts with another ${key}: ${await page.value(TALLY)}`);
  }
  check((await page.value(MEASURED)) !== numbers && isTurned, "no constant changes a number and a verdict");
  check(await page.value("document.querySelectorAll('.turned').length") > 0, "verdicts that turned are marked");
  console.log(`study: with constants moved, ${await without_axe_violations(page)}`);
  // The link opens the same values again; reset returns to the published ones.
  const again = await browser.page(480, 1000);
  await again.open(await page.value("location.href"));
  await again.waitUntil(`${READY} && ${MEASURED} === ${JSON.stringify(await page.value(MEASURED))}`, "the values of the link");
  check(await again.value("document.documentElement.scrollWidth <= innerWidth"), "the page is wider than the window");
  await page.value("document.getElementById('reset').click()");
  await page.waitUntil(`${MEASURED} === ${JSON.stringify(numbers)}`, "the published values");
  equal(await page.value(TALLY), published, "the tally");
  equal([...page.consoleErrors, ...again.consoleErrors], [], "errors of the console");
  const foreign = page.requests.filter((each) => !/^(blob|data|about):/.test(each) && each.split(/[#?]/)[0] !== address.split(/[#?]/)[0]);
  if (isFile) equal(foreign, [], "requests of a page in one file");
  await Promise.all([page.close(), again.close()]);
}

/** A run that is stopped leaves the verdicts as they were, and can be made again. */
async function a_run_is_stopped(browser) {
  const page = await browser.page(1280, 1000);
  await page.open(address);
  await page.waitUntil(READY, "the verdicts");
  const stopped = "Array.from(document.querySelectorAll('[data-artifact] [role=status]')).some((each) => each.textContent.startsWith('Stopped.'))";
  const before = await page.value("document.querySelector('.constant input').min");
  await page.value(`{ const slider = document.querySelector('.constant input'); slider.value = ${JSON.stringify(before)}; slider.dispatchEvent(new Event('input')); }`);
  await page.waitUntil("Array.from(document.querySelectorAll('[data-artifact] button')).some((each) => each.textContent === 'Stop' && !each.hidden)", "the buttons Stop");
  await page.value("document.querySelectorAll('[data-artifact] button').forEach((each) => each.textContent === 'Stop' && each.click())");
  await page.waitUntil(stopped, "a stopped run");
  await page.value("document.querySelectorAll('[data-artifact] button').forEach((each) => each.textContent === 'Judge' && each.click())");
  await page.waitUntil(`${IDLE} && !${stopped}`, "the verdicts");
  equal(page.consoleErrors, [], "errors of the console");
  await page.close();
}

/** Names and values of a link are shown as text. */
async function links_of_strangers_are_data(browser) {
  const page = await browser.page(1280, 1000);
  const home = address.split("#")[0];
  let count = 0;
  for (const payload of PAYLOADS) {
    const text = encodeURIComponent(payload.toWellFormed()).replaceAll("%00", "");
    for (const fragment of [text, `${study}&${text}=${text}`]) {
      // Both fragments are read in the same way. The second is tried for the first payloads only, because its runs take time.
      if (fragment !== text && count > 8) continue;
      count += 1;
      await page.open(`${home}#${fragment}`);
      const isShown = fragment === text ? "document.getElementById('notice').textContent.includes('could not be shown')" : READY;
      await page.waitUntil(isShown, `an answer to ${fragment.slice(0, 80)}`);
      await assertUnharmed(page, isFile ? "file:///" : address, fragment.slice(0, 80), isFile ? 2 : 0);
    }
  }
  equal(page.consoleErrors, [], "errors of the console");
  await page.close();
  console.log(`study: ${count} links of strangers`);
}

const browser = new Browser(chromium, ["--allow-file-access-from-files=false"]);
let code = 0;
try {
  await constants_are_moved(browser);
  if (isFile) {
    await a_run_is_stopped(browser);
    await links_of_strangers_are_data(browser);
  }
  console.log("study: ok");
} catch (error) {
  code = 1;
  console.log(`study: FAILED: ${error.stack ?? error}`);
} finally {
  await browser.close();
  server?.kill();
}
process.exit(code);
