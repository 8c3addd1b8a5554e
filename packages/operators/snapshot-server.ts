import * as z from 'zod';
import { type AppDataQuery, parseQuery } from './app-data-query.js';
import { compileExpression, type Evaluate } from './expression.js';
import { textOf } from './expression-functions.js';
import { OpenQueries, OpenQueriesState, type OpenQuery } from './open-queries.js';
import { type DataSourceProperties, Operator, type Port, type Tuple } from './operator.js';
import { Expression, FieldName } from './properties.js';
import { type Fields, fieldOf, isRecord, jsonText, messageOf, shorten } from './record.js';
import { SnapshotRows, SnapshotRowsState } from './snapshot-rows.js';
import { topicOf } from './topic-names.js';

/** A message of the hub may have 1 MiB; the rest is for the head of a result. */
const maxSnapshotLength = 1024 * 1024 - 4_096;
/** Of all results of a window, characters of JSON text: the hub passes each of them on. */
const maxWindowLength = 8 * 1024 * 1024;

const SnapshotServerProperties = z
  .object({
    fields: z
      .array(
        z.object({
          name: FieldName,
          type: z.enum(['string', 'integer', 'long', 'float', 'double', 'boolean', 'object']),
        }),
      )
      .min(1)
      .max(100)
      .refine((fields) => new Set(fields.map(({ name }) => name)).size === fields.length, 'each name once')
      .describe(
        'The columns, [{"name": "path", "type": "string"}, ...]: the schema, and what is kept of a row',
      ),
    rows: Expression.optional().describe(
      'Expression that gives the row, or the list of rows, of a tuple, such as top; without it the tuple itself',
    ),
    collect: z
      .enum(['window', 'tuple', 'key'])
      .default('window')
      .describe(
        'window: the rows of a window replace all earlier ones; tuple: those of a tuple do; key: each row replaces the one of the same key',
      ),
    key: Expression.optional().describe('Expression that gives the key of a row, for collect key'),
    maxRows: z
      .int()
      .min(1)
      .max(10_000)
      .default(1_000)
      .describe(
        'Most rows; the others are counted as cut. With collect key the rows go that were not renewed for longest',
      ),
    queryTopic: z
      .string()
      .min(1)
      .max(200)
      .default('appData.{appId}.{operator}.query')
      .describe('Topic that queries come on; {appId} and {operator} stand for what they say'),
    resultTopic: z
      .string()
      .min(1)
      .max(150)
      .default('appData.{appId}.{operator}.result')
      .describe('Topic of the results; a point and the id of the query are appended'),
    schemaKeys: z
      .record(FieldName, z.string().max(200))
      .optional()
      .describe(
        'Tells this source from others on the same topics: queries that name other keys are not answered',
      ),
    maxQueries: z
      .int()
      .min(1)
      .max(200)
      .default(100)
      .describe('Most queries at a time; further ones are counted as refused'),
    maxCountdown: z
      .int()
      .min(1)
      .max(100_000)
      .default(600)
      .describe('Longest countdown, windows; a longer one is shortened'),
  })
  .refine(({ collect, key }) => collect !== 'key' || key !== undefined, {
    path: ['key'],
    message: 'is needed with collect "key"',
  });

const Counters = z.object({
  queries: z.number(),
  results: z.number(),
  ignored: z.number(),
  refused: z.number(),
  skipped: z.number(),
  cut: z.number(),
});
const State = z.object({ rows: SnapshotRowsState, queries: OpenQueriesState, counters: Counters });

export class SnapshotServer extends Operator<typeof SnapshotServerProperties> {
  static override readonly className = 'headgate.io.SnapshotServer';
  static override readonly title = 'App Data snapshot';
  static override readonly description =
    'Keeps the newest rows and answers queries for them over the hub, as App Data. It has one partition.';
  static override readonly tags = ['output', 'hub', 'app data', 'query', 'snapshot'];
  static override readonly properties = SnapshotServerProperties;
  static override readonly inputs: Readonly<Record<string, Port>> = {
    input: { type: 'any', description: 'Rows, or lists of rows' },
  };
  static override readonly dataSources: Readonly<Record<string, DataSourceProperties>> = {
    query: { queryTopic: 'queryTopic', resultTopic: 'resultTopic', schemaKeys: 'schemaKeys' },
  };

  #names: readonly string[] = [];
  #rowsOf: Evaluate = (tuple) => tuple;
  #keyOf: Evaluate = () => '';
  #rows = new SnapshotRows({ collect: 'window', maxRows: 1, maxLength: 0 });
  #queries = new OpenQueries({ maxQueries: 0, maxCountdown: 0 });
  #unsubscribe = () => {};
  #counters = { queries: 0, results: 0, ignored: 0, refused: 0, skipped: 0, cut: 0 };
  #shape = '';

