import { readMeta, readTuples, undefinedIfDamaged } from '@headgate/history';
import { BadRequest, Conflict, type Recorder } from 'headgate/driver-kit';
import type { MasterClient } from '../masters/client.js';
import type { FilesOf } from './history.js';
import { recordingFolders } from './recording-folders.js';
import { recordingLookup } from './recording-lookup.js';
import { type RecordingOrders, recordingOrders } from './recording-orders.js';
import type { StartedRecordings } from './started-recordings.js';

interface RecorderDeps {
  readonly applicationId: string;
  readonly filesOf: FilesOf;
  /** Absent: the application has ended. */
  readonly running?: { readonly master: MasterClient; readonly started: StartedRecordings };
}

/** Started and stopped by the master, read from the files. */
export function recorderFacet({ applicationId, filesOf, running }: RecorderDeps): Recorder {
  const folders = recordingFolders(filesOf);
  const orders = running && recordingOrders(running.master, running.started, folders);

  function living(): RecordingOrders {
    if (orders) return orders;
    throw new Conflict(
      'APPLICATION_ENDED',
      `The application ${applicationId} has ended: nothing can be recorded`,
    );
  }

  const lookup = recordingLookup({ applicationId, folders, orders, started: running?.started });

  return {
    start: async (operatorId, options, call) => living().start(operatorId, options, call),
    stop: async (operatorId, options, call) => living().stop(operatorId, options, call),

    list: (operatorId, { signal } = {}) => lookup.list(operatorId, signal),
    read: (operatorId, id, { signal } = {}) => lookup.find(operatorId, id, signal),

    async remove(operatorId, id, { signal } = {}) {
      await lookup.find(operatorId, id, signal).catch(undefinedIfDamaged);
      if ((await orders?.active(operatorId, signal))?.some((one) => one.id === id))
        throw new Conflict('RECORDING_ACTIVE', `The recording ${id} is being written; stop it first`, { id });
      await folders.remove(operatorId, id, signal);
    },

    async tuples(operatorId, id, query, { signal } = {}) {
      await lookup.find(operatorId, id, signal);
      const reader = await folders.readerOf(operatorId, id, signal);
      const name = `The recording ${id}`;
      const meta = await readMeta(reader, name, signal);
      requireKnownPorts(meta?.ports.map((port) => port.id) ?? [], query.ports);
      return readTuples(reader, query, { name, signal });
    },
  };
}

function requireKnownPorts(known: readonly string[], wanted: readonly string[] = []): void {
  const unknown = wanted.find((port) => !known.includes(port));
  if (unknown !== undefined)
    throw new BadRequest(
      'UNKNOWN_VALUE',
      `The recording has no port ${unknown}; its ports are ${known.join(', ')}`,
    );
}
