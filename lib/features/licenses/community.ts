import type { Clock } from '../../interfaces/clock.js';
import type { ClusterDriver } from '../../interfaces/cluster.js';
import { Conflict, NotFound } from '../../model/errors.js';
import { noLimit } from './no-limit.js';
import type { LicenseService } from './service.js';
import { createClusterUse } from './use.js';

const id = 'community';

/** Where the host demands no license: nothing is limited, nothing refused. */
export function communityLicense(deps: {
  readonly cluster: ClusterDriver;
  readonly clock: Clock;
}): LicenseService {
  const use = createClusterUse(deps);
  const { nodesAllowed, ...limits } = noLimit;
  const license = async () => ({
    id,
    licenseType: id,
    ...limits,
    currentTime: deps.clock.now(),
    ...(await use.read()),
    valid: true,
  });
  const service: LicenseService = {
    async add() {
      throw new Conflict(
        'NO_LICENSE_DEMANDED',
        'The host of this gateway demands no license (`licensing` of createGateway)',
      );
    },
    list: async () => [withoutNodes(await license())],
    async get(name) {
      if (name !== id) throw new NotFound('license', name);
      return withoutNodes(await license());
    },
    async current() {
      const { licenseType: _, ...shown } = await license();
      return { ...shown, nodesAllowed, contextType: id, type: 'production', features: [], current: true };
    },
    currentId: () => id,
    require() {},
    requireFeature() {},
    headroom: async () => ({ isLocked: false, remainingMB: undefined }),
    warnings: async () => [],
    close() {},
  };
  return service;
}

const withoutNodes = <T extends { nodesUsed?: number | undefined }>({ nodesUsed: _, ...rest }: T) => rest;
