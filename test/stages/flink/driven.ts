import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { join } from 'node:path';
import type { Test } from 'tap';
import { statusesOf } from '../../../lib/http/responses.js';
import { buildTable, listRoutes } from '../../../lib/http/table.js';
import type { GatewayOptions } from '../../../lib/index.js';
import { routes } from '../../../lib/routes.js';
import { newGateway, type TestGateway } from '../../helpers/gateway.js';
import type { FlinkVersion } from './artifacts.js';

/** What a gateway over a Flink was driven through in one test: ids of operations. `driven-report.ts` adds them up. */
export interface Driven {
  readonly version: FlinkVersion;
  readonly answered: readonly string[];
  /** With 501: there is no such thing over Flink. */
  readonly refused: readonly string[];
}

const table = buildTable(routes, {});
/** Proxies: what Flink itself answers, also that there is nothing, is passed on. */
const passing = new Set(
  listRoutes(routes)
    .filter(({ route }) => statusesOf(route).isPassedOn)
    .map(({ id }) => id),
);

/** A living gateway over a Flink of that version, whose answers are counted. */
export async function countedGateway(
  t: Test,
  version: FlinkVersion,
  options: Partial<GatewayOptions>,
): Promise<TestGateway> {
  const made = await newGateway(t, options);
  count(t, version, made.server);
  return made;
}

function count(t: Test, version: FlinkVersion, server: Server): void {
  // Absent where a file is run by itself.
  const folder = process.env['HEADGATE_STAGE_NOTES'];
  if (folder === undefined) return;
  const answered = new Set<string>();
  const refused = new Set<string>();
  server.on('request', ({ method = '', url = '' }, res) => {
    res.on('finish', () => {
      const id = table.operationAt(method, url.split('?', 1)[0] ?? '');
      if (id === undefined) return;
      if (res.statusCode === 501) refused.add(id);
      else if (res.statusCode < (passing.has(id) ? 500 : 400)) answered.add(id);
    });
  });
  t.teardown(() => {
    const driven: Driven = { version, answered: [...answered], refused: [...refused] };
    writeFileSync(join(folder, `${randomUUID()}.json`), JSON.stringify(driven));
  });
}
