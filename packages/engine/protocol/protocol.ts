import type { RecordedPort } from '@headgate/history/formats';
import * as z from 'zod';
import type { AccessSettings } from '../access/access.js';
import type { WindowClock } from '../model/windows.js';
import type { PackageModule } from '../operators/registry.js';

// What the engine in the host and a container tell each other over the child process's channel, as JSON.

type Properties = Readonly<Record<string, unknown>>;

export interface InputLink {
  readonly port: string;
  /** Operators in other containers: where their publisher listens. */
  readonly remote?: { readonly address: string; readonly publisher: string; readonly subscriber: string };
  /** Operator in this container. */
  readonly local?: { readonly operatorId: string; readonly port: string };
  /** What the physical plan calls this connection when the port is a unifier's. */
  readonly label?: string;
  readonly split?: PartitionOf;
}

/** The reader's part of a split stream: tuples whose key falls to this index. */
export interface PartitionOf {
  readonly index: number;
  readonly count: number;
  /** The reading operator, by its name in the logical plan: its class, port and properties give the key. */
  readonly reader: string;
  readonly className: string;
  readonly port: string;
  readonly properties: Properties;
}

export interface PublisherPlan {
  readonly id: string;
  readonly port: string;
  /** Ids of those who read it. */
  readonly subscribers: readonly string[];
  readonly split?: PartitionOf;
  readonly queueBytes: number;
  readonly replayBytes: number;
}

export interface OperatorPlan {
  readonly id: string;
  readonly name: string;
  readonly className: string;
  readonly properties: Properties;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly partition: { readonly index: number; readonly count: number };
  readonly inputs: readonly InputLink[];
  readonly publishers: readonly PublisherPlan[];
  /** File of the checkpoint to go on from; absent: from the beginning. */
  readonly stateFile?: string;
  /** Nothing is kept of it yet: its state right after `setup` is. */
  readonly isFirst: boolean;
  /** It had ended for good when that checkpoint was taken. */
  readonly finished: boolean;
  readonly queueCapacity: number;
}

export type DeployOrder = Extract<ToContainer, { type: 'deploy' }>;

export type ToContainer =
  | {
      readonly type: 'init';
      readonly applicationId: string;
      readonly containerId: string;
      readonly modules: readonly string[];
      readonly packageModules: readonly PackageModule[];
      readonly access: AccessSettings;
      readonly logDirectory: string;
      readonly checkpointDirectory: string;
      readonly address: string;
      readonly logFileBytes: number;
      readonly logFiles: number;
      readonly loggers: readonly { target: string; logLevel: string }[];
      readonly heartbeatMillis: number;
      readonly heapLimitMB: number;
    }
  | {
      readonly type: 'deploy';
      readonly epoch: number;
      /** The last window that the checkpoints contain; -1: none. */
      readonly window: number;
      readonly clock: WindowClock;
      readonly checkpointEvery: number;
      readonly spinMillis: number;
      readonly draining: boolean;
      readonly operators: readonly OperatorPlan[];
    }
  | { readonly type: 'start'; readonly epoch: number }
  | { readonly type: 'committed'; readonly window: number; readonly remove: readonly string[] }
  | { readonly type: 'checkpointAt'; readonly window: number }
  | {
      /** What holds from this window on: all properties of these operators, changed or not. */
      readonly type: 'properties';
      readonly window: number;
      readonly operators: readonly { readonly id: string; readonly properties: Properties }[];
      /** Operators whose partitions are dealt by a key that their properties name. */
      readonly readers: readonly { readonly name: string; readonly properties: Properties }[];
    }
  /** Inputs begin no window after this one; `null`: none is held any more. */
  | { readonly type: 'holdAfter'; readonly window: number | null }
  | { readonly type: 'loggers'; readonly loggers: readonly { target: string; logLevel: string }[] }
  | { readonly type: 'ask'; readonly id: number; readonly question: Question }
  /** A message on a topic that it listens to. `dropped`: those that it was too slow for, so far. */
  | { readonly type: 'message'; readonly topic: string; readonly data: string; readonly dropped: number }
  | { readonly type: 'topicRefused'; readonly topic: string; readonly reason: string }
  | { readonly type: 'shutdown' }
  | { readonly type: 'stop' };

