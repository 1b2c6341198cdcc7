// The engine behind the page: the module in Web Workers, or a native server. Both answer the same questions.

import { workerMain } from "./worker.js";

/** @typedef {import("./types").Question} Question */
/** @typedef {import("./types").AskOptions} AskOptions */
/** @typedef {{id: number, key: string, text: string, channel: string | null, priority: number, resolve: (answer: any) => void, dropped: boolean, started: number, limit: number | null}} Job */
/** @typedef {{worker: Worker | null, job: Job | null, ready: boolean}} Slot */

/** The answer to a question that a newer one replaced, or that was cancelled. */
export const DROPPED = Object.freeze({ dropped: true });
/** The answer to a question that took longer than its limit. */
export const TIMED_OUT = Object.freeze({ late: true });

/** Time after which a running question is ended in favour of a newer one of its channel, in ms. */
const SUPERSEDE_DELAY_MS = 250;
/** Largest number of answers in the cache. */
const CACHED_ANSWERS_MAX = 600;

/** The cache of the most recently used answers. Equal questions have equal answers. */
class AnswerCache {
  constructor() {
    /** @type {Map<string, any>} */
    this.answers = new Map();
  }
  /** @param {string} key */
  get(key) {
    const answer = this.answers.get(key);
    if (answer !== undefined) {
      this.answers.delete(key);
      this.answers.set(key, answer);
    }
    return answer;
  }
  /** @param {string} key @param {any} answer */
  put(key, answer) {
    if (answer.error) return;
    this.answers.set(key, answer);
    if (this.answers.size > CACHED_ANSWERS_MAX) this.answers.delete(/** @type {string} */ (this.answers.keys().next().value));
  }
}

/** A queue of questions for slots that each answer one question at a time. A newer question replaces older ones of its channel. */
class Queue {
  /** @param {"wasm" | "server"} kind @param {number} workers */
  constructor(kind, workers) {
    this.kind = kind;
    this.workers = workers;
    this.answers = new AnswerCache();
    /** @type {Slot[]} */
    this.slots = Array.from({ length: workers }, () => ({ worker: null, job: null, ready: kind === "server" }));
    /** @type {Job[]} */
    this.waiting = [];
    this.nextId = 1;
  }

  /** @param {Question} question @param {AskOptions} [options] @returns {Promise<any>} */
  ask(question, options = {}) {
    const key = JSON.stringify(question);
    const cachedAnswer = this.answers.get(key);
    if (options.channel) this.supersede(options.channel, key);
    if (cachedAnswer !== undefined) return Promise.resolve(cachedAnswer);
    return new Promise((resolve) => {
      this.nextId += 1;
      /** @type {Job} */
      const job = { id: this.nextId, key, text: key, channel: options.channel ?? null, priority: options.priority ?? 1, resolve, dropped: false, started: 0, limit: options.limit ?? null };
      options.signal?.addEventListener("abort", () => this.drop(job), { once: true });
      if (options.signal?.aborted) return resolve(DROPPED);
      this.waiting.push(job);
      this.startWaiting();
    });
  }

  /** Drops the older questions of a channel: waiting ones at once, a running one after `SUPERSEDE_DELAY_MS`. @param {string} channel @param {string} key */
  supersede(channel, key) {
    for (const job of this.waiting.filter((each) => each.channel === channel)) this.drop(job);
    for (const slot of this.slots) {
      const job = slot.job;
      if (job?.channel !== channel || job.key === key) continue;
      const elapsed = performance.now() - job.started;
      if (elapsed > SUPERSEDE_DELAY_MS) this.drop(job);
      else setTimeout(() => slot.job === job && this.waiting.some((each) => each.channel === channel) && this.drop(job), SUPERSEDE_DELAY_MS - elapsed);
    }
  }

  /** @param {string} channel */
  cancel(channel) {
    for (const job of this.waiting.filter((each) => each.channel === channel)) this.drop(job);
    for (const slot of this.slots) if (slot.job?.channel === channel) this.drop(slot.job);
  }

  cancelAll() {
    for (const job of this.waiting.slice()) this.drop(job);
    for (const slot of this.slots) if (slot.job) this.drop(slot.job);
  }

  /** Ends a question; a worker that runs it is terminated. @param {Job} job @param {object} answer */
  drop(job, answer = DROPPED) {
    if (job.dropped) return;
    job.dropped = true;
    this.waiting = this.waiting.filter((each) => each !== job);
    const slot = this.slots.find((each) => each.job === job);
    if (slot) {
      slot.job = null;
      this.stop(slot, job);
    }
    job.resolve(answer);
    this.startWaiting();
  }

