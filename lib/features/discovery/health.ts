import type { ClusterDriver } from '../../interfaces/cluster.js';
import type { Storage, StorageProblem } from '../../interfaces/storage.js';
import { withTimeout } from '../../runtime/with-timeout.js';
import type { Health } from './schema.js';

/** The answer waits no longer for the cluster. */
const healthMillis = 2000;

type Reasons = Health['reasons'];

/** Whether the gateway and what it needs work. Anybody may ask, so nothing that is kept is named. */
export function createHealth(deps: {
  cluster: ClusterDriver;
  storage: Pick<Storage, 'problems'>;
  /** What other rooms know of. */
  otherReasons: () => Promise<Reasons>;
}): () => Promise<Health> {
  const { cluster, storage } = deps;
  let asking: Promise<boolean> | undefined;

  /** All who ask at once share one question to the cluster. */
  function isReachable(): Promise<boolean> {
    asking ??= withTimeout(healthMillis, 'The cluster', undefined, (signal) =>
      cluster.resourceManager.about({ signal }),
    )
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        asking = undefined;
      });
    return asking;
  }

  return async () => {
    const ofStorage = storageReasons(storage.problems());
    const [isThere, others] = await Promise.all([isReachable(), deps.otherReasons()]);
    const ofCluster = isThere
      ? []
      : [{ part: 'cluster', message: `The ${cluster.name} cluster can't be reached` }];
    const reasons = [...ofStorage, ...ofCluster, ...others];
    return { status: reasons.length === 0 ? 'ok' : 'degraded', reasons };
  };
}

/** `config/issues` names what is damaged. */
function storageReasons(problems: readonly StorageProblem[]): Reasons {
  const damaged = problems.filter(({ kind }) => kind !== 'store').length;
  return [
    ...(damaged > 0 ? [{ part: 'storage', message: `${damaged} documents or blobs are damaged` }] : []),
    ...(damaged < problems.length
      ? [{ part: 'storage', message: 'The storage lost writes, or its disk refuses them now' }]
      : []),
  ];
}