/** What the engine wants from a running container; each is answered once. */
export type Question =
  | {
      /** The properties of an operator as they are now: a record. */
      readonly what: 'properties';
      readonly operatorId: string;
    }
  | {
      /** Answered when it records; `recordingEnded` follows, whatever ends it. */
      readonly what: 'startRecording';
      readonly operatorId: string;
      readonly recording: RecordingOrder;
    }
  | { readonly what: 'stopRecording'; readonly operatorId: string; readonly recordingId: string }
  /** Inputs begin no more windows. The newest that has begun: a number. */
  | { readonly what: 'hold' }
  /** The order of this name, for who has to know that it has come. */
  | { readonly what: 'checkpointAt'; readonly window: number }
  /** A heartbeat, measured now. */
  | { readonly what: 'metrics' };

export interface RecordingOrder {
  readonly id: string;
  readonly applicationId: string;
  readonly containerId: string;
  /** Epoch milliseconds. */
  readonly startTime: number;
  readonly directory: string;
  readonly ports: readonly RecordedPort[];
  /** Absent: until it is stopped. */
  readonly windows?: number;
  /** Where its tuples are shown while somebody listens. */
  readonly topic: string;
  readonly limits: RecordingLimits;
}

export interface RecordingLimits {
  readonly bytes: number;
  readonly millis: number;
  /** Of one tuple, characters of JSON. */
  readonly tupleBytes: number;
  readonly partBytes: number;
  /** That may wait for the disk. */
  readonly pendingBytes: number;
  /** Of the container's thread, for all its recordings together. */
  readonly cpuPercent: number;
  readonly livePerSecond: number;
}

const PortReport = z.object({
  name: z.string(),
  type: z.enum(['input', 'output']),
  tuples: z.number(),
  bytes: z.number(),
  /** Tuples that wait in the container; those that have not come there yet are with their source. */
  queued: z.number(),
});
export const OperatorReport = z.object({
  id: z.string(),
  window: z.number(),
  cpuMillis: z.number(),
  ports: z.array(PortReport),
  /** Tuples that wait for readers in other containers, by the reader's id. */
  unsent: z.record(z.string(), z.number()),
  /** Window and monotonic milliseconds of its end, oldest first. */
  ends: z.array(z.tuple([z.number(), z.number()])),
  counters: z.record(z.string(), z.number()),
});
export type OperatorReport = z.output<typeof OperatorReport>;

export const Heartbeat = z.object({
  type: z.literal('heartbeat'),
  epoch: z.number(),
  /** When all this was measured, on the clock of `monotonicMillis`: what comes late is not of a later time. */
  at: z.number(),
  usedBytes: z.number(),
  limitBytes: z.number(),
  gcCount: z.number(),
  gcMillis: z.number(),
  cpuMillis: z.number(),
  operators: z.array(OperatorReport),
});
export type Heartbeat = z.output<typeof Heartbeat>;

const Checkpointed = z.object({
  type: z.literal('checkpointed'),
  epoch: z.number(),
  operatorId: z.string(),
  window: z.number(),
  /** Absent: the operator has no state. */
  file: z.string().optional(),
  /** Epoch milliseconds. */
  startedAt: z.number(),
  millis: z.number(),
  finished: z.boolean(),
});
export type Checkpointed = z.output<typeof Checkpointed>;

const Failed = z.object({
  type: z.literal('failed'),
  operatorId: z.string().optional(),
  message: z.string(),
  stack: z.string().optional(),
  logFileOffset: z.string().optional(),
});

/** What a container says. Operators share its process, so everything is checked. */
export const FromContainer = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('deployed'), epoch: z.number() }),
  Heartbeat,
  Checkpointed,
  Failed,
  z.object({ type: z.literal('pressure'), epoch: z.number() }),
  z.object({
    type: z.literal('replayLost'),
    operatorId: z.string(),
    from: z.number(),
    through: z.number(),
    asked: z.boolean(),
  }),
  z.object({ type: z.literal('answer'), id: z.number(), value: z.unknown() }),
  z.object({ type: z.literal('refusal'), id: z.number(), message: z.string() }),
  z.object({ type: z.literal('recordingEnded'), id: z.string() }),
  z.object({ type: z.literal('subscribe'), topic: z.string() }),
  z.object({ type: z.literal('unsubscribe'), topic: z.string() }),
]);
export type FromContainer = z.output<typeof FromContainer>;
