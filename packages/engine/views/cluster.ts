import { hostname } from 'node:os';
import { buildInfo, type Queue, version } from 'headgate/driver-kit';
import type { LocalClusterSettings } from '../settings/options.js';
import type { ViewedApplication } from './viewed-application.js';

/** The one queue that there is. */
export const queueName = 'default';

export function aboutThisMachine() {
  const nobody = { buildDate: '', buildRevision: '', buildUser: '' };
  return {
    // It is built with the gateway, of the same source.
    engine: {
      version,
      buildVersion: version,
      ...nobody,
      buildDate: buildInfo.date,
      buildRevision: buildInfo.revision,
    },
    cluster: { ...nobody, version: process.version, buildVersion: process.version },
    location: hostname(),
    securityEnabled: false,
    haEnabled: false,
  };
}

export function queueOf(running: readonly ViewedApplication[], { limits }: LocalClusterSettings): Queue {
  const used = running.flatMap(({ state }) => state.slots).reduce((sum, { memoryMB }) => sum + memoryMB, 0);
  return {
    name: queueName,
    state: 'RUNNING',
    capacity: 100,
    currentCapacity: (used / limits.memoryMB) * 100,
    maxCapacity: 100,
  };
}

export const configurationOf = ({
  limits,
  directory,
  execPath,
  containerMemoryMB,
  modules,
  packageCode,
  access,
}: LocalClusterSettings): Record<string, string> =>
  Object.fromEntries(
    [
      ['directory', directory],
      ['execPath', execPath],
      ['operators', modules.join(',')],
      ['packageCode', packageCode],
      ['containerMemoryMB', containerMemoryMB] as const,
      ['files', access.folder],
      ['files.read', access.read.join(',')],
      ['files.write', access.write.join(',')],
      ['addresses', String(access.addresses)],
      ...Object.entries(limits).map(([name, value]) => [`limits.${name}`, value] as const),
    ].map(([name, value]) => [`local.${name}`, String(value)]),
  );
