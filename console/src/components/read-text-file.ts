import { findEncoding, type TextFileEncoding } from '../../../src/platform/csv/encoding-rules.ts';

/** null: no text in a known encoding, for example a workbook. */
export async function readTextFile(file: File): Promise<{ text: string; encoding: TextFileEncoding } | null> {
  const bytes = await file.arrayBuffer();
  const encoding = findEncoding(new Uint8Array(bytes));
  if (encoding === null) return null;
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    return text.includes('\0') ? null : { text, encoding };
  } catch {
    return null;
  }
}
