import { join } from 'node:path';
import type { Container, PhysOperator } from 'headgate/driver-kit';
import { createStatsCollections, type StatsCollectionsOptions } from './stats-collections.js';
import { containerLine, folderOf, operatorLine } from './stats-lines.js';

/** What there is to record, measured now. */
export interface StatsView {
  containers(): readonly Container[] | Promise<readonly Container[]>;
  operators(): readonly PhysOperator[] | Promise<readonly PhysOperator[]>;
}

export interface StatsRecorder {
  /** Records from now on, at once for the first time. */
  watch(view: StatsView): void;
  /** Resolves when everything is on disk. */
  settled(): Promise<void>;
  /** Records nothing any more; another recorder may go on later. */
  close(): Promise<void>;
  /** Records a last time, and closes for good. */
  end(): Promise<void>;
}

interface StatsRecorderOptions extends StatsCollectionsOptions {
  readonly everyMillis: number;
  readonly now: () => number;
}

export function createStatsRecorder(application: string, options: StatsRecorderOptions): StatsRecorder {
  const { now, onProblem } = options;
  const collections = createStatsCollections(application, options);
  let view: StatsView | undefined;
  let timer: NodeJS.Timeout | undefined;
  let recording: Promise<void> | undefined;

  async function recordContainers(found: readonly Container[], at: number): Promise<void> {
    const collection = await collections.open(containersFolder);
    collection.describe(found.map((container) => [container.id, containerMeta(container)]));
    for (const container of found) collection.append(containerLine(container, at));
  }

  async function recordOperators(name: string, own: readonly PhysOperator[], at: number) {
    const collection = await collections.open(operatorFolder(name));
    collection.describe(own.map((operator) => [operator.id, operatorMeta(operator)]));
    // Nothing has been measured before the first heartbeat.
    for (const operator of own)
      if (operator.container !== null && operator.lastHeartbeat >= 0)
        collection.append(operatorLine(operator, at));
  }

  async function record(withContainers: boolean): Promise<void> {
    if (!view) return;
    const at = now();
    try {
      const byName = new Map<string, PhysOperator[]>();
      for (const operator of await view.operators())
        byName.set(operator.name, [...(byName.get(operator.name) ?? []), operator]);
      if (withContainers) await recordContainers(await view.containers(), at);
      for (const [name, own] of byName) await recordOperators(name, own, at);
      await collections.forgetGone(new Set([containersFolder, ...[...byName.keys()].map(operatorFolder)]));
    } catch (error) {
      onProblem(error);
    }
  }

  function tick(withContainers = true): Promise<void> {
    recording ??= record(withContainers).finally(() => {
      recording = undefined;
    });
    return recording;
  }

  return {
    watch(of) {
      view = of;
      clearInterval(timer);
      timer = setInterval(tick, options.everyMillis);
      tick();
    },
    async settled() {
      await recording;
      await collections.flushed();
    },
    async close() {
      clearInterval(timer);
      await recording;
      view = undefined;
      await collections.close();
    },
    async end() {
      clearInterval(timer);
      await recording;
      // The containers have ended: what they had free is no metric of theirs any more.
      await tick(false);
      view = undefined;
      await collections.end();
    },
  };
}

const containersFolder = 'containers';
const operatorFolder = (name: string): string => join('operators', folderOf(name));

const containerMeta = ({ id, jvmName, host, memoryMBAllocated }: Container): string =>
  `${id}:${JSON.stringify({ id, host, jvmName, memoryMBAllocated })}`;

const operatorMeta = ({ id, name, className, unifierClass, logicalName }: PhysOperator): string =>
  JSON.stringify({ id, name, className, unifierClass, logicalName });
