// The mutation operators. Each looks at one node of the syntax tree (ESTree) and returns its replacements.

/** A node of the tree; its fields depend on its type. */
export interface SyntaxNode {
  type: string;
  start: number;
  end: number;
  [field: string]: any;
}

export interface Change {
  start: number;
  end: number;
  replacement: string;
}

export const mutate = (text: string, { start, end, replacement }: Change): string =>
  text.slice(0, start) + replacement + text.slice(end);

/** The text of a node. */
type TextOf = (node: SyntaxNode) => string;

type Operator = (node: SyntaxNode, text: TextOf) => Change[];

const instead = ({ start, end }: SyntaxNode, ...replacements: string[]): Change[] =>
  replacements.map((replacement) => ({ start, end, replacement }));

/** Replaces only the operator sign between two operands. */
function sign(node: SyntaxNode, ...signs: string[]): Change[] {
  const { left, right } = node;
  return signs.map((one) => ({ start: left.end, end: right.start, replacement: ` ${one} ` }));
}

/** Removes one item of a list, with its comma. */
function without(items: readonly (SyntaxNode | null)[]): Change[] {
  const nodes = items.filter((item) => item !== null);
  return nodes.map((node, index) => {
    const next = nodes[index + 1];
    const previous = nodes[index - 1];
    if (next) return { start: node.start, end: next.start, replacement: '' };
    return { start: previous ? previous.end : node.start, end: node.end, replacement: '' };
  });
}

const BOUNDARY: Record<string, string> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' };
const OPPOSITE: Record<string, string> = {
  '<': '>=',
  '<=': '>',
  '>': '<=',
  '>=': '<',
  '===': '!==',
  '!==': '===',
};
const ARITHMETIC: Record<string, string> = { '+': '-', '-': '+', '*': '/', '/': '*', '%': '*', '**': '*' };
const ASSIGNMENT: Record<string, string> = { '+=': '-=', '-=': '+=', '*=': '/=', '/=': '*=', '??=': '=' };
/** Calls whose result has the same type as the receiver, so that the call can be removed. */
const PASSING =
  /^(?:filter|trim|slice|toSorted|toReversed|toLowerCase|toUpperCase|normalize|padStart|replace|replaceAll)$/;
const SWAPPED: Record<string, string> = { some: 'every', every: 'some', min: 'max', max: 'min' };

const isText = (node: SyntaxNode): boolean =>
  node.type === 'TemplateLiteral' || (node.type === 'Literal' && typeof node['value'] === 'string');

const isNothing = (node: SyntaxNode): boolean =>
  (node.type === 'Literal' && node['raw'] === 'null') ||
  (node.type === 'Identifier' && node['name'] === 'undefined');

/** The name of the called method, if it is a plain identifier. */
function methodOf(node: SyntaxNode): string | null {
  if (node.type !== 'CallExpression') return null;
  const { callee } = node;
  return callee.type === 'MemberExpression' && !callee.computed && !callee.optional
    ? callee.property.name
    : null;
}

function block(node: SyntaxNode, body: SyntaxNode | null | undefined): Change[] {
  if (body?.type !== 'BlockStatement') return [];
  const [only, second] = body['body'] as SyntaxNode[];
  if (!only) return [];
  // A block with a single statement is covered by the operators on statements and values.
  if (!second && /^(?:Expression|Return|Throw|Continue)/.test(only.type) && node.type !== 'CatchClause')
    return [];
  return instead(body, '{}');
}

function number({ raw, value, bigint }: SyntaxNode): string[] {
  if (typeof bigint === 'string') return [`${BigInt(bigint) + 1n}n`, `${BigInt(bigint) - 1n}n`];
  if (typeof value !== 'number') return [];
  // A fraction such as 0.1 is not a count: try its double and zero.
  if (!Number.isInteger(value)) return [`(${raw} * 2)`, '0'];
  return [String(value + 1), value === 0 ? '(-1)' : String(value - 1)];
}

