import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { linesOf, localPartFiles } from '@headgate/history';
import { createMutex, type DeployHistoryReader, NotFound, writeWhole } from 'headgate/driver-kit';
import * as z from 'zod';

/** A start of an operator in a container. */
const Deployment = z.object({
  name: z.string(),
  id: z.string(),
  container: z.string(),
  startTime: z.number(),
});
type Deployment = z.output<typeof Deployment>;

export interface DeployLog {
  /** Noted unless that container is the one where the operator ran last. */
  add(deployment: Deployment): void;
  /** Resolves when everything is on disk. */
  settled(): Promise<void>;
}

const fileName = 'operators.jsonl';
/** Kept of each operator: the newest. */
const maxDeployments = 100;
/** Operators that are told of: the newest, for a plan that changes for ever. */
const maxOperators = 10_000;
/** Lines beyond those that are kept, before the file is written anew. */
const slack = 1000;

/** Of a new application: one line for each start of an operator in another container. */
export function createDeployLog(application: string, onProblem: (error: unknown) => void): DeployLog {
  const path = join(application, fileName);
  const kept = new Map<string, Deployment[]>();
  let lines = 0;
  /** After a failure it may end in a cut line, and what is written behind that would be lost with it. */
  let isWhole = true;
  let waiting: Deployment[] = [];
  const inOrder = createMutex();

  async function write(): Promise<void> {
    const batch = waiting;
    waiting = [];
    if (batch.length === 0) return;
    lines += batch.length;
    const all = [...kept.values()].flat();
    const isShort = lines <= all.length + slack;
    if (isWhole && isShort) {
      isWhole = false;
      await appendFile(path, textOf(batch), { mode: 0o600 });
    } else {
      await writeWhole(path, textOf(all));
      lines = all.length;
    }
    isWhole = true;
  }

  return {
    add(deployment) {
      const own = kept.get(deployment.id) ?? [];
      if (own.at(-1)?.container === deployment.container) return;
      kept.delete(deployment.id);
      kept.set(deployment.id, [...own, deployment].slice(-maxDeployments));
      const [oldest = ''] = kept.keys();
      if (kept.size > maxOperators) kept.delete(oldest);
      waiting.push(deployment);
      inOrder(() => write().catch(onProblem));
    },
    settled: () => inOrder(async () => {}),
  };
}

const textOf = (deployments: readonly Deployment[]): string =>
  deployments.map((deployment) => `${JSON.stringify(deployment)}\n`).join('');

export function deployReader(
  application: string,
  options: {
    /** Those of the plan. */
    readonly operators: () => readonly { readonly id: string; readonly name: string }[];
    /** Awaited before each reading. */
    readonly settled: () => Promise<void>;
  },
): DeployHistoryReader {
  return {
    async read(operatorId, { signal } = {}) {
      await options.settled();
      const found: Deployment[] = [];
      for await (const line of linesOf(localPartFiles(application).stream(fileName, signal))) {
        const deployment = parse(line);
        if (deployment?.id !== operatorId) continue;
        found.push(deployment);
        if (found.length > maxDeployments) found.shift();
      }
      const name = found.at(-1)?.name ?? options.operators().find(({ id }) => id === operatorId)?.name;
      if (name === undefined) throw new NotFound('physical operator', operatorId);
      return { name, containers: found.map(({ container, startTime }) => ({ container, startTime })) };
    },
  };
}

/** A cut line is none. */
function parse(line: string): Deployment | undefined {
  try {
    return Deployment.parse(JSON.parse(line));
  } catch {
    return undefined;
  }
}
