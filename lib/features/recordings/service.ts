import { facetOf } from '../../http/capabilities.js';
import type { Call } from '../../http/route.js';
import type { CallOptions } from '../../interfaces/call-options.js';
import type { ClusterDriver } from '../../interfaces/cluster.js';
import type { Recorder, TupleQuery } from '../../interfaces/recorder.js';
import type { Recording, RecordingStart, TupleBatch, TuplesQuery } from '../../model/recordings.js';
import type { Applications } from '../applications/service.js';

/** An operator, or one of its ports. */
interface RecordedPlace {
  readonly appid: string;
  readonly opid: string;
  readonly portName?: string;
}

interface RecordingPlace {
  readonly appid: string;
  readonly opid: string;
  readonly id: string;
}

/** Of an ended application everything but `start` and `stop`, which reject with `Conflict`. */
export interface RecordingService {
  /** Of the whole application. */
  listAll(call: Call, appId: string): Promise<readonly Recording[]>;
  list(call: Call, place: RecordedPlace): Promise<readonly Recording[]>;
  /** Resolves the id. Rejects with `Conflict` carrying the id of the one that is active. */
  start(call: Call, place: RecordedPlace, options: RecordingStart): Promise<string>;
  /** Of an operator: those of its ports too. Rejects with `NotFound` when there is none. */
  stop(call: Call, place: RecordedPlace): Promise<void>;
  get(call: Call, place: RecordingPlace): Promise<Recording>;
  /** Rejects with `Conflict` while it is being recorded. */
  remove(call: Call, place: RecordingPlace): Promise<void>;
  tuples(call: Call, place: RecordingPlace, query: TuplesQuery): Promise<TupleBatch>;
  readonly mayWatch: Applications['mayWatch'];
}

export function createRecordingService({
  applications,
  cluster,
}: {
  applications: Applications;
  cluster: ClusterDriver;
}): RecordingService {
  type Question<T> = (recorder: Recorder, options: CallOptions) => Promise<T>;
  const reading = <T>(call: Call, appId: string, question: Question<T>) =>
    applications.reading(call, appId, (master, options) =>
      question(facetOf(cluster, master, 'recorder'), options),
    );
  const changing = <T>(call: Call, appId: string, question: Question<T>) =>
    applications.changing(call, appId, (master, options) =>
      question(facetOf(cluster, master, 'recorder'), options),
    );

  return {
    listAll: (call, appId) => reading(call, appId, (recorder, options) => recorder.list(undefined, options)),
    list: (call, { appid, opid }) =>
      reading(call, appid, (recorder, options) => recorder.list(opid, options)),
    start: (call, { appid, opid, ...port }, how = {}) =>
      changing(call, appid, (recorder, options) => recorder.start(opid, { ...port, ...how }, options)),
    stop: (call, { appid, opid, ...port }) =>
      changing(call, appid, (recorder, options) => recorder.stop(opid, port, options)),
    get: (call, { appid, opid, id }) =>
      reading(call, appid, (recorder, options) => recorder.read(opid, id, options)),
    remove: (call, { appid, opid, id }) =>
      changing(call, appid, (recorder, options) => recorder.remove(opid, id, options)),
    tuples: (call, { appid, opid, id }, query) =>
      reading(call, appid, (recorder, options) => recorder.tuples(opid, id, tupleQuery(query), options)),
    mayWatch: applications.mayWatch,
  };
}

const tupleQuery = ({
  offset = 0,
  startWindow,
  limit,
  ports,
  executeEmptyWindow,
}: TuplesQuery): TupleQuery => ({
  from: startWindow === undefined ? { offset } : { startWindow },
  limit,
  emptyWindows: executeEmptyWindow,
  ...(ports === undefined ? {} : { ports: ports.split(',').map((id) => id.trim()) }),
});
