// The curve of a metric over a key, and the timeline of the first messages.

import { stageColours } from "./bars.js";
import { s } from "./dom.js";
import { createDrawing, truncateText, addHatchPattern, textWidth } from "./figure.js";
import { fromBase, linearTicks, logTicks, metricText, timeText, trim } from "./quantity.js";

/** @typedef {import("./types").Message} Message */
/** @typedef {{x: number, y: number | null, label: string, why?: string}} CurvePoint */
/** @typedef {{label: string, points: CurvePoint[]}} Series */

const LEFT = 62;
const RIGHT = 18;
const TOP = 14;
const BOTTOM = 44;

/** @param {number} low @param {number} high @param {boolean} log */
function scale(low, high, log, from = 0, to = 1) {
  if (log) return (/** @type {number} */ value) => from + ((Math.log(value) - Math.log(low)) / (Math.log(high) - Math.log(low) || 1)) * (to - from);
  return (/** @type {number} */ value) => from + ((value - low) / (high - low || 1)) * (to - from);
}

/**
 * Draws a curve for each machine; a point without a value leaves a gap.
 * @param {number} width
 * @param {{series: Series[], xLabel: string, xUnit: string, log: boolean, yLabel: string, unit: string, marks: (number | null)[], onpoint: (point: CurvePoint | null, series: Series | null) => void}} options
 */
export function curveChart(width, options) {
  const points = options.series.flatMap((series) => series.points);
  const measuredPoints = points.filter((point) => point.y !== null);
  if (measuredPoints.length === 0) return null;
  const height = Math.round(Math.max(240, Math.min(380, width * 0.5)));
  const xs = points.map((point) => point.x);
  const [xLow, xHigh] = [Math.min(...xs), Math.max(...xs)];
  const isLog = options.log && xLow > 0;
  const displayUnit = metricText(Math.max(...measuredPoints.map((point) => Math.abs(/** @type {number} */ (point.y))), 0), options.unit).unit;
  const factor = measuredPoints.length > 0 && displayUnit !== options.unit.replace("us", "µs") ? yFactor(options.unit, displayUnit) : 1;
  const yHigh = Math.max(...measuredPoints.map((point) => /** @type {number} */ (point.y) * factor), 0) || 1;
  const yTicks = linearTicks(0, yHigh * 1.04, 5);
  const yTop = Math.max(yHigh * 1.06, yTicks[yTicks.length - 1]);
  const x = scale(xLow, xHigh, isLog, LEFT, width - RIGHT);
  const y = scale(0, yTop, false, height - BOTTOM, TOP);
  const svg = createDrawing(width, height, `${options.yLabel} over ${options.xLabel}: ${measuredPoints.length} of ${points.length} points`);
  for (const tick of yTicks) {
    svg.append(s("line", { x1: LEFT, x2: width - RIGHT, y1: y(tick), y2: y(tick), class: tick === 0 ? "axis" : "grid" }));
    svg.append(s("text", { x: LEFT - 8, y: y(tick) + 4, class: "tick", "text-anchor": "end" }, trim(tick)));
  }
  const isBinary = options.xUnit === "B" && isLog;
  const tickCountMax = Math.floor((width - LEFT - RIGHT) / 64);
  for (const tick of isLog ? logTicks(xLow, xHigh, isBinary, tickCountMax) : linearTicks(xLow, xHigh, Math.min(8, tickCountMax))) {
    const { number, unit } = fromBase(tick, options.xUnit);
    svg.append(s("line", { x1: x(tick), x2: x(tick), y1: height - BOTTOM, y2: height - BOTTOM + 5, class: "axis" }));
    svg.append(s("text", { x: x(tick), y: height - BOTTOM + 19, class: "tick", "text-anchor": "middle" }, `${trim(number, 4)} ${unit.replace("us", "µs")}`.trim()));
  }
  svg.append(s("text", { x: width - RIGHT, y: height - 6, class: "tick muted", "text-anchor": "end" }, truncateText(options.xLabel, width - LEFT - RIGHT)));
  svg.append(s("text", { x: 0, y: TOP - 2, class: "tick muted" }, displayUnit));
  options.marks.forEach((mark, index) => {
    if (mark === null || mark < xLow || mark > xHigh) return;
    svg.append(s("line", { x1: x(mark), x2: x(mark), y1: TOP, y2: height - BOTTOM, class: `mark machine-line-${index}` }));
  });
  options.series.forEach((series, index) => {
    let path = "";
    let isInterrupted = true;
    for (const point of series.points) {
      if (point.y === null) {
        isInterrupted = true;
        continue;
      }
      path += `${isInterrupted ? "M" : "L"}${x(point.x).toFixed(1)} ${y(point.y * factor).toFixed(1)}`;
      isInterrupted = false;
    }
    if (path) svg.append(s("path", { d: path, class: `curve machine-line-${index}` }));
    for (const point of series.points) {
      if (point.y === null) {
        if (point.why) svg.append(s("text", { x: x(point.x), y: height - BOTTOM - 6, class: "cross", "text-anchor": "middle" }, "×", s("title", null, `${point.label}: ${point.why}`)));
        continue;
      }
      const value = metricText(point.y, options.unit);
      svg.append(s("circle", { cx: x(point.x), cy: y(point.y * factor), r: 4, class: `point machine-${index}` },
        s("title", null, `${series.label}${series.label ? ", " : ""}${point.label}: ${value.number} ${value.unit}`)));
    }
  });
  attachPointReader(svg, options, { x, y, factor, height });
  return svg;
}

