import { randomBytes } from 'node:crypto';
import {
  type Clock,
  InvalidInput,
  type Sample,
  type Sampler,
  TooManyRequests,
  withTimeout,
} from 'headgate/driver-kit';
import type { JobManagerClient } from '../rest/client.js';
import type { StatementResult } from '../rest/sql-shapes.js';
import type { SqlGateway, SqlSession } from '../sql/session.js';
import { readStatement } from '../sql/statements.js';
import { launchSettings, propertiesInForce } from './launch-properties.js';
import { sqlProblems } from './sql-check.js';
import { sessionProperties } from './sql-program.js';
import { cancelJob, prepare } from './sql-run.js';

/** What only reads. */
const reading = ['SELECT', 'WITH', 'SHOW', 'DESCRIBE', 'DESC', 'EXPLAIN'];

/** Of the job that a query is, which is nobody's application. */
const jobName = 'headgate-sample';

interface SamplerDeps {
  readonly gateway: SqlGateway;
  /** Of the JobManager. */
  readonly client: Pick<JobManagerClient, 'send'>;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly limits: {
    readonly runMillis: number;
    readonly samples: number;
    readonly sampleBytes: number;
    readonly sampleMillis: number;
  };
}

export function createSampler({ gateway, client, clock, limits }: SamplerDeps): Sampler {
  let underWay = 0;

  /** Until one of the limits. */
  async function gathered(results: AsyncIterable<StatementResult>, most: number): Promise<Sample> {
    const end = clock.monotonic() + limits.sampleMillis;
    const rows: Sample['rows'] = [];
    let columns: Sample['columns'] = [];
    let bytes = 0;
    for await (const part of results) {
      if (columns.length === 0) columns = part.columns;
      for (const row of part.rows) {
        if (rows.length === most) return { columns, rows, cut: 'rows' };
        bytes += Buffer.byteLength(JSON.stringify(row.values));
        if (bytes > limits.sampleBytes) return { columns, rows, cut: 'bytes' };
        rows.push(row);
      }
      if (rows.length === most && part.rows.length > 0) return { columns, rows, cut: 'rows' };
      if (clock.monotonic() > end) return { columns, rows, cut: 'time' };
    }
    return { columns, rows };
  }

  async function queried(session: SqlSession, query: string, most: number, signal: AbortSignal) {
    const jobId = randomBytes(16).toString('hex');
    await session.execute(`SET '$internal.pipeline.job-id' = '${jobId}'`, signal);
    await session.execute(`SET 'pipeline.name' = '${jobName}'`, signal);
    try {
      return await gathered(session.results(query, signal), most);
    } finally {
      await cancelJob(client, jobId);
    }
  }

  return {
    async sample({ sql, query, rows, ...given }, { signal } = {}) {
      const problems = [...problemsOf(query), ...sqlProblems(sql)];
      if (problems.length > 0) throw new InvalidInput(problems);
      const settings = launchSettings({ ...sql.properties, ...propertiesInForce(given) });
      if (underWay >= limits.samples)
        throw new TooManyRequests(`${underWay} samples are taken now: no more than that at once`, 5);
      underWay++;
      try {
        return await gateway.inSession(sessionProperties({ name: jobName }, settings), signal, (session) =>
          withTimeout(limits.runMillis, 'The SQL gateway', signal, async (inTime) => {
            await prepare({ client }, session, sql.statements.slice(0, -1), inTime);
            return queried(session, query, rows, inTime);
          }),
        );
      } finally {
        underWay--;
      }
    },
  };
}

function problemsOf(query: string): { readonly path: string; readonly message: string }[] {
  const { keyword, isSeveral } = readStatement(query);
  const path = 'body.query';
  if (isSeveral) return [{ path, message: 'holds more than one statement: a sample is of one' }];
  if (reading.includes(keyword)) return [];
  return [
    {
      path,
      message: `begins with ${keyword.slice(0, 40) || 'nothing'}: a sample is of ${reading.join(', ')}`,
    },
  ];
}
