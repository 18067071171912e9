// All mutants of a file: each is the file with one small change that a test should detect.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'vite';
import { mutate, OPERATORS, type Change, type OperatorName, type SyntaxNode } from './operators.ts';

export interface Mutant extends Change {
  /** relative to the root, or absolute */
  file: string;
  operator: OperatorName;
  line: number;
  /** the function or constant it is in */
  inside: string;
  /** the changed lines joined into one, without indentation, before and after */
  before: string;
  after: string;
}

/** Longer lines are shortened; the rest still identifies a mutant. */
const SHOWN_CHARS_MAX = 160;
const SHOWN_LEAD_CHARS = 40;

export const ROOT = join(import.meta.dirname, '..', '..');

export const readMutants = (file: string): Mutant[] =>
  mutantsOf(file, readFileSync(join(ROOT, file), 'utf8'));

/** `only`: for the tests of one operator. */
export function mutantsOf(file: string, text: string, only?: OperatorName): Mutant[] {
  const seen = new Set([text]);
  const mutants: Mutant[] = [];
  for (const { node, inside } of behaviour(parse(file, text).program)) {
    for (const [operator, changesOf] of OPERATORS) {
      if (only !== undefined && operator !== only) continue;
      for (const change of changesOf(node, (part) => text.slice(part.start, part.end))) {
        const mutated = mutate(text, change);
        if (seen.has(mutated) || parse(file, mutated).errors.length > 0) continue;
        seen.add(mutated);
        mutants.push({ file, operator, ...change, inside, ...shown(text, mutated, change) });
      }
    }
  }
  return mutants.toSorted((a, b) => a.start - b.start || a.end - b.end);
}

const parse = (file: string, text: string) => parseSync(file, text, { lang: 'ts' });

/** The changed lines. Of long lines, only the part around the change. */
function shown(text: string, mutated: string, { start, end, replacement }: Change) {
  const from = text.lastIndexOf('\n', start - 1) + 1;
  const lineEnd = (whole: string, at: number) => (whole.indexOf('\n', at) + 1 || whole.length + 1) - 1;
  const flat = (part: string) => part.trim().replaceAll(/\s+/g, ' ');
  const before = flat(text.slice(from, lineEnd(text, end)));
  const after = flat(mutated.slice(from, lineEnd(mutated, start + replacement.length)));
  const alike = before.split('').findIndex((character, index) => character !== after[index]);
  const skipped = before.length > SHOWN_CHARS_MAX ? Math.max(0, alike - SHOWN_LEAD_CHARS) : 0;
  const cut = (line: string) =>
    (skipped > 0 ? '…' : '') +
    line.slice(skipped, skipped + SHOWN_CHARS_MAX) +
    (line.length > skipped + SHOWN_CHARS_MAX ? '…' : '');
  return { line: text.slice(0, start).split('\n').length, before: cut(before), after: cut(after) };
}

interface Found {
  node: SyntaxNode;
  inside: string;
}

/** Every node with run-time behaviour, outermost first. */
function* behaviour(node: SyntaxNode, inside = ''): Generator<Found> {
  if (isSilent(node)) return;
  const name = nameOf(node) ?? inside;
  yield { node, inside: name };
  for (const [field, value] of Object.entries(node)) {
    if (isSilentField(node, field)) continue;
    for (const child of Array.isArray(value) ? value : [value]) {
      if (typeof child?.type === 'string') yield* behaviour(child as SyntaxNode, name);
    }
  }
}

/** Types, imports, SQL text and error classes, whose mutants no test needs to detect. */
function isSilent(node: SyntaxNode): boolean {
  const { type } = node;
  if (type.startsWith('TS')) return !/^TS(?:As|Satisfies|NonNull)Expression$/.test(type);
  if (type === 'ImportDeclaration') return true;
  if (type === 'ClassDeclaration') return node['superClass']?.name === 'Error';
  return type === 'CallExpression' && node['callee'].name === 'statement';
}

/** Field names, and messages of errors. */
function isSilentField(node: SyntaxNode, field: string): boolean {
  if (field === 'key') return !node['computed'];
  return (
    field === 'arguments' && node.type === 'NewExpression' && String(node['callee'].name).endsWith('Error')
  );
}

function nameOf(node: SyntaxNode): string | null {
  if (node.type === 'FunctionDeclaration' || node.type === 'VariableDeclarator')
    return node['id']?.name ?? null;
  return node.type === 'MethodDefinition' ? node['key'].name : null;
}
