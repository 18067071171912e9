// Shared by the CSV imports of stock and allocations: problems are reported by line, and all rows are written or none.
import { Type, type TObject, type TProperties } from '../json-schema.ts';
import type { Problem } from '../../backoffice/import/problems.ts';
import { factsInZone, type FormatTimestamp } from '../../domain/timestamps.ts';
import { csvProblemFacts, csvText } from '../../words/csv-problems.ts';
import { nullable } from '../schema.ts';
import { Refusal } from './refusal.ts';
import { facts } from './schemas.ts';

/** `codes`: the common problem codes, for the OpenAPI document. */
export const importReport = <Rows extends TProperties>(codes: string, rows: Rows) =>
  Type.Object({
    count: Type.Integer({
      description: 'Rows of the file, whether they changed something or not; 0 with any problem.',
    }),
    problems: Type.Array(
      Type.Object({
        line: Type.Integer(),
        column: nullable<string>({ type: 'string', description: 'null: the row as a whole.' }),
        code: Type.String({ description: codes }),
        details: facts('Which ones depends on the code.'),
        text: Type.String(),
      }),
      { description: 'The first 200. With any, nothing is written.' },
    ),
    problem_count: Type.Integer(),
    ...rows,
  });

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

/** Returns the report as the response. Unless it was a dry run, a file with problems is refused with the report. */
export function answerImport<Report extends { problem_count: number }>(
  data: Report,
  isDry: boolean,
): { data: Report } {
  const error_count = data.problem_count;
  if (isDry || error_count === 0) return { data };
  throw new Refusal(422, {
    error: `Nothing was imported: the file has ${error_count === 1 ? '1 problem' : `${error_count} problems`}.`,
    code: 'invalid_file',
    details: { error_count },
    data,
  });
}
