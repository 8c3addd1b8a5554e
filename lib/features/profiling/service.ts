import { addAbortSignal } from 'node:stream';
import { facetOf } from '../../http/capabilities.js';
import { disposition, Text } from '../../http/reply.js';
import type { Call } from '../../http/route.js';
import type { ClusterDriver } from '../../interfaces/cluster.js';
import type {
  BackPressure,
  ContainerProfile,
  FlameGraph,
  FlameGraphQuery,
  ProfileOrder,
} from '../../model/profiling.js';
import type { Applications } from '../applications/service.js';

/** Where the time of operators and containers goes. Rejects with `NotSupported` where the engine does not tell. */
export interface ProfilingService {
  flameGraph(call: Call, appId: string, operatorName: string, query: FlameGraphQuery): Promise<FlameGraph>;
  backPressure(call: Call, appId: string, operatorName: string): Promise<BackPressure>;
  list(call: Call, appId: string, containerId: string): Promise<readonly ContainerProfile[]>;
  start(call: Call, appId: string, containerId: string, order: ProfileOrder): Promise<ContainerProfile>;
  /** As a file to be kept, whose scripts run in no page of the gateway. */
  download(call: Call, appId: string, containerId: string, profileId: string): Promise<Text>;
}

export function createProfilingService({
  applications,
  cluster,
}: {
  applications: Applications;
  cluster: ClusterDriver;
}): ProfilingService {
  return {
    flameGraph: (call, appId, operatorName, query) =>
      applications.reading(call, appId, (master, options) =>
        facetOf(cluster, master, 'flameGraphs').read(operatorName, { ...options, ...query }),
      ),
    backPressure: (call, appId, operatorName) =>
      applications.reading(call, appId, (master, options) =>
        facetOf(cluster, master, 'backPressure').read(operatorName, options),
      ),
    list: (call, appId, containerId) =>
      applications.reading(call, appId, (master, options) =>
        facetOf(cluster, master, 'profiler').list(containerId, options),
      ),
    start: (call, appId, containerId, order) =>
      applications.changing(call, appId, (master, options) =>
        facetOf(cluster, master, 'profiler').start(containerId, { ...options, ...order }),
      ),
    async download(call, appId, containerId, profileId) {
      const { name, length, content } = await applications.reading(call, appId, async (master, options) => {
        const opened = await facetOf(cluster, master, 'profiler').open(containerId, profileId, options);
        // After the deadline nobody is left to read it.
        if (options.signal?.aborted) opened.content.destroy();
        options.signal?.throwIfAborted();
        return opened;
      });
      return new Text(addAbortSignal(call.signal, content), {
        ...(length === undefined ? {} : { 'content-length': String(length) }),
        'content-disposition': disposition(name),
        'content-security-policy': "sandbox; default-src 'none'",
      });
    },
  };
}
