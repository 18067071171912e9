// A block of cells copied from a spreadsheet: lines with cells separated by tabs.

/** null: a single value, which the field handles itself. */
export function readBlock(text: string): string[][] | null {
  const lines = text.replace(/(\r\n|\n|\r)$/, '').split(/\r\n|\n|\r/);
  const block = lines.map((line) => line.split('\t').map((cell) => cell.trim()));
  return block.length === 1 && block[0]?.length === 1 ? null : block;
}

interface Target<Cell> {
  /** The shown cells by row and column; undefined: no cell. */
  cells: readonly (readonly (Cell | undefined)[])[];
  /** Position of the block's first cell. */
  row: number;
  column: number;
}

/** Assigns texts to cells. `outside`: number of texts without a cell; empty texts are not counted. */
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
