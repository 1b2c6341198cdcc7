// Builders of elements. Text reaches the page as text nodes only, so that a name in a description never becomes markup.

/** @typedef {Record<string, any>} Attributes */
/** @typedef {Node | string | number | null | undefined | false} Child */

const SVG = "http://www.w3.org/2000/svg";

/**
 * Sets attributes, properties and event listeners of an element.
 * @param {Element} element
 * @param {Attributes | null} attributes
 */
function setAttributes(element, attributes) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked" || name === "indeterminate") /** @type {any} */ (element)[name] = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
}

/**
 * Appends children; strings and numbers become text nodes.
 * @param {Element | DocumentFragment} element
 * @param {(Child | Child[])[]} children
 */
export function append(element, ...children) {
  for (const child of children.flat()) {
    if (child === null || child === undefined || child === false || child === "") continue;
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

/**
 * Returns a new HTML element.
 * @param {string} tag
 * @param {Attributes | null} [attributes]
 * @param {...(Child | Child[])} children
 * @returns {any}
 */
export function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  append(element, ...children);
  setAttributes(element, attributes ?? null);
  return element;
}

/**
 * Returns a new SVG element.
 * @param {string} tag
 * @param {Attributes | null} [attributes]
 * @param {...(Child | Child[])} children
 * @returns {any}
 */
export function s(tag, attributes, ...children) {
  const element = document.createElementNS(SVG, tag);
  setAttributes(element, attributes ?? null);
  append(element, ...children);
  return element;
}

/**
 * Replaces the children of an element.
 * @param {Element} element
 * @param {...(Child | Child[])} children
 */
export function fill(element, ...children) {
  element.replaceChildren();
  append(element, ...children);
}

/**
 * Returns the element of the page with this id.
 * @param {string} id
 * @returns {any}
 */
export function byId(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no element ${id}`);
  return element;
}

/**
 * Sets the text of an element if it differs.
 * @param {Element} element
 * @param {string} text
 */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * Returns a text as children of an element, in which names between backticks are `code` elements.
 * @param {string} text
 * @returns {Child[]}
 */
export function prose(text) {
  return text.split(/`([^`]+)`/).map((part, index) => (index % 2 === 1 ? h("code", null, part) : part));
}

let serial = 0;

/** Returns an id that no other element of the page has. */
export function freshId(prefix = "n") {
  serial += 1;
  return `${prefix}-${serial}`;
}

/**
 * Splits a dotted key, with a break opportunity after each dot.
 * @param {string} key
 */
export function breakable(key) {
  return key.split(".").flatMap((part, index, all) => (index < all.length - 1 ? [part + ".", h("wbr")] : [part]));
}
