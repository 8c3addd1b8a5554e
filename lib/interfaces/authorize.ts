import type { CallerRequest, Identity } from './auth.js';

/**
 * A host's own rules. Each is asked only after the gateway itself has said yes, so it can only take away. Anything but
 * `true` is a no. Lists are not asked about item by item: what a user must not see at all, the permissions decide.
 */
export interface HostRules {
  /** Asked before the body is read. No: 403; when it throws: 502. Default: yes. */
  operation?(question: OperationQuestion): boolean | Promise<boolean>;
  /**
   * Asked at each subscription, again after `gateway.rightsChanged()`, and at each message that a client publishes: so it
   * answers at once. When it throws, that is a no. Default: yes.
   */
  topic?(question: TopicQuestion): boolean;
}

export interface OperationQuestion {
  readonly kind: 'operation';
  /** As in the reference: `killApplication`. */
  readonly operation: string;
  readonly method: string;
  /** With names in braces: `/ws/v2/applications/{appid}/kill`. */
  readonly path: string;
  /** Decoded, and not checked yet. */
  readonly params: Readonly<Record<string, string>>;
  readonly user: AskedUser;
  readonly caller: CallerRequest;
}

export type TopicAction = 'subscribe' | 'publish';

export interface TopicQuestion {
  readonly kind: 'topic';
  readonly action: TopicAction;
  readonly topic: string;
  readonly user: AskedUser;
}

/** Whom it is about. On public operations without a session the name is empty. */
export interface AskedUser {
  readonly userName: string;
  readonly roles: readonly string[];
  readonly permissions: ReadonlySet<string>;
  readonly isAdmin: boolean;
  readonly identity: Identity;
}
