import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { z } from 'zod';
import { createClient } from '../../../lib/client.js';
import { insist } from '../../helpers/kept-storage.js';
import { start } from '../../helpers/processes.js';
import { smallDisk } from './disk/small-disk.js';

// The bundled server with all it keeps on one small disk: storage, engine with its demo application, and logs.

const rounds = 2;
const root = join(import.meta.dirname, '../../../..');
const password = 'correct-horse';
const saysLost = /"lines":\d+,"msg":"lines of this log were lost/;
const disk = await smallDisk(48 * 1024 ** 2);
const skip = typeof disk === 'string' ? disk : false;
const statusOf = (error: unknown) => z.object({ status: z.number() }).parse(error).status;

t.test('the server outlives its full disk, and keeps what it acknowledged', { skip }, async (t) => {
  if (typeof disk === 'string') return;
  t.teardown(() => disk.unmount());
  const data = join(disk.folder, 'data');
  const acknowledged = new Map<string, string>();
  const connected = async () => {
    const args = ['examples/server/server.js', '--port', '0', '--data', data];
    const server = start(process.execPath, args, { cwd: root, env: { HEADGATE_ADMIN_PASSWORD: password } });
    t.teardown(() => server.stop('SIGKILL'));
    const [, baseUrl = ''] = await server.printed(/Headgate listening on (http:\/\/\S+)/);
    const client = createClient({ baseUrl });
    await client.login({ body: { userName: 'admin', password } });
    return { server, client };
  };

  for (let round = 0; round < rounds; round++) {
    const { server, client } = await connected();
    /** Resolves the status that refused it. */
    const put = async (name: string) => {
      const value = `${round}`;
      const params = { user: 'admin', key: name };
      try {
        await client.putSetting({ params, body: { value } });
        acknowledged.set(name, value);
        return undefined;
      } catch (error) {
        return statusOf(error);
      }
    };
    t.equal(await put(`before${round}`), undefined);
    await disk.fill(Math.round(Math.random() * 20_000));
    const refused: number[] = [];
    for (let i = 0; refused.length < 20; i++) {
      const status = await put(`full${round}.${i}`);
      if (status !== undefined) refused.push(status);
    }
    t.ok(
      refused.every((status) => status === 500 || status === 503),
      `refused with ${new Set(refused)}`,
    );
    const { status, reasons } = await client.getHealth();
    t.match([status, reasons], ['degraded', [{ part: 'storage' }]]);
    // More lines than the log lets wait.
    if (round === 0)
      for (let i = 0; i < 40; i++) await Promise.all(Array.from({ length: 50 }, () => client.getHealth()));
    await disk.free();
    await insist(async () => (await put('again'))?.toString());
    for (let i = 0; i < 10; i++) t.equal(await put(`after${round}.${i}`), undefined);
    t.match(await client.getHealth(), { status: 'ok' });
    if (round === 0)
      await insist(async () =>
        saysLost.test(await readFile(join(data, 'headgate.log'), 'utf8'))
          ? undefined
          : 'not a word of lost lines',
      );
    client.close();
    if (round % 2 === 0) await server.stop('SIGKILL');
    else t.equal(await server.stop('SIGTERM'), 0);

    const after = await connected();
    const lost: string[] = [];
    for (const [name, value] of acknowledged) {
      const found = await after.client
        .getSetting({ params: { user: 'admin', key: name } })
        .catch((error: unknown) => statusOf(error));
      if (JSON.stringify(found) !== JSON.stringify({ value })) lost.push(`${name}: ${JSON.stringify(found)}`);
    }
    t.strictSame(lost, [], `round ${round}`);
    after.client.close();
    t.equal(await after.server.stop('SIGTERM'), 0);
  }
});
