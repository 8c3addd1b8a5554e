import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Test } from 'tap';
import { clusterContract } from '../../../packages/contracts/index.js';
import { flinkCluster } from '../../../packages/flink/index.js';
import { testFolder } from '../../helpers/folder.js';
import { silentContext } from '../../helpers/local-cluster.js';
import { packageContent } from '../../helpers/package-content.js';
import { type FlinkParts, withJar } from './artifacts.js';
import { ask, cancelJob } from './jobs.js';

/** What the cluster has to be set up with for all that the driver has facets for. */
export const contractOptions = {
  'rest.flamegraph.enabled': true,
  'rest.profiling.enabled': true,
};

/** What every cluster driver promises, of the driver over a real Flink. What runs there is canceled first. */
export const realContract = (
  t: Test,
  {
    parts,
    rest,
    sqlGateway,
  }: { readonly parts: FlinkParts; readonly rest: string; readonly sqlGateway: string },
): Promise<void> =>
  withJar(parts, join(process.cwd(), 'test/stages/flink/programs'), async (path) => {
    const jar = await readFile(path);
    const directory = testFolder(t);
    const second = 'plus one -> nowhere: Writer';
    await clusterContract(t, {
      create: async () => {
        await cancelAll(rest);
        return flinkCluster({
          ...{ jobManagers: rest, sqlGateway, pollMillis: 200, user: 'ann', directory },
          limits: { statsEveryMillis: 200 },
        });
      },
      context: async () => silentContext([]),
      request: {
        user: 'ann',
        name: 'contract',
        packaged: { name: 'contract', type: 'class', file: 'app/jobs.jar', className: 'Numbers' },
        packageContent: packageContent({ 'app/jobs.jar': jar }),
        properties: { 'flink.args': '"" 1' },
        application: {
          operators: [
            { name: 'Source: numbers', class: '' },
            { name: second, class: '' },
          ],
          streams: [
            {
              name: 'numbers',
              source: { operatorName: 'Source: numbers', portName: 'out0' },
              sinks: [{ operatorName: second, portName: 'in0' }],
            },
          ],
        },
      },
      sample: {
        sql: {
          kind: 'sql',
          statements: [
            "CREATE TABLE words (word STRING) WITH ('connector' = 'datagen', 'fields.word.length' = '1')",
            "CREATE TABLE copies (word STRING) WITH ('connector' = 'blackhole')",
            'INSERT INTO copies SELECT word FROM words',
          ],
        },
        query: 'SELECT word FROM words',
        rows: 3,
      },
      unknownId: '0123456789abcdef0123456789abcdef',
      windows: 'none',
      timeoutMillis: 30_000,
    });
  });

async function cancelAll(rest: string): Promise<void> {
  const { jobs } = await ask<{ jobs: { id: string; status: string }[] }>(rest, '/jobs');
  const running = jobs.filter(({ status }) => !/FINISHED|CANCELED|FAILED/.test(status));
  await Promise.all(running.map(({ id }) => cancelJob(rest, id)));
}
