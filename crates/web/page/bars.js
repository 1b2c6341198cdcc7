// Bars: the stages of the mean message, the utilisation of resources, and the tornado of sensitivities.

import { h, s } from "./dom.js";
import { createDrawing, truncateText, addHatchPattern, textWidth } from "./figure.js";
import { linearTicks, metricText, percent, timeText } from "./quantity.js";

/** @typedef {import("./types").Stage} Stage */
/** @typedef {import("./types").Resource} Resource */
/** @typedef {{label: string, stages: Stage[]}} StageBar */
/** @typedef {{label: string, colour: number, resources: Resource[]}} ResourceBar `colour` is the number of the machine */

/** Stages in which a message is on its way between the interfaces. */
const WIRE_STAGE = /^(wire|network|fabric|link|switch)\b/i;

/**
 * Returns the class of each stage's colour: blue before the wire, amber on it, green behind it.
 * @param {Stage[]} stages in the order of the path
 * @returns {Map<string, string>}
 */
export function stageColours(stages) {
  const counts = { send: 0, wire: 0, receive: 0 };
  const colours = new Map();
  const firstWireIndex = stages.findIndex((stage) => WIRE_STAGE.test(stage.name));
  stages.forEach((stage, index) => {
    const isReceive = firstWireIndex >= 0 ? index > firstWireIndex : /^(receive|.*Rcv\b)/.test(stage.name);
    const side = WIRE_STAGE.test(stage.name) ? "wire" : isReceive ? "receive" : "send";
    colours.set(stage.name, `stage-${side}-${counts[side] % (side === "wire" ? 3 : 6)}`);
    counts[side] += 1;
  });
  return colours;
}

/** @param {Stage} stage */
const totalTime = (stage) => stage.waiting_ps + stage.service_ps;

/** Returns every stage of the bars that takes time, once. @param {StageBar[]} bars */
export function distinctStagesOf(bars) {
  /** @type {Stage[]} */
  const distinctStages = [];
  for (const bar of bars) {
    for (const stage of bar.stages) if (totalTime(stage) > 0 && !distinctStages.some((each) => each.name === stage.name)) distinctStages.push(stage);
  }
  return distinctStages;
}

/**
 * Draws one stacked bar for each machine over a common time axis.
 * @param {number} width @param {StageBar[]} bars
 */
export function stagesChart(width, bars) {
  const sums = bars.map((bar) => bar.stages.reduce((sum, stage) => sum + totalTime(stage), 0));
  const longestTime = Math.max(...sums);
  if (!(longestTime > 0)) return null;
  const colours = stageColours(distinctStagesOf(bars));
  const left = bars.length > 1 ? Math.min(110, Math.max(...bars.map((bar) => textWidth(bar.label, 13))) + 14) : 2;
  const right = Math.max(...sums.map((sum) => textWidth(timeText(sum), 13))) + 12;
  const scale = (width - left - right) / longestTime;
  const pitch = 46;
  const height = bars.length * pitch + 30;
  const svg = createDrawing(width, height, `Mean latency by stage: ${bars.map((bar, index) => `${bar.label} ${timeText(sums[index])}`).join(", ")}`);
  const waiting = addHatchPattern(svg);
  const { ticks, unit, factor } = timeTicks(longestTime, Math.max(2, Math.min(8, Math.floor((width - left - right) / 90))));
  for (const tick of ticks) {
    const x = left + tick * factor * scale;
    svg.append(s("line", { x1: x, x2: x, y1: 0, y2: bars.length * pitch, class: "grid" }));
    svg.append(s("text", { x, y: height - 10, class: "tick", "text-anchor": tick === 0 ? "start" : "middle" }, `${tick}${tick === ticks[ticks.length - 1] ? ` ${unit}` : ""}`));
  }
  for (const [row, bar] of bars.entries()) {
    const y = row * pitch + 8;
    if (bars.length > 1) svg.append(s("text", { x: 0, y: y + 20, class: "label" }, truncateText(bar.label, left - 10, 13)));
    let x = left;
    for (const stage of bar.stages) {
      const size = totalTime(stage);
      if (size <= 0) continue;
      const group = s("g", null, s("title", null, `${stage.name}: ${timeText(size)}, of which waiting ${timeText(stage.waiting_ps)}`));
      const barWidth = size * scale;
      const waitingWidth = stage.waiting_ps * scale;
      const gap = barWidth > 3 ? 1 : 0;
      group.append(s("rect", { x, y, width: Math.max(0.5, barWidth - gap), height: 30, rx: 1.5, class: colours.get(stage.name) }));
      if (waitingWidth > 0.5) group.append(s("rect", { x, y, width: Math.max(0.5, waitingWidth - gap), height: 30, rx: 1.5, fill: waiting }));
      svg.append(group);
      x += barWidth;
    }
    svg.append(s("text", { x: x + 7, y: y + 20, class: "figure-value" }, timeText(sums[row])));
  }
  return svg;
}