/** @param {string} from @param {string} to */
function yFactor(from, to) {
  const one = metricText(1, from);
  const size = /** @type {Record<string, number>} */ ({ ps: 1, ns: 1e3, "µs": 1e6, us: 1e6, ms: 1e9, s: 1e12, "B/s": 1, "kB/s": 1e3, "MB/s": 1e6, "GB/s": 1e9 });
  return size[from] && size[to] ? size[from] / size[to] : one ? 1 : 1;
}

/**
 * Reports the point next to the pointer.
 * @param {SVGSVGElement} svg @param {any} options @param {{x: (v: number) => number, y: (v: number) => number, factor: number, height: number}} axes
 */
function attachPointReader(svg, options, { x, y, factor, height }) {
  const cursor = s("circle", { r: 7, class: "cursor", visibility: "hidden" });
  const line = s("line", { y1: TOP, y2: height - BOTTOM, class: "cursor-line", visibility: "hidden" });
  svg.append(line, cursor);
  svg.addEventListener("pointermove", (event) => {
    const bounds = svg.getBoundingClientRect();
    const [px, py] = [event.clientX - bounds.left, event.clientY - bounds.top];
    let nearestPoint = null;
    let nearestSeries = null;
    let leastDistance = 40 * 40;
    for (const series of options.series) {
      for (const point of series.points) {
        if (point.y === null) continue;
        const distance = (x(point.x) - px) ** 2 + ((y(point.y * factor) - py) ** 2) / 6;
        if (distance < leastDistance) [nearestPoint, nearestSeries, leastDistance] = [point, series, distance];
      }
    }
    for (const element of [cursor, line]) element.setAttribute("visibility", nearestPoint ? "visible" : "hidden");
    if (nearestPoint) {
      cursor.setAttribute("cx", String(x(nearestPoint.x)));
      cursor.setAttribute("cy", String(y(nearestPoint.y * factor)));
      line.setAttribute("x1", String(x(nearestPoint.x)));
      line.setAttribute("x2", String(x(nearestPoint.x)));
    }
    options.onpoint(nearestPoint, nearestSeries);
  });
  svg.addEventListener("pointerleave", () => {
    for (const element of [cursor, line]) element.setAttribute("visibility", "hidden");
    options.onpoint(null, null);
  });
}

/**
 * Draws the first measured messages over time, each with its stages.
 * @param {number} width @param {Message[]} messages @param {import("./types").Stage[]} stages
 */
export function timelineChart(width, messages, stages) {
  if (messages.length === 0) return null;
  const begin = Math.min(...messages.map((message) => message.sent_ps));
  const end = Math.max(...messages.map((message) => message.delivered_ps));
  if (!(end > begin)) return null;
  const colours = stageColours(stages);
  const names = messages.map((message) => `${message.source} → ${message.destination}`);
  const left = Math.min(width * 0.3, Math.max(...names.map((name) => textWidth(name))) + 12);
  const span = width - left - 12;
  const rowHeight = 24;
  const height = messages.length * rowHeight + 28;
  const svg = createDrawing(width, height, `Timeline of the first ${messages.length} messages, ${timeText(end - begin)}`);
  const waiting = addHatchPattern(svg);
  const unit = metricText(end - begin, "ps").unit;
  const psPerUnit = { ps: 1, ns: 1e3, "µs": 1e6, ms: 1e9, s: 1e12 }[unit] ?? 1;
  const ticks = linearTicks(0, (end - begin) / psPerUnit, Math.max(2, Math.min(8, Math.floor(span / 90))));
  for (const tick of ticks) {
    const tickX = left + ((tick * psPerUnit) / (end - begin)) * span;
    svg.append(s("line", { x1: tickX, x2: tickX, y1: 0, y2: height - 26, class: "grid" }));
    svg.append(s("text", { x: tickX, y: height - 8, class: "tick", "text-anchor": tick === 0 ? "start" : "middle" }, `${tick}${tick === ticks[ticks.length - 1] ? ` ${unit}` : ""}`));
  }
  messages.forEach((message, row) => {
    const y = row * rowHeight + 4;
    svg.append(s("text", { x: left - 10, y: y + 12, class: "label small", "text-anchor": "end" }, truncateText(names[row], left - 12)));
    const group = s("g", null, s("title", null, `Message ${message.id}, ${names[row]}, ${message.payload} B: ${timeText(message.delivered_ps - message.sent_ps)}`));
    let stageStart = message.sent_ps;
    const spanLeft = left + ((message.sent_ps - begin) / (end - begin)) * span;
    group.append(s("rect", { x: spanLeft, y: y + 6, width: Math.max(1, ((message.delivered_ps - message.sent_ps) / (end - begin)) * span), height: 4, class: "message-span" }));
    for (const stage of message.stages) {
      const size = stage.waiting_ps + stage.service_ps;
      if (size <= 0) continue;
      const x = left + ((stageStart - begin) / (end - begin)) * span;
      const stageWidth = (size / (end - begin)) * span;
      group.append(s("rect", { x, y, width: Math.max(0.75, stageWidth - (stageWidth > 4 ? 1 : 0)), height: 16, rx: 1, class: colours.get(stage.name) ?? "stage-wire-0" },
        s("title", null, `Message ${message.id}, ${stage.name}: ${timeText(size)}, of which waiting ${timeText(stage.waiting_ps)}`)));
      const waitingWidth = (stage.waiting_ps / (end - begin)) * span;
      if (waitingWidth > 1) group.append(s("rect", { x, y, width: waitingWidth, height: 16, rx: 1, fill: waiting }));
      stageStart += size;
    }
    svg.append(group);
  });
  return svg;
}
