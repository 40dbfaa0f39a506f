// Cells of the fact grid behave as in a spreadsheet; without this script they are plain form inputs.
const BLOCK_QUOTED = /^"((?:[^"]|"")*)"$/;

function watchGrid(form) {
  const table = form.querySelector("table");
  const status = form.querySelector("[data-grid-status]");
  const rows = [...table.tBodies[0].rows].map((row) =>
    [...row.cells].slice(1).map((cell) => cell.querySelector("[data-grid-cell]")),
  );
  let opened = ""; // the text of the cell when it got the focus
  let pasted = []; // the cells of the last paste, with their texts before it

  const placeOf = (input) => {
    const row = rows.findIndex((cells) => cells.includes(input));
    return [row, row < 0 ? -1 : rows[row].indexOf(input)];
  };
  const mark = (input) => input.classList.toggle("is-changed", input.value !== input.defaultValue);
  const tickOf = (input) => input.parentElement.querySelector("[data-grid-tick]");

  function go(input, down, right) {
    let [row, column] = placeOf(input);
    do {
      row += down;
      column += right;
    } while (rows[row]?.[column] === null);
    const next = rows[row]?.[column];
    if (!next) return false;
    next.focus();
    next.select();
    return true;
  }

  // Autocomplete: a prefix of exactly one choice becomes that choice.
  function complete(input) {
    if (input.value === opened || !input.list) return;
    const texts = [...input.list.options].map((option) => option.value);
    const completed = input.value.split(";").map((part) => {
      const typed = part.trim().toLowerCase();
      const found = texts.filter((text) => typed && text.toLowerCase().startsWith(typed));
      const exact = found.find((text) => text.toLowerCase() === typed);
      return exact ?? (found.length === 1 ? found[0] : part.trim());
    });
    input.value = completed.join("; ");
  }

  function cellsOf(text) {
    const lines = text.replace(/\r\n?/g, "\n").replace(/\n$/, "").split("\n");
    return lines.map((line) =>
      line.split("\t").map((cell) => cell.replace(BLOCK_QUOTED, (_, inner) => inner.replaceAll('""', '"')).trim()),
    );
  }

  function paste(input, text) {
    const [row, column] = placeOf(input);
    let replaced = 0;
    let left = 0;
    pasted = [];
    cellsOf(text).forEach((line, down) =>
      line.forEach((value, right) => {
        const cell = rows[row + down]?.[column + right];
        if (!cell) return left++;
        pasted.push([cell, cell.value, value]);
        if (cell.value && cell.value !== value) replaced++;
        cell.value = value;
        mark(cell);
      }),
    );
    input.dispatchEvent(new Event("input", { bubbles: true })); // a copy of it is stored
    const lost = left ? `${left} did not fit into the grid. ` : "";
    const over = replaced ? `${replaced} of them replaced another answer. ` : "";
    status.textContent = `${pasted.length} cells pasted. ${over}${lost}Save to keep them, Ctrl+Z to undo.`;
  }

  // Brings the texts from before the last paste back, in cells that were not changed since.
  function undoPaste(input) {
    const unchanged = pasted.filter(([cell, , now]) => cell.value === now);
    for (const [cell, before] of unchanged) {
      cell.value = before;
      mark(cell);
    }
    pasted = [];
    opened = input.value;
    input.dispatchEvent(new Event("input", { bubbles: true }));
    status.textContent = `The paste is undone in ${unchanged.length} cells.`;
  }

  const atEdge = (input, key) => {
    const all = input.selectionStart === 0 && input.selectionEnd === input.value.length;
    const place = key === "ArrowLeft" ? 0 : input.value.length;
    return all || (input.selectionStart === place && input.selectionEnd === place);
  };

  table.addEventListener("focusin", ({ target }) => {
    if (target.matches("[data-grid-cell]")) opened = target.value;
  });
  table.addEventListener("focusout", ({ target }) => {
    if (!target.matches("[data-grid-cell]")) return;
    complete(target);
    mark(target);
  });
  table.addEventListener("input", ({ target, isTrusted }) => {
    if (!target.matches("[data-grid-cell]")) return;
    mark(target);
    if (isTrusted) pasted = []; // Ctrl+Z is the browser's again
  });
  table.addEventListener("paste", (event) => {
    const text = event.clipboardData.getData("text/plain");
    if (!event.target.matches("[data-grid-cell]") || !/[\t\n]/.test(text.trimEnd())) return;
    event.preventDefault();
    paste(event.target, text);
  });
  table.addEventListener("keydown", (event) => {
    const { target: input, key } = event;
    if (!input.matches("[data-grid-cell]") || event.isComposing || event.altKey) return;
    if (key.toLowerCase() === "z" && (event.ctrlKey || event.metaKey) && !event.shiftKey && pasted.length) {
      undoPaste(input);
    } else if (key === "Enter" && (event.ctrlKey || event.metaKey)) {
      const tick = tickOf(input);
      if (tick) tick.checked = !tick.checked;
      go(input, 1, 0);
    } else if (key === "Enter") {
      go(input, event.shiftKey ? -1 : 1, 0);
    } else if (key === "ArrowDown" || key === "ArrowUp") {
      go(input, key === "ArrowDown" ? 1 : -1, 0);
    } else if ((key === "ArrowLeft" || key === "ArrowRight") && !event.shiftKey && atEdge(input, key)) {
      go(input, 0, key === "ArrowRight" ? 1 : -1);
    } else if (key === "Escape") {
      input.value = opened;
      mark(input);
      input.select();
    } else return;
    event.preventDefault();
  });
  // Tab goes from cell to cell; Ctrl+Enter reaches the tick of the cell.
  table.querySelectorAll("td [data-grid-tick]").forEach((tick) => (tick.tabIndex = -1));
  rows.flat().forEach((input) => input && mark(input));
}

document.querySelectorAll("[data-fact-grid]").forEach(watchGrid);
