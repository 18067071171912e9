/** UTF-8, or what a Korean spreadsheet writes by itself; null: neither. */
export async function readTextFile(file: File): Promise<string | null> {
  const bytes = await file.arrayBuffer();
  for (const encoding of ['utf-8', 'euc-kr']) {
    try {
      return new TextDecoder(encoding, { fatal: true }).decode(bytes);
    } catch {
      // the next one
    }
  }
  return null;
}
