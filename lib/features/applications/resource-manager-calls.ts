import type { CallOptions } from '../../interfaces/call-options.js';
import type { ResourceManager } from '../../interfaces/cluster.js';
import { withTimeout } from '../../runtime/with-timeout.js';

/** Asks the resource manager, in bounded time. Without a signal it goes on when the caller hangs up. */
export type AskResourceManager = <T>(
  signal: AbortSignal | undefined,
  question: (resourceManager: ResourceManager, options: CallOptions) => Promise<T>,
) => Promise<T>;

export const createResourceManagerCalls =
  (resourceManager: ResourceManager, timeoutMillis: number): AskResourceManager =>
  (signal, question) =>
    withTimeout(timeoutMillis, 'The resource manager', signal, (limited) =>
      question(resourceManager, { signal: limited }),
    );
