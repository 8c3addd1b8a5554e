import { randomUUID } from 'node:crypto';
import { type Answer, type Asked, type DoubleServer, serve } from '../yarn/server.js';
import { answers, type Route } from './answers.js';
import type { FlinkDouble } from './index.js';
import { newJob } from './job.js';

/** A SQL gateway before the double of a JobManager: it knows tables by name, and makes jobs there. */
export interface SqlGatewayDouble extends DoubleServer {
  /** Those that are open. */
  readonly sessions: Map<string, SqlDoubleSession>;
  /** All that were ever open, the oldest first. */
  readonly opened: SqlDoubleSession[];
  /**
   * What happens to the next statement that makes a job: `lost` makes it and does not say so, `unheard` does neither, `hangs` never
   * comes to an end, `other id` takes no notice of the id that was chosen.
   */
  next: 'lost' | 'unheard' | 'hangs' | 'other id' | undefined;
}

interface SqlDoubleSession {
  /** As they are now. */
  readonly properties: Map<string, string>;
  /** As they were carried out. */
  readonly statements: string[];
  readonly tables: Set<string>;
  readonly operations: Map<string, Operation>;
}

interface Operation {
  asked: number;
  /** `token`: of the part. */
  readonly answer: (token: number) => Answer;
}

const { json, refused, failed } = answers;
const exception = 'org.apache.flink.table.gateway.api.utils.SqlGatewayException: ';
const execution =
  'org.apache.flink.table.gateway.service.utils.SqlExecutionException: Failed to execute the operation 5a1c.';
const validation = 'org.apache.flink.table.api.ValidationException: ';
const sqlFailed = (...causes: string[]): Answer =>
  failed(`${exception}${exception}Failed to fetchResults.`, execution, ...causes);

