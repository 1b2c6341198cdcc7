// Inspects the page: its width, overlapping texts in pictures, and the rows that the tables of claims show when they
// are sorted, filtered and searched. The findings are sent as JSON to the enclosing page.
(function () {
  "use strict";
  var findings = { faults: window.faults };

  function texts(nodes) { return Array.from(nodes, function (node) { return node.textContent.trim(); }); }

  // Returns the corners of a text, which may be rotated, without the space above and below its letters.
  function corners(node) {
    var box = node.getBBox();
    var toScreen = node.getScreenCTM();
    var top = box.y + 0.2 * box.height;
    var bottom = box.y + 0.8 * box.height;
    return [[box.x, top], [box.x + box.width, top], [box.x + box.width, bottom], [box.x, bottom]].map(function (at) {
      var point = new DOMPoint(at[0], at[1]).matrixTransform(toScreen);
      return [point.x, point.y];
    });
  }

  // Returns the smallest and the largest projection of corners on a direction.
  function project(corners, direction) {
    var projections = corners.map(function (corner) { return corner[0] * direction[0] + corner[1] * direction[1]; });
    return [Math.min.apply(null, projections), Math.max.apply(null, projections)];
  }

  // Returns whether two rotated boxes overlap by more than a pixel: no side of either box separates them.
  function collide(a, b) {
    return [a, b].every(function (sides) {
      return [0, 1].every(function (side) {
        var x = sides[side + 1][0] - sides[side][0];
        var y = sides[side + 1][1] - sides[side][1];
        var length = Math.hypot(x, y) || 1;
        var rangeA = project(a, [x / length, y / length]);
        var rangeB = project(b, [x / length, y / length]);
        return Math.min(rangeA[1], rangeB[1]) - Math.max(rangeA[0], rangeB[0]) > 1;
      });
    });
  }

  function overlaps() {
    var overlapTexts = [];
    document.querySelectorAll("svg").forEach(function (svg) {
      var picture = svg.getBoundingClientRect();
      var title = svg.getAttribute("aria-label") || "";
      var words = Array.from(svg.querySelectorAll("text"), function (node) {
        return { corners: corners(node), text: node.textContent.trim() };
      }).filter(function (word) { return word.text !== ""; });
      words.forEach(function (a, i) {
        var across = project(a.corners, [1, 0]);
        var down = project(a.corners, [0, 1]);
        if (across[0] < picture.left - 1 || across[1] > picture.right + 1 ||
            down[0] < picture.top - 1 || down[1] > picture.bottom + 1) {
          overlapTexts.push(title + ": `" + a.text + "` leaves the picture");
        }
        words.slice(i + 1).forEach(function (b) {
          if (collide(a.corners, b.corners)) { overlapTexts.push(title + ": `" + a.text + "` and `" + b.text + "`"); }
        });
      });
    });
    return overlapTexts;
  }

  // Returns the rows that are shown.
  function shownRows() {
    var rows = Array.from(document.querySelectorAll("table.claims tbody tr"));
    return rows.filter(function (row) { return row.offsetParent !== null || row.offsetHeight > 0; });
  }
  function shownClaimIds() { return texts(shownRows().map(function (row) { return row.querySelector(".id"); })); }

  // Returns what a screen reader or a voice could not name: headings of tables without a text, and links and buttons
  // whose name does not contain the text that is seen.
  function unnamed() {
    var headings = Array.from(document.querySelectorAll("th")).filter(function (node) {
      return node.textContent.trim() === "";
    });
    var targets = Array.from(document.querySelectorAll("a[aria-label], button[aria-label]")).filter(function (node) {
      var seen = node.textContent.trim();
      return /\w/.test(seen) && !node.getAttribute("aria-label").includes(seen);
    });
    return headings.concat(targets).map(function (node) { return node.outerHTML; });
  }

  findings.window = window.innerWidth;
  findings.unnamed = unnamed();
  findings.wide = document.documentElement.scrollWidth;
  var table = document.querySelector("table.claims");
  if (table) { findings.table = table.getBoundingClientRect().width; }
  findings.overlaps = overlaps();
  findings.places = Array.from(document.querySelectorAll("nav a"), function (link) {
    return document.getElementById(link.hash.slice(1)) !== null;
  });
  if (table && document.getElementById("search")) {
    var groups = Array.from(document.querySelectorAll("details.group"));
    findings.groups = groups.map(function (group) {
      var rows = Array.from(group.querySelectorAll("tbody tr"));
      return { open: group.open, fails: rows.map(function (row) { return row.classList.contains("fails"); }) };
    });
    groups.forEach(function (group) { group.open = true; });
    findings.claims = shownClaimIds();
    document.getElementById("only-fails").click();
    findings.failing = shownClaimIds();
    document.querySelector(".filter input[type=radio]").click();
    findings.folded = groups.map(function (group) { return group.open; });
    groups.forEach(function (group) { group.open = true; });
    var heads = Array.from(table.tHead.rows[0].cells);
    findings.heads = texts(heads);
    var sortBy = function (name) { heads[findings.heads.indexOf(name)].querySelector("button").click(); };
    // Returns the value of `valueOfRow` for each row of each table.
    var byTable = function (valueOfRow) {
      return Array.from(document.querySelectorAll("table.claims"), function (table) {
        return Array.from(table.tBodies[0].rows, valueOfRow);
      });
    };
    var claimId = function (row) { return row.querySelector(".id").textContent.trim(); };
    sortBy("claim");
    findings.sorted = byTable(claimId);
    sortBy("claim");
    findings.reversed = byTable(claimId);
    sortBy("error");
    findings.errors = byTable(function (row) {
      var cell = row.querySelector("td.error");
      return cell && cell.dataset.key ? Number(cell.dataset.key) : null;
    });
    var search = document.getElementById("search");
    search.value = findings.claims[0];
    search.dispatchEvent(new Event("input"));
    findings.found = shownClaimIds();
    search.value = "";
    search.dispatchEvent(new Event("input"));
    groups.forEach(function (group) { group.open = true; });
    findings.again = shownClaimIds().length;
  }
  window.parent.postMessage(JSON.stringify(findings), "*");
})();
