// Splits CSV text (RFC 4180) into records, piece by piece. Nothing is trimmed: blanks are part of a field. A fault of a
// quoted field is reported at the line where its quote opens.

export interface CsvRecord {
  /** Of its first character. */
  readonly line: number;
  readonly fields: readonly string[];
}

type RecordFault = 'quote_unclosed' | 'quote_inside' | 'row_too_long';

/** `quoted`: inside quotes. `closed`: after a quote that closes the field or is the first of a doubled one. */
type State = 'empty' | 'plain' | 'quoted' | 'closed';

const [QUOTE, COMMA, LF, CR] = [0x22, 0x2c, 0x0a, 0x0d];

export class CsvRecords {
  readonly #bytesMax: number;
  readonly #take: (record: CsvRecord) => void;
  readonly #fail: (line: number, fault: RecordFault) => never;
  #state: State = 'empty';
  #fields: string[] = [];
  #field = '';
  #line = 1;
  #firstLine = 1;
  #quoteLine = 1;
  #isAfterCr = false;
  /** UTF-16 units of the record. */
  #length = 0;

  constructor(
    bytesMax: number,
    take: (record: CsvRecord) => void,
    fail: (line: number, fault: RecordFault) => never,
  ) {
    this.#bytesMax = bytesMax;
    this.#take = take;
    this.#fail = fail;
  }

  push(text: string): void {
    let start = 0; // of the part of the field that is not yet in #field
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      const isLf = unit === LF && this.#isAfterCr; // \r\n is one line break
      this.#isAfterCr = unit === CR;
      if (this.#state === 'quoted') {
        if ((unit === LF && !isLf) || unit === CR) this.#line += 1;
        if (unit !== QUOTE) continue;
        this.#add(text.slice(start, at));
        this.#state = 'closed';
      } else if (unit === QUOTE) {
        if (this.#state === 'plain') this.#fail(this.#line, 'quote_inside');
        start = this.#state === 'closed' ? at : at + 1; // a doubled quote is one quote of the field
        if (this.#state === 'empty') this.#quoteLine = this.#line;
        this.#state = 'quoted';
      } else if (unit === COMMA || unit === LF || unit === CR) {
        if (this.#state === 'plain') this.#add(text.slice(start, at));
        if (unit === COMMA) this.#endField();
        else if (!isLf) this.#endRecord();
      } else if (this.#state === 'closed') this.#fail(this.#quoteLine, 'quote_inside');
      else if (this.#state === 'empty') {
        this.#state = 'plain';
        start = at;
      }
    }
    if (this.#state === 'plain' || this.#state === 'quoted') this.#add(text.slice(start));
  }

  end(): void {
    if (this.#state === 'quoted') this.#fail(this.#quoteLine, 'quote_unclosed');
    if (this.#state !== 'empty' || this.#fields.length > 0) this.#endRecord();
  }

  #add(text: string): void {
    this.#field += text;
    this.#length += text.length;
    // Cheap check first: a UTF-16 unit has at most 3 bytes.
    const tooLong =
      this.#length * 3 > this.#bytesMax &&
      Buffer.byteLength(this.#field) + Buffer.byteLength(this.#fields.join(',')) > this.#bytesMax;
    if (tooLong) this.#fail(this.#state === 'quoted' ? this.#quoteLine : this.#firstLine, 'row_too_long');
  }

  #endField(): void {
    this.#fields.push(this.#field);
    this.#field = '';
    this.#state = 'empty';
  }

  #endRecord(): void {
    const isEmpty = this.#state === 'empty' && this.#fields.length === 0;
    this.#endField();
    if (!isEmpty) this.#take({ line: this.#firstLine, fields: this.#fields });
    this.#fields = [];
    this.#length = 0;
    this.#line += 1;
    this.#firstLine = this.#line;
  }
}
