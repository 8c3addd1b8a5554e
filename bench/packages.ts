import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { archives } from './packages/archives.js';
import { packages, startServer } from './packages/client.js';
import { growth, manyEntries, memory } from './packages/extremes.js';
import { makePackage } from './packages/make.js';
import { transfers } from './packages/transfers.js';

// node build/bench/packages.js [directory on the disk to measure]
//
// Listing, merging, uploading and downloading packages, each beside its peers, in turn; the ratios are medians over the
// rounds. Then the memory that a package of 1 GB takes, and how long many entries stop the event loop. Uploads,
// downloads, memory and stops are measured through the door of a gateway in a process of its own.

const root = await mkdtemp(join(process.argv[2] ?? tmpdir(), 'headgate-packages-'));
const inRoot = (name: string) => join(root, `${name}.zip`);
try {
  const [large, medium] = [inRoot('large'), inRoot('medium')];
  const [tiny, small, jars] = [inRoot('tiny'), inRoot('small'), inRoot('jars')];
  await makePackage({ path: large, name: 'large', folder: 'lib', entries: 5000, meanBytes: 60_000 });
  await makePackage({ path: medium, name: 'medium', folder: 'lib', entries: 1000, meanBytes: 60_000 });
  await makePackage({ path: tiny, name: 'tiny', folder: 'lib', entries: 2000, meanBytes: 6500 });
  await makePackage({ path: small, name: 'small', folder: 'resources', entries: 793, meanBytes: 17_000 });
  await makePackage({ path: jars, name: 'jars', folder: 'lib', entries: 150, meanBytes: 2_000_000 });

  const held = [await archives({ root, large, medium, small })];
  const server = await startServer(join(root, 'server'));
  try {
    await server.post(packages, small);
    const goals = { upload: 0.7, download: 0.95 };
    const sent = { rounds: 5, goals };
    held.push(
      await transfers(server, {
        ...sent,
        title: '10 MB: 2,000 small entries',
        name: 'tiny',
        file: tiny,
        rounds: 15,
        goals: { ...goals, upload: 0.5 },
      }),
    );
    held.push(await transfers(server, { ...sent, title: '200 MB: 150 jars', name: 'jars', file: jars }));
    held.push(
      await transfers(server, { ...sent, title: '200 MB: 5,000 small entries', name: 'large', file: large }),
    );
    held.push(await manyEntries(root, server));
  } finally {
    await server.close();
  }
  held.push(await growth(root, small, tiny, 'tiny'));
  held.push(await growth(root, small, large, 'large'));
  held.push(await memory(root, small));
  process.exitCode = held.every(Boolean) ? 0 : 1;
} finally {
  await rm(root, { recursive: true });
}
