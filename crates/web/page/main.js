// Starts the explorer.

import { byId, setText } from "./dom.js";
import { start } from "./engine.js";
import { Explorer } from "./explorer.js";

start()
  .then((engine) => {
    const page = new Explorer(engine);
    /** @type {any} */ (globalThis).narrowsExplorer = page;
    return page.begin();
  })
  .catch((error) => {
    byId("loading").hidden = false;
    setText(byId("loading"), `The simulator could not be loaded: ${error instanceof Error ? error.message : String(error)}`);
  });
