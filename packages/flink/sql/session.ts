import { setTimeout as pause } from 'node:timers/promises';
import { pauseAfter } from 'headgate/driver-kit';
import * as z from 'zod';
import { createJobManagerClient, type JobManagerClient } from '../rest/client.js';
import { exactJson } from '../rest/exact-json.js';
import { BegunStatement, OpenedSession, StatementResult } from '../rest/sql-shapes.js';

/** Of one question after the other, milliseconds. */
const pauses = { first: 50, most: 1000 };

/** Where statements see the tables and the settings of those before them, and nobody else's. */
export interface SqlSession {
  /**
   * Carries out one statement. Resolves the job that it made. Rejects with `BadRequest` (`ENGINE_REFUSED`) for what Flink refuses, with
   * its reason.
   */
  execute(statement: string, signal: AbortSignal): Promise<string | undefined>;
  /** The same, and gives what it answers to each question until there is no more, also that it is not ready. */
  results(statement: string, signal: AbortSignal): AsyncIterable<StatementResult>;
}

/** A SQL gateway, which answers in the form of a JobManager. */
export interface SqlGateway {
  /** The session is closed when the work is over, however it went, and what was under way in it is canceled. */
  inSession<T>(
    properties: Readonly<Record<string, string>>,
    signal: AbortSignal | undefined,
    work: (session: SqlSession) => Promise<T>,
  ): Promise<T>;
  close(): void;
}

type ClientOptions = Omit<Parameters<typeof createJobManagerClient>[0], 'name' | 'read' | 'urls'>;

/** `undefined` without a URL. */
export function createSqlGateway({
  url,
  ...options
}: ClientOptions & { readonly url: string | undefined }): SqlGateway | undefined {
  if (url === undefined) return undefined;
  return gatewayOf(
    createJobManagerClient({ ...options, name: 'The SQL gateway', read: exactJson, urls: [url] }),
  );
}

function gatewayOf(client: Pick<JobManagerClient, 'send' | 'close'>): SqlGateway {
  async function* results(session: string, statement: string, signal: AbortSignal) {
    const order = { method: 'POST', body: { statement } } as const;
    const begun = await client.send(`${session}/statements`, BegunStatement, order, signal);
    const path = `${session}/operations/${begun.operationHandle}/result`;
    let token = '0';
    for (let idle = 0; ; ) {
      const whole = `${path}/${token}?rowFormat=JSON`;
      const result = await client.send(whole, StatementResult, { method: 'GET' }, signal);
      if (result.isEnd) return;
      yield result;
      if (result.isReady) {
        if (result.next === undefined) return;
        token = result.next;
      }
      idle = result.rows.length > 0 ? 0 : idle + 1;
      if (idle > 0) await pause(pauseAfter(idle, pauses, Math.random()), undefined, { signal });
    }
  }

  const sessionAt = (path: string): SqlSession => ({
    results: (statement, signal) => results(path, statement, signal),
    async execute(statement, signal) {
      for await (const { isReady, jobId } of results(path, statement, signal)) if (isReady) return jobId;
      return undefined;
    },
  });

  return {
    close: () => client.close(),
    async inSession(properties, signal, work) {
      const order = { method: 'POST', body: { sessionName: 'headgate', properties } } as const;
      const { sessionHandle } = await client.send('/v2/sessions', OpenedSession, order, signal);
      const path = `/v2/sessions/${sessionHandle}`;
      try {
        return await work(sessionAt(path));
      } finally {
        // One that can't be closed now the SQL gateway closes by itself (`sql-gateway.session.idle-timeout`).
        await client.send(path, z.object({}), { method: 'DELETE' }).catch(() => undefined);
      }
    },
  };
}
