// A WebAssembly module of Narrows under Node, which answers questions without a page.

import fs from "node:fs";

/** Memory of an instance, in bytes, above which a fresh instance replaces it. */
const MEMORY_MAX = 192 << 20;

/** Loads the module in the file `path`, and returns a function that answers a question with JSON text. */
export async function loadModule(path) {
  const module = await WebAssembly.compile(fs.readFileSync(path));
  const imported = WebAssembly.Module.imports(module);
  if (imported.length > 0) throw new Error(`the module imports ${imported.length} names, and a page gives none`);
  let instance = new WebAssembly.Instance(module, {}).exports;
  return (question) => {
    if (instance.memory.buffer.byteLength > MEMORY_MAX) instance = new WebAssembly.Instance(module, {}).exports;
    const bytes = new TextEncoder().encode(JSON.stringify(question));
    const pointer = instance.take(bytes.length);
    new Uint8Array(instance.memory.buffer, pointer, bytes.length).set(bytes);
    instance.ask(pointer, bytes.length);
    const answer = new Uint8Array(instance.memory.buffer, instance.answer(), instance.answer_length());
    return new TextDecoder().decode(answer);
  };
}
