import { formatMeta } from '@headgate/history/formats';
import type { OperatorLog } from '@headgate/operators';
import { type WindowClock, windowId } from '../model/windows.js';
import type { RecordingOrder } from '../protocol/protocol.js';
import { CpuShare } from './cpu-share.js';
import type { HubPublisher } from './hub-publisher.js';
import { createLiveTuples } from './live-tuples.js';
import { type OperatorNode, portOf } from './node.js';
import { Recording, tooLong } from './recording.js';
import { openRecordingFiles } from './recording-files.js';
import type { Reports } from './reports.js';
import type { Topics } from './topics.js';

/** The recordings of one deployment; they end with it. */
export interface Recorder {
  /** Resolves when it records from the next window on. */
  start(node: OperatorNode, order: RecordingOrder): Promise<void>;
  /** Takes effect at the end of the window that is open, but soon; `recordingEnded` tells when it is written. */
  stop(recordingId: string): void;
  close(): Promise<void>;
}

interface RecorderDeps {
  readonly clock: WindowClock;
  readonly reports: Pick<Reports, 'send'>;
  readonly hub: Pick<HubPublisher, 'publishText'>;
  readonly topics: Pick<Topics, 'subscribe'>;
  readonly log: Pick<OperatorLog, 'info' | 'warn'>;
}

/** How long a stop waits for the end of a window, milliseconds. */
const stopMillis = 1000;
const undeployed = 'its operator does not run here any more';

interface Running {
  readonly recording: Recording;
  /** Resolves when everything is on the disk. */
  readonly over: Promise<void>;
}

export function createRecorder({ clock, reports, hub, topics, log }: RecorderDeps): Recorder {
  const running = new Map<string, Running>();
  let isClosed = false;

  async function start(node: OperatorNode, order: RecordingOrder): Promise<void> {
    const { id, ports, limits, topic } = order;
    const tapped = tappedPorts(node, ports);
    const files = await openRecordingFiles({
      directory: order.directory,
      meta: formatMeta({
        startTime: order.startTime,
        appId: order.applicationId,
        containerId: order.containerId,
        properties: node.properties,
        ports,
      }),
      onProblem(error) {
        log.warn(`The recording ${id} can't be written and ends: ${String(error)}`);
        recording.cut('its files can not be written');
      },
    }).catch((error: unknown) => {
      log.warn(`The recording ${id} can't be written: ${String(error)}`);
      throw new Error(`The files of a recording can't be written; the log of ${order.containerId} says why`);
    });
    const live = createLiveTuples(topic, limits.livePerSecond, { topics, hub });
    let resolveOver: () => void = () => {};
    const over = new Promise<void>((resolve) => {
      resolveOver = resolve;
    });
    const recording = new Recording({
      ports: tapped,
      windowId: (window) => windowId(clock, window),
      files,
      share: new CpuShare(() => limits.cpuPercent / 100 / Math.max(1, running.size), clock.widthMillis),
      ...(order.windows === undefined ? {} : { windows: order.windows }),
      limits,
      onTuple: live.show,
      onOver(why) {
        log.info(`The recording ${id} of operator ${node.id} is over: ${why}`);
        clearTimeout(timer);
        live.end();
        node.watchers = node.watchers.filter((watcher) => watcher !== recording);
        running.delete(id);
        files.end().then(() => {
          resolveOver();
          reports.send({ type: 'recordingEnded', id });
        });
      },
    });
    // Windows may not come for long, or never again.
    const timer = setTimeout(() => recording.cut(tooLong(limits)), limits.millis + stopMillis);
    timer.unref();
    running.set(id, { recording, over });
    node.watchers = [...node.watchers, recording];
    if (node.finished) recording.finish();
    else if (isClosed) recording.cut(undeployed);
  }

  return {
    start,
    stop(recordingId) {
      const recording = running.get(recordingId)?.recording;
      if (!recording) {
        reports.send({ type: 'recordingEnded', id: recordingId });
        return;
      }
      recording.stop();
      setTimeout(() => recording.cut('it was stopped'), Math.max(stopMillis, 2 * clock.widthMillis)).unref();
    },
    async close() {
      isClosed = true;
      const all = [...running.values()];
      for (const { recording } of all) recording.cut(undeployed);
      await Promise.all(all.map(({ over }) => over));
    },
  };
}

/** Throws when nothing can be recorded. */
function tappedPorts(node: OperatorNode, ports: RecordingOrder['ports']) {
  if (node.finished) throw new Error(`The operator ${node.id} has ended: nothing will pass its ports`);
  return ports.map((recorded) => {
    const port = portOf(node, recorded);
    if (!port) throw new Error(`The operator ${node.id} has no ${recorded.type} port ${recorded.name} now`);
    return { id: recorded.id, port };
  });
}
