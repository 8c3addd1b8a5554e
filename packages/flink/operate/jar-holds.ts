import type { KeptJars } from './kept-jars.js';
import type { JobRecords } from './records.js';

/** Does some work with a kept jar, which stays as long as that takes; afterwards the jars go that nobody needs. */
export type JarHolds = <T>(jar: string, work: () => Promise<T>) => Promise<T>;

export function createJarHolds(deps: {
  readonly jars: Pick<KeptJars, 'prune'>;
  readonly records: JobRecords;
  /** Bytes. */
  readonly jarsBytes: number;
}): JarHolds {
  const { jars, records, jarsBytes } = deps;
  /** Jars of launches that no record names yet, and of plans. */
  const underWay = new Map<symbol, string>();
  return async (jar, work) => {
    const held = Symbol(jar);
    underWay.set(held, jar);
    try {
      return await work();
    } finally {
      underWay.delete(held);
      await jars.prune(wantedJars(records, underWay.values(), jarsBytes)).catch(() => undefined);
    }
  };
}

/** Those of the newest launches, as many as there is room for, and those that are needed now. */
function wantedJars(records: JobRecords, underWay: Iterable<string>, jarsBytes: number): ReadonlySet<string> {
  const wanted = new Set(underWay);
  let left = jarsBytes;
  const launches = [...records.all().values()].flatMap(({ launch }) => launch ?? []);
  for (const { jar, jarBytes } of launches.sort((a, b) => b.askedAt - a.askedAt)) {
    if (wanted.has(jar)) continue;
    left -= jarBytes;
    if (left < 0) break;
    wanted.add(jar);
  }
  return wanted;
}
