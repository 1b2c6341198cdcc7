// The code of a Web Worker that holds one instance of the module. It is started from a Blob of its source text, so that
// the page also works from a file, where a worker may not be loaded from another file.

/** Answers the messages of the page; uses nothing outside its own body. */
export function workerMain() {
  /** @type {WebAssembly.Module | null} */
  let module = null;
  /** @type {any} */
  let instance = null;
  // An instance whose memory has grown beyond this many bytes is replaced: memory of a module never shrinks.
  const MEMORY_MAX_BYTES = 192 * 1024 * 1024;
  const scope = /** @type {any} */ (globalThis);

  async function createInstance() {
    instance = null;
    const instantiated = await WebAssembly.instantiate(/** @type {WebAssembly.Module} */ (module), {});
    instance = instantiated.exports;
    // Modules of other toolchains need their constructors run.
    if (instance._initialize) instance._initialize();
  }

  /** @param {string} text */
  function ask(text) {
    const bytes = new TextEncoder().encode(text);
    const pointer = instance.take(bytes.length) >>> 0;
    new Uint8Array(instance.memory.buffer, pointer, bytes.length).set(bytes);
    instance.ask(pointer, bytes.length);
    const start = instance.answer() >>> 0;
    const length = instance.answer_length() >>> 0;
    return new TextDecoder().decode(new Uint8Array(instance.memory.buffer, start, length));
  }

  scope.onmessage = async (/** @type {MessageEvent} */ event) => {
    const { id, compiled, text } = event.data;
    if (compiled) {
      module = compiled;
      try {
        await createInstance();
        scope.postMessage({ ready: true });
      } catch (error) {
        scope.postMessage({ ready: false, error: String(error) });
      }
      return;
    }
    let answer;
    const begin = performance.now();
    try {
      if (!instance) await createInstance();
      answer = JSON.parse(ask(text));
    } catch (error) {
      // A trap leaves the instance in an undefined state.
      instance = null;
      answer = { error: `The simulator stopped: ${error instanceof Error ? error.message : String(error)}. The machine may need more memory than a page has.` };
    }
    scope.postMessage({ id, answer, ms: performance.now() - begin });
    try {
      if (!instance || instance.memory.buffer.byteLength > MEMORY_MAX_BYTES) await createInstance();
    } catch {
      instance = null;
    }
  };
}