/** @param {number} longestTime in ps @param {number} count */
function timeTicks(longestTime, count) {
  const { unit } = metricText(longestTime, "ps");
  const factor = { ps: 1, ns: 1e3, "µs": 1e6, ms: 1e9, s: 1e12 }[unit] ?? 1;
  return { ticks: linearTicks(0, longestTime / factor, count), unit, factor };
}

/**
 * Returns the table of stages: the legend of the bars, and their numbers.
 * @param {StageBar[]} bars
 */
export function stagesTable(bars) {
  const distinctStages = distinctStagesOf(bars);
  const colours = stageColours(distinctStages);
  const sums = bars.map((bar) => bar.stages.reduce((sum, stage) => sum + totalTime(stage), 0));
  const isSingleMachine = bars.length === 1;
  return h("table", { class: "numbers" },
    h("thead", null, h("tr", null, h("th", { scope: "col" }, "Stage"), bars.flatMap((bar) => [
      h("th", { scope: "col" }, isSingleMachine ? "Time" : bar.label),
      isSingleMachine && h("th", { scope: "col" }, "of which waiting"),
      isSingleMachine && h("th", { scope: "col" }, "Share")]))),
    h("tbody", null, distinctStages.map((stage) => h("tr", null,
      h("th", { scope: "row", title: stage.meaning || null }, h("span", { class: "stage-name" }, swatch(colours.get(stage.name) ?? ""), stage.name)),
      bars.flatMap((bar, index) => {
        const stageOfBar = bar.stages.find((each) => each.name === stage.name);
        if (!stageOfBar || totalTime(stageOfBar) === 0) return [h("td", null, "–")];
        return [h("td", null, timeText(totalTime(stageOfBar))), isSingleMachine && h("td", { class: "muted" }, stageOfBar.waiting_ps > 0 ? timeText(stageOfBar.waiting_ps) : "–"),
          isSingleMachine && h("td", { class: "muted" }, percent(totalTime(stageOfBar) / sums[index]))];
      })))));
}

/** @param {string} colour */
function swatch(colour) {
  return s("svg", { width: 12, height: 12, class: "swatch", "aria-hidden": "true" }, s("rect", { width: 12, height: 12, rx: 2, class: colour }));
}

/**
 * Returns the busiest resources of the machines, the busiest first.
 * @param {ResourceBar[]} bars @param {number} count
 */
export function busiestResources(bars, count) {
  /** @type {Map<string, number>} */
  const largestShares = new Map();
  for (const bar of bars) for (const resource of bar.resources) largestShares.set(resource.name, Math.max(largestShares.get(resource.name) ?? 0, resource.active ?? resource.busy));
  return Array.from(largestShares).filter(([, active]) => active > 0.0005).sort((a, b) => b[1] - a[1]).slice(0, count).map(([name]) => name);
}

/**
 * Draws the utilisation of the busiest resources; the darker part of a bar is the active share, the rest is held without moving data.
 * @param {number} width @param {ResourceBar[]} bars @param {number} [count]
 */
export function utilisationChart(width, bars, count = 10) {
  const names = busiestResources(bars, count);
  if (names.length === 0) return null;
  const barHeight = bars.length > 1 ? 13 : 14;
  const pitch = barHeight * bars.length + 14;
  const left = Math.min(width * 0.42, Math.max(...names.map((name) => textWidth(name))) + 12);
  const right = 54;
  const scale = width - left - right;
  const height = names.length * pitch + 26;
  const svg = createDrawing(width, height, `Utilisation of the busiest resources: ${names.slice(0, 3).join(", ")}`);
  for (const tick of width < 420 ? [0, 0.5, 1] : [0, 0.2, 0.4, 0.6, 0.8, 1]) {
    const x = left + tick * scale;
    svg.append(s("line", { x1: x, x2: x, y1: 0, y2: height - 24, class: "grid" }));
    svg.append(s("text", { x, y: height - 8, class: "tick", "text-anchor": "middle" }, `${Math.round(tick * 100)}${tick === 1 ? " %" : ""}`));
  }
  const limit = left + 0.9 * scale;
  svg.append(s("line", { x1: limit, x2: limit, y1: 0, y2: height - 24, class: "limit" }));
  names.forEach((name, row) => {
    const top = row * pitch + 4;
    svg.append(s("text", { x: left - 10, y: top + (barHeight * bars.length) / 2 + 4, class: "label small", "text-anchor": "end" }, truncateText(name, left - 12), s("title", null, name)));
    bars.forEach((bar, index) => {
      const resource = bar.resources.find((each) => each.name === name);
      if (!resource) return;
      const y = top + index * barHeight;
      const colour = `machine-${bar.colour}`;
      const text = `${name}${bars.length > 1 ? `, ${bar.label}` : ""}: ${percent(resource.active ?? resource.busy)} active, ${percent(resource.busy)} held`;
      svg.append(s("g", null, s("title", null, text),
        s("rect", { x: left, y, width: Math.max(1, resource.busy * scale), height: barHeight - 1, class: `${colour} light` }),
        s("rect", { x: left, y, width: Math.max(0, (resource.active ?? resource.busy) * scale), height: barHeight - 1, class: colour })));
      const active = resource.active ?? resource.busy;
      svg.append(s("text", { x: left + Math.max(active, resource.busy) * scale + 6, y: y + barHeight / 2 + 3.5, class: "tick" }, percent(active)));
    });
  });
  return svg;
}

