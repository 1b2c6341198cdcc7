// The state of the page in the fragment of its address.
//
//   #memory-bus&ni=ni2w&workload.ping-pong.payload=128+B&~b=memory-bus&ni=udma&~curve=KEY=RANGE
//
// The first item names an example. `~text=…` holds a description instead (deflated, base64url), and `~plain=…` one as it
// is, for programs that write links. `KEY=VALUE` overrides a key of the machine before it. `~b` begins the second
// machine, `~pin` the baseline. Items with `~` that are not known are reported.

/** @typedef {import("./types").MachineState} MachineState */
/** @typedef {import("./types").PageState} PageState */

/** Longest fragment and description that are read. */
const LONGEST = 400_000;

/** @param {string} text */
function escape(text) {
  return encodeURIComponent(text).replaceAll("%20", "+").replace(/%(2F|3A|2C|40|3E|5B|5D)/g, (code) => decodeURIComponent(code));
}

/** @param {string} text */
function unescape(text) {
  try {
    return decodeURIComponent(text.replaceAll("+", "%20"));
  } catch {
    return text;
  }
}

/**
 * @param {Uint8Array} bytes
 * @param {CompressionStream | DecompressionStream} stream
 */
async function through(bytes, stream) {
  const blob = new Blob([/** @type {BlobPart} */ (bytes)]);
  return new Uint8Array(await new Response(blob.stream().pipeThrough(/** @type {any} */ (stream))).arrayBuffer());
}

/** @param {string} text */
export async function deflate(text) {
  const bytes = await through(new TextEncoder().encode(text), new CompressionStream("deflate-raw"));
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** @param {string} text */
export async function inflate(text) {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
  const inflated = await through(bytes, new DecompressionStream("deflate-raw"));
  if (inflated.length > LONGEST) throw new Error("the description is too long");
  return new TextDecoder().decode(inflated);
}

/** @param {MachineState} machine @param {string} marker */
async function items(machine, marker) {
  const list = [];
  if (machine.text !== null) list.push(`${marker ? `~${marker}&` : ""}~text=${await deflate(machine.text)}`);
  else list.push(marker ? `~${marker}=${escape(machine.name ?? "")}` : escape(machine.name ?? ""));
  for (const [key, value] of machine.sets) list.push(`${escape(key)}=${escape(value)}`);
  return list;
}

/**
 * Returns the fragment of a state, without `#`.
 * @param {PageState} state
 */
export async function encode(state) {
  const list = await items(state.machines[0], "");
  if (state.machines[1]) list.push(...(await items(state.machines[1], "b")));
  if (state.baseline) list.push(...(await items(state.baseline, "pin")));
  if (state.metric) list.push(`~metric=${escape(state.metric)}`);
  if (state.curve) list.push(`~curve=${escape(`${state.curve.key}=${state.curve.range}`)}`);
  return list.join("&");
}

/**
 * Returns the state of a fragment, and what of it could not be read.
 * @param {string} fragment
 * @returns {Promise<{state: PageState, lost: string[]}>}
 */
export async function decode(fragment) {
  const text = fragment.replace(/^#/, "");
  /** @type {string[]} */
  const lost = [];
  /** @type {PageState} */
  const state = { machines: [{ name: null, text: null, sets: new Map() }], baseline: null, edited: 0, metric: null, curve: null };
  if (text.length > LONGEST) return { state, lost: ["The link is too long to be read."] };
  let machine = state.machines[0];
  const parts = text.split("&").filter((part) => part !== "");
  for (const [index, part] of parts.entries()) {
    const at = part.indexOf("=");
    const name = unescape(at < 0 ? part : part.slice(0, at));
    const value = at < 0 ? "" : unescape(part.slice(at + 1));
    if (name === "~b" || name === "~pin") {
      machine = { name: value || null, text: null, sets: new Map() };
      if (name === "~b") state.machines[1] = machine;
      else state.baseline = machine;
    } else if (name === "~text") {
      try {
        machine.text = await inflate(value);
      } catch {
        lost.push("The description in the link could not be read.");
      }
    } else if (name === "~plain") {
      machine.text = value;
    } else if (name === "~metric") {
      state.metric = value;
    } else if (name === "~curve") {
      const equals = value.indexOf("=");
      if (equals > 0) state.curve = { key: value.slice(0, equals), range: value.slice(equals + 1) };
    } else if (name.startsWith("~")) {
      lost.push(`The link holds “${name.slice(1, 40)}”, which this version does not know.`);
    } else if (at < 0 && index === 0) {
      machine.name = name;
    } else if (at < 0) {
      lost.push(`“${name.slice(0, 80)}” is neither a machine nor a value.`);
    } else {
      machine.sets.set(name, value);
    }
  }
  return { state, lost };
}

/**
 * Returns the machine part of a question.
 * @param {MachineState} machine
 * @returns {import("./types").Machine}
 */
export function question(machine) {
  const sets = Array.from(machine.sets, ([key, value]) => `${key}=${value}`);
  return machine.text !== null ? { text: machine.text, file: "mine.toml", sets } : { name: machine.name ?? "", sets };
}

/** @param {MachineState} machine @returns {MachineState} */
export function copy(machine) {
  return { name: machine.name, text: machine.text, sets: new Map(machine.sets) };
}
