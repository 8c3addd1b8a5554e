import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { join } from 'node:path';
import type { Test } from 'tap';
import type { GatewayOptions } from '../../../lib/index.js';
import { isPassedOn, watchAnswers } from '../../helpers/declared.js';
import { newGateway, type TestGateway } from '../../helpers/gateway.js';
import type { FlinkVersion } from './artifacts.js';

/** What a gateway over a Flink was driven through in one test: ids of operations. `driven-report.ts` adds them up. */
export interface Driven {
  readonly version: FlinkVersion;
  readonly answered: readonly string[];
  /** With 501: there is no such thing over Flink. */
  readonly refused: readonly string[];
}

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
  watchAnswers(server, (id, status) => {
    if (status === 501) refused.add(id);
    // Through a proxy Flink itself answers, also that there is no such thing.
    else if (status < (isPassedOn(id) ? 500 : 400)) answered.add(id);
  });
  t.teardown(() => {
    const driven: Driven = { version, answered: [...answered], refused: [...refused] };
    writeFileSync(join(folder, `${randomUUID()}.json`), JSON.stringify(driven));
  });
}