  override setup(): void {
    const { fields, rows, key, collect, maxRows, queryTopic } = this.properties;
    this.#names = fields.map(({ name }) => name);
    this.#rowsOf = rows === undefined ? (tuple) => tuple : compileExpression(rows);
    this.#keyOf = key === undefined ? () => '' : compileExpression(key);
    this.#rows = new SnapshotRows({ collect, maxRows, maxLength: maxSnapshotLength });
    this.#queries.limits = this.properties;
    this.#shape = this.#shapeOf();
    this.#unsubscribe();
    this.#unsubscribe = this.context.subscribe(topicOf(queryTopic, this.context), (message) =>
      this.#ask(message),
    );
  }

  override propertiesChanged(): void {
    const { state } = this.#rows;
    const isSame = this.#shape === this.#shapeOf();
    this.setup();
    // Rows of other fields, or found otherwise, would be told as if they were of these.
    if (isSame) this.#rows.state = state;
  }

  #shapeOf(): string {
    const { fields, rows, collect, key } = this.properties;
    return JSON.stringify([fields, rows ?? null, collect, key ?? null]);
  }

  override process(_port: string, tuple: Tuple): void {
    const rows = this.#rowsOf(tuple);
    this.#rows.startTuple();
    for (const row of Array.isArray(rows) ? rows : [rows]) this.#add(row);
  }

  #add(row: unknown): void {
    if (!isRecord(row) || Array.isArray(row)) {
      this.#counters.skipped += 1;
      return;
    }
    const { collect } = this.properties;
    const kept = pick(row, this.#names);
    const length = jsonLength(kept);
    if (length === undefined) this.#counters.skipped += 1;
    else
      this.#counters.cut += this.#rows.add(collect === 'key' ? textOf(this.#keyOf(row)) : '', kept, length);
  }

  /** Answered when the window ends: so many queries at most, with one state of the rows. */
  #ask(message: unknown): void {
    try {
      const query = parseQuery(message);
      if (!this.#isMeant(query)) return;
      const unknown = query.fields.find((name) => !this.#names.includes(name));
      if (unknown !== undefined) throw new Error(`there is no field ${JSON.stringify(unknown)}`);
      if (this.#queries.add(query)) this.#counters.queries += 1;
      else this.#counters.refused += 1;
    } catch (error) {
      this.#counters.ignored += 1;
      this.context.log.debug(`Ignored a query: ${messageOf(error)}: ${shorten(jsonText(message), 200)}`);
    }
  }

  #isMeant({ schemaKeys }: AppDataQuery): boolean {
    if (schemaKeys === null) return true;
    const own = Object.entries(this.properties.schemaKeys ?? {});
    return (
      own.length === Object.keys(schemaKeys).length &&
      own.every(([name, value]) => fieldOf(schemaKeys, name) === value)
    );
  }

  override endWindow(): void {
    this.#rows.endWindow();
    const topic = topicOf(this.properties.resultTopic, this.context);
    const found = new Map<string, readonly Fields[]>();
    let room = maxWindowLength;
    this.#queries.answerAll((query) => {
      if (query.kind === 'data' && !query.incompleteResultOK && !this.#rows.isThere) return 'nothing';
      room -= this.#rows.length;
      if (room < 0) return 'enough';
      this.context.publish(`${topic}.${query.id}`, {
        id: query.id,
        type: `${query.kind}Result`,
        data: query.kind === 'schema' ? [this.#schema()] : this.#select(query, found),
        ...(query.once ? {} : { countdown: query.left }),
      });
      this.#counters.results += 1;
      return 'answered';
    });
  }

  #schema(): Fields {
    const { fields, schemaKeys } = this.properties;
    return {
      schemaType: 'snapshot',
      schemaVersion: '1.0',
      ...(schemaKeys ? { schemaKeys } : {}),
      values: fields,
    };
  }

  /** `found`: what other queries of this window got already. */
  #select({ fields }: OpenQuery, found: Map<string, readonly Fields[]>): readonly Fields[] {
    const wanted = JSON.stringify(fields);
    const known = found.get(wanted);
    if (known) return known;
    const { rows } = this.#rows;
    const selected = fields.length === 0 ? rows : rows.map((row) => pick(row, fields));
    found.set(wanted, selected);
    return selected;
  }

  override checkpoint(): unknown {
    return { rows: this.#rows.state, queries: this.#queries.state, counters: this.#counters };
  }

  override restore(state: unknown): void {
    const { rows, queries, counters } = State.parse(state);
    this.#rows.state = rows;
    this.#queries.state = queries;
    this.#counters = counters;
  }

  override counters(): Readonly<Record<string, number>> {
    return { ...this.#counters, open: this.#queries.size };
  }

  override teardown(): void {
    this.#unsubscribe();
  }
}

const pick = (row: Fields, names: readonly string[]): Fields =>
  Object.fromEntries(names.map((name) => [name, fieldOf(row, name)]));

/** With the comma that follows it; `undefined` for what has no JSON form. */
function jsonLength(row: Fields): number | undefined {
  try {
    return JSON.stringify(row).length + 1;
  } catch {
    return undefined;
  }
}
