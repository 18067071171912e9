// Output of the commands: results on standard output, everything else on standard error.

export const print = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

export const printJson = (value: unknown): void => print(JSON.stringify(value, null, 2));

export const note = (text: string): void => {
  process.stderr.write(`sluice: ${text}\n`);
};

export const formatCount = (n: number): string => n.toLocaleString('en-US');

export const plural = (n: number, one: string, many = `${one}s`): string =>
  `${formatCount(n)} ${n === 1 ? one : many}`;

/** A time in a table. */
export const minute = (at: Date): string => `${at.toISOString().slice(0, 16).replace('T', ' ')}Z`;

/** Pads the columns to their widest cell, except the last one. */
export function table(header: readonly string[], lines: readonly (readonly string[])[]): string {
  const all = [header, ...lines].map((line) => line.map(visible));
  const widths = header.map((_, column) => Math.max(...all.map((line) => displayWidth(line[column] ?? ''))));
  return all
    .map((line) =>
      line
        .map((cell, column) => padded(cell, widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Removes control characters: stored text could contain terminal escape sequences. */
const visible = (text: string): string => text.replaceAll(/\p{Cc}/gu, '\u{fffd}');

const padded = (text: string, width: number): string => text + ' '.repeat(width - displayWidth(text));

/** Korean, Japanese and Chinese characters are two columns wide. */
function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) {
    width +=
      /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/.test(
        character,
      )
        ? 2
        : 1;
  }
  return width;
}
