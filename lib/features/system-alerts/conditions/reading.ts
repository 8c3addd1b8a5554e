import type { AnyNode, MemberExpression } from 'acorn';
import type { TopicPattern } from './condition.js';
import { ScriptFault } from './script-fault.js';

export interface FieldPath {
  readonly topic: string;
  readonly path: readonly string[];
}

/** What becomes of a node: it is used as it is, called, or a longer chain of members goes on from it. */
type Role = 'value' | 'callee' | 'object';

const root = '_topic';

/** One walk over a script's tree: refuses what no condition may do, and finds the topics that it reads. */
export class Reading {
  readonly topics = new Map<string, TopicPattern>();
  readonly fields = new Map<string, FieldPath>();
  /** Names of members of topics: `const metrics = _topic['cluster.metrics']`. */
  private readonly aliases = new Map<string, FieldPath>();

  visit(node: AnyNode, role: Role): void {
    refuse(node);
    switch (node.type) {
      case 'Identifier':
        // In whatever way it is used, it may be any topic that is read.
        if (node.name === root) this.addTopic(['', '']);
        this.addField(node, role);
        return;
      case 'ChainExpression':
        this.visit(node.expression, role);
        return;
      case 'MemberExpression':
        this.member(node, role);
        return;
      case 'CallExpression':
        this.visit(node.callee, 'callee');
        for (const argument of node.arguments) this.visit(argument, 'value');
        return;
      case 'VariableDeclarator': {
        const field = node.id.type === 'Identifier' && node.init ? this.fieldAt(node.init) : undefined;
        if (field && node.id.type === 'Identifier') this.aliases.set(node.id.name, field);
        // What the name stands for is a field when the name is used.
        if (node.init) this.visit(node.init, field ? 'object' : 'value');
        if (node.id.type !== 'Identifier') this.visit(node.id, 'object');
        return;
      }
      default:
        for (const child of childrenOf(node)) this.visit(child, 'value');
    }
  }

  private member(node: MemberExpression, role: Role): void {
    this.addField(node, role);
    if (isRoot(node.object)) this.addTopic(node.computed ? patternOf(node.property) : [keyOf(node) ?? '']);
    else this.visit(node.object, role !== 'callee' && this.fieldAt(node) ? 'object' : 'value');
    if (node.computed) this.visit(node.property, 'value');
  }

  private addTopic(pattern: TopicPattern): void {
    this.topics.set(JSON.stringify(pattern), pattern);
  }

  private addField(node: AnyNode, role: Role): void {
    const field = role === 'value' ? this.fieldAt(node) : undefined;
    if (field) this.fields.set(JSON.stringify([field.topic, ...field.path]), field);
  }

  /** `undefined` for anything but members of a topic that are named outright. */
  private fieldAt(node: AnyNode): FieldPath | undefined {
    if (node.type === 'ChainExpression') return this.fieldAt(node.expression);
    if (node.type === 'Identifier') return this.aliases.get(node.name);
    if (node.type !== 'MemberExpression') return undefined;
    const key = keyOf(node);
    if (key === undefined) return undefined;
    if (isRoot(node.object)) return { topic: key, path: [] };
    const outer = this.fieldAt(node.object);
    return outer && { topic: outer.topic, path: [...outer.path, key] };
  }
}

const isRoot = (node: AnyNode): boolean => node.type === 'Identifier' && node.name === root;

/** The name of a member, when the text says it. */
function keyOf({ computed, property }: MemberExpression): string | undefined {
  if (!computed) return property.type === 'Identifier' ? property.name : undefined;
  const [key, ...more] = patternOf(property);
  return more.length === 0 ? key : undefined;
}

/** The known parts of a text that is put together. */
function patternOf(node: AnyNode): TopicPattern {
  if (node.type === 'Literal' && (typeof node.value === 'string' || typeof node.value === 'number'))
    return [String(node.value)];
  if (node.type === 'BinaryExpression' && isText(node))
    return joined(patternOf(node.left), patternOf(node.right));
  if (node.type !== 'TemplateLiteral') return ['', ''];
  const texts = node.quasis.map(({ value }) => value.cooked ?? '');
  return texts.reduce<TopicPattern>((before, text, index) => {
    const hole = node.expressions[index - 1];
    return hole ? joined(joined(before, patternOf(hole)), [text]) : [text];
  }, []);
}

/** Whether it is a text for sure: `1 + id` may be a sum. */
function isText(node: AnyNode): boolean {
  if (node.type === 'Literal') return typeof node.value === 'string';
  if (node.type === 'BinaryExpression')
    return node.operator === '+' && (isText(node.left) || isText(node.right));
  return node.type === 'TemplateLiteral';
}

/** The last part of one and the first of the other are one. */
const joined = (a: TopicPattern, b: TopicPattern): TopicPattern => [
  ...a.slice(0, -1),
  (a.at(-1) ?? '') + (b[0] ?? ''),
  ...b.slice(1),
];

/** Conditions don't wait and don't load: nothing of them runs when they have answered. */
function refuse(node: AnyNode): void {
  if (
    node.type === 'ImportDeclaration' ||
    node.type === 'ImportExpression' ||
    node.type === 'ExportNamedDeclaration' ||
    node.type === 'ExportDefaultDeclaration' ||
    node.type === 'ExportAllDeclaration' ||
    node.type === 'MetaProperty'
  ) {
    throw new ScriptFault('A condition imports and exports nothing', node.loc?.start);
  }
  const isAsync =
    (node.type === 'FunctionDeclaration' ||
      node.type === 'FunctionExpression' ||
      node.type === 'ArrowFunctionExpression') &&
    node.async;
  if (isAsync || node.type === 'AwaitExpression' || (node.type === 'ForOfStatement' && node.await))
    throw new ScriptFault('A condition can not wait: async and await are not part of it', node.loc?.start);
}

function* childrenOf(node: AnyNode): Generator<AnyNode> {
  for (const [key, value] of Object.entries(node)) {
    if (key === 'key' && 'computed' in node && !node.computed) continue;
    if (isNode(value)) yield value;
    else if (Array.isArray(value)) yield* value.filter(isNode);
  }
}

const isNode = (value: unknown): value is AnyNode =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
