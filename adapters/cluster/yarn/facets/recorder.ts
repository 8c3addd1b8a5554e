import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import {
  BadRequest,
  Conflict,
  Forbidden,
  NotFound,
  type Recorder,
  type Recording,
} from '../../../../lib/driver-kit.js';
import { createPartReader, type PartReader } from '../../part-files/reader.js';
import { readMeta, readRecording, undefinedIfDamaged } from '../../recordings/detail.js';
import { recordingFormat } from '../../recordings/format.js';
import { readTuples } from '../../recordings/tuples.js';
import { clusterPartFiles } from '../files/part-files.js';
import type { MasterClient } from '../masters/client.js';
import { MasterOperators, recordingsIn } from '../views/physical.js';
import type { FilesOf } from './history.js';
import { emptyRecording, type StartedRecordings } from './started-recordings.js';

const Started = z.object({ id: z.string().min(1) });

/** Milliseconds that a stop waits for the mark at the end; the order was given then, in any case. */
const stopTimeout = 3000;
/** `null`: where the engine puts recordings that the attribute `AUTO_RECORD` began. */
const isRecordingId = (id: string): boolean => /^[\w-]{1,64}$/.test(id);
const isOperatorId = (id: string): boolean => /^\d{1,15}$/.test(id);
const firstId = (ids: readonly { readonly id: string }[]) => ids[0]?.id;

interface RecorderDeps {
  readonly applicationId: string;
  readonly filesOf: FilesOf;
  /** Absent: the application has ended. */
  readonly running?: { readonly master: MasterClient; readonly started: StartedRecordings };
}

