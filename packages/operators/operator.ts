import type * as z from 'zod';

/** What travels on a stream: any value that survives the structured clone. */
export type Tuple = unknown;

export interface Port {
  /** Whether the port may be left unconnected. Default: inputs no, outputs yes. */
  readonly optional?: boolean;
  /** For people and for consoles: `string`, `LogRecord`. */
  readonly type?: string;
  readonly description?: string;
  /**
   * Which partition of the reader gets a tuple: the tuple's partition is the hash of this key. Called once with the
   * reader's parsed properties (a property may name the key field), and again when they change; what it returns is
   * called for each tuple, and must not throw. Input ports only; without it tuples are dealt by the hash of their
   * JSON text.
   */
  readonly partitionKey?: (properties: Readonly<Record<string, unknown>>) => (tuple: Tuple) => string;
  /**
   * Class name of the operator that joins the partitions' output. Output ports only. A unifier has one input port
   * and one output port; it is given the properties of the operator whose output it joins, of which its own schema
   * takes what it knows. All partitions' tuples of a window reach it within that window.
   */
  readonly unifier?: string;
}

export type Reach = 'read' | 'write' | 'url';

/**
 * App Data that an operator serves: the names of the properties that hold the topic of its queries, the topic of its
 * results (the id of a query is appended to it) and, optionally, the keys that tell its schema from others on the same
 * topics. In topics `{appId}` and `{operator}` stand for what they say: `topicOf` puts them in.
 */
export interface DataSourceProperties {
  readonly queryTopic: string;
  readonly resultTopic: string;
  readonly schemaKeys?: string;
}

/** What an operator is told about itself. */
export interface OperatorContext {
  readonly applicationId: string;
  readonly operatorId: string;
  readonly operatorName: string;
  /** `index` counts from 0; `count` is 1 for an operator without partitions. */
  readonly partition: { readonly index: number; readonly count: number };
  /** Effective attributes: those of the operator over those of the application over the defaults. */
  readonly attributes: Readonly<Record<string, unknown>>;
  /** Lines of the container's log file; `name` defaults to the class name. */
  readonly log: OperatorLog;
  /** Publishes on a topic of the gateway's hub; `data` must be JSON. */
  publish(topic: string, data: unknown): void;
  /**
   * Calls `receive` with what anybody publishes on a free topic of the gateway's hub, as it comes: between the calls
   * of `process`, inside a window or not, so it must not emit but keep it for the window. Messages are lost while the
   * operator is not deployed, above 64 KiB, and when the container is too busy to take them. Returns the function that
   * ends it; the end of the deployment does too. Topics of the gateway are refused with a line in the log.
   */
  subscribe(topic: string, receive: (data: unknown) => void): () => void;
  /** Length of a streaming window, milliseconds. */
  readonly windowMillis: number;
  /** What an application may reach outside of the engine. */
  readonly access: OperatorAccess;
}

/**
 * The engine's options `files` and `addresses`. Whoever launches an application chooses its properties: an operator
 * that opens a file or connects to an address that a property names asks here first, each time.
 */
export interface OperatorAccess {
  /**
   * The real path, without links, of what a property names; relative paths begin in the engine's folder for files.
   * Open that path, not the property's. Throws when it may not be read.
   */
  toRead(path: string): string;
  toWrite(path: string): string;
  /** Whether a connection to this IP address is allowed: to be asked inside `lookup`, when the name is resolved. */
  mayConnect(address: string): boolean;
  /** Throws when the host of an absolute URL is an address that may not be connected to; a name passes. */
  checkUrl(url: string): void;
}

export interface OperatorLog {
  trace(message: string): void;
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string, error?: unknown): void;
}

