// Quantities as descriptions write them ("64 B", "1.2 us"), their display, their sliders, and the ticks of axes.

/** @typedef {import("./types").Quantity} Quantity */

/** Units of a dimension, from small to large, each with its factor to the base unit. */
const UNIT_FAMILIES = /** @type {[string, number][][]} */ ([
  [["ps", 1], ["ns", 1e3], ["us", 1e6], ["ms", 1e9], ["s", 1e12]],
  [["B", 1], ["KiB", 2 ** 10], ["MiB", 2 ** 20], ["GiB", 2 ** 30]],
  [["Hz", 1], ["kHz", 1e3], ["MHz", 1e6], ["GHz", 1e9]],
  [["B/s", 1], ["kB/s", 1e3], ["MB/s", 1e6], ["GB/s", 1e9]],
  [["bit/s", 1], ["kbit/s", 1e3], ["Mbit/s", 1e6], ["Gbit/s", 1e9]],
]);

/** @param {string} unit */
function unitsOf(unit) {
  const name = unit.replace("µ", "u");
  return UNIT_FAMILIES.find((units) => units.some(([each]) => each === name));
}

/**
 * Returns the number and unit of a written value, or `null` if it is not a number.
 * @param {string | number | null | undefined} text
 * @returns {Quantity | null}
 */
export function parse(text) {
  if (typeof text === "number") return Number.isFinite(text) ? { number: text, unit: "" } : null;
  const match = /^\s*"?\s*([+-]?[0-9][0-9_]*(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)\s*([A-Za-zµ%][^\s"]*)?\s*"?\s*$/.exec(text ?? "");
  if (!match) return null;
  return { number: Number(match[1].replaceAll("_", "")), unit: match[2] ?? "" };
}

/**
 * Returns a quantity in the base unit of its dimension (ps, B, Hz, B/s).
 * @param {Quantity} quantity
 */
export function toBase({ number, unit }) {
  if (unit === "kB") return number * 1000;
  const name = unit.replace("µ", "u");
  const units = unitsOf(unit);
  return number * (units?.find(([each]) => each === name)?.[1] ?? 1);
}

/**
 * Returns the quantity of `base` base units, in the unit of the family of `unit` that reads best.
 * @param {number} base
 * @param {string} unit
 * @returns {Quantity}
 */
export function fromBase(base, unit) {
  const units = unit === "kB" ? UNIT_FAMILIES[1] : unitsOf(unit);
  if (!units) return { number: base, unit };
  let bestUnit = units[0];
  for (const each of units) {
    const scaled = base / each[1];
    if (Math.abs(scaled) < 1) break;
    if (each[1] !== 1 && units === UNIT_FAMILIES[1] && !Number.isInteger(scaled * 4)) break;
    bestUnit = each;
  }
  if (base === 0) bestUnit = units.find(([each]) => each === unit) ?? bestUnit;
  return { number: base / bestUnit[1], unit: bestUnit[0] };
}

/**
 * Returns the shortest decimal of a number with at most this many significant digits.
 * @param {number} number
 */
export function trim(number, digits = 6) {
  if (!Number.isFinite(number)) return String(number);
  const text = Number(number.toPrecision(digits)).toString();
  return text.includes("e") ? Number(number.toPrecision(digits)).toLocaleString("en-US", { useGrouping: false, maximumFractionDigits: 20 }) : text;
}

/**
 * Returns a quantity as a description writes it.
 * @param {Quantity} quantity
 */
export function write({ number, unit }) {
  return unit ? `${trim(number, 9)} ${unit}` : trim(number, 9);
}

/**
 * Returns a written value for display: `us` becomes `µs`, quotes are left out.
 * @param {string} text
 */
export function display(text) {
  return text.replace(/^"(.*)"$/, "$1").replace(/(\d\s*)us\b/g, "$1µs");
}

/** Returns a number whose digits are grouped by thin spaces from 10 000 on. @param {string} text */
function groupDigits(text) {
  const [whole, fraction] = text.split(".");
  const spaced = whole.replace("-", "").length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, "\u202f") : whole;
  return fraction === undefined ? spaced : `${spaced}.${fraction}`;
}

/**
 * Returns a metric's value and unit for display, four significant digits.
 * @param {number | null | undefined} value
 * @param {string} unit
 * @returns {{number: string, unit: string}}
 */
export function metricText(value, unit) {
  if (value === null || value === undefined || !Number.isFinite(value)) return { number: "–", unit: "" };
  const units = unitsOf(unit);
  if (units && units !== UNIT_FAMILIES[1]) {
    const scaled = fromBase(toBase({ number: value, unit }), unit);
    return { number: significant(scaled.number), unit: scaled.unit.replace("us", "µs") };
  }
  if (unit === "" && Number.isInteger(value)) return { number: groupDigits(String(value)), unit };
  return { number: significant(value), unit: unit.replace("us", "µs") };
}

/** @param {number} value */
function significant(value) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  const decimals = size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : size >= 1 ? 3 : Math.min(6, 3 - Math.floor(Math.log10(size)) - 1 + 1);
  return groupDigits(value.toFixed(decimals));
}

/** @param {number} ps */
export function timeText(ps) {
  const { number, unit } = metricText(ps, "ps");
  return `${number} ${unit}`;
}

/** @param {number} ratio */
export function percent(ratio, digits = 1) {
  return `${(ratio * 100).toFixed(digits)} %`;
}

/**
 * Returns the change from `before` to `after` as text: "−12.3 %", or "" where it is undefined.
 * @param {number | null | undefined} before
 * @param {number | null | undefined} after
 */
