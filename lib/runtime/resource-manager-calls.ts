import type { CallOptions } from '../interfaces/call-options.js';
import type { ResourceManager } from '../interfaces/cluster.js';
import { withTimeout } from './with-timeout.js';

export type ManagerQuestion<T> = (resourceManager: ResourceManager, options: CallOptions) => Promise<T>;

/** Asks the resource manager, in bounded time. Without a signal it goes on when the caller hangs up. */
export type AskResourceManager = <T>(
  signal: AbortSignal | undefined,
  question: ManagerQuestion<T>,
) => Promise<T>;

export const createResourceManagerCalls =
  (resourceManager: ResourceManager, timeoutMillis: number): AskResourceManager =>
  (signal, question) =>
    withTimeout(timeoutMillis, 'The resource manager', signal, (limited) =>
      question(resourceManager, { signal: limited }),
    );
