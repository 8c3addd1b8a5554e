/** Something happened to an alert that its recipients are told of. */
export interface AlertChange {
  /** Of this change alone, also after a restart: 1 to 64 letters, digits and hyphens. */
  readonly id: string;
  /**
   * `triggered`: the condition held for the threshold, the alert is active. `cleared`: it was active and its condition
   * is false now. `disabled`: it was saved as disabled, from whatever state. Errors of a condition are none of them.
   */
  readonly kind: 'triggered' | 'cleared' | 'disabled';
  /** As it was at the change. Everything in it is text of users: it may hold any Unicode, line breaks included. */
  readonly alert: ChangedAlert;
  /** Of the change, epoch milliseconds. */
  readonly time: number;
  /**
   * When it became active, epoch milliseconds: the same as `time` when triggered; absent when it was disabled while it
   * was not active. With `time` it gives the duration.
   */
  readonly inTime?: number;
  /**
   * What the condition read at the change, in the order of its text, at most 50. Empty when it was disabled, and where
   * the script process could not say.
   */
  readonly fields: readonly FieldRead[];
}

interface ChangedAlert {
  readonly name: string;
  /** A user name. */
  readonly owner: string;
  /** JavaScript. */
  readonly condition: string;
  /** 1 to 50 addresses, checked, each once, of ASCII characters. */
  readonly recipients: readonly string[];
  /** What the user wants the mail to say; may be empty. */
  readonly description: string;
  readonly timeThresholdMillis: number;
}

/** One field of a topic that a condition names outright: `_topic['cluster.metrics'].cpuPercentage`. */
export interface FieldRead {
  readonly topic: string;
  /** Names of members from the topic's data inwards; empty when the data itself is named. */
  readonly path: readonly string[];
  /** JSON text, at most 200 characters; of an array its length: `[1000 items]`. Absent: there was nothing. */
  readonly value?: string;
}

/** A mail that somebody wants to see before the alert is saved (`validate/script`). */
export interface AlertTestMail {
  /** As those of an alert. */
  readonly recipients: readonly string[];
  readonly description: string;
  readonly condition: string;
  /** What the condition gave just now. */
  readonly result: boolean;
  readonly fields: readonly FieldRead[];
  /** Who asked for it. */
  readonly userName: string;
}
