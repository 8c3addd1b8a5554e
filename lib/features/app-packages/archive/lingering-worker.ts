import { type Transferable, Worker, type WorkerOptions } from 'node:worker_threads';
import { owned } from '../../../runtime/owned.js';

/** A thread that is there while somebody uses it, and a while longer: who comes next finds it with its code compiled. */
interface LingeringWorker<Task> {
  /** Starts it, with this program, where there is none. */
  use(program: string, work: Work<Task>): WorkerUse;
}

interface Work<Task> {
  readonly task: Task;
  readonly transferred: readonly Transferable[];
  /** It died; the next one who comes gets another. */
  readonly onLost: (cause: unknown) => void;
}

interface WorkerUse {
  /** Idempotent. */
  release(): void;
}

/** It keeps no process alive that waits for nothing else. */
export function lingeringWorker<Task>(options: WorkerOptions, lingerMillis: number): LingeringWorker<Task> {
  const users = new Set<(cause: unknown) => void>();
  let worker: Worker | undefined;
  let lingering: NodeJS.Timeout | undefined;

  function start(program: string): Worker {
    const started = owned(new Worker(program, { ...options, eval: true }));
    started.on('error', (error) => {
      if (worker === started) worker = undefined;
      for (const lose of users) lose(error);
    });
    return started;
  }

  function end(): void {
    void worker?.terminate();
    worker = undefined;
  }

  return {
    use(program, { task, transferred, onLost }) {
      users.add(onLost);
      clearTimeout(lingering);
      worker ??= start(program);
      worker.ref();
      worker.postMessage(task, transferred);
      return {
        release() {
          if (!users.delete(onLost) || users.size > 0) return;
          worker?.unref();
          lingering = setTimeout(end, lingerMillis).unref();
        },
      };
    },
  };
}
