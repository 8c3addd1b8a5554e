import type { ZodType } from 'zod';
import type { Principal } from '../http/principal.js';
import type { ResourceAccess } from '../http/resource-access.js';
import type { Permission } from '../model/permissions.js';

/**
 * A topic that the gateway publishes: to the hub what a route is to the table. Topics are constants; the service
 * arrives as an argument, so the list of topics can be read without a gateway.
 */
export interface Topic<S, P = unknown, D = unknown> {
  /** Parameters in braces: `applications.{appid}.containers`. */
  readonly name: string;
  readonly summary: string;
  /** Who may subscribe. */
  readonly access: 'user' | 'admin' | Permission;
  /** What the one thing that the parameters name asks besides: `may` decides. */
  readonly resource?: ResourceAccess;
  readonly params?: ZodType<P>;
  readonly data: ZodType<D>;
  /**
   * `snapshot`: every message is whole, so a slow receiver may skip to the newest, and a new one gets the latest at
   * once. `events`: each message counts; they are queued up to a limit, then the socket is closed.
   */
  readonly kind: 'snapshot' | 'events';
  /** Snapshots: milliseconds between two readings while somebody listens. */
  readonly every?: number;
  /**
   * Snapshots: resolves what to publish, or `undefined` when it is not available now (nothing is published then). The same object as the
   * time before is the same message, which is not put into words again. Called by one reader at a time, while somebody listens. Without
   * it the data is pushed: `hub.publish`.
   */
  read?(service: S, input: { readonly params: P; readonly signal: AbortSignal }): Promise<D | undefined>;
  /** Lists: how entries are told apart, and what is said once more of those that are gone. */
  readonly listing?: Listing<S, P, D>;
  /**
   * Whether this caller may see the thing that the parameters name. A thing that is not there: `false`, or `NotFound`. Asked before
   * each subscription, so what `view` has to know of the caller can be found out here.
   */
  may?(service: S, user: Principal, params: P): Promise<boolean> | boolean;
  /**
   * The part of the data that this receiver may see. Receivers for whom `data` itself is returned share one message.
   * Called once for each principal and message, so it must be quick.
   */
  view?(service: S, user: Principal, data: D): D;
}

/** Entries that a list names for the last time, by id, each as a list of its own. */
export type LastEntries = ReadonlyMap<string, unknown>;

/** A list whose entries come and go. */
export interface Listing<S, P = unknown, D = unknown> {
  /** By id: each entry as a list of its own. */
  split(data: D): ReadonlyMap<string, D>;
  /** Those of an older list that a newer one lacks, as `split` tells them. Asked at every reading, so it is quick where there are none. */
  missing(older: D, newer: D): ReadonlyMap<string, D>;
  join(parts: readonly D[]): D;
  /**
   * The entry of this list with its end state; `undefined`: there is nothing to say of it any more. Rejects where it has not
   * ended for certain: then it is asked again. `isListRead`: the list could be read, and does not hold it.
   */
  ended(service: S, part: D, input: EndedInput<P>): Promise<D | undefined>;
}

export interface EndedInput<P> {
  readonly params: P;
  readonly signal: AbortSignal;
  readonly isListRead: boolean;
}

/** A `Listing` by what is known of one entry. */
export const listing = <S, P, D, E>(of: {
  entries(data: D): readonly E[];
  list(entries: E[]): D;
  id(entry: E): string;
  ended(service: S, entry: E, input: EndedInput<P>): Promise<E | undefined>;
}): Listing<S, P, D> => {
  const split = (entries: readonly E[]) =>
    new Map(entries.map((entry) => [of.id(entry), of.list([entry])] as const));
  return {
    split: (data) => split(of.entries(data)),
    missing(older, newer) {
      if (older === newer) return nothingMissing;
      const before = of.entries(older);
      const now = of.entries(newer);
      const isAtItsPlace = (entry: E, at: number) => {
        const other = now[at];
        return other !== undefined && of.id(other) === of.id(entry);
      };
      // Nearly always they are all there, in the same order.
      if (before.every(isAtItsPlace)) return nothingMissing;
      const present = new Set(now.map(of.id));
      return split(before.filter((entry) => !present.has(of.id(entry))));
    },
    join: (parts) => of.list(parts.flatMap((part) => of.entries(part))),
    async ended(service, part, input) {
      const lastEntries: E[] = [];
      for (const entry of of.entries(part)) {
        const word = await of.ended(service, entry, input);
        if (word !== undefined) lastEntries.push(word);
      }
      return lastEntries.length === 0 ? undefined : of.list(lastEntries);
    },
  };
};

const nothingMissing: ReadonlyMap<string, never> = new Map<string, never>();

/** Fixes the service type of a room; everything else is inferred, the name to the letter: clients' types are made of it. */
export const topicFor =
  <S>() =>
  <N extends string, P = undefined, D = unknown>(
    topic: Topic<S, P, D> & { readonly name: N },
  ): Topic<S, P, D> & { readonly name: N } =>
    topic;
