// Tests that the text of a link or a description is data: it never becomes markup, script or a request.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { check, equal, headlineOf, PAGE, READY } from "./harness.mjs";

const SCRIPT = "globalThis.struck = true";
export const PAYLOADS = [
  `<img src=x onerror="${SCRIPT}">`,
  `<script>${SCRIPT}</script>`,
  `<svg onload="${SCRIPT}"></svg>`,
  `"><img src=x onerror=${SCRIPT.replaceAll(" ", "")}>`,
  `'-${SCRIPT}-'`,
  `javascript:${SCRIPT}`,
  `<iframe srcdoc="<script>parent.struck=true</script>"></iframe>`,
  `<a href="http://192.0.2.1/">link</a>`,
  `<style>@import url(http://192.0.2.1/x.css);</style>`,
  `url(http://192.0.2.1/x.png)`,
  `__proto__`,
  `constructor`,
  `\${${SCRIPT}}`,
  `{{${SCRIPT}}}`,
  `]]><script>${SCRIPT}</script>`,
  `=HYPERLINK("http://192.0.2.1/")`,
  `\u202e\u0000\ud800`,
  `../../../etc/passwd`,
  `"${"A".repeat(20_000)}"`,
];

/** A description in an attribute, as the documentation site writes it. */
const LIVE_TEXT = [
  "parts = ['hosts/pcie-gen3-x8', 'ni/startjr', 'protocols/return-to-sender-1998', 'fabrics/ideal-1998']",
  "nodes.client = { host = 'pcie-gen3-x8' }", "nodes.server = { host = 'pcie-gen3-x8' }", "[workload.ping-pong]", "payload = '64 B'", "messages = 20",
].join("&#10;");

/** Pages that the test's server adds to the finished page. */
export function pages(page) {
  const csp = readFileSync(join(page, "index.html"), "utf8").match(/<meta http-equiv="Content-Security-Policy"[^>]*>/)[0];
  const body = (attributes) => `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>live</title><link rel="icon" href="icon.svg">${csp}<script type="module" src="live.js"></script></head><body><main><narrows-live ${attributes}><p id="inside">A static figure.</p></narrows-live></main></body></html>`;
  return {
    "/live-test.html": body('description="memory-bus" vary="workload.ping-pong.payload=8 B..256 B" metric="message.latency_one_way" against="ni=ni2w"'),
    "/live-text.html": body(`text="${LIVE_TEXT}" vary="workload.ping-pong.payload=8 B..256 B"`),
    "/live-wrong.html": body('description="&lt;img src=x onerror=globalThis.struck=true&gt;" vary="a=&lt;b&gt;"'),
  };
}

/** Returns a fragment with a payload at every place where a link holds a text. */
function links(payload) {
  const text = encodeURIComponent(payload.toWellFormed());
  return [
    `#${text}`,
    `#memory-bus&${text}`,
    `#memory-bus&${text}=1`,
    `#memory-bus&ni=${text}`,
    `#memory-bus&workload.ping-pong.payload=${text}&~b=${text}&~pin=${text}`,
    `#memory-bus&~metric=${text}&~curve=${text}=${text}&~${text}=${text}`,
    `#memory-bus&~curve=workload.ping-pong.payload=${text}`,
  ];
}

