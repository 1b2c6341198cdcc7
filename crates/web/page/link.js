// The state of the page in the fragment of its address.
//
//   #memory-bus&ni=ni2w&workload.ping-pong.payload=128+B&~b=memory-bus&ni=udma&~curve=KEY=RANGE
//
// The first item names an example. `~text=…` contains a description instead (deflated, base64url), and `~plain=…` an
// unencoded description, for programs that write links. `KEY=VALUE` overrides a key of the machine before the item. `~b`
// begins the second machine, `~pin` the baseline. Unknown items with `~` are reported.

/** @typedef {import("./types").MachineState} MachineState */
/** @typedef {import("./types").PageState} PageState */

/** Largest length of a fragment and of a description, in characters and bytes. */
const LENGTH_MAX = 400_000;

/** @param {string} text */
function escapeItem(text) {
  return encodeURIComponent(text).replaceAll("%20", "+").replace(/%(2F|3A|2C|40|3E|5B|5D)/g, (code) => decodeURIComponent(code));
}

/** @param {string} text */
function unescapeItem(text) {
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
async function transformBytes(bytes, stream) {
  const blob = new Blob([/** @type {BlobPart} */ (bytes)]);
  return new Uint8Array(await new Response(blob.stream().pipeThrough(/** @type {any} */ (stream))).arrayBuffer());
}

/** @param {string} text */
export async function deflate(text) {
  const bytes = await transformBytes(new TextEncoder().encode(text), new CompressionStream("deflate-raw"));
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** @param {string} text */
export async function inflate(text) {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
  const inflated = await transformBytes(bytes, new DecompressionStream("deflate-raw"));
  if (inflated.length > LENGTH_MAX) throw new Error("the description is too long");
  return new TextDecoder().decode(inflated);
}

/** @param {MachineState} machine @param {string} marker */
async function machineItems(machine, marker) {
  const list = [];
  if (machine.text !== null) list.push(`${marker ? `~${marker}&` : ""}~text=${await deflate(machine.text)}`);
  else list.push(marker ? `~${marker}=${escapeItem(machine.name ?? "")}` : escapeItem(machine.name ?? ""));
  for (const [key, value] of machine.sets) list.push(`${escapeItem(key)}=${escapeItem(value)}`);
  return list;
}

/**
 * Returns the fragment of a state, without `#`.
 * @param {PageState} state
 */
export async function encodeState(state) {
  const list = await machineItems(state.machines[0], "");
  if (state.machines[1]) list.push(...(await machineItems(state.machines[1], "b")));
  if (state.baseline) list.push(...(await machineItems(state.baseline, "pin")));
  if (state.metric) list.push(`~metric=${escapeItem(state.metric)}`);
  if (state.curve) list.push(`~curve=${escapeItem(`${state.curve.key}=${state.curve.range}`)}`);
  return list.join("&");
}

/**
 * Returns the state of a fragment, and a notice of each item that could not be read.
 * @param {string} fragment
 * @returns {Promise<{state: PageState, notices: string[]}>}
 */
export async function decodeState(fragment) {
  const text = fragment.replace(/^#/, "");
  /** @type {string[]} */
  const notices = [];
  /** @type {PageState} */
  const state = { machines: [{ name: null, text: null, sets: new Map() }], baseline: null, edited: 0, metric: null, curve: null };
  if (text.length > LENGTH_MAX) return { state, notices: ["The link is too long to be read."] };
  let machine = state.machines[0];
  const parts = text.split("&").filter((part) => part !== "");
  for (const [index, part] of parts.entries()) {
    const equals = part.indexOf("=");
    const name = unescapeItem(equals < 0 ? part : part.slice(0, equals));
    const value = equals < 0 ? "" : unescapeItem(part.slice(equals + 1));
    if (name === "~b" || name === "~pin") {
      machine = { name: value || null, text: null, sets: new Map() };
      if (name === "~b") state.machines[1] = machine;
      else state.baseline = machine;
    } else if (name === "~text") {
      try {
        machine.text = await inflate(value);
      } catch {
        notices.push("The description in the link could not be read.");
      }
    } else if (name === "~plain") {
      machine.text = value;
    } else if (name === "~metric") {
      state.metric = value;
    } else if (name === "~curve") {
      const curveEquals = value.indexOf("=");
      if (curveEquals > 0) state.curve = { key: value.slice(0, curveEquals), range: value.slice(curveEquals + 1) };
    } else if (name.startsWith("~")) {
      notices.push(`The link holds “${name.slice(1, 40)}”, which this version does not know.`);
    } else if (equals < 0 && index === 0) {
      machine.name = name;
    } else if (equals < 0) {
      notices.push(`“${name.slice(0, 80)}” is neither a machine nor a value.`);
    } else {
      machine.sets.set(name, value);
    }
  }
  return { state, notices };
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
export function copyMachine(machine) {
  return { name: machine.name, text: machine.text, sets: new Map(machine.sets) };
}