/** Started and stopped by the master, read from the files. */
export function recorderFacet({ applicationId, filesOf, running }: RecorderDeps): Recorder {
  function living() {
    if (running) return running;
    throw new Conflict(`The application ${applicationId} has ended: nothing can be recorded`);
  }

  const planOf = (signal: AbortSignal | undefined) =>
    living().master.get(MasterOperators, 'physicalPlan/operators', signal);

  /** What the plan shows, and what was started and is not there yet. */
  async function shownOnes(signal: AbortSignal | undefined) {
    if (!running) return [];
    const told = recordingsIn(await planOf(signal));
    return [...told, ...running.started.besides(told.map(({ id }) => id))];
  }

  /** The plan goes on to show a recording for a while after its end: the mark at the end is the better evidence. */
  async function activeOnes(operatorId: string, signal: AbortSignal | undefined) {
    const shown = (await shownOnes(signal)).filter((one) => one.operatorId === operatorId);
    const indexes = await Promise.all(
      shown.map(async ({ id }) => (await readerOf(operatorId, id, signal)).index(signal)),
    );
    return shown.filter((_, i) => !indexes[i]?.ended);
  }

  async function readerOf(operatorId: string, id: string, signal?: AbortSignal): Promise<PartReader> {
    const { files, folder } = await filesOf(signal);
    const place = `${folder}/recordings/${operatorId}/${id}`;
    return createPartReader(clusterPartFiles(files, place, recordingFormat), recordingFormat);
  }

  /**
   * The engine answers with an id whether anything can be written or not. Where nothing may be changed, what is not there
   * can't be removed either.
   */
  async function requireWritable(signal: AbortSignal | undefined): Promise<void> {
    const { files, folder } = await filesOf(signal);
    await files.remove(`${folder}/recordings/none`, signal).catch((error: unknown) => {
      // Of the gateway; the application writes as somebody else.
      if (!(error instanceof Forbidden)) throw error;
    });
  }

  /** Where the operator ran when the recording began: its files do not tell. */
  async function placed(recordings: readonly Recording[], signal?: AbortSignal): Promise<Recording[]> {
    if (recordings.length === 0) return [];
    const all = await (await filesOf(signal)).deployments(signal).catch(() => []);
    return recordings.map((recording) => {
      const since = all.filter(
        ({ id, startTime }) =>
          id === recording.operatorId && (recording.startTime === 0 || startTime <= recording.startTime),
      );
      return { ...recording, containerId: recording.containerId || (since.at(-1)?.container ?? '') };
    });
  }

  async function detail(
    operatorId: string,
    id: string,
    active: readonly { readonly id: string }[],
    signal?: AbortSignal,
  ): Promise<Recording | undefined> {
    const isActive = active.some((one) => one.id === id);
    const reader = await readerOf(operatorId, id, signal);
    const found = await readRecording(reader, { id, operatorId, isActive }, signal).catch(
      (error: unknown) => {
        if (!isActive) throw error;
        // For a moment the engine's file is there, and nothing in it.
        undefinedIfDamaged(error);
        return emptyRecording(applicationId, operatorId, id);
      },
    );
    if (found || !isActive) return found;
    // Its container has not begun to write.
    return running?.started.pending(applicationId, operatorId, id);
  }

  /** Of operators that were ever recorded. */
  async function foldersOf(operatorId: string | undefined, signal?: AbortSignal) {
    const { files, folder } = await filesOf(signal);
    const list = async (path: string) =>
      (await files.list(path, signal))?.flatMap((entry) => (entry.isFolder ? [entry.name] : []));
    const operatorIds =
      operatorId === undefined
        ? ((await list(`${folder}/recordings`)) ?? []).filter(isOperatorId)
        : [operatorId];
    const found: { operatorId: string; id: string }[] = [];
    for (const one of operatorIds) {
      const ids = (await list(`${folder}/recordings/${one}`)) ?? [];
      found.push(...ids.filter(isRecordingId).map((id) => ({ operatorId: one, id })));
    }
    return found;
  }

  async function find(operatorId: string, id: string, signal?: AbortSignal): Promise<Recording> {
    const active = await shownOnes(signal);
    const found =
      isOperatorId(operatorId) && isRecordingId(id)
        ? await detail(operatorId, id, active, signal)
        : undefined;
    const [recording] = await placed(found ? [found] : [], signal);
    if (!recording) throw new NotFound('recording', id);
    return recording;
  }

  const orderPath = (operatorId: string, portName: string | undefined, order: 'start' | 'stop') =>
    `physicalPlan/operators/${operatorId}${portName === undefined ? '' : `/ports/${encodeURIComponent(portName)}`}/recordings/${order}`;

  return {
    async start(operatorId, { portName, numWindows }, { signal } = {}) {
      const { master, started } = living();
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
      const active = (await activeOnes(operatorId, signal)).filter(
        (one) => one.portName === undefined || portName === undefined || one.portName === portName,
      );
      const id = firstId(active);
      if (id !== undefined) throw new Conflict(`${operator.name} (${operatorId}) is being recorded`, { id });
      await requireWritable(signal);
      const answer = Started.safeParse(
        await master.post(
          orderPath(operatorId, portName, 'start'),
          numWindows === undefined ? {} : { numWindows: String(numWindows) },
          signal,
        ),
      );
      if (!answer.success) throw new Conflict(`The master did not begin to record ${operatorId}`);
      started.add(operatorId, portName, answer.data.id);
      return answer.data.id;
    },

    async stop(operatorId, { portName }, { signal } = {}) {
      const { master, started } = living();
      const active = isOperatorId(operatorId)
        ? (await activeOnes(operatorId, signal)).filter(
            (one) => portName === undefined || one.portName === portName,
          )
        : [];
      if (active.length === 0) throw new NotFound('recording that is under way of the operator', operatorId);
      for (const one of active) {
        await master.post(orderPath(operatorId, one.portName, 'stop'), {}, signal);
        started.remove(one.id);
      }
      for (const until = performance.now() + stopTimeout; performance.now() < until; await delay(100)) {
        const recordings = await Promise.all(
          active.map(async ({ id }) => (await readerOf(operatorId, id, signal)).index(signal)),
        );
        if (recordings.every(({ ended }) => ended)) return;
        signal?.throwIfAborted();
      }
    },

    async list(operatorId, { signal } = {}) {
      if (operatorId !== undefined && !isOperatorId(operatorId))
        throw new NotFound('physical operator', operatorId);
      const wanted = await foldersOf(operatorId, signal);
      const active = await shownOnes(signal);
      if (operatorId !== undefined && wanted.length === 0 && running) {
        const { operators } = await planOf(signal);
        if (!operators.some(({ id }) => id === operatorId))
          throw new NotFound('physical operator', operatorId);
      }
      const found: Recording[] = [];
      for (const one of wanted) {
        const recording = await detail(one.operatorId, one.id, active, signal).catch(undefinedIfDamaged);
        if (recording) found.push(recording);
      }
      return (await placed(found, signal)).sort((one, other) => one.startTime - other.startTime);
    },

    read: (operatorId, id, { signal } = {}) => find(operatorId, id, signal),

    async remove(operatorId, id, { signal } = {}) {
      await find(operatorId, id, signal).catch(undefinedIfDamaged);
      if ((await activeOnes(operatorId, signal)).some((one) => one.id === id))
        throw new Conflict(`The recording ${id} is being written; stop it first`, { id });
      const { files, folder } = await filesOf(signal);
      await files.remove(`${folder}/recordings/${operatorId}/${id}`, signal);
    },

    async tuples(operatorId, id, query, { signal } = {}) {
      await find(operatorId, id, signal);
      const reader = await readerOf(operatorId, id, signal);
      const name = `The recording ${id}`;
      const meta = await readMeta(reader, name, signal);
      const known = meta?.ports.map((port) => port.id) ?? [];
      const unknown = query.ports?.find((port) => !known.includes(port));
      if (unknown !== undefined)
        throw new BadRequest(`The recording has no port ${unknown}; its ports are ${known.join(', ')}`);
      return readTuples(reader, query, { name, signal });
    },
  };
}
