import { grouped } from '../runtime/grouped.js';
import type { HadoopConfiguration, Place, PlacedProperty } from './hadoop-xml.js';

/** One change of a Hadoop-style configuration. */
export interface PropertyEdit {
  readonly name: string;
  /** Absent: it goes. */
  readonly set?: { readonly value: string; readonly description?: string };
}

const head = '<?xml version="1.0" encoding="UTF-8"?>\n';
const noProperties = '<configuration>\n</configuration>';
export const emptyConfiguration: string = `${head}${noProperties}\n`;
/** What `readHadoopXml` finds in it: most files are not there, and a start need not parse that. */
export const emptyRead: HadoopConfiguration = {
  properties: [],
  root: { start: head.length, end: head.length + noProperties.length },
};

/**
 * The text with these changes and nothing else: comments, layout, other elements and entries stay as somebody wrote
 * them. `read` is what `readHadoopXml` found in it. A property that is there twice is changed where it counts, the last
 * time, and goes everywhere.
 */
export function editHadoopXml(
  text: string,
  read: HadoopConfiguration,
  edits: readonly PropertyEdit[],
): string {
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const splices: Splice[] = [];
  const added: string[] = [];
  const byName = grouped(read.properties, ({ name }) => name);
  for (const { name, set } of edits) {
    const found = byName.get(name) ?? [];
    const last = found.at(-1);
    if (!set) splices.push(...found.map(({ place }) => ({ ...withLine(text, place), text: '' })));
    else if (last) splices.push(...changes(text, last, set, newline));
    else added.push(propertyText(name, set, newline));
  }
  if (added.length > 0) splices.push(addition(text, read.root, added.join(''), newline));
  return spliced(text, splices);
}

interface Splice extends Place {
  readonly text: string;
}

type Values = NonNullable<PropertyEdit['set']>;

function changes(text: string, property: PlacedProperty, set: Values, newline: string): Splice[] {
  const splices: Splice[] = [];
  const [name] = property.fields.get('name') ?? [];
  const after = name?.end ?? property.place.end - '</property>'.length;
  const indent = name ? indentBefore(text, name.start) : '    ';
  const put = (field: 'value' | 'description', content: string) => {
    const [first, ...others] = property.fields.get(field) ?? [];
    const element = elementText(field, content);
    splices.push(
      first
        ? { ...first, text: element }
        : { start: after, end: after, text: `${newline}${indent}${element}` },
      ...others.map((place) => ({ ...withLine(text, place), text: '' })),
    );
  };
  put('value', set.value);
  if (set.description !== undefined) put('description', set.description);
  return splices;
}

/** Before the end of the root, on lines of their own. */
function addition(text: string, root: Place, properties: string, newline: string): Splice {
  const whole = text.slice(root.start, root.end);
  const end = /<\/configuration\s*>$/.exec(whole);
  if (end) {
    const at = root.start + end.index;
    const line = at - indentBefore(text, at).length;
    const isOnItsLine = line === 0 || text[line - 1] === '\n';
    const start = isOnItsLine ? line : at;
    return { start, end: start, text: isOnItsLine ? properties : `${newline}${properties}` };
  }
  const opened = whole.replace(/\s*\/>$/, '>');
  return { ...root, text: `${opened}${newline}${properties}</configuration>` };
}

function propertyText(name: string, { value, description }: Values, newline: string): string {
  const lines = [
    '  <property>',
    `    ${elementText('name', name)}`,
    `    ${elementText('value', value)}`,
    ...(description === undefined ? [] : [`    ${elementText('description', description)}`]),
    '  </property>',
  ];
  return lines.map((line) => line + newline).join('');
}

const elementText = (name: string, content: string): string => `<${name}>${escaped(content)}</${name}>`;

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#13;' };
const escaped = (text: string): string => text.replace(/[&<>\r]/g, (char) => entities[char] ?? char);

/** The blanks before a place on its line; empty when something else is there. */
function indentBefore(text: string, at: number): string {
  const line = text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
  return /^[ \t]*$/.test(line) ? line : '';
}

/** With its whole line when nothing else is on it. */
function withLine(text: string, { start, end }: Place): Place {
  const from = start - indentBefore(text, start).length;
  const begins = from === 0 || text[from - 1] === '\n';
  const [rest = ''] = /^[ \t]*\r?(?:\n|$)/.exec(text.slice(end)) ?? [];
  return begins && rest !== '' ? { start: from, end: end + rest.length } : { start, end };
}

function spliced(text: string, splices: readonly Splice[]): string {
  let result = '';
  let at = 0;
  // Stable: what is put at one place keeps its order.
  for (const splice of [...splices].sort((a, b) => a.start - b.start || a.end - b.end)) {
    result += text.slice(at, splice.start) + splice.text;
    at = splice.end;
  }
  return result + text.slice(at);
}
