// Shared by the CSV imports: problems are reported by line, and all rows are written or none.
import { Type, type TObject, type TProperties } from '../schema/json-schema.ts';
import type { Problem } from './problems.ts';
import { factsInZone, type FormatTimestamp } from '../values/timestamps.ts';
import { csvProblemFacts, csvText } from './words.ts';
import { nullable, OptionalBoolean } from '../schema/building-blocks.ts';
import { Refusal } from '../admin-api/refusal.ts';
import { facts } from '../admin-api/schemas.ts';

/** Of every import. */
export const AsWritten = OptionalBoolean({
  description: 'Take values that look like mistakes as they are, such as the SKU `1E+05`.',
});

/** `codes`: the common codes, for the OpenAPI document. */
export const rowsWith = (codes: string, description: string) =>
  Type.Array(
    Type.Object({
      line: Type.Integer(),
      column: nullable<string>({ type: 'string', description: 'null: the row as a whole.' }),
      code: Type.String({ description: codes }),
      details: facts('Which ones depends on the code.'),
      text: Type.String(),
    }),
    { description },
  );

export const importReport = <Rows extends TProperties>(
  codes: string,
  rows: Rows,
  options: { title?: string } = {},
) =>
  Type.Object(
    {
      count: Type.Integer({
        description:
          'Rows of the file, whether they changed something or not; 0 with any problem, and for a header alone.',
      }),
      problems: rowsWith(codes, 'The first 200. With any, nothing is written.'),
      problem_count: Type.Integer(),
      ...rows,
    },
    options,
  );

export const importRefusal = ($id: string, data: TObject) =>
  Type.Object(
    {
      error: Type.String(),
      code: Type.Literal('invalid_file'),
      details: Type.Object({ error_count: Type.Integer() }),
      data,
    },
    { $id, description: 'The file has problems, and nothing was written.' },
  );

export const presentProblems = (problems: readonly Problem[], format: FormatTimestamp) =>
  problems
    .map(({ line, fact }) => ({ line, fact: factsInZone(fact, format) }))
    .map((problem) => ({ ...csvProblemFacts(problem), text: csvText(problem.fact) }));

/** The text of the file, if the database can store it. */
export function csvOf({ csv }: { csv: string }): string {
  if (!csv.isWellFormed()) throw Refusal.invalid('csv', { kind: 'not_storable' });
  return csv;
}

/** Refuses a file, and answers with its report. */
export const fileRefusal = (data: object, error_count: number, what: 'error' | 'problem'): Refusal =>
  new Refusal(422, {
    error: `Nothing was imported: the file has ${error_count === 1 ? `1 ${what}` : `${error_count} ${what}s`}.`,
    code: 'invalid_file',
    details: { error_count },
    data,
  });

/** Returns the report as the response. Unless it was a dry run, a file with problems is refused with the report. */
export function answerImport<Report extends { problem_count: number }>(
  data: Report,
  isDry: boolean,
): { data: Report } {
  if (isDry || data.problem_count === 0) return { data };
  throw fileRefusal(data, data.problem_count, 'problem');
}
