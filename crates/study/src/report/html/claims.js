// Adds to the table of claims what a page without script does not need: a search, and columns that sort.
(function () {
  "use strict";
  var table = document.querySelector("table.claims");
  if (!table) { return; }
  var body = table.tBodies[0];
  var rows = Array.from(body.rows);

  var search = document.createElement("input");
  search.type = "search";
  search.id = "search";
  search.placeholder = "search the claims";
  search.setAttribute("aria-label", "Search the claims");
  search.addEventListener("input", function () {
    var words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    rows.forEach(function (row) {
      var text = row.textContent.toLowerCase();
      row.hidden = !words.every(function (word) { return text.includes(word); });
    });
  });
  var filter = document.querySelector(".filter");
  filter.insertBefore(search, filter.firstChild);

  // What a row is sorted by: the cell's key where it has one, else its number, else its words.
  function key(row, column) {
    var names = ["verdict", "id", "place", "expected", "simulated", "error", "allowed", "role"];
    var cell = column === 0 ? row.cells[0] : row.querySelector("td." + names[column]);
    if (!cell) { return { words: "" }; }
    if (cell.dataset.key) { return { number: Number(cell.dataset.key) }; }
    var words = cell.textContent.trim();
    var number = parseFloat(words.replace(/^±/, "").replace(/\u2212/g, "-").replace(/[\s\u202f]/g, ""));
    return Number.isNaN(number) || column === 1 || column === 2 ? { words: words } : { number: number };
  }

  // Numbers come before words.
  function compare(a, b) {
    if (a.number !== undefined && b.number !== undefined) { return a.number - b.number; }
    if (a.number !== undefined) { return -1; }
    if (b.number !== undefined) { return 1; }
    return a.words.localeCompare(b.words, "en", { numeric: true });
  }

  Array.from(table.tHead.rows[0].cells).forEach(function (head, column) {
    var button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent || "verdict";
    head.textContent = "";
    head.appendChild(button);
    button.addEventListener("click", function () {
      var rises = head.getAttribute("aria-sort") !== "ascending";
      Array.from(head.parentNode.cells).forEach(function (other) { other.removeAttribute("aria-sort"); });
      head.setAttribute("aria-sort", rises ? "ascending" : "descending");
      var sorted = rows.map(function (row, place) { return { row: row, place: place, key: key(row, column) }; });
      sorted.sort(function (a, b) { return (rises ? 1 : -1) * compare(a.key, b.key) || a.place - b.place; });
      sorted.forEach(function (one) { body.appendChild(one.row); });
    });
  });
})();
