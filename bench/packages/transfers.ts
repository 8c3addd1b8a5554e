import { stat } from 'node:fs/promises';
import { type Line, median, report } from '../report.js';
import { type Measured, packages, type Spent } from './client.js';

// Uploads and downloads, each beside the same by bare http to and from a file, in turn.

const stopRounds = 3;

/** What is sent, and what share of the bare speed is wanted. */
export interface Transferred {
  readonly title: string;
  /** Of the package. */
  readonly name: string;
  readonly file: string;
  readonly rounds: number;
  readonly goals: { readonly upload: number; readonly download: number };
}

type Work = () => Promise<unknown>;

async function inTurn<What extends string>(
  server: Measured,
  rounds: number,
  work: Readonly<Record<What, Work>>,
): Promise<(what: What) => readonly Spent[]> {
  const times = new Map<string, Spent[]>();
  for (let round = -1; round < rounds; round++) {
    for (const [what, run] of Object.entries<Work>(work)) {
      const time = await server.timed(run);
      if (round >= 0) times.set(what, [...(times.get(what) ?? []), time]);
    }
  }
  return (what) => times.get(what) ?? [];
}

const ratio = (peer: readonly Spent[], ours: readonly Spent[]): number =>
  median(ours.map(({ clock }, i) => (peer[i]?.clock ?? Number.NaN) / clock));

export async function transfers(
  server: Measured,
  { title, name, file, rounds, goals }: Transferred,
): Promise<boolean> {
  const { size } = await stat(file);
  const figures = (what: string, times: readonly Spent[]): Line[] => [
    { what, figure: size / 1e3 / median(times.map(({ clock }) => clock)), unit: 'MB/s' },
    {
      what: `${what}: processor`,
      figure: median(times.map(({ processor }) => processor)),
      unit: 'ms',
    },
  ];
  const bareUpload = () => server.post('/bare', file);
  const ourUpload = () => server.post(packages, file);
  const up = await inTurn(server, rounds, {
    bare: bareUpload,
    synced: () => server.post('/bare-sync', file),
    floor: () => server.post('/floor', file),
    ours: ourUpload,
  });
  const bareDownload = () => server.get('/bare');
  const ourDownload = () => server.get(`${server.packagePath(name)}/download`);
  const down = await inTurn(server, rounds, {
    bare: bareDownload,
    summed: () => server.get('/bare-summed'),
    ours: ourDownload,
  });

  const four = async (what: string, transfer: Work, goal?: Line['goal']): Promise<Line> => {
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
    ...figures('upload: bare http to a file', up('bare')),
    ...figures('upload: bare http to a file, fsync', up('synced')),
    ...figures('upload: floor (entries inflated and summed, digest, fsync)', up('floor')),
    ...figures('upload: Headgate (checked, digest, fsync)', up('ours')),
    {
      what: 'upload, Headgate / bare',
      figure: ratio(up('bare'), up('ours')),
      peer: 'bare http to a file',
      goal: { atLeast: goals.upload },
    },
    {
      what: 'upload, Headgate / bare with fsync',
      figure: ratio(up('synced'), up('ours')),
      peer: 'bare http to a file, fsync',
    },
    {
      what: 'upload, floor / bare',
      figure: ratio(up('bare'), up('floor')),
      peer: 'bare http to a file',
    },
    {
      what: 'upload, Headgate / floor',
      figure: ratio(up('floor'), up('ours')),
      peer: 'what an upload can not do without',
    },
    ...figures('download: bare http from a file', down('bare')),
    ...figures('download: the same, with the sum of its bytes', down('summed')),
    ...figures('download: Headgate', down('ours')),
    {
      what: 'download, Headgate / bare',
      figure: ratio(down('bare'), down('ours')),
      peer: 'bare http from a file',
      goal: { atLeast: goals.download },
    },
    {
      what: 'download, bare with its sum / bare',
      figure: ratio(down('bare'), down('summed')),
      peer: 'bare http from a file',
    },
    await four('upload, bare', bareUpload),
    await four('upload', ourUpload, goal),
    await four('download, bare', bareDownload),
    await four('download', ourDownload, goal),
  ]);
}
