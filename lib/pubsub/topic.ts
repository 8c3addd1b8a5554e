import type { ZodType } from 'zod';
import type { Permission } from '../core/permissions.js';
import type { Principal } from '../core/principal.js';

/**
 * A topic that the gateway publishes: to the hub what a route is to the table. Topics are constants; the service
 * arrives as an argument, so the list of topics can be read without a gateway.
 */
export interface Topic<S, P = unknown, D = unknown> {
  /** Spec 6.2, with parameters in braces: `applications.{appid}.containers`. */
  readonly name: string;
  readonly summary: string;
  /** Who may subscribe; `may` decides about the one thing that the parameters name. */
  readonly access: 'user' | 'admin' | Permission;
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
   * Snapshots: resolves what to publish, or `undefined` when it is not available now (nothing is published then).
   * Called by one reader at a time, while somebody listens. Without it the data is pushed: `hub.publish`.
   */
  read?(service: S, input: { readonly params: P; readonly signal: AbortSignal }): Promise<D | undefined>;
  /** Whether this caller may see the thing that the parameters name. A thing that is not there: `false`, or `NotFound`. */
  may?(service: S, user: Principal, params: P): Promise<boolean> | boolean;
  /**
   * The part of the data that this receiver may see. Receivers for whom `data` itself is returned share one message.
   * Called once for each principal and message, so it must be quick.
   */
  view?(service: S, user: Principal, data: D): D;
}

/** Fixes the service type of a room; everything else is inferred, the name to the letter: clients' types are made of it. */
export const topicFor =
  <S>() =>
  <N extends string, P = undefined, D = unknown>(
    topic: Topic<S, P, D> & { readonly name: N },
  ): Topic<S, P, D> & { readonly name: N } =>
    topic;