export async function sqlGatewayDouble({ jobs }: Pick<FlinkDouble, 'jobs'>): Promise<SqlGatewayDouble> {
  const sessions = new Map<string, SqlDoubleSession>();
  const opened: SqlDoubleSession[] = [];

  const routes: Route[] = [
    ['POST', /^\/v2\/sessions$/, (_, asked) => open(asked)],
    [
      'DELETE',
      /^\/v2\/sessions\/([^/]+)$/,
      ofSession((_, id) => {
        sessions.delete(id);
        return json({ status: 'CLOSED' });
      }),
    ],
    [
      'POST',
      /^\/v2\/sessions\/([^/]+)\/statements$/,
      ofSession((session, _, asked) => begin(session, asked)),
    ],
    [
      'GET',
      /^\/v2\/sessions\/([^/]+)\/operations\/([^/]+)\/result\/(\d+)$/,
      ofSession((session, _, __, operation, token) => result(session, operation, token)),
    ],
  ];

  function open({ body }: Asked): Answer {
    const { properties }: { properties: Record<string, string> } = JSON.parse(body);
    const session = {
      properties: new Map(Object.entries(properties)),
      statements: [],
      tables: new Set<string>(),
      operations: new Map(),
    };
    const id = randomUUID();
    sessions.set(id, session);
    opened.push(session);
    return json({ sessionHandle: id });
  }

  function ofSession(
    answer: (session: SqlDoubleSession, id: string, asked: Asked, operation: string, token: number) => Answer,
  ): Route[2] {
    return ([id = '', operation = '', token = '0'], asked) => {
      const session = sessions.get(id);
      if (session) return answer(session, id, asked, operation, Number(token));
      return failed(`${exception}Session '${id}' does not exist.`);
    };
  }

  function begin(session: SqlDoubleSession, { body }: Asked): Answer {
    const { statement }: { statement: string } = JSON.parse(body);
    session.statements.push(statement);
    const operationHandle = randomUUID();
    session.operations.set(operationHandle, { asked: 0, answer: carriedOut(session, statement) });
    return json({ operationHandle });
  }

  function result({ operations }: SqlDoubleSession, id: string, token: number): Answer {
    const operation = operations.get(id);
    if (!operation) return failed(`${exception}Can not find the submitted operation.`);
    operation.asked++;
    if (operation.asked === 1) return notReady;
    return operation.answer(token);
  }

  function carriedOut(session: SqlDoubleSession, statement: string): Operation['answer'] {
    const [, name, value] = /^SET '([^']+)' = '([^']*)'/.exec(statement) ?? [];
    const [, created] = /^CREATE TABLE (\w+)/.exec(statement) ?? [];
    const [, from] = /FROM (\w+)/.exec(statement) ?? [];
    if (name !== undefined) session.properties.set(name, value ?? '');
    if (created !== undefined && session.tables.has(created))
      return () =>
        sqlFailed(
          `${validation}Could not execute CreateTable`,
          `${validation}Table ${created} already exists`,
        );
    if (created !== undefined) session.tables.add(created);
    if (from !== undefined && !session.tables.has(from))
      return () =>
        sqlFailed(
          `${validation}SQL validation failed. From line 1, column 1`,
          `org.apache.calcite.sql.validate.SqlValidatorException: Object '${from}' not found`,
        );
    if (statement === 'SHOW TABLES')
      return (token) => (token > 0 ? end : payload('table name', [...session.tables]));
    if (statement === 'SELECT large') return (token) => (token > 0 ? end : largeNumbers());
    if (statement.startsWith('SELECT')) return selected(session, statement);
    return makesJob.test(statement)
      ? submitted(session)
      : (token) => (token > 0 ? end : payload('result', ['OK']));
  }

  /**
   * Words without end, five in a part, or so many as `LIMIT` says; those that are `wide` have 1,000 letters, and `never` comes none. What is
   * counted takes back what it said before.
   */
  function selected({ properties }: SqlDoubleSession, query: string): Operation['answer'] {
    const job = newJob(properties.get('pipeline.name') ?? 'collect', ['tm1', 'tm2'], {
      id: properties.get('$internal.pipeline.job-id'),
    });
    jobs.set(job.id, job);
    const [, limit = '1000000'] = /LIMIT (\d+)/.exec(query) ?? [];
    const word = query.includes('wide') ? 'w'.repeat(1000) : 'word';
    const each = query.includes('never') ? 0 : 5;
    return (token) => {
      const left = Math.max(0, Number(limit) - token * each);
      if (left === 0) return end;
      return payload(
        'word',
        Array.from({ length: Math.min(each, left) }, () => word),
        job.id,
        token + 1,
        query.includes('COUNT(') ? counting : ['INSERT'],
      );
    };
  }

  function submitted({ properties }: SqlDoubleSession): () => Answer {
    const fault = double.next;
    double.next = undefined;
    if (fault === 'hangs') return () => notReady;
    const chosen = fault === 'other id' ? undefined : properties.get('$internal.pipeline.job-id');
    const savepoint = properties.get('execution.state-recovery.path');
    if (fault === 'unheard') return lost;
    const job = newJob(properties.get('pipeline.name') ?? 'insert-into', ['tm1', 'tm2'], { id: chosen });
    jobs.set(job.id, job);
    if (savepoint?.includes('nowhere')) {
      Object.assign(job, { state: 'FAILED', endedAt: Date.now() });
      return () =>
        sqlFailed(
          'org.apache.flink.runtime.client.JobInitializationException: Could not start the JobMaster.',
          `java.io.FileNotFoundException: Cannot find checkpoint or savepoint file/directory '${savepoint}' on file system 'file'.`,
        );
    }
    return fault === 'lost' ? lost : () => payload('job id', [job.id], job.id);
  }

  const server = await serve((asked) => {
    for (const [method, path, answer] of routes) {
      const match = path.exec(asked.path);
      if (match && method === asked.method) return answer(match.slice(1), asked);
    }
    return refused(404, `Not found: ${asked.path}`);
  });
  const double: SqlGatewayDouble = Object.assign(server, { sessions, opened, next: undefined });
  return double;
}

const makesJob = /^(?:INSERT|EXECUTE STATEMENT SET)\b/;
const notReady = json({
  resultType: 'NOT_READY',
  nextResultUri: '/v2/sessions/s/operations/o/result/0?rowFormat=JSON',
});

const lost = (): Answer => {
  throw new Error('the connection is lost');
};

const end = json({ resultType: 'EOS', results: { columns: [], rowFormat: 'JSON', data: [] } });

const counting = ['INSERT', 'UPDATE_BEFORE', 'UPDATE_AFTER'];

const payload = (
  name: string,
  values: readonly string[],
  jobID?: string,
  next = 1,
  kinds: readonly string[] = ['INSERT'],
): Answer =>
  json({
    results: {
      columns: [{ name, logicalType: { type: 'VARCHAR', nullable: true } }],
      rowFormat: 'JSON',
      data: values.map((value, place) => ({ kind: kinds[place % kinds.length], fields: [value] })),
    },
    resultType: 'PAYLOAD',
    resultKind: 'SUCCESS',
    isQueryResult: false,
    jobID: jobID ?? null,
    nextResultUri: `/v2/sessions/s/operations/o/result/${next}?rowFormat=JSON`,
  });

/** Which no JavaScript can write. */
const largeNumbers = (): Answer => {
  const answer = payload('n', ['@']);
  const fields = String.raw`[9007199254740993,-9223372036854775808,9007199254740991,"a \" 12345678901234567890 \\",{"1234567890123456789":[18446744073709551615]},1.5e300,0.12345678901234568,123456789012345.6789]`;
  return { ...answer, body: String(answer.body).replace('["@"]', fields) };
};
