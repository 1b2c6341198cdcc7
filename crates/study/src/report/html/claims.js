// Adds to the tables of claims what a page without script does not need: a search, and columns that sort.
(function () {
  "use strict";
  var groups = Array.from(document.querySelectorAll("details.group"));
  if (groups.length === 0) { return; }
  var tables = groups.map(function (group) { return group.querySelector("table"); });
  var rows = Array.from(document.querySelectorAll("table.claims tbody tr"));
  var folded = groups.map(function (group) { return !group.open; });

  // Opens the groups with rows that a filter or a search leaves; without either, folds them as at the start.
  function unfold() {
    var all = document.getElementById("all").checked && search.value.trim() === "";
    groups.forEach(function (group, place) {
      group.hidden = !all && !Array.from(group.querySelectorAll("tbody tr")).some(function (row) { return !row.hidden; });
      group.open = !all || !folded[place];
    });
  }

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
    unfold();
  });
  var filter = document.querySelector(".filter");
  filter.appendChild(search);
  filter.addEventListener("change", unfold);

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

  // Sorts every table by a column.
  function sort(column, rises) {
    tables.forEach(function (table) {
      var heads = Array.from(table.tHead.rows[0].cells);
      heads.forEach(function (head) { head.removeAttribute("aria-sort"); });
      heads[column].setAttribute("aria-sort", rises ? "ascending" : "descending");
      var sorted = Array.from(table.tBodies[0].rows).map(function (row, place) {
        return { row: row, place: place, key: key(row, column) };
      });
      sorted.sort(function (a, b) { return (rises ? 1 : -1) * compare(a.key, b.key) || a.place - b.place; });
      sorted.forEach(function (one) { table.tBodies[0].appendChild(one.row); });
    });
  }

  tables.forEach(function (table) {
    Array.from(table.tHead.rows[0].cells).forEach(function (head, column) {
      var button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      head.textContent = "";
      head.appendChild(button);
      button.addEventListener("click", function () { sort(column, head.getAttribute("aria-sort") !== "ascending"); });
    });
  });
})();
