// A block of cells copied from a spreadsheet: lines of cells between tabs.

/** Null: a single value, which the field takes by itself. */
export function readBlock(text: string): string[][] | null {
  const lines = text.replace(/(\r\n|\n|\r)$/, '').split(/\r\n|\n|\r/);
  const block = lines.map((line) => line.split('\t').map((cell) => cell.trim()));
  return block.length === 1 && block[0]?.length === 1 ? null : block;
}

interface Target<Cell> {
  /** Cells by row and column, as they are shown; undefined where there is none. */
  cells: readonly (readonly (Cell | undefined)[])[];
  /** Where the block begins. */
  row: number;
  column: number;
}

/** Which cell gets which text. `outside`: texts that met no cell; empty ones are not counted. */
export function placeBlock<Cell>(
  block: readonly (readonly string[])[],
  { cells, row, column }: Target<Cell>,
): { placed: { cell: Cell; text: string }[]; outside: number } {
  const placed: { cell: Cell; text: string }[] = [];
  let outside = 0;
  for (const [down, texts] of block.entries())
    for (const [right, text] of texts.entries()) {
      if (text === '') continue;
      const cell = cells[row + down]?.[column + right];
      if (cell === undefined) outside += 1;
      else placed.push({ cell, text });
    }
  return { placed, outside };
}
