import type { ClusterDriver, ResourceManagerFacet } from '../interfaces/cluster.js';
import type { Master, MasterFacet } from '../interfaces/master.js';
import { NotSupported } from './errors.js';

/** Computed from the optional members of the interfaces: a route that requires a misspelt one does not compile. */
export type Capability = `resourceManager.${ResourceManagerFacet}` | `master.${MasterFacet}`;

const resourceManagerFacets: readonly ResourceManagerFacet[] = [
  'launcher',
  'queues',
  'configuration',
  'permissions',
  'forwarder',
];

/** Presence is the capability. */
export function capabilitiesOf(driver: ClusterDriver): ReadonlySet<Capability> {
  const present = resourceManagerFacets.filter((facet) => driver.resourceManager[facet] !== undefined);
  return new Set<Capability>([
    ...present.map((facet): Capability => `resourceManager.${facet}`),
    ...driver.masterFacets.map((facet): Capability => `master.${facet}`),
  ]);
}

/** The facet of one master, which may be an older one that offers less than its cluster's others. */
export function facetOf<F extends MasterFacet>(
  driver: ClusterDriver,
  master: Master,
  facet: F,
): NonNullable<Master[F]> {
  const found = master[facet];
  if (found === undefined) throw new NotSupported(driver.name, `master.${facet}`);
  return found;
}

export function resourceManagerFacetOf<F extends ResourceManagerFacet>(
  driver: ClusterDriver,
  facet: F,
): NonNullable<ClusterDriver['resourceManager'][F]> {
  const found = driver.resourceManager[facet];
  if (found === undefined) throw new NotSupported(driver.name, `resourceManager.${facet}`);
  return found;
}
