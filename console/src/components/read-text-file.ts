/** Decodes UTF-8, or UTF-16 or EUC-KR as Korean spreadsheets write. null: none of these, for example a workbook. */
export async function readTextFile(file: File): Promise<string | null> {
  const bytes = await file.arrayBuffer();
  const isUtf16 = new Uint8Array(bytes.slice(0, 2)).join() === '255,254';
  for (const encoding of isUtf16 ? ['utf-16le'] : ['utf-8', 'euc-kr']) {
    try {
      const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
      return text.includes('\0') ? null : text;
    } catch {
      // try the next encoding
    }
  }
  return null;
}
