import type { ContainerSpec } from 'headgate/driver-kit';

/** What the driver marks as its own: only what has them is ever touched. */
export const labels = {
  owner: 'headgate.owner',
  service: 'headgate.service',
  revision: 'headgate.revision',
} as const;

export const labelsOf = (owner: string, { name, revision }: Pick<ContainerSpec, 'name' | 'revision'>) => ({
  [labels.owner]: owner,
  [labels.service]: name,
  [labels.revision]: revision,
});

/** For `GET /containers/json` and `GET /volumes`: what has all of these. */
export function filterOf(owner: string, name?: string): string {
  const label = [`${labels.owner}=${owner}`, ...(name === undefined ? [] : [`${labels.service}=${name}`])];
  return encodeURIComponent(JSON.stringify({ label }));
}
