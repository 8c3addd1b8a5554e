import type { ZodType } from 'zod';
import type { CallerRequest } from '../interfaces/auth.js';
import type { Permission } from '../model/permissions.js';
import type { Body } from './body.js';
import type { Capability } from './capabilities.js';
import type { Principal } from './principal.js';
import type { Reply } from './reply.js';
import type { ResourceAccess } from './resource-access.js';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH';

/** What a license may withhold. */
export const licenseFeatures = [
  'SYSTEM_APPS',
  'SYSTEM_ALERTS',
  'APP_DATA_DASHBOARDS',
  'RUNTIME_DAG_CHANGE',
  'RUNTIME_PROPERTY_CHANGE',
  'APP_CONTAINER_LOGS',
  'LOGGING_LEVELS',
  'APP_DATA_TRACKER',
  'JAAS_LDAP_AUTH',
  'APP_BUILDER',
] as const;
export type LicenseFeature = (typeof licenseFeatures)[number];

/** What an operation needs of the license. */
export interface LicenseNeeds {
  readonly licensed?: LicenseFeature;
  /**
   * Refused while the license is locked: what starts or builds something. Never for reads,
   * shutdown and kill, nor for what lifts the lock.
   */
  readonly lockable?: true;
}

/** Statuses of errors that only the service of an operation knows about. */
type Refusal = 404 | 409 | 412 | 429 | 501;

/** Anybody, anybody known, an administrator, or who has the permission. */
export type RouteAccess = 'public' | 'user' | 'admin' | Permission;

/** For whom something is done. Services take it as their first argument. */
export interface Call {
  /** `anonymous` on public routes without a session. */
  readonly user: Principal;
  /** Aborted when the client hangs up: stop working for it. */
  readonly signal: AbortSignal;
}

/** A call that may hold only for the state that its client has read. */
export interface ConditionalCall extends Call {
  /** The client's `If-Match`, for `requireIfMatch`; absent where it sent none, and on routes that are not `conditional`. */
  readonly ifMatch?: string | undefined;
}

/** What a handler gets, checked. */
export interface Input<P, Q, B> extends ConditionalCall {
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  readonly caller: CallerRequest;
  /** Adds a header to the answer. */
  readonly setHeader: (name: string, value: string | string[]) => void;
}

/**
 * One operation, as a value: its documentation, its checks and its handler. The service arrives as an argument, so
 * the table can be read without a gateway.
 */
export interface Route<
  S,
  P = unknown,
  Q = unknown,
  B = unknown,
  R = unknown,
  /** What a client sends for `P`, `Q` and `B`, before defaults and coercion. */
  PI = unknown,
  QI = unknown,
  BI = unknown,
> extends LicenseNeeds {
  readonly method: Method;
  /** Parameters in braces: `/ws/v2/applications/{appid}`; a last segment `{rest...}` takes what follows, undecoded. */
  readonly path: `/${string}`;
  /** One sentence; becomes the documentation. */
  readonly summary: string;
  /** Who may call. */
  readonly access: RouteAccess;
  /** What the thing that the path names asks besides. */
  readonly resource?: ResourceAccess;
  readonly params?: ZodType<P, PI>;
  readonly query?: ZodType<Q, QI>;
  readonly body?: Body<B, BI>;
  readonly reply: Reply<R>;
  /** Answers 501 when the driver in use lacks it. */
  readonly requires?: Capability;
  /** A client may ask it for another protocol, such as a WebSocket. */
  readonly upgrades?: true;
  /** It hands calls on to programs of users: that one of them fails is no fault of the gateway, and no error in its log. */
  readonly asksUsers?: true;
  /** It changes what its client may have read before: its service obeys `If-Match`, and may answer 412. */
  readonly conditional?: true;
  /** Errors that its service answers besides those that follow from the other members. */
  readonly refusals?: readonly Refusal[];
  /** Version of the API that brought it. */
  readonly since?: string;
  /** Says what to use instead. */
  readonly deprecated?: string;
  handle(service: S, input: Input<P, Q, B>): Promise<R> | R;
}

/** Fixes the service type of a room; everything else is inferred. */
export const routeFor =
  <S>() =>
  <R, P = undefined, Q = undefined, B = undefined, PI = undefined, QI = undefined, BI = undefined>(
    route: Route<S, P, Q, B, R, PI, QI, BI>,
  ): Route<S, P, Q, B, R, PI, QI, BI> =>
    route;
