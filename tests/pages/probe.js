// Looks at the page as its reader would: what is wider than the window, which words of a picture lie over others,
// what the table shows when it is sorted, filtered and searched. The answer goes, as JSON, to the page around it.
(function () {
  "use strict";
  var seen = { faults: window.faults };

  function texts(nodes) { return Array.from(nodes, function (node) { return node.textContent.trim(); }); }

  // The box of a text without the room above and below its letters.
  function letters(node) {
    var box = node.getBoundingClientRect();
    var upright = node.hasAttribute("transform");
    var room = 0.2 * (upright ? box.width : box.height);
    var x = upright ? room : 0;
    var y = upright ? 0 : room;
    return { left: box.left + x, right: box.right - x, top: box.top + y, bottom: box.bottom - y };
  }

  // Whether two boxes share more than a hair of ground.
  function collide(a, b) {
    var wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
    var high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
    return wide > 1 && high > 1;
  }

  function overlaps() {
    var found = [];
    document.querySelectorAll("svg").forEach(function (svg) {
      var picture = svg.getBoundingClientRect();
      var title = svg.getAttribute("aria-label") || "";
      var words = Array.from(svg.querySelectorAll("text"), function (node) {
        return { box: letters(node), text: node.textContent.trim() };
      }).filter(function (word) { return word.text !== ""; });
      words.forEach(function (a, i) {
        if (a.box.left < picture.left - 1 || a.box.right > picture.right + 1 ||
            a.box.top < picture.top - 1 || a.box.bottom > picture.bottom + 1) {
          found.push(title + ": `" + a.text + "` leaves the picture");
        }
        words.slice(i + 1).forEach(function (b) {
          if (collide(a.box, b.box)) { found.push(title + ": `" + a.text + "` and `" + b.text + "`"); }
        });
      });
    });
    return found;
  }

  // The rows that are shown, by their first words.
  function shown() {
    var rows = Array.from(document.querySelectorAll("table.claims tbody tr"));
    return rows.filter(function (row) { return row.offsetParent !== null || row.offsetHeight > 0; });
  }
  function ids() { return texts(shown().map(function (row) { return row.querySelector(".id"); })); }

  seen.window = window.innerWidth;
  seen.wide = document.documentElement.scrollWidth;
  var table = document.querySelector("table.claims");
  if (table) { seen.table = table.getBoundingClientRect().width; }
  seen.overlaps = overlaps();
  seen.places = Array.from(document.querySelectorAll("nav a"), function (link) {
    return document.getElementById(link.hash.slice(1)) !== null;
  });
  if (table && document.getElementById("search")) {
    seen.claims = ids();
    document.getElementById("only-fails").click();
    seen.failing = ids();
    document.querySelector(".filter input[type=radio]").click();
    var heads = Array.from(table.tHead.rows[0].cells);
    seen.heads = texts(heads);
    var by = function (name) { heads[seen.heads.indexOf(name)].querySelector("button").click(); };
    by("claim");
    seen.sorted = ids();
    by("claim");
    seen.reversed = ids();
    by("error");
    seen.errors = shown().map(function (row) {
      var cell = row.querySelector("td.error");
      return cell && cell.dataset.key ? Number(cell.dataset.key) : null;
    });
    var search = document.getElementById("search");
    search.value = seen.claims[0];
    search.dispatchEvent(new Event("input"));
    seen.found = ids();
    search.value = "";
    search.dispatchEvent(new Event("input"));
    seen.again = ids().length;
  }
  window.parent.postMessage(JSON.stringify(seen), "*");
})();