const operators = {
  /** Replaces a condition with a constant. Endless loops are skipped: they are only slow to detect. */
  conditional: (node) => {
    if (node.type === 'IfStatement' || node.type === 'ConditionalExpression')
      return instead(node['test'], 'true', 'false');
    if (node.type === 'WhileStatement' || node.type === 'DoWhileStatement')
      return instead(node['test'], 'false');
    return [];
  },

  boundary: (node) => {
    const other = node.type === 'BinaryExpression' ? BOUNDARY[node['operator']] : undefined;
    return other === undefined ? [] : sign(node, other);
  },

  comparison: (node, text) => {
    if (node.type === 'UnaryExpression' && node['operator'] === '!')
      return instead(node, text(node['argument']));
    const other = node.type === 'BinaryExpression' ? OPPOSITE[node['operator']] : undefined;
    return other === undefined ? [] : sign(node, other);
  },

  arithmetic: (node, text) => {
    if (node.type === 'BinaryExpression' && !isText(node['left']) && !isText(node['right'])) {
      const other = ARITHMETIC[node['operator']];
      return other === undefined ? [] : sign(node, other);
    }
    if (node.type === 'AssignmentExpression') {
      const other = ASSIGNMENT[node['operator']];
      return other === undefined ? [] : sign(node, other);
    }
    if (node.type === 'UpdateExpression')
      return instead(node, text(node).replace(node['operator'], node['operator'] === '++' ? '--' : '++'));
    if (node.type === 'UnaryExpression' && node['operator'] === '-')
      return instead(node, text(node['argument']));
    return [];
  },

  logical: (node, text) => {
    if (node.type !== 'LogicalExpression' || node['operator'] === '??') return [];
    return [
      ...sign(node, node['operator'] === '&&' ? '||' : '&&'),
      ...instead(node, text(node['left']), text(node['right'])),
    ];
  },

  nullish: (node, text) =>
    node.type === 'LogicalExpression' && node['operator'] === '??'
      ? instead(node, text(node['left']), text(node['right']))
      : [],

  optional: (node, text) => {
    if (!node['optional'] || (node.type !== 'MemberExpression' && node.type !== 'CallExpression')) return [];
    const before = (node['object'] ?? node['callee']) as SyntaxNode;
    const after = text({ ...node, start: before.end });
    const plain = /^\?\.[[(]/.test(after) ? after.slice(2) : after.slice(1);
    // The whole chain: a test without the value reaches this mutant too.
    return instead(node, `${text(before)}${plain}`);
  },

  boolean: (node) =>
    node.type === 'Literal' && typeof node['value'] === 'boolean'
      ? instead(node, String(!node['value']))
      : [],

  number: (node) => (node.type === 'Literal' ? instead(node, ...number(node)) : []),

  string: (node) => {
    if (node.type !== 'Literal' || typeof node['value'] !== 'string') return [];
    return instead(node, node['value'] === '' ? "'mutated'" : "''");
  },

  /** Removes a part of a template text. */
  template: (node, text) =>
    node.type === 'TemplateLiteral'
      ? (node['expressions'] as SyntaxNode[]).flatMap((part) =>
          text(part) === "''" ? [] : instead(part, "''"),
        )
      : [],

  /** Removes the anchors of a regular expression. */
  pattern: (node) => {
    if (node.type !== 'Literal' || !node['regex']) return [];
    const { pattern, flags } = node['regex'] as { pattern: string; flags: string };
    const opened = [pattern.replace(/^\^/, ''), pattern.replace(/\$$/, '')].filter((one) => one !== pattern);
    return instead(node, ...opened.map((one) => `/${one}/${flags}`));
  },

  statement: (node) => {
    const { type } = node;
    if (type === 'ExpressionStatement' || type === 'ThrowStatement' || type === 'ContinueStatement')
      return instead(node, ';');
    if (type === 'BreakStatement' || (type === 'ReturnStatement' && !node['argument']))
      return instead(node, ';');
    return [];
  },

  block: (node) => {
    if (node.type === 'IfStatement')
      return [...block(node, node['consequent']), ...block(node, node['alternate'])];
    return block(node, node['body']);
  },

  return: (node) => {
    if (node.type === 'ReturnStatement' && node['argument'] && !isNothing(node['argument']))
      return instead(node['argument'], 'undefined');
    if (node.type !== 'ArrowFunctionExpression' || node['body'].type === 'BlockStatement') return [];
    return isNothing(node['body']) ? [] : instead(node['body'], 'undefined');
  },

  element: (node) => {
    if (node.type === 'ArrayExpression') return without(node['elements']);
    if (node.type !== 'CallExpression') return [];
    const all = node['arguments'] as SyntaxNode[];
    return without(all).filter((_, index) => all[index]?.type === 'SpreadElement');
  },

  property: (node) => (node.type === 'ObjectExpression' ? without(node['properties']) : []),

  method: (node, text) => {
    const name = methodOf(node);
    if (name === null) return [];
    const { object, property } = node['callee'];
    const swapped = SWAPPED[name];
    if (swapped !== undefined) return instead(property, swapped);
    return PASSING.test(name) ? instead(node, text(object)) : [];
  },
} satisfies Record<string, Operator>;

export type OperatorName = keyof typeof operators;

export const OPERATORS = Object.entries(operators) as [OperatorName, Operator][];
