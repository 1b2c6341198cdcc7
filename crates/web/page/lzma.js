// Unpacks the module of a page in one file: LZMA, with which it has three quarters of its size with gzip. The format is that
// of files .lzma with a known size: properties, size of the dictionary, size of the content, and the range-coded content.

const BITS = 11;
const HALF = 1 << (BITS - 1);
const RATE = 5;
/** Bytes before the content. */
const HEADER = 13;

/** Returns probabilities of bits, all of one half. @param {number} count */
const even = (count) => new Uint16Array(count).fill(HALF);

/** The probabilities of lengths of matches. */
const lengths = () => ({ choice: even(2), low: even(16 << 3), middle: even(16 << 3), high: even(256) });

/**
 * Returns the content.
 * @param {Uint8Array} data
 */
export function unpackLzma(data) {
  const literalContext = data[0] % 9;
  const rest = Math.floor(data[0] / 9);
  const literalMask = (1 << rest % 5) - 1;
  const positionMask = (1 << Math.floor(rest / 5)) - 1;
  const size = new DataView(data.buffer, data.byteOffset).getUint32(5, true);
  const out = new Uint8Array(size);
  let at = HEADER + 1;
  let range = 0xffffffff;
  let code = 0;
  for (let count = 0; count < 4; count += 1) code = (code * 256 + data[at++]) >>> 0;

  /** @param {Uint16Array} probabilities @param {number} index */
  function bit(probabilities, index) {
    const probability = probabilities[index];
    const bound = Math.imul(range >>> BITS, probability) >>> 0;
    let value = 0;
    if (code < bound) {
      range = bound;
      probabilities[index] = probability + (((1 << BITS) - probability) >> RATE);
    } else {
      range = (range - bound) >>> 0;
      code = (code - bound) >>> 0;
      probabilities[index] = probability - (probability >> RATE);
      value = 1;
    }
    if (range < 0x1000000) {
      range = (range << 8) >>> 0;
      code = ((code << 8) | data[at++]) >>> 0;
    }
    return value;
  }

  /** Bits from the highest on. @param {Uint16Array} probabilities @param {number} from @param {number} count */
  function tree(probabilities, from, count) {
    let node = 1;
    for (let done = 0; done < count; done += 1) node = (node << 1) | bit(probabilities, from + node);
    return node - (1 << count);
  }

  /** Bits from the lowest on. @param {Uint16Array} probabilities @param {number} from @param {number} count */
  function reverseTree(probabilities, from, count) {
    let node = 1;
    let value = 0;
    for (let done = 0; done < count; done += 1) {
      const one = bit(probabilities, from + node);
      node = (node << 1) | one;
      value |= one << done;
    }
    return value;
  }

  /** Bits that are as likely 0 as 1. @param {number} count */
  function direct(count) {
    let value = 0;
    for (let done = 0; done < count; done += 1) {
      range >>>= 1;
      const one = code >= range ? 1 : 0;
      if (one) code = (code - range) >>> 0;
      value = (value << 1) | one;
      if (range < 0x1000000) {
        range = (range << 8) >>> 0;
        code = ((code << 8) | data[at++]) >>> 0;
      }
    }
    return value >>> 0;
  }

  /** @param {ReturnType<typeof lengths>} of @param {number} position */
  function length(of, position) {
    if (bit(of.choice, 0) === 0) return 2 + tree(of.low, position << 3, 3);
    if (bit(of.choice, 1) === 0) return 10 + tree(of.middle, position << 3, 3);
    return 18 + tree(of.high, 0, 8);
  }

  const literals = even(0x300 << (literalContext + (rest % 5)));
  const [isMatch, isRepeated, isLong] = [even(12 << 4), even(12), even(12 << 4)];
  const [isOlder, isThird, isFourth] = [even(12), even(12), even(12)];
  const [slots, near, align] = [even(4 << 6), even(128), even(16)];
  const [matches, repeats] = [lengths(), lengths()];
  let state = 0;
  let [distance, second, third, fourth] = [0, 0, 0, 0];

  /** @param {number} count */
  function far(count) {
    const slot = tree(slots, Math.min(count - 2, 3) << 6, 6);
    if (slot < 4) return slot;
    const bits = (slot >> 1) - 1;
    const base = (2 | (slot & 1)) << bits;
    if (slot < 14) return base + reverseTree(near, base - slot, bits);
    return ((base >>> 0) + direct(bits - 4) * 16 + reverseTree(align, 0, 4)) >>> 0;
  }

  let end = 0;
  while (end < size) {
    const position = end & positionMask;
    if (bit(isMatch, (state << 4) + position) === 0) {
      const before = end > 0 ? out[end - 1] : 0;
      const from = 0x300 * (((end & literalMask) << literalContext) + (before >> (8 - literalContext)));
      let symbol = 1;
      if (state >= 7) {
        let other = out[end - distance - 1];
        while (symbol < 0x100) {
          const expected = (other >> 7) & 1;
          other <<= 1;
          const one = bit(literals, from + ((1 + expected) << 8) + symbol);
          symbol = (symbol << 1) | one;
          if (one !== expected) break;
        }
      }
      while (symbol < 0x100) symbol = (symbol << 1) | bit(literals, from + symbol);
      out[end++] = symbol;
      state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
      continue;
    }
    let count;
    if (bit(isRepeated, state) === 0) {
      [fourth, third, second] = [third, second, distance];
      count = length(matches, position);
      state = state < 7 ? 7 : 10;
      distance = far(count);
    } else {
      if (bit(isOlder, state) === 0) {
        if (bit(isLong, (state << 4) + position) === 0) {
          state = state < 7 ? 9 : 11;
          out[end] = out[end - distance - 1];
          end += 1;
          continue;
        }
      } else {
        let chosen = second;
        if (bit(isThird, state) === 1) {
          chosen = third;
          if (bit(isFourth, state) === 1) {
            chosen = fourth;
            fourth = third;
          }
          third = second;
        }
        second = distance;
        distance = chosen;
      }
      count = length(repeats, position);
      state = state < 7 ? 8 : 11;
    }
    if (distance >= end || end + count > size) throw new Error("the module of the page is damaged");
    for (const stop = end + count; end < stop; end += 1) out[end] = out[end - distance - 1];
  }
  return out;
}
