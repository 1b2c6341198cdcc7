// Downloads: TOML, CSV, SVG and PNG.

/** Style properties of a drawing that style sheets set on the page. A downloaded file must contain them. */
const STYLE_PROPERTIES = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-opacity", "stroke-linejoin", "opacity", "font-size", "font-weight", "font-family", "text-anchor"];

/** @param {Blob} blob @param {string} name */
function save(blob, name) {
  const address = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** @param {string} text @param {string} name */
export function saveText(text, name, type = "text/plain") {
  save(new Blob([text], { type }), name);
}

/** Returns a cell of CSV; a text that a spreadsheet would take for a formula is quoted as text. @param {string | number | null} cell */
function csvCell(cell) {
  if (cell === null) return "";
  if (typeof cell === "number") return String(cell);
  const safe = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** @param {(string | number | null)[][]} rows */
export function csv(rows) {
  return rows.map((row) => row.map(csvCell).join(",")).join("\n") + "\n";
}

/** @param {(string | number | null)[][]} rows @param {string} name */
export function saveCsv(rows, name) {
  saveText(csv(rows), `${name}.csv`, "text/csv");
}

/**
 * Returns the text of a drawing that needs no style sheet.
 * @param {SVGSVGElement} svg
 */
export function standaloneSvg(svg) {
  const copy = /** @type {SVGSVGElement} */ (svg.cloneNode(true));
  const sourceElements = svg.querySelectorAll("*");
  copy.querySelectorAll("*").forEach((element, index) => {
    if (element.closest("title, desc")) return;
    const style = getComputedStyle(sourceElements[index]);
    for (const name of STYLE_PROPERTIES) {
      const value = style.getPropertyValue(name);
      if (value && !(name === "fill" && sourceElements[index].hasAttribute("fill"))) element.setAttribute(name, value);
    }
    element.removeAttribute("class");
    element.removeAttribute("tabindex");
  });
  copy.removeAttribute("class");
  copy.setAttribute("font-family", getComputedStyle(svg).fontFamily);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  const background = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  background.setAttribute("width", "100%");
  background.setAttribute("height", "100%");
  background.setAttribute("fill", getComputedStyle(svg).getPropertyValue("--surface").trim() || "#fff");
  copy.prepend(background);
  return new XMLSerializer().serializeToString(copy);
}

/** @param {SVGSVGElement} svg @param {string} name */
export function saveSvg(svg, name) {
  saveText(standaloneSvg(svg), `${name}.svg`, "image/svg+xml");
}

/** @param {SVGSVGElement} svg @param {string} name */
export async function savePng(svg, name) {
  const scale = 2;
  const image = new Image();
  image.src = URL.createObjectURL(new Blob([standaloneSvg(svg)], { type: "image/svg+xml" }));
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = svg.clientWidth * scale;
  canvas.height = svg.clientHeight * scale;
  const context = canvas.getContext("2d");
  if (!context) return;
  context.scale(scale, scale);
  context.drawImage(image, 0, 0);
  URL.revokeObjectURL(image.src);
  canvas.toBlob((blob) => blob && save(blob, `${name}.png`), "image/png");
}