/** Descriptions with a payload in their strings. */
function descriptions(text, payload) {
  const quoted = JSON.stringify(payload.toWellFormed().replaceAll("\u0000", ""));
  return [
    `# ${payload.toWellFormed().replace(/[\n\r\u0000]/g, "")}\n${text}`,
    text.replace(/payload = "[^"]*"/, `payload = ${quoted}`),
    text.replaceAll("left", "x").replace("[nodes.x]", `[nodes.${quoted}]`),
    text.replace(/parts = \[/, `parts = [${quoted}, `),
    `${text}\n[${quoted}]\n${quoted} = ${quoted}\n`,
    text.replace(/host = "memory-bus-1998"/, `host = ${quoted}`),
  ];
}

/** Checks that nothing of a payload became script, markup or a request. A page in one file has embedded elements of its own. */
export async function assertUnharmed(page, address, what, embedded = 0) {
  equal(await page.value("globalThis.struck ?? false"), false, `script of ${what}`);
  equal(page.dialogs, [], `dialogs of ${what}`);
  const allowedElements = embedded > 0 ? ", html > head > style, html > body > script:not([src])" : "";
  if (embedded > 0) equal(await page.value("document.querySelectorAll('style').length === 1 && document.querySelectorAll('script').length"), embedded, `scripts of ${what}`);
  const foreignElements = "Array.from(document.querySelectorAll('img, iframe, object, embed, base, form:not([method=dialog]), script:not([src]), style, a[href^=javascript], [onerror], [onload], [style*=url], link[href*=\"192.0.2\"]')).filter((each) => !each.matches('x" + allowedElements + "')).map((each) => each.outerHTML.slice(0, 100))";
  equal(await page.value(foreignElements), [], `elements of ${what}`);
  const home = embedded > 0 ? address : new URL(address).origin;
  const strangeRequests = page.requests.filter((each) => !each.startsWith(home) && !/^(blob|data|about):/.test(each));
  equal(strangeRequests, [], `requests of ${what}`);
}

export async function links_of_strangers_are_data(context) {
  const page = await context.browser.page(1280, 1000);
  let count = 0;
  await page.open(context.address);
  await page.waitUntil(READY, "the first result");
  for (const payload of PAYLOADS) {
    for (const link of links(payload)) {
      count += 1;
      await page.value(`narrowsExplorer.open(${JSON.stringify(link.replaceAll("%00", ""))})`);
      await page.waitUntil(`!document.getElementById('answers').hidden`, link.slice(0, 80));
      await assertUnharmed(page, context.address, link.slice(0, 80));
    }
  }
  // As a reader would open them, too.
  for (const payload of PAYLOADS.slice(0, 3)) {
    await page.open(context.address + links(payload)[4]);
    await page.waitUntil(`${headlineOf()} && document.getElementById('notices').textContent !== ''`, "a result and a notice");
    await assertUnharmed(page, context.address, payload);
  }
  equal(page.consoleErrors, [], "errors of the console");
  await page.close();
  return `${count} links`;
}

export async function descriptions_of_strangers_are_data(context) {
  const page = await context.browser.page(1280, 1000);
  await page.open(context.address);
  await page.waitUntil(READY, "the first result");
  await page.value("document.getElementById('open-toml').click()");
  const text = await page.waitUntil("document.getElementById('toml-text').value", "the description");
  await page.value("document.getElementById('toml').close()");
  check(text.includes("[workload.ping-pong]"), "the description of the example");
  let count = 0;
  for (const payload of PAYLOADS) {
    for (const description of descriptions(text, payload)) {
      count += 1;
      await page.value("document.getElementById('open-toml').click()");
      await page.value(`document.getElementById('toml-text').value = ${JSON.stringify(description)}; document.getElementById('toml-use').click()`);
      await page.waitUntil("!document.getElementById('toml').open || document.getElementById('toml-problems').textContent !== ''", "an answer");
      await assertUnharmed(page, context.address, description.slice(0, 60));
      await page.value("document.getElementById('toml').close(); document.getElementById('toml-problems').replaceChildren()");
    }
  }
  await page.waitUntil("!document.getElementById('answers').hidden", "a result");
  equal(page.consoleErrors, [], "errors of the console");
  await page.close();
  return `${count} descriptions`;
}

export async function downloads_of_strangers_are_data(context) {
  const page = await context.browser.page(1280, 1000);
  await page.open(context.address);
  const cells = await page.value(`import("${new URL("save.js", context.address).href}").then(({ csv }) => csv([[${PAYLOADS.map((each) => JSON.stringify(each)).join()}]]))`);
  check(!/(^|,)"?[=+@-]/.test(cells), "a cell that a spreadsheet would run");
  await page.close();
}

export async function live_element_shows_a_figure(context) {
  if (!context.built) return "skipped: the page is served";
  const page = await context.browser.page(900, 800);
  await page.open(`${context.address}live-test.html`);
  const inside = "document.querySelector('narrows-live').shadowRoot";
  await page.waitUntil(`${inside}?.querySelectorAll('.number strong').length === 2 && ${inside}.querySelectorAll('rect').length > 8`, "two machines");
  const before = await page.value(`${inside}.querySelector('.number').textContent`);
  await page.value(`{ const slider = ${inside}.querySelector('input'); slider.value = slider.max; slider.dispatchEvent(new Event('input')); }`);
  await page.waitUntil(`${inside}.querySelector('.number').textContent !== ${JSON.stringify(before)} && ${inside}.querySelector('output').textContent === '256 B'`, "another figure");
  const link = await page.waitUntil(`${inside}.querySelector('a').href.includes('256') && ${inside}.querySelector('a').href`, "the link");
  equal(await page.value("document.getElementById('inside').checkVisibility()"), false, "the static figure gives way");
  equal(page.consoleErrors, [], "errors of the console");
  await page.open(link);
  await page.waitUntil(`${READY} && document.querySelectorAll('#headline .figure-number').length === 2`, "the explorer with both machines");
  await page.open(`${context.address}live-text.html`);
  await page.waitUntil(`${inside}?.querySelector('.number strong') && ${inside}.querySelector('a').href.includes('#~text=')`, "the figure of a description");
  await page.open(`${context.address}live-wrong.html`);
  await page.waitUntil("document.querySelector('narrows-live').dataset.error", "the error");
  equal(await page.value("document.getElementById('inside').checkVisibility()"), true, "the static figure stays");
  await assertUnharmed(page, context.address, "the attributes");
  await page.close();
  return undefined;
}
