// The journeys: change a part, sweep and download, open a shared link. Further tests cover the rest of the page.

import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { check, CURVE_DONE, DRAW, equal, headlineOf, READY } from "./harness.mjs";

/** Opens the explorer at a fragment, and waits for its first result. */
async function explorer({ browser, address }, fragment = "", width = 1280) {
  const page = await browser.page(width, 1000);
  await page.open(address + fragment);
  await page.waitUntil(READY, "the first result");
  return page;
}

async function finish(page) {
  equal(page.consoleErrors, [], "errors of the console");
  await page.close();
}

const field = (key, selector) => `document.querySelector('[data-key="${key}"] ${selector}')`;

async function download(page, downloads, click, name) {
  await page.browser.call("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: downloads, eventsEnabled: true });
  const before = new Set(readdirSync(downloads));
  await page.value(click);
  for (;;) {
    const fresh = readdirSync(downloads).find((each) => !before.has(each) && each.includes(name) && !each.endsWith(".crdownload"));
    if (fresh && readFileSync(join(downloads, fresh)).length > 0) return readFileSync(join(downloads, fresh));
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

export async function change_a_part(context) {
  const page = await explorer(context);
  const before = await page.value(headlineOf());
  check(/^\d/.test(before), `a number was expected: ${before}`);
  // The list of interfaces shows what does not fit, with the reason.
  await page.value("document.querySelectorAll('details.part')[1].open = true");
  await page.waitUntil("document.querySelectorAll('.option').length > 10", "the interfaces");
  check(await page.value("document.querySelectorAll('.option.unfit input:disabled').length") > 0, "interfaces that do not fit are disabled");
  check((await page.value("document.querySelector('.option.unfit .reason').textContent")).length > 30, "the reason why one does not fit");
  await page.value("document.querySelector('.option input[value=\"ni2w\"]').click()");
  await page.waitUntil(`${headlineOf()} !== ${JSON.stringify(before)}`, "another latency");
  await page.waitUntil("location.hash.includes('ni=ni2w')", "the link");
  await page.waitUntil("document.getElementById('command-text').textContent.includes('ni=ni2w')", "the command");
  // The slider moves by keyboard, and the result follows.
  const latencyOfPart = await page.value(headlineOf());
  await page.value(`${field("workload.ping-pong.payload", "input[type=range]")}.focus()`);
  await page.key("ArrowRight");
  await page.key("ArrowRight");
  await page.waitUntil(`${headlineOf()} !== ${JSON.stringify(latencyOfPart)}`, "another latency by the slider");
  await page.waitUntil("location.hash.includes('payload=')", "the payload in the link");
  // A value that cannot be read is reported at its field; reset takes it back.
  await page.value(`{ const input = ${field("workload.ping-pong.payload", "input.value")}; input.value = "12 parsecs"; input.dispatchEvent(new Event("change")); }`);
  await page.waitUntil(`${field("workload.ping-pong.payload", "input.value")}.getAttribute('aria-invalid') === 'true'`, "the problem at the field");
  check((await page.value(`${field("workload.ping-pong.payload", ".problem")}.textContent`)).length > 10, "the words of the problem");
  await page.value(`${field("workload.ping-pong.payload", ".reset")}.click()`);
  await page.waitUntil(`!${field("workload.ping-pong.payload", "[aria-invalid]")} && !location.hash.includes('payload=')`, "the problem is gone");
  // The button Back returns to the machine before.
  await page.value("document.getElementById('search').value = 'clock'; document.getElementById('search').dispatchEvent(new Event('input'))");
  await page.waitUntil("Array.from(document.querySelectorAll('.key')).some((key) => key.dataset.key.endsWith('clock') && key.checkVisibility())", "the keys that match");
  check(!(await page.value(`${field("workload.ping-pong.payload", "input")}.checkVisibility()`)), "keys that do not match are hidden");
  await finish(page);
}

export async function sweep_and_download(context) {
  const page = await explorer(context);
  await page.waitUntil(`${DRAW}, ${CURVE_DONE}`, "the first curve");
  await page.value("{ const range = document.querySelector('.curve-fields input'); range.value = '16 B..128 B*2'; range.dispatchEvent(new Event('change')); }");
  await page.waitUntil(`${CURVE_DONE} === '4' && document.querySelectorAll('#curve circle.point').length === 4`, "four points");
  const button = (card, text) => `Array.from(document.querySelectorAll('#${card} button')).find((each) => each.textContent === '${text}').click()`;
  const csv = (await download(page, context.downloads, button("curve", "CSV"), "narrows-curve")).toString();
  const rows = csv.trim().split("\n").map((row) => row.split(","));
  equal(rows.length, 5, "rows of the curve");
  equal(rows.slice(1).map((row) => row[1]), ["16 B", "32 B", "64 B", "128 B"], "payloads");
  check(rows.slice(1).every((row, index, all) => Number(row[2]) > 0 && (index === 0 || Number(row[2]) >= Number(all[index - 1][2]))), `latency grows with the payload: ${csv}`);
  const svg = (await download(page, context.downloads, button("stages", "SVG"), "narrows-stages")).toString();
  check(svg.startsWith("<svg") && /fill="rgb/.test(svg) && !/class=|<script|var\(/.test(svg), "a drawing that needs no style sheet");
  const png = await download(page, context.downloads, button("stages", "PNG"), "narrows-stages.png");
  equal(png.subarray(1, 4).toString(), "PNG", "a picture");
  await page.value(`{ const input = ${field("workload.ping-pong.messages", "input.value")}; input.value = "100"; input.dispatchEvent(new Event("change")); }`);
  await page.waitUntil("location.hash.includes('messages=100')", "the change in the link");
  const toml = (await download(page, context.downloads, "document.getElementById('save-toml').click()", ".toml")).toString();
  check(/messages = 100/.test(toml) && toml.includes("[workload.ping-pong]"), `the description holds the change: ${toml}`);
  const problems = await page.value(`narrowsExplorer.engine.ask({ ask: "check", text: ${JSON.stringify(toml)}, file: "a.toml", sets: [] })`);
  equal(problems.problems, [], "the description can be read");
  await finish(page);
}

export async function open_a_shared_link(context) {
  const fragment = "#memory-bus&ni=ni2w&workload.ping-pong.payload=128+B&workload.ping-pong.colour=red&~b=memory-bus&ni=udma&~pin=memory-bus&~curve=workload.ping-pong.payload=16+B..64+B*2&~frobnicate=1";
  const page = await explorer(context, fragment);
  await page.waitUntil("document.querySelectorAll('#headline .figure-number').length === 3", "baseline and two machines");
  equal(await page.value("document.querySelectorAll('#stages rect[rx]').length > 10"), true, "stages of three machines");
  const notices = await page.value("document.getElementById('notices').textContent");
  check(notices.includes("colour = red") && notices.includes("frobnicate"), `items that no longer hold are reported: ${notices}`);
  equal(await page.value(`${field("workload.ping-pong.payload", "input.value")}.value`), "128 B", "the payload of the link");
  await page.waitUntil(`${CURVE_DONE} === '6'`, "the curve of both machines");
  await page.waitUntil("!location.hash.includes('colour')", "the link without the dropped items");
  // The link that the page keeps opens the same state again.
  const [hash, figures] = [await page.value("location.hash"), await page.value("document.getElementById('headline').textContent")];
  const again = await explorer(context, hash);
  await again.waitUntil("document.querySelectorAll('#headline .figure-number').length === 3", "the same machines");
  equal(await again.value("document.getElementById('headline').textContent"), figures, "the same figures");
  equal(await again.value("location.hash"), hash, "the same link");
  equal(await again.value("document.getElementById('notices').textContent"), "", "nothing is left out");
  await finish(again);
  await finish(page);
}

export async function keys_that_vary_together_are_one_curve(context) {
  const page = await explorer(context, "#memory-bus&workload.ping-pong.payload=8+B&workload.ping-pong.messages=20&~curve=workload.ping-pong.payload=16+B,64+B%3Bworkload.ping-pong.messages=30,40");
  await page.waitUntil(`${DRAW}, ${CURVE_DONE} === '2'`, "two points");
  equal(await page.value("document.querySelectorAll('#curve circle.point').length"), 2, "points of the curve");
  await finish(page);
}

export async function paste_a_description(context) {
  const page = await explorer(context);
  await page.value("document.getElementById('open-toml').click()");
  await page.waitUntil("document.getElementById('toml-text').value.includes('ping-pong')", "the description of the machine");
  const text = await page.value("document.getElementById('toml-text').value");
  await page.value(`document.getElementById('toml-text').value = ${JSON.stringify(text.replace(/payload = "[^"]*"/, 'payload = "64 Q"'))}; document.getElementById('toml-use').click()`);
  await page.waitUntil("/Line \\d+|:\\d+\\)/.test(document.getElementById('toml-problems').textContent)", "the problem with its line");
  await page.value(`document.getElementById('toml-text').value = ${JSON.stringify(text.replace(/payload = "[^"]*"/, 'payload = "96 B"'))}; document.getElementById('toml-use').click()`);
  await page.waitUntil("!document.getElementById('toml').open && location.hash.includes('~text=')", "the description in the link");
  await page.waitUntil(`${field("workload.ping-pong.payload", "input.value")}.value === '96 B'`, "the payload of the description");
  const again = await explorer(context, await page.value("location.hash"));
  await again.waitUntil(`${field("workload.ping-pong.payload", "input.value")}.value === '96 B'`, "the description of the link");
  await finish(again);
  await finish(page);
}

export async function cancel_ends_a_long_run(context) {
  const page = await explorer(context);
  await page.value(`${field("workload.ping-pong.messages", "input.value")}.value = "9000000"; ${field("workload.ping-pong.messages", "input.value")}.dispatchEvent(new Event("change"))`);
  await page.waitUntil("!document.getElementById('cancel').hidden", "the button Cancel");
  const took = await page.value("new Promise((resolve) => { const begin = performance.now(); document.getElementById('cancel').click(); const look = () => document.getElementById('cancel').hidden ? resolve(performance.now() - begin) : setTimeout(look, 1); look(); })");
  await page.value(`${field("workload.ping-pong.messages", ".reset")}.click()`);
  await page.waitUntil(`${READY} && !location.hash.includes('messages')`, "a result after the cancelled run");
  await finish(page);
  return `${took.toFixed(0)} ms`;
}

export async function no_example_has_an_error_or_is_wider_than_the_window(context) {
  const page = await explorer(context, "", 480);
  const examples = await page.value("Array.from(document.getElementById('example').options, (option) => option.value)");
  check(examples.length >= 10, "examples");
  for (const example of examples) {
    await page.value(`{ const select = document.getElementById('example'); select.value = ${JSON.stringify(example)}; select.dispatchEvent(new Event('change')); }`);
    await page.waitUntil(`location.hash.startsWith('#${example}') && ${READY}`, example);
    equal(await page.value("document.getElementById('problems').textContent"), "", `problems of ${example}`);
    check(await page.value("document.documentElement.scrollWidth <= innerWidth"), `${example} is wider than the window`);
  }
  await finish(page);
  return `${examples.length} examples`;
}

export async function other_settings_are_listed_with_their_change_or_the_reason(context) {
  const page = await explorer(context, "#ring-ping-pong&workload.ping-pong.messages=20");
  await page.value("document.querySelector('#whatif .figure-before button').click()");
  await page.waitUntil("document.querySelectorAll('#settings-table tbody tr').length > 5", "the other settings");
  const rows = await page.value("Array.from(document.querySelectorAll('#settings-table tbody tr'), (row) => Array.from(row.children, (cell) => cell.textContent))");
  const row = (key, change) => rows.find((each) => each[0] === key && each[1] === change)?.[2] ?? `no ${key} in ${JSON.stringify(rows)}`;
  check(/^\d+\.\d % worse$/.test(row("ni.ring.driver", "polled → kernel")), row("ni.ring.driver", "polled → kernel"));
  check(/^\d+\.\d % better$/.test(row("ni.ring.inline-max", "0 B → 512 B")), row("ni.ring.inline-max", "0 B → 512 B"));
  check(row("ni.ring.inline-max", "0 B → 4 KiB").includes("a frame of 4 KiB takes"), row("ni.ring.inline-max", "0 B → 4 KiB"));
  // A number that could not be scaled is not a setting.
  check(!rows.some(([key]) => key === "ni.ring.descriptor"), JSON.stringify(rows));
  await page.value(`{ const input = ${field("workload.ping-pong.messages", "input.value")}; input.value = "30"; input.dispatchEvent(new Event("change")); }`);
  await page.waitUntil("document.querySelector('#settings-table').closest('.old')", "the settings are of an earlier machine");
  await finish(page);
}

export async function axe_finds_nothing(context) {
  if (!context.axe || !existsSync(context.axe)) return "skipped: AXE names no axe.min.js";
  const source = readFileSync(context.axe, "utf8");
  for (const [scheme, width] of [["light", 1280], ["dark", 480]]) {
    const page = await context.browser.page(width, 1000);
    await page.scheme(scheme);
    await page.call("Page.setBypassCSP", { enabled: true });
    await page.open(`${context.address}#memory-bus&ni=ni2w&workload.ping-pong.colour=1&~b=memory-bus&~pin=memory-bus`);
    await page.waitUntil(READY, "the first result");
    await page.waitUntil(`${DRAW}, ${CURVE_DONE}`, "the curve");
    await page.value("document.querySelectorAll('details').forEach((each) => { each.open = true; })");
    await page.value("document.querySelectorAll('details.part')[1].open = true");
    await page.waitUntil("document.querySelectorAll('.option').length > 10", "the interfaces");
    await page.value("document.querySelector('#whatif .figure-before button').click()");
    await page.waitUntil("document.querySelector('#whatif svg.drawing')", "the sensitivities");
    await page.value(source);
    const look = "axe.run({ resultTypes: ['violations'] }).then((found) => found.violations.map((each) => `${each.id}: ${each.nodes.slice(0, 4).map((node) => node.html.slice(0, 160) + ' ' + (node.any[0]?.message ?? node.all[0]?.message ?? '')).join(' | ')}`))";
    equal(await page.value(look), [], `axe, ${scheme}`);
    await page.value("document.getElementById('open-toml').click()");
    equal(await page.value(look), [], `axe of the dialog, ${scheme}`);
    await page.close();
  }
  return undefined;
}

export async function the_page_works_from_a_file(context) {
  if (!context.built) return "skipped: the page is served";
  const page = await context.browser.page(1280, 1000);
  await page.open(`file://${context.built}/index.html#memory-bus&ni=ni2w`);
  await page.waitUntil(READY, "a result");
  equal(await page.value(`${headlineOf()} !== ''`), true, "a figure");
  await page.waitUntil(`${DRAW}, ${CURVE_DONE}`, "a curve");
  check(page.requests.every((each) => /^(file|blob|data|about):/.test(each)), `requests: ${page.requests.join(" ")}`);
  await finish(page);
  return undefined;
}

export async function quantities_are_parsed_written_and_scaled(context) {
  const page = await context.browser.page();
  await page.open(context.address);
  const result = await page.value(`import("${new URL("quantity.js", context.address).href}").then((q) => ({
    parsed: ["64 B", "1.5 us", "1_000", "8 KiB", "\\"40 Gbit/s\\"", "adaptive", "12..4", ""].map((text) => q.parse(text)),
    written: [[1536, "B"], [1000, "B"], [2.5e6, "ns"], [3e9, "Hz"], [0, "us"], [8e9, "MB/s"]].map(([base, unit]) => q.write(q.fromBase(base, unit))),
    metrics: [[0.8622, "us"], [1234567, ""], [114.944, "MB/s"], [0.20081, "flits/node/cycle"], [null, "us"]].map(([value, unit]) => Object.values(q.metricText(value, unit)).join(" ").trim()),
    change: [q.changeText(2, 3), q.changeText(2, 1), q.changeText(1, 1), q.changeText(0, 1), q.changeText(null, 1)],
    ticks: [q.linearTicks(0, 4.5, 5), q.linearTicks(0, 115, 5), q.logTicks(8, 256, true), q.logTicks(1, 100, false)],
    scales: [
      [{ kind: "quantity", least: null, most: "16 MiB", power_of_two: false }, "64 B"],
      [{ kind: "quantity", least: "64 B", most: "64 MiB", power_of_two: true }, "1 MiB"],
      [{ kind: "number", least: "0", most: "1" }, "0.2"],
      [{ kind: "integer", least: "1", most: "16" }, "1"],
    ].map(([key, value]) => { const scale = q.scaleOf(key, value); const at = scale.position(q.toBase(q.parse(value))); return [scale.low, scale.high, scale.log, scale.at(at), scale.at(0), scale.at(scale.steps)]; }),
  }))`);
  equal(result.parsed, [{ number: 64, unit: "B" }, { number: 1.5, unit: "us" }, { number: 1000, unit: "" }, { number: 8, unit: "KiB" }, { number: 40, unit: "Gbit/s" }, null, null, null], "parsed");
  equal(result.written, ["1.5 KiB", "1000 B", "2.5 us", "3 GHz", "0 us", "8 GB/s"], "written");
  equal(result.metrics, ["862.2 ns", "1\u202f234\u202f567", "114.9 MB/s", "0.2008 flits/node/cycle", "–"], "metrics");
  equal(result.change, ["+50.0 %", "−50.0 %", "same", "", ""], "changes");
  equal(result.ticks, [[0, 1, 2, 3, 4], [0, 20, 40, 60, 80, 100], [8, 16, 32, 64, 128, 256], [1, 2, 5, 10, 20, 50, 100]], "ticks");
  equal(result.scales, [[2, 2048, true, 64, 2, 2048], [32768, 33554432, true, 1048576, 32768, 33554432], [0, 1, false, 0.2, 0, 1], [1, 16, false, 1, 1, 16]], "scales");
  await page.close();
}
