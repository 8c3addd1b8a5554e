import type { SAXOptions } from 'sax';
import { BadRequest } from '../model/errors.js';
import { timeSlice } from '../runtime/event-loop.js';
import { forbiddenInXml, isXmlText } from './xml-text.js';

/** One property of a Hadoop-style configuration. */
interface HadoopProperty {
  readonly name: string;
  /** Absent: there is no `<value>`. An empty one is a value. */
  readonly value?: string;
  readonly description?: string;
  /** `<final>true</final>`: what is read later can't override it. */
  readonly isFinal: boolean;
}

/** From the first character up to but without `end`. */
export interface Place {
  readonly start: number;
  readonly end: number;
}

/** A property and where it stands in the text. */
export interface PlacedProperty extends HadoopProperty {
  readonly place: Place;
  /** Elements of the property by name, in their order. */
  readonly fields: ReadonlyMap<string, readonly Place[]>;
}

export interface HadoopConfiguration {
  /** All that have a name, in their order; of one that is there twice the last counts. */
  readonly properties: readonly PlacedProperty[];
  /** Of the root element. */
  readonly root: Place;
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
 * Reads in slices, between which the event loop is free. `file` names it in messages. Rejects with `BadRequest` and the
 * line: not well-formed, another root than `configuration`, a document type, entities other than the five of XML,
 * another encoding than UTF-8, over the limits.
 */
export async function readHadoopXml(
  text: string,
  file: string,
  limits: Partial<XmlLimits> = {},
): Promise<HadoopConfiguration> {
  const { maxDepth, maxElements } = { ...defaultXmlLimits, ...limits };
  const { default: sax } = await import('sax');
  const parser = sax.parser(true, onlyFiveEntities);
  const refuse = (what: string) => {
    throw new BadRequest('XML_NOT_VALID', `${file}, line ${parser.line + 1}: ${what}`);
  };

  const properties: PlacedProperty[] = [];
  const path: { readonly name: string; readonly start: number }[] = [];
  let elements = 0;
  let root: Place | undefined;
  let texts = new Map<string, string>();
  let fields = new Map<string, Place[]>();

  const addText = (text: string) => {
    // What stands there as it is was looked at before, so this came from a reference.
    if (!isXmlText(text)) refuse('a reference to a character that no XML file can hold');
    const field = path[2]?.name;
    if (path[1]?.name === 'property' && field !== undefined)
      texts.set(field, (texts.get(field) ?? '') + text);
  };
  parser.onerror = (error) => refuse(error.message.split('\n')[0] ?? 'it is not well-formed');
  parser.ondoctype = () => refuse('a document type (DOCTYPE) is not allowed here');
  parser.onprocessinginstruction = ({ name, body }) => {
    const [, encoding] = /\bencoding\s*=\s*["']([^"']*)/.exec(body) ?? [];
    if (name.toLowerCase() === 'xml' && encoding && !/^(utf-?8|us-ascii)$/i.test(encoding)) {
      refuse(`its encoding is ${encoding}; it must be UTF-8`);
    }
  };
  parser.onopentag = ({ name }) => {
    if (++elements > maxElements) refuse(`it has more than ${maxElements} elements`);
    if (path.length === maxDepth) refuse(`its elements are nested deeper than ${maxDepth}`);
    if (path.length === 0 && root) refuse('there is a second root element');
    if (path.length === 0 && name !== 'configuration') refuse(`the root is <${name}>, not <configuration>`);
    path.push({ name, start: parser.startTagPosition - 1 });
    if (path.length === 2) {
      texts = new Map();
      fields = new Map();
    }
    addText('');
  };
  parser.onclosetag = () => {
    const element = path.pop();
    if (!element) return;
    const place = { start: element.start, end: parser.position };
    if (path.length === 0) root = place;
    if (path.length === 1 && element.name === 'property') addProperty(properties, { place, texts, fields });
    if (path.length === 2) {
      const same = fields.get(element.name);
      if (same) same.push(place);
      else fields.set(element.name, [place]);
    }
  };
  parser.ontext = addText;
  parser.oncdata = addText;

  const slice = timeSlice();
  const forbidden = forbiddenInXml(text);
  if (forbidden >= 0) {
    const line = text.slice(0, forbidden).split('\n').length;
    throw new BadRequest(
      'XML_NOT_VALID',
      `${file}, line ${line}: it holds a character that no XML file can hold`,
    );
  }
  for (let at = 0; at < text.length; at += pieceLength) {
    parser.write(text.slice(at, at + pieceLength));
    if (slice.isOver()) await slice.next();
  }
  parser.close();
  if (!root)
    throw new BadRequest('XML_NOT_VALID', `${file}, line ${parser.line + 1}: there is no root element`);
  return { properties, root };
}

/** Rejects with `BadRequest` what is too large or not UTF-8. */
export function decodeXml(bytes: Buffer, file: string, maxBytes: number = defaultXmlLimits.maxBytes): string {
  if (bytes.length > maxBytes)
    throw new BadRequest('XML_NOT_VALID', `${file} is larger than ${maxBytes} bytes`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new BadRequest('XML_NOT_VALID', `${file} is not UTF-8`);
  }
}

interface FoundProperty {
  readonly place: Place;
  readonly texts: ReadonlyMap<string, string>;
  readonly fields: ReadonlyMap<string, readonly Place[]>;
}

function addProperty(properties: PlacedProperty[], { place, texts, fields }: FoundProperty): void {
  const trimmed = (field: string) => texts.get(field)?.trim();
  const name = trimmed('name');
  if (!name) return;
  const value = trimmed('value');
  const description = trimmed('description');
  properties.push({
    name,
    ...(value === undefined ? {} : { value }),
    ...(description ? { description } : {}),
    isFinal: trimmed('final')?.toLowerCase() === 'true',
    place,
    fields,
  });
}

/** Those of XML; else sax knows the ones of HTML too. Its types lack the option. */
const onlyFiveEntities: SAXOptions & { strictEntities: boolean } = { strictEntities: true };
