import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Line, report } from '../report.js';
import { type Measured, packages, startServer } from './client.js';
import { makePackage } from './make.js';

// What is largest: bytes, and entries. Through the door of a server that has nothing else behind it.

const warmRounds = 5;

/** A package of 1 GB uploaded, listed, merged and downloaded: what the process grows by. */
export async function memory(root: string, small: string): Promise<boolean> {
  const huge = join(root, 'huge.zip');
  await makePackage({ path: huge, name: 'huge', folder: 'lib', entries: 640, meanBytes: 2_500_000 });
  const { size } = await stat(huge);
  const server = await startServer(join(root, 'memory'));
  const path = server.packagePath('huge');
  const list = async () => {
    await server.get(packages);
    await server.get(path);
  };
  try {
    // Warm: what a process takes for any package is not the large one's.
    for (let round = 0; round < warmRounds; round++) {
      await server.post(packages, small);
      await server.get(packages);
      await server.get(`${server.packagePath('small')}/download`);
    }
    const lines: Line[] = [];
    const weights: { before: number; peak: number }[] = [];
    const step = async (what: string, work: () => Promise<unknown>) => {
      const weight = await server.weighed(work);
      weights.push(weight);
      lines.push({ what, figure: weight.peak - weight.before, unit: 'MB' });
    };
    await step('upload', () => server.post(packages, huge));
    await step('list', list);
    await step('merge', () => server.postJson(`${path}/merge`, { name: 'small', version: '1.0.0' }));
    await step('download', () => server.get(`${path}/download`));
    const whole = Math.max(...weights.map(({ peak }) => peak)) - (weights[0]?.before ?? 0);
    return report(`a package of ${(size / 1e9).toFixed(2)} GB: growth`, [
      ...lines,
      { what: '16: all of it together', figure: whole, unit: 'MB', goal: { atMost: 64 } },
    ]);
  } finally {
    await server.close();
    await rm(huge);
  }
}

/** What a process of its own grows by for each kind of transfer, beside bare http in another one. */
export async function growth(root: string, small: string, file: string, name: string): Promise<boolean> {
  const { size } = await stat(file);
  async function grown(directory: string, upload: string, download?: string) {
    const server = await startServer(join(root, directory));
    try {
      for (let round = 0; round < warmRounds; round++) {
        await server.post(upload, small);
        await server.get(download ?? `${server.packagePath('small')}/download`);
      }
      const up = await server.weighed(() => server.post(upload, file));
      const down = await server.weighed(() => server.get(download ?? `${server.packagePath(name)}/download`));
      return { up: up.peak - up.before, down: down.peak - down.before };
    } finally {
      await server.close();
    }
  }
  const bare = await grown(`growth-bare-${name}`, '/bare', '/bare');
  const ours = await grown(`growth-${name}`, packages, undefined);
  return report(`a package of ${Math.round(size / 1e6)} MB: growth over idle`, [
    { what: 'upload, bare http to a file', figure: bare.up, unit: 'MB' },
    { what: 'upload', figure: ours.up, unit: 'MB', goal: { atMost: 64 } },
    { what: 'download, bare http from a file', figure: bare.down, unit: 'MB' },
    { what: 'download', figure: ours.down, unit: 'MB', goal: { atMost: 32 } },
  ]);
}

/** 100,000 entries are the most a package may have. */
export async function manyEntries(root: string, server: Measured): Promise<boolean> {
  const most = join(root, 'most.zip');
  const million = join(root, 'million.zip');
  await makePackage({ path: most, name: 'most', folder: 'lib', entries: 99_000, meanBytes: 200 });
  await makePackage({ path: million, name: 'million', folder: 'lib', entries: 1_000_000, meanBytes: 0 });
  const goal = { atMost: 50 };
  const path = server.packagePath('most');
  const lines: Line[] = [];
  for (const [what, work] of Object.entries({
    'upload of 99,001 entries': () => server.post(packages, most),
    'what it holds': () => server.get(path),
    'a merge into it': () => server.postJson(`${path}/merge`, { name: 'small', version: '1.0.0' }),
    'upload of 1,000,001 entries, refused': () => server.post(packages, million, 400),
  })) {
    lines.push({ what, figure: await server.watched(work), unit: 'ms', goal });
  }
  await rm(most);
  await rm(million);
  return report('many entries: longest stop of the loop', lines);
}
