// Looks at the page as its reader would: what is wider than the window, which words of a picture lie over others,
// what the table shows when it is sorted, filtered and searched. The answer goes, as JSON, to the page around it.
(function () {
  "use strict";
  var seen = { faults: window.faults };

  function texts(nodes) { return Array.from(nodes, function (node) { return node.textContent.trim(); }); }

  // The corners of a text, however it is turned, without the room above and below its letters.
  function corners(node) {
    var box = node.getBBox();
    var place = node.getScreenCTM();
    var top = box.y + 0.2 * box.height;
    var bottom = box.y + 0.8 * box.height;
    return [[box.x, top], [box.x + box.width, top], [box.x + box.width, bottom], [box.x, bottom]].map(function (at) {
      var point = new DOMPoint(at[0], at[1]).matrixTransform(place);
      return [point.x, point.y];
    });
  }

  // From where to where corners reach, seen along a direction.
  function reach(all, along) {
    var at = all.map(function (corner) { return corner[0] * along[0] + corner[1] * along[1]; });
    return [Math.min.apply(null, at), Math.max.apply(null, at)];
  }

  // Whether two turned boxes share more than a hair of ground: no side of either has them apart.
  function collide(a, b) {
    return [a, b].every(function (sides) {
      return [0, 1].every(function (side) {
        var x = sides[side + 1][0] - sides[side][0];
        var y = sides[side + 1][1] - sides[side][1];
        var long = Math.hypot(x, y) || 1;
        var ofA = reach(a, [x / long, y / long]);
        var ofB = reach(b, [x / long, y / long]);
        return Math.min(ofA[1], ofB[1]) - Math.max(ofA[0], ofB[0]) > 1;
      });
    });
  }

  function overlaps() {
    var found = [];
    document.querySelectorAll("svg").forEach(function (svg) {
      var picture = svg.getBoundingClientRect();
      var title = svg.getAttribute("aria-label") || "";
      var words = Array.from(svg.querySelectorAll("text"), function (node) {
        return { corners: corners(node), text: node.textContent.trim() };
      }).filter(function (word) { return word.text !== ""; });
      words.forEach(function (a, i) {
        var across = reach(a.corners, [1, 0]);
        var down = reach(a.corners, [0, 1]);
        if (across[0] < picture.left - 1 || across[1] > picture.right + 1 ||
            down[0] < picture.top - 1 || down[1] > picture.bottom + 1) {
          found.push(title + ": `" + a.text + "` leaves the picture");
        }
        words.slice(i + 1).forEach(function (b) {
          if (collide(a.corners, b.corners)) { found.push(title + ": `" + a.text + "` and `" + b.text + "`"); }
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
    var groups = Array.from(document.querySelectorAll("details.group"));
    seen.groups = groups.map(function (group) {
      var rows = Array.from(group.querySelectorAll("tbody tr"));
      return { open: group.open, fails: rows.map(function (row) { return row.classList.contains("fails"); }) };
    });
    groups.forEach(function (group) { group.open = true; });
    seen.claims = ids();
    document.getElementById("only-fails").click();
    seen.failing = ids();
    document.querySelector(".filter input[type=radio]").click();
    seen.folded = groups.map(function (group) { return group.open; });
    groups.forEach(function (group) { group.open = true; });
    var heads = Array.from(table.tHead.rows[0].cells);
    seen.heads = texts(heads);
    var by = function (name) { heads[seen.heads.indexOf(name)].querySelector("button").click(); };
    // What each table shows.
    var byTable = function (of) {
      return Array.from(document.querySelectorAll("table.claims"), function (table) {
        return Array.from(table.tBodies[0].rows, of);
      });
    };
    var id = function (row) { return row.querySelector(".id").textContent.trim(); };
    by("claim");
    seen.sorted = byTable(id);
    by("claim");
    seen.reversed = byTable(id);
    by("error");
    seen.errors = byTable(function (row) {
      var cell = row.querySelector("td.error");
      return cell && cell.dataset.key ? Number(cell.dataset.key) : null;
    });
    var search = document.getElementById("search");
    search.value = seen.claims[0];
    search.dispatchEvent(new Event("input"));
    seen.found = ids();
    search.value = "";
    search.dispatchEvent(new Event("input"));
    groups.forEach(function (group) { group.open = true; });
    seen.again = ids().length;
  }
  window.parent.postMessage(JSON.stringify(seen), "*");
})();
