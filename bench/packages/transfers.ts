import { stat } from 'node:fs/promises';
import { type Line, median, report } from '../report.js';
import { type Measured, packages, timed } from './client.js';

// Uploads and downloads, each beside the same by bare http to and from a file, in turn.

const rounds = 5;
const stopRounds = 3;

async function inTurn<What extends string>(
  work: Readonly<Record<What, () => Promise<unknown>>>,
): Promise<(what: What) => number[]> {
  const times = new Map<string, number[]>();
  for (let round = -1; round < rounds; round++) {
    for (const [what, run] of Object.entries<() => Promise<unknown>>(work)) {
      const time = await timed(run);
      if (round >= 0) times.set(what, [...(times.get(what) ?? []), time]);
    }
  }
  return (what) => times.get(what) ?? [];
}

const ratio = (peer: readonly number[], ours: readonly number[]): number =>
  median(ours.map((time, i) => (peer[i] ?? Number.NaN) / time));

export async function transfers(
  server: Measured,
  name: string,
  title: string,
  file: string,
): Promise<boolean> {
  const { size } = await stat(file);
  const rate = (times: readonly number[]) => size / 1e3 / median(times);
  const bareUpload = () => server.post('/bare', file);
  const ourUpload = () => server.post(packages, file);
  const up = await inTurn({
    bare: bareUpload,
    synced: () => server.post('/bare-sync', file),
    ours: ourUpload,
  });
  const bareDownload = () => server.get('/bare');
  const ourDownload = () => server.get(`${server.packagePath(name)}/download`);
  const down = await inTurn({ bare: bareDownload, ours: ourDownload });

  const four = async (what: string, transfer: () => Promise<unknown>, goal?: Line['goal']): Promise<Line> => {
    const stops: number[] = [];
    for (let round = 0; round < stopRounds; round++) {
      stops.push(await server.watched(() => Promise.all([1, 2, 3, 4].map(transfer))));
    }
    return {
      what: `loop stood, 4 at once: ${what}`,
      figure: median(stops),
      unit: 'ms',
      ...(goal ? { goal } : {}),
    };
  };
  const goal = { atMost: 50 };
  return report(title, [
    { what: 'upload: bare http to a file', figure: rate(up('bare')), unit: 'MB/s' },
    { what: 'upload: bare http to a file, fsync', figure: rate(up('synced')), unit: 'MB/s' },
    { what: 'upload: Headgate (checked, digest, fsync)', figure: rate(up('ours')), unit: 'MB/s' },
    { what: '17: upload, Headgate / bare', figure: ratio(up('bare'), up('ours')), goal: { atLeast: 0.7 } },
    { what: 'upload, Headgate / bare with fsync', figure: ratio(up('synced'), up('ours')) },
    { what: 'download: bare http from a file', figure: rate(down('bare')), unit: 'MB/s' },
    { what: 'download: Headgate', figure: rate(down('ours')), unit: 'MB/s' },
    {
      what: '17: download, Headgate / bare',
      figure: ratio(down('bare'), down('ours')),
      goal: { atLeast: 0.9 },
    },
    await four('upload, bare', bareUpload),
    await four('upload', ourUpload, goal),
    await four('download, bare', bareDownload),
    await four('download', ourDownload, goal),
  ]);
}
