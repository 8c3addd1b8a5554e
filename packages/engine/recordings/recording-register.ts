import { randomBytes } from 'node:crypto';
import { Conflict } from 'headgate/driver-kit';

export interface ActiveRecording {
  readonly id: string;
  readonly operatorId: string;
  /** Absent: all ports. */
  readonly portName?: string;
  /** Epoch milliseconds. */
  readonly startTime: number;
  readonly containerId: string;
}

interface RecordingEntry extends ActiveRecording {
  /** Resolves when it has left. */
  readonly over: Promise<void>;
  readonly end: () => void;
}

/** The recordings of an application that are active, or about to be. */
interface RecordingRegister {
  has(id: string): boolean;
  get(id: string): RecordingEntry | undefined;
  allOf(operatorId: string): readonly RecordingEntry[];
  inContainer(containerId: string): readonly RecordingEntry[];
  /** Throws `Conflict` when what is to be recorded is recorded already. */
  checkIsFree(operatorId: string, portName: string | undefined): void;
  enter(recording: Omit<ActiveRecording, 'startTime' | 'id'>): RecordingEntry;
  leave(entry: RecordingEntry): void;
}

export function createRecordingRegister(now: () => number): RecordingRegister {
  const active = new Map<string, RecordingEntry>();
  let lastStart = 0;

  const allOf = (operatorId: string) =>
    [...active.values()].filter((recording) => recording.operatorId === operatorId);

  return {
    has: (id) => active.has(id),
    get: (id) => active.get(id),
    allOf,
    inContainer: (containerId) =>
      [...active.values()].filter((recording) => recording.containerId === containerId),
    /** `docs/decisions.md`, Recordings exclude each other: an operator and its ports. */
    checkIsFree(operatorId, portName) {
      const taken = allOf(operatorId).find(
        (other) => portName === undefined || other.portName === undefined || other.portName === portName,
      );
      if (!taken) return;
      const what =
        taken.portName === undefined ? 'The operator' : `The port ${taken.portName} of the operator`;
      throw new Conflict(
        'RECORDING_ACTIVE',
        `${what} ${operatorId} is being recorded: ${taken.id}; stop that first`,
        {
          id: taken.id,
        },
      );
    },
    enter(recording) {
      // Its topic has the time as its name.
      const startTime = Math.max(now(), lastStart + 1);
      lastStart = startTime;
      let end: () => void = () => {};
      const over = new Promise<void>((resolve) => {
        end = resolve;
      });
      const entry = { ...recording, id: recordingId(startTime), startTime, over, end };
      active.set(entry.id, entry);
      return entry;
    },
    leave(entry) {
      active.delete(entry.id);
      entry.end();
    },
  };
}

/** `yyyyMMddHHmm-` of the start (UTC), and six characters that fit a URL. */
const recordingId = (startTime: number): string =>
  `${new Date(startTime).toISOString().replace(/\D/g, '').slice(0, 12)}-${randomBytes(5).toString('base64url').slice(0, 6)}`;

export const isRecordingId = (id: string): boolean => /^\d{12}-[\w-]{6}$/.test(id);
