import type { Principal } from '../../http/principal.js';
import type { Clock } from '../../interfaces/clock.js';

/** What alerts need of the hub. */
export interface TopicSource {
  /** Keeps the topic alive; `receive` gets JSON text. Returns the function that ends it. */
  watch(topic: string, receive: (data: string) => void): () => void;
  /** Whether the gateway reads it, so that it says something soon after somebody began to watch. */
  isRead(topic: string): boolean;
  /** Whether each receiver sees a part of its own. */
  hasViews(topic: string): boolean;
  /** The newest message as `user` sees it, all of it without one, as JSON text. */
  latest(topic: string, user?: Principal): string | undefined;
  /** When that was said (monotonic). */
  latestAt(topic: string): number | undefined;
  /** Rejects when that can't be found out. */
  mayRead(user: Principal, topic: string): Promise<boolean>;
}

/** The newest data of topics, read while somebody wants it. */
export interface TopicReadings {
  /** From now on these are read, and no others. */
  want(names: ReadonlySet<string>): void;
  /** Resolves when all that are wanted now first, and that are read, have said something, or the time is over. */
  heard(millis: number): Promise<void>;
  /**
   * What `user` sees of it, who must be allowed to; `undefined` before the topic said something, and when what the gateway
   * reads has been silent for `staleMillis`: what was so then need not be so now.
   */
  of(name: string, user: Principal): string | undefined;
  close(): void;
}

interface Reading {
  text?: string;
  /** Monotonic. */
  heardAt: number;
  /** Nobody has waited for it in vain. */
  isAwaited: boolean;
  end: () => void;
}

const staleMillis = 30_000;

export function createTopicReadings(source: TopicSource, clock: Clock): TopicReadings {
  const readings = new Map<string, Reading>();
  const isStale = (heardAt: number): boolean => clock.monotonic() - heardAt > staleMillis;
  let wake = () => {};

  function watch(name: string): void {
    const reading: Reading = { heardAt: 0, isAwaited: true, end: () => {} };
    readings.set(name, reading);
    reading.end = source.watch(name, (text) => {
      reading.text = text;
      reading.heardAt = clock.monotonic();
      wake();
    });
    if (reading.text !== undefined || !source.isRead(name)) return;
    // Where others listen already the next message may be seconds away: who comes later is told the last one.
    const heardAt = source.latestAt(name);
    const text = source.latest(name);
    if (heardAt !== undefined && text !== undefined && !isStale(heardAt))
      Object.assign(reading, { text, heardAt });
  }

  const isAllHeard = (): boolean =>
    [...readings].every(
      ([name, { text, isAwaited }]) => text !== undefined || !isAwaited || !source.isRead(name),
    );

  return {
    want(names) {
      for (const [name, { end }] of readings) {
        if (names.has(name)) continue;
        readings.delete(name);
        end();
      }
      for (const name of names) if (!readings.has(name)) watch(name);
    },
    async heard(millis) {
      let isLate = false;
      const timer = setTimeout(() => {
        isLate = true;
        wake();
      }, millis).unref();
      while (!isLate && !isAllHeard()) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      clearTimeout(timer);
      for (const reading of readings.values()) reading.isAwaited = false;
    },
    of(name, user) {
      const { text, heardAt } = readings.get(name) ?? {};
      if (text === undefined || heardAt === undefined) return undefined;
      if (source.isRead(name) && isStale(heardAt)) return undefined;
      return source.hasViews(name) ? source.latest(name, user) : text;
    },
    close() {
      for (const { end } of readings.values()) end();
      readings.clear();
      wake();
    },
  };
}
