import sax from 'sax';
import { BadRequest } from '../../core/errors.js';
import { pace } from './archive/pace.js';

/** One property of a Hadoop-style configuration. */
export interface ConfigProperty {
  readonly name: string;
  /** Absent: whoever launches must give one. An empty one is a value. */
  readonly value?: string;
  readonly description?: string;
}

export interface XmlLimits {
  /** Default 256 KiB. */
  readonly maxBytes: number;
  /** Default 16. */
  readonly maxDepth: number;
  /** Default 5,000. */
  readonly maxElements: number;
}

export const defaultXmlLimits: XmlLimits = { maxBytes: 256 * 1024, maxDepth: 16, maxElements: 5_000 };

/** Characters that are parsed at once. */
const pieceLength = 8 * 1024;

/**
 * The properties in their order; of one that is there twice the last counts. Read in slices, between which the event
 * loop is free. `file` names it in messages. Rejects with `BadRequest` and the line: not well-formed, another root than
 * `configuration`, a document type, entities other than the five of XML, not UTF-8, over the limits.
 */
export async function parseConfiguration(
  bytes: Buffer,
  file: string,
  limits: Partial<XmlLimits> = {},
): Promise<ConfigProperty[]> {
  const { maxBytes, maxDepth, maxElements } = { ...defaultXmlLimits, ...limits };
  if (bytes.length > maxBytes) throw new BadRequest(`${file} is larger than ${maxBytes} bytes`);
  const parser = sax.parser(true, onlyFiveEntities);
  const refuse = (what: string) => {
    throw new BadRequest(`${file}, line ${parser.line + 1}: ${what}`);
  };

  const properties = new Map<string, ConfigProperty>();
  const path: string[] = [];
  let elements = 0;
  let roots = 0;
  let fields: Map<string, string> = new Map();

  const addText = (text: string) => {
    const field = path[2];
    if (path[1] === 'property' && field !== undefined) fields.set(field, (fields.get(field) ?? '') + text);
  };
  parser.onerror = (error) => refuse(error.message.split('\n')[0] ?? 'it is not well-formed');
  parser.ondoctype = () => refuse('a document type (DOCTYPE) is not allowed here');
  parser.onprocessinginstruction = ({ name, body }) => {
    const [, encoding] = /\bencoding\s*=\s*["']([^"']*)/.exec(body) ?? [];
    if (name.toLowerCase() === 'xml' && encoding && !/^(utf-?8|us-ascii)$/i.test(encoding)) {
      refuse(`its encoding is ${encoding}; send it in UTF-8`);
    }
  };
  parser.onopentag = ({ name }) => {
    if (++elements > maxElements) refuse(`it has more than ${maxElements} elements`);
    if (path.length === maxDepth) refuse(`its elements are nested deeper than ${maxDepth}`);
    if (path.length === 0 && ++roots > 1) refuse('there is a second root element');
    if (path.length === 0 && name !== 'configuration') refuse(`the root is <${name}>, not <configuration>`);
    path.push(name);
    if (path.length === 2) fields = new Map();
    addText('');
  };
  parser.onclosetag = () => {
    if (path.length === 2 && path[1] === 'property') addProperty(properties, fields);
    path.pop();
  };
  parser.ontext = addText;
  parser.oncdata = addText;

  const text = decoded(bytes, file);
  const slices = pace();
  for (let at = 0; at < text.length; at += pieceLength) {
    parser.write(text.slice(at, at + pieceLength));
    if (slices.due()) await slices.rest();
  }
  parser.close();
  if (roots === 0) refuse('there is no root element');
  return [...properties.values()];
}

function addProperty(properties: Map<string, ConfigProperty>, fields: ReadonlyMap<string, string>): void {
  const trimmed = (field: string) => fields.get(field)?.trim();
  const name = trimmed('name');
  if (!name) return;
  const value = trimmed('value');
  // Descriptions of attributes are the engine's own, so they are not kept (engine: DTConfiguration).
  const description = name.includes('.attr.') ? undefined : trimmed('description');
  properties.delete(name);
  properties.set(name, {
    name,
    ...(value === undefined ? {} : { value }),
    ...(description ? { description } : {}),
  });
}

function decoded(bytes: Buffer, file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new BadRequest(`${file} is not UTF-8`);
  }
}

/** Those of XML; else sax knows the ones of HTML too. Its types lack the option. */
const onlyFiveEntities: sax.SAXOptions & { strictEntities: boolean } = { strictEntities: true };

/** What must be given at launch, and what is set without. By name. */
export interface PropertySets {
  readonly required: ReadonlyMap<string, ConfigProperty>;
  readonly defaults: ReadonlyMap<string, ConfigProperty>;
}

/** The layers of `META-INF/properties.xml` and then of `properties-{application}.xml`: later ones win. */
export function propertySets(...layers: readonly (readonly ConfigProperty[])[]): PropertySets {
  const required = new Map<string, ConfigProperty>();
  const defaults = new Map<string, ConfigProperty>();
  for (const property of layers.flat()) {
    if (property.value === undefined) required.set(property.name, property);
    else {
      required.delete(property.name);
      defaults.set(property.name, property);
    }
  }
  return { required, defaults };
}
