import type { ClusterMetrics, ForwardTarget } from 'headgate/driver-kit';
import type { Applications } from '../applications/applications.js';
import type { Engine } from '../lifecycle/engine.js';
import { socketPath } from '../store/sockets.js';
import { queueName } from '../views/cluster.js';
import { createWebServices, type WebServices } from './services.js';

interface OnDemandWebServicesDeps {
  /** Throws `NotReady` unless the engine is open. */
  readonly engine: () => Engine;
  readonly applications: Pick<Applications, 'reports' | 'report' | 'master'>;
  readonly cores: number;
  readonly metrics: () => Promise<ClusterMetrics>;
}

/** The web services of the engine that is open, for the proxies; nothing of them is there before somebody asks. */
interface OnDemandWebServices extends Pick<WebServices, 'close'> {
  manager(): Promise<ForwardTarget>;
  master(appId: string): Promise<ForwardTarget>;
}

export function createOnDemandWebServices({
  engine,
  applications,
  cores,
  metrics,
}: OnDemandWebServicesDeps): OnDemandWebServices {
  let services: WebServices | undefined;

  function opened(): WebServices {
    const { sockets, startedAt } = engine();
    services ??= createWebServices(socketPath(sockets, 'web'), {
      startedAt,
      queueName,
      cores,
      reports: () => applications.reports(false),
      report: applications.report,
      metrics,
      master: applications.master,
    });
    return services;
  }

  return {
    manager: async () => opened().manager(),
    master: async (appId) => opened().master(appId),
    async close() {
      await services?.close();
      services = undefined;
    },
  };
}
