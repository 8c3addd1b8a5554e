import * as z from 'zod';
import type { OperatorClass, Port } from './operator.js';

// The page docs/operators.md, from the classes alone.

const Property = z.looseObject({
  type: z.string().optional(),
  items: z.looseObject({ type: z.string().optional() }).optional(),
  enum: z.array(z.unknown()).optional(),
  default: z.unknown().optional(),
  description: z.string().optional(),
});
const PropertiesSchema = z.looseObject({
  properties: z.record(z.string(), Property).default({}),
  required: z.array(z.string()).default([]),
});

/** Text that can stand in a cell of a Markdown table. */
const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`).join('\n');

function portTable(direction: string, ports: Readonly<Record<string, Port>>): string[] {
  const rows = Object.entries(ports).map(([name, { type = 'any', description = '', optional, unifier }]) => [
    `\`${name}\``,
    `${direction}${optional && direction === 'input' ? ', optional' : ''}`,
    type,
    [description, unifier && `Unifier: \`${unifier}\`.`].filter(Boolean).join('. '),
  ]);
  return rows.map((row) => `| ${row.map(cell).join(' | ')} |`);
}

function portsOf({ inputs, outputs }: OperatorClass): string {
  const rows = [...portTable('input', inputs), ...portTable('output', outputs)];
  return [table(['Port', 'Direction', 'Tuples', 'Meaning'], []), ...rows].join('\n');
}

function typeOf({ type, items, enum: values }: z.output<typeof Property>): string {
  if (items?.type) return `${items.type}[]`;
  return values ? values.map((value) => `\`${String(value)}\``).join(', ') : (type ?? 'any');
}

function defaultOf(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 60 ? `\`${text.slice(0, 57)}\`…` : `\`${text}\``;
}

function propertiesOf(operator: OperatorClass): string {
  const json = z.toJSONSchema(operator.properties, { io: 'input', unrepresentable: 'any' });
  const { properties, required } = PropertiesSchema.parse(json);
  const rows = Object.entries(properties).map(([name, property]) => [
    `\`${name}\``,
    typeOf(property),
    'default' in property ? defaultOf(property.default) : required.includes(name) ? 'required' : '',
    property.description ?? '',
  ]);
  return rows.length === 0 ? 'No properties.' : table(['Property', 'Type', 'Default', 'Meaning'], rows);
}

const section = (operator: OperatorClass): string =>
  [
    `### ${operator.title}`,
    `\`${operator.className}\`. ${operator.description}`,
    portsOf(operator),
    propertiesOf(operator),
  ].join('\n\n');

const chapters: readonly (readonly [prefix: string, title: string])[] = [
  ['headgate.io.', 'Inputs and outputs'],
  ['headgate.parse.', 'Parsing'],
  ['headgate.transform.', 'Transforming'],
  ['headgate.aggregate.', 'Aggregating'],
];

/** Markdown: every operator with its ports and properties. Operators of other names come in a chapter of their own. */
export function operatorReference(classes: readonly OperatorClass[]): string {
  const chapterOf = ({ className }: OperatorClass) =>
    chapters.find(([prefix]) => className.startsWith(prefix))?.[1] ?? 'Others';
  const titles = [...chapters.map(([, title]) => title), 'Others'];
  return titles
    .map((title) => ({ title, found: classes.filter((operator) => chapterOf(operator) === title) }))
    .filter(({ found }) => found.length > 0)
    .map(({ title, found }) => [`## ${title}`, ...found.map(section)].join('\n\n'))
    .join('\n\n');
}
