// A client of the DevTools protocol of a headless Chromium over a pipe, without packages.

import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const PROGRAM_NAMES = [process.env.CHROMIUM, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
/** Longest wait for a condition, in ms. */
const WAIT_MAX_MS = Number(process.env.NARROWS_TEST_WAIT_MS ?? 60_000);

/** Returns the name of an installed Chromium, or `null`. */
export function findChromium() {
  return PROGRAM_NAMES.find((name) => name && spawnSync(name, ["--version"], { stdio: "ignore" }).status === 0) ?? null;
}

export class Browser {
  /** @param {string} program @param {string[]} [more] */
  constructor(program, extraArguments = []) {
    this.profile = mkdtempSync(join(tmpdir(), "narrows-page-"));
    this.child = spawn(program, [
      "--headless=new", "--remote-debugging-pipe", "--no-first-run", "--no-default-browser-check", "--disable-gpu", "--no-sandbox",
      "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update", "--hide-scrollbars",
      `--user-data-dir=${this.profile}`, ...extraArguments, "about:blank",
    ], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
    this.nextCallId = 1;
    this.pendingCalls = new Map();
    this.listeners = [];
    this.unparsed = "";
    this.child.stdio[4].on("data", (data) => {
      this.unparsed += data;
      const parts = this.unparsed.split("\0");
      this.unparsed = parts.pop();
      for (const part of parts) this.dispatch(JSON.parse(part));
    });
    this.child.on("exit", () => {
      for (const { reject } of this.pendingCalls.values()) reject(new Error("Chromium ended"));
      this.pendingCalls.clear();
    });
  }

  dispatch(message) {
    if (message.id) {
      const { resolve, reject } = this.pendingCalls.get(message.id) ?? {};
      this.pendingCalls.delete(message.id);
      if (message.error) reject?.(new Error(message.error.message));
      else resolve?.(message.result);
    } else {
      for (const listener of this.listeners) listener(message);
    }
  }

  call(method, params = {}, sessionId = undefined) {
    const id = this.nextCallId;
    this.nextCallId += 1;
    return new Promise((resolve, reject) => {
      this.pendingCalls.set(id, { resolve, reject });
      this.child.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    });
  }

  async page(width = 1280, height = 1000) {
    const { targetId } = await this.call("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await this.call("Target.attachToTarget", { targetId, flatten: true });
    const page = new Page(this, sessionId, targetId);
    await page.prepare(width, height);
    return page;
  }

  async close() {
    const ended = new Promise((resolve) => this.child.on("exit", resolve));
    await this.call("Browser.close").catch(() => undefined);
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 5000).unref())]);
    if (this.child.exitCode === null) this.child.kill("SIGKILL");
    rmSync(this.profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

export class Page {
  constructor(browser, session, target) {
    this.browser = browser;
    this.session = session;
    this.target = target;
    /** Errors on the console, exceptions, and refused requests. */
    this.consoleErrors = [];
    /** Addresses that the page asked for. */
    this.requests = [];
    /** The messages of the dialogs that the page opened. */
    this.dialogs = [];
    browser.listeners.push((message) => message.sessionId === session && this.recordEvent(message));
  }

  recordEvent({ method, params }) {
    if (method === "Runtime.exceptionThrown") this.consoleErrors.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
    else if (method === "Runtime.consoleAPICalled" && (params.type === "error" || params.type === "assert")) this.consoleErrors.push(params.args.map((each) => each.value ?? each.description).join(" "));
    else if (method === "Log.entryAdded" && params.entry.level === "error") this.consoleErrors.push(`${params.entry.text} ${params.entry.url ?? ""}`);
    else if (method === "Network.requestWillBeSent") this.requests.push(params.request.url);
    else if (method === "Page.javascriptDialogOpening") {
      this.dialogs.push(params.message);
      this.call("Page.handleJavaScriptDialog", { accept: false });
    }
  }

  call(method, params) {
    return this.browser.call(method, params, this.session);
  }

  async prepare(width, height) {
    await Promise.all(["Page", "Runtime", "Log", "Network", "DOM"].map((domain) => this.call(`${domain}.enable`)));
    await this.size(width, height);
  }

  size(width, height, scale = 1) {
    return this.call("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: scale, mobile: false });
  }

  scheme(value) {
    return this.call("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value }] });
  }

  async open(address) {
    // Another fragment alone would not load the page anew.
    await this.call("Page.navigate", { url: "about:blank" });
    await this.waitUntil("location.href === 'about:blank'");
    await this.call("Page.navigate", { url: address });
    await this.waitUntil("document.readyState === 'complete' && location.href !== 'about:blank'");
  }

  /** Returns the value of an expression, which may be a promise. */
  async value(expression) {
    const { result, exceptionDetails } = await this.call("Runtime.evaluate", { expression, returnByValue: true, awaitPromise: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  /** Waits until an expression is true. */
  async waitUntil(expression, what = expression) {
    const begin = Date.now();
    let last;
    while (Date.now() - begin < WAIT_MAX_MS) {
      try {
        last = await this.value(expression);
        if (last) return last;
      } catch (error) {
        last = error.message;
      }
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    throw new Error(`timed out after ${WAIT_MAX_MS} ms, waiting for: ${what}`);
  }

  async screenshot() {
    const { data } = await this.call("Page.captureScreenshot", { format: "png", captureBeyondViewport: false });
    return Buffer.from(data, "base64");
  }

  async key(key, modifiers = 0) {
    const codes = { Tab: 9, Enter: 13, " ": 32, ArrowRight: 39, ArrowLeft: 37, ArrowDown: 40, ArrowUp: 38, Escape: 27 };
    const event = { key, code: key === " " ? "Space" : key, windowsVirtualKeyCode: codes[key] ?? key.charCodeAt(0), modifiers, ...(key === "Enter" ? { text: "\r" } : key === " " ? { text: " " } : {}) };
    await this.call("Input.dispatchKeyEvent", { type: "keyDown", ...event });
    await this.call("Input.dispatchKeyEvent", { type: "keyUp", ...event });
  }

  close() {
    return this.browser.call("Target.closeTarget", { targetId: this.target });
  }
}
