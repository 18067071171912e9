/** UTF-8, or what a Korean spreadsheet writes by itself. null: neither, for example a workbook. */
export async function readTextFile(file: File): Promise<string | null> {
  const bytes = await file.arrayBuffer();
  const isUtf16 = new Uint8Array(bytes.slice(0, 2)).join() === '255,254';
  for (const encoding of isUtf16 ? ['utf-16le'] : ['utf-8', 'euc-kr']) {
    try {
      const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
      return text.includes('\0') ? null : text;
    } catch {
      // the next one
    }
  }
  return null;
}
