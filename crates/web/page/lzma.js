// Unpacks the module of a page in one file. It is compressed with LZMA, which makes it a quarter smaller than gzip does.
// The format is that of .lzma files with a known size: properties, size of the dictionary, size of the content, and the
// range-coded content.

const PROBABILITY_BITS = 11;
const EVEN_PROBABILITY = 1 << (PROBABILITY_BITS - 1);
const ADAPTATION_SHIFT = 5;
/** Bytes before the content. */
const HEADER_BYTES = 13;

/** Returns `count` probabilities of bits, each of which is one half. @param {number} count */
const evenProbabilities = (count) => new Uint16Array(count).fill(EVEN_PROBABILITY);

/** The probabilities of lengths of matches. */
const lengthProbabilities = () => ({ choice: evenProbabilities(2), low: evenProbabilities(16 << 3), middle: evenProbabilities(16 << 3), high: evenProbabilities(256) });

/**
 * Returns the content.
 * @param {Uint8Array} data
 */
export function unpackLzma(data) {
  const literalContext = data[0] % 9;
  const propertiesRest = Math.floor(data[0] / 9);
  const literalMask = (1 << propertiesRest % 5) - 1;
  const positionMask = (1 << Math.floor(propertiesRest / 5)) - 1;
  const size = new DataView(data.buffer, data.byteOffset).getUint32(5, true);
  const out = new Uint8Array(size);
  let inputPosition = HEADER_BYTES + 1;
  let range = 0xffffffff;
  let code = 0;
  for (let count = 0; count < 4; count += 1) code = (code * 256 + data[inputPosition++]) >>> 0;

  /** @param {Uint16Array} probabilities @param {number} index */
  function decodeBit(probabilities, index) {
    const probability = probabilities[index];
    const bound = Math.imul(range >>> PROBABILITY_BITS, probability) >>> 0;
    let value = 0;
    if (code < bound) {
      range = bound;
      probabilities[index] = probability + (((1 << PROBABILITY_BITS) - probability) >> ADAPTATION_SHIFT);
    } else {
      range = (range - bound) >>> 0;
      code = (code - bound) >>> 0;
      probabilities[index] = probability - (probability >> ADAPTATION_SHIFT);
      value = 1;
    }
    if (range < 0x1000000) {
      range = (range << 8) >>> 0;
      code = ((code << 8) | data[inputPosition++]) >>> 0;
    }
    return value;
  }

  /** Decodes bits from the highest to the lowest. @param {Uint16Array} probabilities @param {number} from @param {number} count */
  function decodeTree(probabilities, from, count) {
    let node = 1;
    for (let done = 0; done < count; done += 1) node = (node << 1) | decodeBit(probabilities, from + node);
    return node - (1 << count);
  }

  /** Decodes bits from the lowest to the highest. @param {Uint16Array} probabilities @param {number} from @param {number} count */
  function decodeReverseTree(probabilities, from, count) {
    let node = 1;
    let value = 0;
    for (let done = 0; done < count; done += 1) {
      const decodedBit = decodeBit(probabilities, from + node);
      node = (node << 1) | decodedBit;
      value |= decodedBit << done;
    }
    return value;
  }

  /** Decodes bits that are 0 and 1 with equal probability. @param {number} count */
  function decodeDirectBits(count) {
    let value = 0;
    for (let done = 0; done < count; done += 1) {
      range >>>= 1;
      const decodedBit = code >= range ? 1 : 0;
      if (decodedBit) code = (code - range) >>> 0;
      value = (value << 1) | decodedBit;
      if (range < 0x1000000) {
        range = (range << 8) >>> 0;
        code = ((code << 8) | data[inputPosition++]) >>> 0;
      }
    }
    return value >>> 0;
  }

  /** @param {ReturnType<typeof lengthProbabilities>} lengthCoder @param {number} position */
  function decodeLength(lengthCoder, position) {
    if (decodeBit(lengthCoder.choice, 0) === 0) return 2 + decodeTree(lengthCoder.low, position << 3, 3);
    if (decodeBit(lengthCoder.choice, 1) === 0) return 10 + decodeTree(lengthCoder.middle, position << 3, 3);
    return 18 + decodeTree(lengthCoder.high, 0, 8);
  }

  const literals = evenProbabilities(0x300 << (literalContext + (propertiesRest % 5)));
  const [isMatch, isRepeated, isLong] = [evenProbabilities(12 << 4), evenProbabilities(12), evenProbabilities(12 << 4)];
  const [isOlder, isThird, isFourth] = [evenProbabilities(12), evenProbabilities(12), evenProbabilities(12)];
  const [slots, nearDistances, align] = [evenProbabilities(4 << 6), evenProbabilities(128), evenProbabilities(16)];
  const [matchLengths, repeatLengths] = [lengthProbabilities(), lengthProbabilities()];
  let state = 0;
  let [distance, second, third, fourth] = [0, 0, 0, 0];

  /** Decodes the distance of a match of `count` bytes. @param {number} count */
  function decodeDistance(count) {
    const slot = decodeTree(slots, Math.min(count - 2, 3) << 6, 6);
    if (slot < 4) return slot;
    const bits = (slot >> 1) - 1;
    const base = (2 | (slot & 1)) << bits;
    if (slot < 14) return base + decodeReverseTree(nearDistances, base - slot, bits);
    return ((base >>> 0) + decodeDirectBits(bits - 4) * 16 + decodeReverseTree(align, 0, 4)) >>> 0;
  }

  let end = 0;
  while (end < size) {
    const position = end & positionMask;
    if (decodeBit(isMatch, (state << 4) + position) === 0) {
      const previousByte = end > 0 ? out[end - 1] : 0;
      const from = 0x300 * (((end & literalMask) << literalContext) + (previousByte >> (8 - literalContext)));
      let symbol = 1;
      if (state >= 7) {
        let matchByte = out[end - distance - 1];
        while (symbol < 0x100) {
          const matchBit = (matchByte >> 7) & 1;
          matchByte <<= 1;
          const decodedBit = decodeBit(literals, from + ((1 + matchBit) << 8) + symbol);
          symbol = (symbol << 1) | decodedBit;
          if (decodedBit !== matchBit) break;
        }
      }
      while (symbol < 0x100) symbol = (symbol << 1) | decodeBit(literals, from + symbol);
      out[end++] = symbol;
      state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
      continue;
    }
    let count;
    if (decodeBit(isRepeated, state) === 0) {
      [fourth, third, second] = [third, second, distance];
      count = decodeLength(matchLengths, position);
      state = state < 7 ? 7 : 10;
      distance = decodeDistance(count);
    } else {
      if (decodeBit(isOlder, state) === 0) {
        if (decodeBit(isLong, (state << 4) + position) === 0) {
          state = state < 7 ? 9 : 11;
          out[end] = out[end - distance - 1];
          end += 1;
          continue;
        }
      } else {
        let chosen = second;
        if (decodeBit(isThird, state) === 1) {
          chosen = third;
          if (decodeBit(isFourth, state) === 1) {
            chosen = fourth;
            fourth = third;
          }
          third = second;
        }
        second = distance;
        distance = chosen;
      }
      count = decodeLength(repeatLengths, position);
      state = state < 7 ? 8 : 11;
    }
    if (distance >= end || end + count > size) throw new Error("the module of the page is damaged");
    for (const stop = end + count; end < stop; end += 1) out[end] = out[end - distance - 1];
  }
  return out;
}