export function changeText(before, after) {
  if (before === null || before === undefined || after === null || after === undefined) return "";
  if (before === after) return "same";
  if (before === 0) return "";
  const change = (after / before - 1) * 100;
  const size = Math.abs(change);
  const text = size < 0.05 ? "< 0.1" : size < 100 ? size.toFixed(1) : size.toFixed(0);
  return `${change > 0 ? "+" : "−"}${text} %`;
}

/**
 * @typedef {object} Scale
 * @property {number} low least value, in base units
 * @property {number} high
 * @property {boolean} log
 * @property {number} steps number of slider steps
 * @property {(position: number) => number} at value at a slider position
 * @property {(value: number) => number} position
 */

/**
 * Returns the scale of a slider: the key's range, cut to a factor of 32 around the value where the range is wider.
 * @param {{least?: string|number|null, most?: string|number|null, kind: string, power_of_two?: boolean, meaning?: string, role?: string|null}} key
 * @param {string} written value that the slider starts from
 * @returns {Scale | null}
 */
export function scaleOf(key, written) {
  const quantity = parse(written);
  if (!quantity) return null;
  const value = toBase(quantity);
  const least = key.least === null || key.least === undefined ? null : parse(key.least);
  const most = key.most === null || key.most === undefined ? null : parse(key.most);
  const isWhole = key.kind === "integer" || quantity.unit === "B" || quantity.unit === "KiB" || quantity.unit === "MiB" || quantity.unit === "ps";
  const isPowerOfTwo = key.power_of_two || (/power of two/.test(key.meaning ?? "") && value > 0 && Number.isInteger(Math.log2(value)));
  const floor = least ? toBase(least) : 0;
  const ceiling = most ? toBase(most) : Infinity;
  if (ceiling <= floor) return null;
  if (Number.isFinite(ceiling) && (ceiling - floor <= 64 || (ceiling <= 1 && floor >= 0)) && !isPowerOfTwo) return linearScale(floor, ceiling, isWhole);
  if (value <= 0) return linearScale(floor, Math.min(ceiling, quantity.unit ? toBase({ number: 100, unit: quantity.unit }) : 100), isWhole);
  const low = Math.max(floor > 0 ? floor : 0, value / 32, isWhole ? 1 : 0);
  const high = Math.min(ceiling, value * 32);
  if (isPowerOfTwo) return powerOfTwoScale(2 ** Math.ceil(Math.log2(low)), 2 ** Math.floor(Math.log2(high)));
  return logarithmicScale(low, high, isWhole);
}

/** @returns {Scale} @param {number} low @param {number} high @param {boolean} isWhole */
function linearScale(low, high, isWhole) {
  const steps = isWhole ? Math.max(1, Math.min(200, Math.round(high - low))) : 100;
  return {
    low, high, log: false, steps,
    at: (position) => {
      const value = low + ((high - low) * position) / steps;
      return isWhole ? Math.round(value) : Number(value.toPrecision(6));
    },
    position: (value) => Math.round(((value - low) / (high - low)) * steps),
  };
}

/** @returns {Scale} @param {number} low @param {number} high */
function powerOfTwoScale(low, high) {
  const steps = Math.max(1, Math.round(Math.log2(high / low)));
  return {
    low, high, log: true, steps,
    at: (position) => low * 2 ** position,
    position: (value) => Math.round(Math.log2(Math.max(value, low) / low)),
  };
}

/** @returns {Scale} @param {number} low @param {number} high @param {boolean} isWhole */
function logarithmicScale(low, high, isWhole) {
  const steps = Math.max(2, Math.round(Math.log2(high / low) * 12));
  return {
    low, high, log: true, steps,
    at: (position) => {
      if (position <= 0) return low;
      if (position >= steps) return high;
      const value = low * (high / low) ** (position / steps);
      const nearestPower = 2 ** Math.round(Math.log2(value));
      if (isWhole && nearestPower >= 8 && Math.abs(Math.log2(value / nearestPower)) < 0.5 / 12) return nearestPower;
      return isWhole ? Math.max(1, Math.round(Number(value.toPrecision(2)))) : Number(value.toPrecision(2));
    },
    position: (value) => (value <= low ? 0 : Math.min(steps, Math.round((Math.log(value / low) / Math.log(high / low)) * steps))),
  };
}

/**
 * Returns ticks at 1, 2 or 5 times a power of ten between two values.
 * @param {number} low @param {number} high @param {number} count approximate number of ticks
 */
export function linearTicks(low, high, count = 5) {
  if (!(high > low)) return [low];
  const roughStep = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(roughStep));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= roughStep * 0.8) ?? power * 10;
  const ticks = [];
  for (let index = Math.ceil(low / step - 1e-9); index * step <= high * (1 + 1e-9) + 1e-12; index += 1) ticks.push(Number((index * step).toPrecision(12)));
  return ticks;
}

/**
 * Returns ticks of a logarithmic axis: powers of two if `binary` is true, otherwise 1, 2 and 5 times powers of ten.
 * @param {number} low @param {number} high @param {boolean} binary @param {number} count at most this many
 */
export function logTicks(low, high, binary, count = 8) {
  const ticks = [];
  if (binary) {
    const from = Math.ceil(Math.log2(low) - 1e-9);
    const to = Math.floor(Math.log2(high) + 1e-9);
    const step = Math.max(1, Math.ceil((to - from + 1) / count));
    for (let power = from; power <= to; power += step) ticks.push(2 ** power);
    return ticks;
  }
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power += 1) {
    for (const each of [1, 2, 5]) {
      const tick = Number((each * 10 ** power).toPrecision(6));
      if (tick >= low * 0.999 && tick <= high * 1.001) ticks.push(tick);
    }
  }
  return ticks.length > count ? ticks.filter((tick) => Math.abs(Math.log10(tick) % 1) < 1e-6) : ticks;
}
