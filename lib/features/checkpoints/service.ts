import { facetOf } from '../../http/capabilities.js';
import type { Call } from '../../http/route.js';
import type { ClusterDriver } from '../../interfaces/cluster.js';
import type { CheckpointHistory, Savepoint, SavepointList, SavepointOrder } from '../../model/checkpoints.js';
import type { Applications } from '../applications/service.js';

/** What an application could go on from. Rejects with `NotSupported` where the engine makes none that can be told of. */
export interface CheckpointService {
  read(call: Call, appId: string): Promise<CheckpointHistory>;
  savepoints(call: Call, appId: string): Promise<SavepointList>;
  /** Resolves the one that is under way then. Rejects with `Conflict` when the application has ended. */
  startSavepoint(call: Call, appId: string, order: SavepointOrder): Promise<Savepoint>;
  /** Of an ended application too. */
  removeSavepoint(call: Call, appId: string, savepointId: string): Promise<void>;
}

export function createCheckpointService({
  applications,
  cluster,
}: {
  applications: Applications;
  cluster: ClusterDriver;
}): CheckpointService {
  return {
    read: (call, appId) =>
      applications.reading(call, appId, (master, options) =>
        facetOf(cluster, master, 'checkpoints').read(options),
      ),
    savepoints: (call, appId) =>
      applications.reading(call, appId, (master, options) =>
        facetOf(cluster, master, 'savepoints').list(options),
      ),
    startSavepoint: (call, appId, order = {}) =>
      applications.changing(call, appId, (master, options) =>
        facetOf(cluster, master, 'savepoints').start({ ...options, ...order, user: call.user.userName }),
      ),
    removeSavepoint: (call, appId, savepointId) =>
      applications.changing(call, appId, (master, options) =>
        facetOf(cluster, master, 'savepoints').remove(savepointId, options),
      ),
  };
}
