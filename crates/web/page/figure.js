// A figure: title, drawing, table of its numbers, and downloads. The drawing is made anew for each width.

import { fill, freshId, h, s } from "./dom.js";
import { trim } from "./quantity.js";
import { saveCsv, savePng, saveSvg } from "./save.js";

/** @typedef {(string | number | null)[][]} Rows */

/** Smallest width for which drawings are made, in pixels. */
const WIDTH_MIN = 260;

export class Figure {
  /**
   * @param {Element} host element that the figure fills
   * @param {{title: string, name: string, draw: (width: number) => SVGSVGElement | null, rows?: () => Rows, isTabled?: boolean, emptyText?: string}} options
   */
  constructor(host, options) {
    this.options = options;
    this.width = 0;
    const titleId = freshId("figure");
    this.title = h("h2", { id: titleId }, options.title);
    this.tools = h("div", { class: "tools", role: "group", "aria-label": `Download: ${options.title}` },
      h("button", { type: "button", class: "quiet", onclick: () => this.svg && saveSvg(this.svg, options.name) }, "SVG"),
      h("button", { type: "button", class: "quiet", onclick: () => this.svg && savePng(this.svg, options.name) }, "PNG"),
      options.rows && h("button", { type: "button", class: "quiet", onclick: () => saveCsv(/** @type {() => Rows} */ (options.rows)(), options.name) }, "CSV"));
    this.aboveCanvas = h("div", { class: "figure-before" });
    this.canvas = h("div", { class: "canvas" });
    this.belowCanvas = h("div", { class: "figure-after" });
    this.table = h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `${options.title}, in numbers` });
    this.numbersDetails = h("details", { class: "data", ontoggle: () => this.fillTable() }, h("summary", null, "In numbers"), this.table);
    this.numbersDetails.hidden = true;
    /** @type {SVGSVGElement | null} */
    this.svg = null;
    host.setAttribute("aria-labelledby", titleId);
    fill(host, h("div", { class: "card-head" }, this.title, this.tools), this.aboveCanvas, this.canvas, this.belowCanvas, options.isTabled && this.numbersDetails);
    this.tools.hidden = true;
    new ResizeObserver(([entry]) => {
      const width = Math.floor(entry.contentRect.width);
      if (Math.abs(width - this.width) > 1) {
        this.width = width;
        this.draw();
      }
    }).observe(this.canvas);
  }

  /** Fills the table with the numbers of the drawing if the table is open. */
  fillTable() {
    if (!this.numbersDetails.open || !this.options.rows) return;
    const [head, ...rows] = this.options.rows();
    const cellText = (/** @type {string | number | null} */ cell) => (typeof cell === "number" ? trim(cell, 5) : cell ?? "–");
    fill(this.table, h("table", { class: "numbers" },
      h("thead", null, h("tr", null, head.map((cell, index) => h("th", { scope: "col", class: typeof rows[0]?.[index] === "number" ? null : "text" }, cellText(cell))))),
      h("tbody", null, rows.slice(0, SHOWN_ROWS_MAX).map((row) => h("tr", null, row.map((cell) => h("td", { class: typeof cell === "number" ? null : "text" }, cellText(cell))))))));
  }

  draw() {
    const svg = this.width > 0 ? this.options.draw(Math.max(WIDTH_MIN, this.width)) : null;
    this.svg = svg;
    this.tools.hidden = !svg;
    if (svg) this.canvas.replaceChildren(svg);
    this.numbersDetails.hidden = !svg;
    this.fillTable();
    if (!svg) fill(this.canvas, this.options.emptyText && h("p", { class: "hint" }, this.options.emptyText));
  }
}

/** Number of rows that are shown below a drawing; the file holds all. */
const SHOWN_ROWS_MAX = 60;

/**
 * Returns an empty drawing with a description for screen readers.
 * @param {number} width @param {number} height @param {string} label
 * @returns {SVGSVGElement}
 */
export function createDrawing(width, height, label) {
  return s("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label, class: "drawing" });
}

/**
 * Appends the pattern of waiting time to a drawing, and returns its reference.
 * @param {SVGSVGElement} svg
 */
export function addHatchPattern(svg) {
  const id = freshId("hatch");
  svg.append(s("defs", null, s("pattern", { id, width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
    s("rect", { width: 3, height: 6, class: "hatch" }))));
  return `url(#${id})`;
}

let ruler = /** @type {CanvasRenderingContext2D | null} */ (null);

/**
 * Returns the width of a text in the drawing's font.
 * @param {string} text @param {number} [size]
 */
export function textWidth(text, size = 12) {
  ruler ??= document.createElement("canvas").getContext("2d");
  if (!ruler) return text.length * size * 0.55;
  ruler.font = `${size}px ${getComputedStyle(document.documentElement).getPropertyValue("--font") || "sans-serif"}`;
  return ruler.measureText(text).width;
}

/**
 * Returns a text cut to a width.
 * @param {string} text @param {number} width @param {number} [size]
 */
export function truncateText(text, width, size = 12) {
  if (textWidth(text, size) <= width) return text;
  let end = text.length;
  while (end > 1 && textWidth(text.slice(0, end) + "…", size) > width) end -= 1;
  return text.slice(0, end) + "…";
}
