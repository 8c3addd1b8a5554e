import { formatMeta } from '../../recordings/meta.js';
import type { RecordingOrder } from '../processes/protocol.js';
import { type WindowClock, windowId } from '../windows.js';
import { CpuShare } from './cpu-share.js';
import { createLiveTuples } from './live-tuples.js';
import type { OperatorNode } from './node.js';
import { Recording } from './recording.js';
import { openRecordingFiles } from './recording-files.js';
import type { Reports } from './reports.js';
import { portOf } from './tap.js';
import type { Topics } from './topics.js';

/** The recordings of one deployment; they end with it. */
export interface Recorder {
  /** Resolves when it records from the next window on. */
  start(node: OperatorNode, order: RecordingOrder): Promise<void>;
  /** Takes effect at the end of the window that is open, but soon; `recordingEnded` tells when it is written. */
  stop(recordingId: string): void;
  close(): Promise<void>;
}

export interface RecorderDeps {
  readonly clock: WindowClock;
  readonly reports: Pick<Reports, 'send' | 'publishText'>;
  readonly topics: Pick<Topics, 'subscribe'>;
  readonly warn: (message: string) => void;
}

/** How long a stop waits for the end of a window, milliseconds. */
const stopMillis = 1000;

interface Running {
  readonly recording: Recording;
  /** Resolves when everything is on the disk. */
  readonly over: Promise<void>;
}

export function createRecorder({ clock, reports, topics, warn }: RecorderDeps): Recorder {
  const running = new Map<string, Running>();
  let isClosed = false;

  async function start(node: OperatorNode, order: RecordingOrder): Promise<void> {
    const { id, ports, limits, topic } = order;
    if (node.finished) throw new Error(`The operator ${node.id} has ended: nothing will pass its ports`);
    const tapped = ports.map((recorded) => {
      const port = portOf(node, recorded);
      if (!port) throw new Error(`The operator ${node.id} has no ${recorded.type} port ${recorded.name} now`);
      return { id: recorded.id, port };
    });
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
        warn(`The recording ${id} can't be written and ends: ${String(error)}`);
        recording.cut();
      },
    }).catch((error: unknown) => {
      warn(`The recording ${id} can't be written: ${String(error)}`);
      throw new Error(`The files of a recording can't be written; the log of ${order.containerId} says why`);
    });
    const live = createLiveTuples(topic, limits.livePerSecond, { topics, reports });
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
      onOver() {
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
    const timer = setTimeout(() => recording.cut(), limits.millis + stopMillis);
    timer.unref();
    running.set(id, { recording, over });
    node.watchers = [...node.watchers, recording];
    if (isClosed || node.finished) recording.cut();
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
      setTimeout(() => recording.cut(), Math.max(stopMillis, 2 * clock.widthMillis)).unref();
    },
    async close() {
      isClosed = true;
      const all = [...running.values()];
      for (const { recording } of all) recording.cut();
      await Promise.all(all.map(({ over }) => over));
    },
  };
}