  startWaiting() {
    while (this.waiting.length > 0) {
      const slot = this.slots.find((each) => each.ready && !each.job);
      if (!slot) return;
      let nextJob = this.waiting[0];
      for (const job of this.waiting) if (job.priority > nextJob.priority) nextJob = job;
      this.waiting = this.waiting.filter((each) => each !== nextJob);
      nextJob.started = performance.now();
      slot.job = nextJob;
      if (nextJob.limit !== null) setTimeout(() => slot.job === nextJob && this.drop(nextJob, TIMED_OUT), nextJob.limit);
      this.start(slot, nextJob);
    }
  }

  /** @param {Slot} slot @param {number} id @param {any} answer */
  finish(slot, id, answer) {
    const job = slot.job;
    if (job?.id !== id) return;
    slot.job = null;
    this.answers.put(job.key, answer);
    job.resolve(answer);
    this.startWaiting();
  }

  /** @param {Slot} _slot @param {Job} _job */
  start(_slot, _job) {}
  /** @param {Slot} _slot @param {Job} _job */
  stop(_slot, _job) {}
}

/** The module in Web Workers. */
class ModuleEngine extends Queue {
  /** @param {WebAssembly.Module} module */
  constructor(module) {
    super("wasm", Math.max(2, Math.min(8, navigator.hardwareConcurrency || 2)));
    this.module = module;
    this.source = URL.createObjectURL(new Blob([`(${workerMain.toString()})();`], { type: "text/javascript" }));
    /** @type {string | null} */
    this.failure = null;
    for (const slot of this.slots) this.startWorker(slot);
  }

  /** @param {Slot} slot */
  startWorker(slot) {
    slot.ready = false;
    const worker = new Worker(this.source);
    slot.worker = worker;
    worker.onmessage = (event) => {
      if (slot.worker !== worker) return;
      if ("ready" in event.data) {
        slot.ready = event.data.ready;
        if (slot.ready) this.startWaiting();
        else this.reportFailure(event.data.error);
      } else {
        this.finish(slot, event.data.id, event.data.answer);
      }
    };
    worker.onerror = (event) => this.reportFailure(event.message || "a worker could not be started");
    worker.postMessage({ compiled: this.module });
  }

  /** @param {string} why */
  reportFailure(why) {
    this.failure = why;
    for (const job of this.waiting.splice(0)) job.resolve({ error: `The simulator could not be started: ${why}` });
  }

  /** @param {Slot} slot @param {Job} job */
  start(slot, job) {
    slot.worker?.postMessage({ id: job.id, text: job.text });
  }

  /** @param {Slot} slot */
  stop(slot) {
    slot.worker?.terminate();
    this.startWorker(slot);
  }
}

/** A native server at the address of the page. */
class ServerEngine extends Queue {
  constructor() {
    super("server", 5);
    this.token = new URLSearchParams(location.search).get("token") ?? "";
    /** @type {Map<number, AbortController>} */
    this.controllers = new Map();
  }

  /** @param {Slot} slot @param {Job} job */
  async start(slot, job) {
    const controller = new AbortController();
    this.controllers.set(job.id, controller);
    let answer;
    try {
      const response = await fetch(`ask${this.token ? `?token=${encodeURIComponent(this.token)}` : ""}`, {
        method: "POST",
        body: job.text,
        headers: { "content-type": "application/json", "x-narrows-token": this.token },
        signal: controller.signal,
      });
      answer = response.ok ? await response.json() : { error: `The server answered ${response.status}: ${(await response.text()).slice(0, 300)}` };
    } catch {
      answer = { error: "The server does not answer. It ends with the terminal in which `narrows explore` was started." };
    }
    this.controllers.delete(job.id);
    this.finish(slot, job.id, answer);
  }

  /** @param {Slot} _slot @param {Job} job */
  stop(_slot, job) {
    this.controllers.get(job.id)?.abort();
  }
}

/**
 * Decodes a text in base64.
 * @param {string} base64
 */
export function fromBase64(base64) {
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}

/**
 * Decodes and decompresses the module in a script file.
 * @param {string} base64
 */
async function unpack(base64) {
  const stream = new Blob([fromBase64(base64)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

/**
 * Returns the engine of this page.
 * @param {string} [base] address relative to which the module is found
 * @param {Uint8Array<ArrayBuffer>} [wasm] the module, if the page contains it
 * @returns {Promise<import("./types").Engine>}
 */
export async function start(base = document.baseURI, wasm = undefined) {
  if (wasm) return new ModuleEngine(await WebAssembly.compile(wasm));
  const declared = document.querySelector('meta[name="narrows-engine"]')?.getAttribute("content");
  if ((globalThis.NARROWS_ENGINE ?? declared) === "server") return new ServerEngine();
  if (globalThis.NARROWS_WASM_GZIP) return new ModuleEngine(await WebAssembly.compile(await unpack(globalThis.NARROWS_WASM_GZIP)));
  const address = new URL("narrows.wasm", base).href;
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address}: ${response.status}`);
  const isTyped = response.headers.get("content-type")?.startsWith("application/wasm");
  return new ModuleEngine(await (isTyped ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer())));
}
