import { ExactNumber, parseExact } from '../../format/exact-json.js';
import { exactCount, unknown } from '../../format/number.js';

/** A row of a data source; integers beyond 2^53 are `ExactNumber`s. */
export type Row = Readonly<Record<string, unknown>>;

export interface Field {
  readonly name: string;
  readonly type: string;
}

/** A data source that can be asked, as `getApplication` tells it. */
export interface Source {
  readonly name: string;
  readonly queryTopic: string;
  readonly resultTopic: string;
  /** The id of the query is a part of the topic that its results come on. */
  readonly appendsId: boolean;
  readonly schemaKeys: Readonly<Record<string, unknown>> | undefined;
}

interface ToldSource {
  readonly name: string;
  readonly schemaKeys?: Readonly<Record<string, unknown>> | null | undefined;
  readonly query?: { readonly topic: string } | undefined;
  readonly result?: { readonly topic: string; readonly appendQIDToTopic: boolean } | undefined;
}

/** Those of the sources that take queries and give results. */
export const sourcesOf = (told: readonly ToldSource[]): readonly Source[] =>
  told.flatMap(({ name, schemaKeys, query, result }) =>
    query && result
      ? [
          {
            name,
            queryTopic: query.topic,
            resultTopic: result.topic,
            appendsId: result.appendQIDToTopic,
            schemaKeys: schemaKeys ?? undefined,
          },
        ]
      : [],
  );

export const topicOf = ({ resultTopic, appendsId }: Source, id: string): string =>
  appendsId ? `${resultTopic}.${id}` : resultTopic;

export const schemaQuery = ({ schemaKeys }: Source, id: string) => ({
  id,
  type: 'schemaQuery',
  ...(schemaKeys ? { context: { keys: schemaKeys } } : {}),
});

/** `countdown`: for how many windows results are wanted. */
export const dataQuery = ({ schemaKeys }: Source, id: string, countdown: number) => ({
  id,
  type: 'dataQuery',
  countdown,
  data: schemaKeys ? { schemaKeys } : {},
});

export type Answer =
  | { readonly kind: 'rows'; readonly rows: readonly Row[] }
  | { readonly kind: 'schema'; readonly fields: readonly Field[] };

/** What a message says to the query of this id; `undefined`: nothing, or it is an answer to somebody else. */
export function readAnswer(text: string, id: string): Answer | undefined {
  const message = parsed(text);
  if (!isRow(message) || String(message['id']) !== id || !Array.isArray(message['data'])) return undefined;
  const data = message['data'].filter(isRow);
  if (message['type'] === 'dataResult') return { kind: 'rows', rows: data };
  if (message['type'] !== 'schemaResult') return undefined;
  const values = data.flatMap((schema) =>
    Array.isArray(schema['values']) ? schema['values'].filter(isRow) : [],
  );
  return {
    kind: 'schema',
    fields: values.map(({ name, type }) => ({ name: String(name), type: String(type) })),
  };
}

function parsed(text: string): unknown {
  try {
    return parseExact(text);
  } catch {
    // Whoever may publish on the topic may publish anything.
    return undefined;
  }
}

const isRow = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);

/** The columns: those of the schema; without one, all that occur. */
export const fieldNames = (fields: readonly Field[] | undefined, rows: readonly Row[]): readonly string[] =>
  fields && fields.length > 0
    ? fields.map(({ name }) => name)
    : [...new Set(rows.slice(0, 100).flatMap((row) => Object.keys(row)))];

/** All digits of a number; anything else as it is. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return unknown;
  if (value instanceof ExactNumber) return exactCount(value.source);
  if (typeof value === 'number') return exactCount(value);
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** For pictures, where the last digits do not show. */
export const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' ? value : value instanceof ExactNumber ? Number(value.source) : undefined;

export const isNumeric = (value: unknown): boolean => numberOf(value) !== undefined;