/**
 * The base of every operator of the local engine.
 *
 * A subclass declares its class name, ports and properties as static members; the engine makes one instance per
 * partition inside a container process and calls, in this order: `setup`, `restore` (when there is a checkpoint),
 * then for every window `beginWindow`, `process` of a port for each tuple, `endWindow`, and `checkpoint` every N
 * windows; at the end `teardown`. The first checkpoint is taken right after `setup` of a first deployment, so that a
 * container that dies early goes on from the same place in the input. All but `setup` and `teardown` are synchronous;
 * what throws ends the container and is redeployed from the last checkpoint.
 */
export abstract class Operator<Properties extends z.ZodObject = z.ZodObject> {
  /** Unique name that applications refer to, with dots: `headgate.io.FileLines`. */
  static readonly className: string;
  static readonly title: string = '';
  static readonly description: string = '';
  static readonly tags: readonly string[] = [];
  /** zod object; each member's `describe` text is what consoles show. */
  static readonly properties: z.ZodObject;
  static readonly inputs: Readonly<Record<string, Port>> = {};
  static readonly outputs: Readonly<Record<string, Port>> = {};
  /** Properties that name a file to read, a place to write or a URL: refused at launch when out of reach. */
  static readonly reaches: Readonly<Record<string, Reach>> = {};
  /** App Data that it serves, by the name that follows the operator's in the API's list: `query`. */
  static readonly dataSources: Readonly<Record<string, DataSourceProperties>> = {};

  /** Set by the engine before `setup`, and again when a property changes at run time. */
  properties!: z.output<Properties>;
  context!: OperatorContext;
  /** Sends a tuple on an output port. Inside a window only. Set by the engine. */
  emit!: (port: string, tuple: Tuple) => void;

  setup(): void | Promise<void> {}
  /**
   * Properties were changed at run time; `this.properties` already holds the new ones. Called between windows, and after
   * `restore` where they were changed since the checkpoint: `setup` and `restore` saw those of then.
   */
  propertiesChanged(): void {}
  beginWindow(_windowId: string): void {}
  /** One tuple on an input port. */
  process(_port: string, _tuple: Tuple): void {}
  endWindow(): void {}
  /**
   * All inputs have ended for good: an operator that has this method gets one more window, without tuples, in which it
   * is called, to emit what it held back. Not for input operators.
   */
  endOfInput?(): void;
  /** What `restore` needs: a value that survives the structured clone. Called between windows. */
  checkpoint(): unknown {
    return undefined;
  }
  restore(_state: unknown): void {}
  /**
   * Numbers of the operator's own, totals since its first window: what it dropped, skipped, cut. Read between
   * windows for the operator's `counters` of the API. Those of its partitions are added up for the metrics of the
   * application.
   */
  counters(): Readonly<Record<string, number>> {
    return {};
  }
  teardown(): void | Promise<void> {}
}

/**
 * An operator without input ports: the engine asks it for tuples again and again inside a window.
 * Files, sockets and timers fill a bounded buffer of its own in the background; `emitTuples` empties it.
 */
export abstract class InputOperator<
  Properties extends z.ZodObject = z.ZodObject,
> extends Operator<Properties> {
  /**
   * Emits at most `limit` tuples and returns how many it did. 0 lets the engine wait a little. Return
   * `undefined` when the input has ended for good: once all inputs have, the application drains and finishes.
   */
  abstract emitTuples(limit: number): number | undefined;
}

/** What is known of an operator class without having it: all that plans are checked and made by. */
export interface OperatorType {
  readonly className: string;
  readonly title: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly properties: z.ZodObject;
  readonly inputs: Readonly<Record<string, Port>>;
  readonly outputs: Readonly<Record<string, Port>>;
  readonly reaches?: Readonly<Record<string, Reach>>;
  readonly dataSources?: Readonly<Record<string, DataSourceProperties>>;
  /** Names of the operator classes that it extends. Absent where the class itself is there and tells. */
  readonly ancestors?: readonly string[];
}

/** The static side of an operator class, as the engine registers it. */
export interface OperatorClass extends OperatorType {
  new (): Operator;
}
