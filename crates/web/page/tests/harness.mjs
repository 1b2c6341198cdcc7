// The parts that the journeys share: a server of static files, the finished page, and checks with names.

import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

export const HERE = dirname(fileURLToPath(import.meta.url));
export const PAGE = dirname(HERE);
const TYPES = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".wasm": "application/wasm" };

/** Returns a folder that is removed when the process ends. */
export function folder(name) {
  const path = mkdtempSync(join(tmpdir(), `narrows-${name}-`));
  process.on("exit", () => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Returns the folder of the finished page with a module. */
export function build(module) {
  const out = folder("built");
  execFileSync("python3", [join(PAGE, "build.py"), module, out], { stdio: ["ignore", "ignore", "inherit"], env: { ...process.env, PATH: process.env.PATH } });
  return out;
}

/** Serves a folder on the loopback address, and returns the address and the server. */
export function serve(root, extraFiles = {}) {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://localhost").pathname);
    const name = path === "/" ? "/index.html" : path;
    if (extraFiles[name]) {
      response.setHeader("content-type", TYPES[extname(name)] ?? "text/plain");
      return response.end(extraFiles[name]);
    }
    const file = join(root, normalize(name));
    if (!file.startsWith(root) || !existsSync(file) || !statSync(file).isFile()) {
      response.statusCode = 404;
      return response.end();
    }
    response.setHeader("content-type", TYPES[extname(file)] ?? "application/octet-stream");
    return response.end(readFileSync(file));
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve({ address: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() })));
}

/** Throws if two values differ. */
export function equal(actual, expected, what) {
  const [a, b] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (a !== b) throw new Error(`${what}: ${a} instead of ${b}`);
}

/** Throws if a condition is false. */
export function check(condition, what) {
  if (!condition) throw new Error(what);
}

/** Sum of the sizes of the explorer's files and types, without tests; its page has no files of the page of a study. */
export function pageBytes() {
  return readdirSync(PAGE).filter((name) => /\.(js|css|html|svg|ts)$/.test(name) && !/^(study|lzma)\./.test(name)).reduce((sum, name) => sum + statSync(join(PAGE, name)).size, 0);
}

/** Expressions that journeys wait for. */
export const READY = "!document.getElementById('answers').hidden && !document.querySelector('.stale')";
export const headlineOf = (index = 0) => `document.querySelectorAll('#headline .figure-big')[${index}]?.textContent`;
/** Number of points of the curve, once all of them have been run. */
export const CURVE_DONE = "document.querySelector('#curve .canvas').dataset.done";
/** Presses Draw: a curve is drawn without Draw only if the machine runs quickly. */
export const DRAW = "Array.from(document.querySelectorAll('#curve .curve-fields button')).forEach((button) => button.textContent === 'Draw' && button.click())";
