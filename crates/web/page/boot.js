// Starts the explorer: as modules where the page is served, as one classic script where it is opened from a file.
(function () {
  "use strict";
  function load(/** @type {string[]} */ addresses, /** @type {string} */ type) {
    for (const address of addresses) {
      const script = document.createElement("script");
      script.src = address;
      script.async = false;
      if (type) script.type = type;
      document.head.append(script);
    }
  }
  if (location.protocol === "file:") load(["narrows.wasm.js", "bundle.js"], "");
  else load(["main.js"], "module");
})();
