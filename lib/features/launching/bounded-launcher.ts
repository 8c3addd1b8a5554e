import { resourceManagerFacetOf } from '../../http/capabilities.js';
import type { CallOptions } from '../../interfaces/call-options.js';
import type { ClusterDriver } from '../../interfaces/cluster.js';
import type { Launcher, LaunchRequest, RestartRequest } from '../../interfaces/launcher.js';
import { withTimeout } from '../../runtime/with-timeout.js';

/** The driver's launcher, asked in bounded time. Both resolve the id of the new application, or reject as it does. */
interface BoundedLauncher {
  launch(request: LaunchRequest): Promise<string>;
  restart(appId: string, request: RestartRequest): Promise<string>;
}

export function createBoundedLauncher(cluster: ClusterDriver, timeoutMillis: number): BoundedLauncher {
  const ask = async (question: (launcher: Launcher, options: CallOptions) => Promise<string>) => {
    const launcher = resourceManagerFacetOf(cluster, 'launcher');
    return withTimeout(timeoutMillis, 'The launch', undefined, (signal) => question(launcher, { signal }));
  };

  return {
    launch: (request) => ask((launcher, options) => launcher.launch(request, options)),
    restart: (appId, request) => ask((launcher, options) => launcher.restart(appId, request, options)),
  };
}
