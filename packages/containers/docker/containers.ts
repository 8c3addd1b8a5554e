import { ContainerFailed, type ContainerReport, UnusableAnswer } from 'headgate/driver-kit';
import * as z from 'zod';
import type { RuntimeAddress } from './address.js';
import type { Http } from './http.js';
import { filterOf } from './labels.js';
import { lastLineOf, textOfFrames } from './multiplexed.js';
import { Inspected, isHalfMade, isLiving, Listed, reportOf, reportOfListed } from './report.js';

const Stats = z.object({
  memory_stats: z.object({
    usage: z.number().nullish(),
    stats: z.object({ inactive_file: z.number().nullish() }).nullish(),
  }),
});
/** Containers that are asked about at the same time. */
const atOnce = 8;

/** One that can't be described leaves the others as they are; a runtime that does not answer says nothing of any. */
function orAsListed(error: unknown, listed: Listed): ContainerReport | undefined {
  if (!(error instanceof UnusableAnswer || error instanceof ContainerFailed)) throw error;
  return isHalfMade(listed.State) ? undefined : reportOfListed(listed);
}

/** Reads what there is of one owner. */
export interface Containers {
  /** Newest first, half-made ones included. */
  find(name: string | undefined, signal: AbortSignal | undefined): Promise<readonly Listed[]>;
  /** `undefined`: it has gone, or was never started. */
  report(listed: Listed, signal: AbortSignal | undefined): Promise<ContainerReport | undefined>;
  reports(signal: AbortSignal | undefined): Promise<readonly ContainerReport[]>;
}

export function createContainers(http: Http, address: RuntimeAddress, owner: () => string): Containers {
  /** Ended ones don't change any more: each is asked about once. */
  let ended = new Map<string, ContainerReport>();

  async function memoryOf(id: string, signal: AbortSignal | undefined): Promise<number | undefined> {
    const stats = await http
      .ask(`/containers/${id}/stats?stream=false&one-shot=true`, Stats, { signal })
      .catch(() => undefined);
    const { usage, stats: parts } = stats?.memory_stats ?? {};
    // As the command line of Docker counts: what the system could take back at any time is not in use.
    return usage == null ? undefined : Math.max(0, usage - (parts?.inactive_file ?? 0));
  }

  async function lastLine(id: string, signal: AbortSignal | undefined): Promise<string | undefined> {
    const pieces: Buffer[] = [];
    try {
      for await (const piece of http.stream(`/containers/${id}/logs?stdout=true&stderr=true&tail=5`, {
        signal,
      })) {
        pieces.push(piece);
        if (pieces.length === 64) break;
      }
    } catch {
      return undefined;
    }
    return lastLineOf(textOfFrames(Buffer.concat(pieces)));
  }

  async function report(listed: Listed, signal: AbortSignal | undefined) {
    const known = isLiving(listed.State) ? undefined : ended.get(listed.Id);
    if (known) return known;
    const inspected = await http.ask(`/containers/${listed.Id}/json`, Inspected, { signal });
    if (!inspected || isHalfMade(inspected.State.Status)) return undefined;
    const lives = isLiving(inspected.State.Status);
    const found = reportOf(
      {
        listed,
        inspected,
        memoryBytes: lives ? await memoryOf(listed.Id, signal) : undefined,
        lastLine: lives ? undefined : await lastLine(listed.Id, signal),
      },
      address,
    );
    if (!lives) ended.set(listed.Id, found);
    return found;
  }

  async function find(name: string | undefined, signal: AbortSignal | undefined) {
    const all = await http.ask(
      `/containers/json?all=true&filters=${filterOf(owner(), name)}`,
      z.array(Listed),
      { signal },
    );
    return (all ?? []).sort((a, b) => b.Created - a.Created);
  }

  return {
    find,
    report,
    async reports(signal) {
      const all = await find(undefined, signal);
      ended = new Map([...ended].filter(([id]) => all.some(({ Id }) => Id === id)));
      const byName = new Map<string, ContainerReport>();
      for (let at = 0; at < all.length; at += atOnce) {
        const some = all
          .slice(at, at + atOnce)
          .map((one) => report(one, signal).catch((error) => orAsListed(error, one)));
        for (const found of await Promise.all(some))
          if (found && !byName.has(found.name)) byName.set(found.name, found);
      }
      return [...byName.values()];
    },
  };
}
