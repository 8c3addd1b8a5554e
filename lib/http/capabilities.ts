import type { ClusterDriver, ResourceManagerFacet } from '../interfaces/cluster.js';
import type { Master, MasterFacet } from '../interfaces/master.js';
import { NotSupported } from '../model/errors.js';

/** Computed from the optional members of the interfaces: a route that requires a misspelt one does not compile. */
export type Capability = `resourceManager.${ResourceManagerFacet}` | `master.${MasterFacet}`;

/** Every facet once: a record, so that one forgotten here does not compile. */
const resourceManagerFacetNames: Readonly<Record<ResourceManagerFacet, true>> = {
  launcher: true,
  queues: true,
  configuration: true,
  permissions: true,
  packageOperators: true,
  forwarder: true,
  sampler: true,
  planner: true,
};

const masterFacetNames: Readonly<Record<MasterFacet, true>> = {
  drainer: true,
  containerControl: true,
  stackTraces: true,
  deployHistory: true,
  properties: true,
  physicalProperties: true,
  planEditor: true,
  attributes: true,
  recorder: true,
  loggers: true,
  events: true,
  operatorClasses: true,
  logs: true,
  stats: true,
  savepoints: true,
  checkpoints: true,
  flameGraphs: true,
  backPressure: true,
  profiler: true,
  forwarder: true,
};

const namesOf = <F extends string>(names: Readonly<Record<F, true>>): readonly F[] =>
  Object.keys(names).filter((name): name is F => Object.hasOwn(names, name));

const resourceManagerFacets = namesOf(resourceManagerFacetNames);

/** All facets that a master may have. */
export const masterFacets = namesOf(masterFacetNames);

/** All that there are, whoever offers them. */
export const allCapabilities: readonly Capability[] = [
  ...resourceManagerFacets.map((facet): Capability => `resourceManager.${facet}`),
  ...masterFacets.map((facet): Capability => `master.${facet}`),
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