/**
 * @typedef {object} Sensitivity
 * @property {string} name
 * @property {string} detail
 * @property {number | null} faster ratio of the metric when this is faster; above 1 is better
 * @property {number | null} slower
 */

/**
 * Draws sensitivities as bars about zero, the largest first.
 * @param {number} width @param {Sensitivity[]} rows
 */
export function tornadoChart(width, rows) {
  if (rows.length === 0) return null;
  const low = Math.min(0, ...rows.map((row) => (row.slower ?? 1) - 1), ...rows.map((row) => (row.faster ?? 1) - 1));
  const high = Math.max(0.01, ...rows.map((row) => (row.faster ?? 1) - 1), ...rows.map((row) => (row.slower ?? 1) - 1));
  const isNarrow = width < 520;
  const left = isNarrow ? 0 : Math.min(width * 0.4, Math.max(...rows.map((row) => textWidth(row.name))) + 14);
  const pitch = isNarrow ? 42 : 26;
  const plotWidth = width - left - 120;
  const scale = plotWidth / (high - low);
  const zeroX = left + 62 - low * scale;
  const height = rows.length * pitch + 28;
  const svg = createDrawing(width, height, `Sensitivities: ${rows.slice(0, 3).map((row) => `${row.name} ${signedChange(row.faster)}`).join(", ")}`);
  for (const tick of linearTicks(low, high, Math.max(3, Math.min(8, Math.floor(plotWidth / 70))))) {
    const x = zeroX + tick * scale;
    svg.append(s("line", { x1: x, x2: x, y1: 0, y2: height - 26, class: tick === 0 ? "axis" : "grid" }));
    svg.append(s("text", { x, y: height - 9, class: "tick", "text-anchor": "middle" }, `${tick > 0 ? "+" : tick < 0 ? "−" : ""}${Math.abs(Math.round(tick * 1000) / 10)} %`));
  }
  rows.forEach((row, index) => {
    const y = index * pitch + (isNarrow ? 20 : 5);
    const label = isNarrow ? { x: 0, y: y - 6 } : { x: left - 10, y: y + 12, "text-anchor": "end" };
    svg.append(s("text", { ...label, class: "label small" }, truncateText(row.name, isNarrow ? width : left - 12), s("title", null, row.detail)));
    for (const [ratio, colour] of /** @type {[number | null, string][]} */ ([[row.slower, "worse"], [row.faster, "better"]])) {
      if (ratio === null) continue;
      const change = ratio - 1;
      const x = change < 0 ? zeroX + change * scale : zeroX;
      svg.append(s("rect", { x, y, width: Math.max(0.5, Math.abs(change) * scale), height: 16, class: colour }, s("title", null, `${row.detail}: ${signedChange(ratio)}`)));
    }
    const end = Math.max(row.faster ?? 1, 1) - 1;
    svg.append(s("text", { x: zeroX + end * scale + 6, y: y + 12, class: "tick strong" }, signedChange(row.faster)));
    if (row.slower !== null && row.slower < 1) {
      svg.append(s("text", { x: zeroX + (row.slower - 1) * scale - 6, y: y + 12, class: "tick", "text-anchor": "end" }, signedChange(row.slower)));
    }
  });
  return svg;
}

/** @param {number | null} ratio */
function signedChange(ratio) {
  if (ratio === null) return "–";
  const change = (ratio - 1) * 100;
  if (Math.abs(change) < 0.05) return "0 %";
  return `${change > 0 ? "+" : "−"}${Math.abs(change).toFixed(1)} %`;
}
