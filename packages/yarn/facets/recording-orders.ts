import { setTimeout as delay } from 'node:timers/promises';
import { Conflict, NotFound, type Recorder } from 'headgate/driver-kit';
import * as z from 'zod';
import type { MasterClient } from '../masters/client.js';
import { MasterOperators, recordingsIn } from '../views/physical.js';
import { isOperatorId, type RecordingFolders } from './recording-folders.js';
import type { StartedRecordings } from './started-recordings.js';

const Started = z.object({ id: z.string().min(1) });

/** Milliseconds that a stop waits for the mark at the end; the order was given then, in any case. */
const stopTimeout = 3000;
const firstId = (ids: readonly { readonly id: string }[]) => ids[0]?.id;

/** One that is under way, or is said to be. */
interface ShownRecording {
  readonly operatorId: string;
  readonly portName?: string;
  readonly id: string;
}

/** What a running master shows of recordings, and is told to do. */
export interface RecordingOrders extends Pick<Recorder, 'start' | 'stop'> {
  /** What the plan shows, and what was started and is not there yet. */
  shown(signal: AbortSignal | undefined): Promise<readonly ShownRecording[]>;
  /** The plan goes on to show a recording for a while after its end: the mark at the end is the better evidence. */
  active(operatorId: string, signal: AbortSignal | undefined): Promise<readonly ShownRecording[]>;
  requireOperator(operatorId: string, signal: AbortSignal | undefined): Promise<void>;
}

export function recordingOrders(
  master: MasterClient,
  started: StartedRecordings,
  folders: RecordingFolders,
): RecordingOrders {
  const planOf = (signal: AbortSignal | undefined) =>
    master.get(MasterOperators, 'physicalPlan/operators', signal);
  const indexOf = async (operatorId: string, id: string, signal: AbortSignal | undefined) =>
    (await folders.readerOf(operatorId, id, signal)).index(signal);

  async function shown(signal: AbortSignal | undefined): Promise<readonly ShownRecording[]> {
    const told = recordingsIn(await planOf(signal));
    return [...told, ...started.besides(told.map(({ id }) => id))];
  }

  async function active(operatorId: string, signal: AbortSignal | undefined) {
    const own = (await shown(signal)).filter((one) => one.operatorId === operatorId);
    const indexes = await Promise.all(own.map(({ id }) => indexOf(operatorId, id, signal)));
    return own.filter((_, i) => !indexes[i]?.ended);
  }

  return {
    shown,
    active,

    async requireOperator(operatorId, signal) {
      const { operators } = await planOf(signal);
      if (!operators.some(({ id }) => id === operatorId)) throw new NotFound('physical operator', operatorId);
    },

    async start(operatorId, { portName, numWindows }, { signal } = {}) {
      const { operators } = await planOf(signal);
      const operator = operators.find(({ id }) => id === operatorId);
      if (!operator) throw new NotFound('physical operator', operatorId);
      if (portName !== undefined && !operator.ports.some(({ name }) => name === portName))
        throw new NotFound(
          'port',
          portName,
          operator.ports.map(({ name }) => name),
        );
      // The engine refuses a second one in the log of a container, and answers with an id that never comes to be.
      const inTheWay = (await active(operatorId, signal)).filter(
        (one) => one.portName === undefined || portName === undefined || one.portName === portName,
      );
      const id = firstId(inTheWay);
      if (id !== undefined)
        throw new Conflict('RECORDING_ACTIVE', `${operator.name} (${operatorId}) is being recorded`, { id });
      await folders.requireWritable(signal);
      const answer = Started.safeParse(
        await master.post(
          orderPath(operatorId, portName, 'start'),
          numWindows === undefined ? {} : { numWindows: String(numWindows) },
          signal,
        ),
      );
      if (!answer.success)
        throw new Conflict('RECORDING_NOT_STARTED', `The master did not begin to record ${operatorId}`);
      started.add(operatorId, portName, answer.data.id);
      return answer.data.id;
    },

    async stop(operatorId, { portName }, { signal } = {}) {
      const stopped = isOperatorId(operatorId)
        ? (await active(operatorId, signal)).filter(
            (one) => portName === undefined || one.portName === portName,
          )
        : [];
      if (stopped.length === 0) throw new NotFound('recording that is under way of the operator', operatorId);
      for (const one of stopped) {
        await master.post(orderPath(operatorId, one.portName, 'stop'), {}, signal);
        started.remove(one.id);
      }
      for (const until = performance.now() + stopTimeout; performance.now() < until; await delay(100)) {
        const recordings = await Promise.all(stopped.map(({ id }) => indexOf(operatorId, id, signal)));
        if (recordings.every(({ ended }) => ended)) return;
        signal?.throwIfAborted();
      }
    },
  };
}

const orderPath = (operatorId: string, portName: string | undefined, order: 'start' | 'stop') =>
  `physicalPlan/operators/${operatorId}${portName === undefined ? '' : `/ports/${encodeURIComponent(portName)}`}/recordings/${order}`;
