#!/usr/bin/env node
// Measures how quickly the explorer answers, in a headless Chromium on an idle machine. It prints figures and judges none:
//
//     node measure.mjs MODULE [NARROWS]
//
// From the load of the page to the first result; from a change of a slider to the redrawn figures, for a run that takes
// 20 ms natively; what the change occupies of the main thread; and a sweep of 20 points. With the native program NARROWS,
// the number of messages that take it 20 ms is found first; without it, 1200 are taken.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { findChromium, Browser } from "./browser.mjs";
import { build, check, READY, serve } from "./harness.mjs";

const [module, narrows] = process.argv.slice(2);
const chromium = findChromium();
if (!module || !existsSync(module) || !chromium) {
  console.log("measure: a module and Chromium are needed: node measure.mjs MODULE [NARROWS]");
  process.exit(1);
}
const CHANGES = 60;
const MACHINE = "memory-bus";
/** Time of a memory access: a run takes about as long with any value of it. */
const KEY = "hosts.memory-bus-1998.memory-bus.memory-time";
/** The key that varies along the curve. */
const VARIED = "workload.ping-pong.payload";

/** Returns the quantiles of times as text. */
function quantiles(times) {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))].toFixed(1);
  return `median ${at(0.5)} ms, 90th percentile ${at(0.9)} ms, largest ${at(1)} ms`;
}

/** Returns the number of messages whose simulation takes the native program 20 ms: by the quickest of 20 runs. */
function messagesOf20Milliseconds() {
  if (!narrows) return 1200;
  const times = Array.from({ length: 20 }, () => {
    const { status, stdout } = spawnSync(narrows, ["run", MACHINE, "--set", "workload.ping-pong.messages=1000", "--format", "json"]);
    check(status === 0, `${narrows} ended with ${status}`);
    return JSON.parse(stdout).host.wall_s * 1000;
  });
  console.log(`1000 messages take ${Math.min(...times).toFixed(1)} ms natively`);
  return Math.round(20_000 / Math.min(...times));
}

// Moves the slider. Resolves with the time of each change until its result is drawn, and with the time that the
// change occupied of the main thread.
const MOVE = `(async () => {
  const explorer = globalThis.narrowsExplorer;
  const slider = document.querySelector('[data-key="${KEY}"] input[type=range]');
  const [low, high] = [Number(slider.min), Number(slider.max)];
  const delays = [], occupied = [];
  for (let change = 0; change < ${CHANGES}; change += 1) {
    const before = explorer.runs[0];
    // Cached answers would be drawn at once.
    explorer.engine.answers.answers.clear();
    slider.value = String(Math.round(low + (high - low) * (0.3 + 0.04 * (change % 10))));
    const begin = performance.now();
    slider.dispatchEvent(new Event("input"));
    const handled = performance.now() - begin;
    const drawn = await new Promise((resolve) => {
      explorer.render = function () {
        const start = performance.now();
        Object.getPrototypeOf(this).render.call(this);
        if (this.runs[0] !== before) resolve(performance.now() - start);
      };
    });
    delete explorer.render;
    // A task that is posted while a frame is drawn runs once it has been drawn.
    await new Promise((resolve) => { const { port1, port2 } = new MessageChannel(); port1.onmessage = resolve; port2.postMessage(null); });
    delays.push(performance.now() - begin);
    occupied.push(handled, drawn);
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
  return { delays, occupied };
})()`;

const server = await serve(build(module));
const browser = new Browser(chromium);
try {
  const messages = messagesOf20Milliseconds();
  const fragment = `#${MACHINE}&workload.ping-pong.messages=${messages}`;
  const loads = [];
  let page;
  for (let load = 0; load < 5; load += 1) {
    await page?.close();
    page = await browser.page(1280, 1000);
    const begin = performance.now();
    await page.open(`${server.address}#${MACHINE}`);
    await page.waitUntil(READY);
    loads.push(performance.now() - begin);
  }
  console.log(`load to first result: ${quantiles(loads)}`);
  await page.open(server.address + fragment);
  await page.waitUntil(READY);
  console.log(`${messages} messages`);
  await page.value(`{ const search = document.getElementById("search"); search.value = "memory-time"; search.dispatchEvent(new Event("input")); }`);
  await page.waitUntil(`document.querySelector('[data-key="${KEY}"] input[type=range]')`);
  // A user who pauses after each change, and one who drags the slider.
  for (const pause of [1500, 0]) {
    await new Promise((resolve) => setTimeout(resolve, 1500));
    const { delays, occupied } = await page.value(MOVE.replace("PAUSE", pause));
    console.log(`slider to figures, ${pause} ms between changes: ${quantiles(delays)}`);
    console.log(`    occupied of the main thread: ${quantiles(occupied)}`);
  }
  await page.open(`${server.address}${fragment}&~curve=${VARIED}=16+B..320+B%2B16+B`);
  await page.waitUntil(READY);
  const sweep = await page.value(`(async () => {
    const curve = document.querySelector("#curve .canvas");
    while (!curve.dataset.done) await new Promise((resolve) => setTimeout(resolve, 5));
    delete curve.dataset.done;
    const begin = performance.now();
    let first = null;
    const observer = new MutationObserver(() => { if (first === null && [1, 2, 3, 4].includes(document.querySelectorAll("#curve circle.point").length)) first = performance.now() - begin; });
    const range = document.querySelector(".curve-fields input");
    range.value = "24 B..328 B+16 B";
    document.querySelectorAll("#curve circle.point").forEach((point) => point.remove());
    observer.observe(document.getElementById("curve"), { childList: true, subtree: true });
    range.dispatchEvent(new Event("change"));
    while (!curve.dataset.done) await new Promise((resolve) => setTimeout(resolve, 1));
    return { points: curve.dataset.done, first, all: performance.now() - begin };
  })()`);
  console.log(`sweep of ${sweep.points} points: first after ${sweep.first?.toFixed(0)} ms, all after ${sweep.all.toFixed(0)} ms`);
} finally {
  await browser.close();
  server.close();
}
