import type { May, OperationId } from '../gateway/capabilities.js';

/** The menu: things, and not parts of the API. A line is shown when the caller may read what it leads to. */
interface RailEntry {
  readonly label: string;
  readonly to: string;
  /** One of the letters that go after `g`. */
  readonly key: string;
  /** Operation that must be allowed, or any of several; default: none. */
  readonly operation?: OperationId | readonly OperationId[];
}

export const rail: readonly RailEntry[] = [
  { label: 'Applications', to: '/apps', key: 'a' },
  { label: 'Packages', to: '/packages', key: 'p', operation: 'listPackages' },
  { label: 'Alerts', to: '/alerts', key: 'l', operation: 'listAlerts' },
  { label: 'Cluster', to: '/cluster', key: 'c', operation: 'getClusterMetrics' },
  { label: 'Services', to: '/services', key: 's', operation: 'listServices' },
  { label: 'Topics', to: '/topics', key: 't' },
  {
    label: 'Administration',
    to: '/admin',
    key: 'm',
    operation: ['listUsers', 'putRole', 'getAuthConfig', 'listLicenses', 'listAudit'],
  },
];

/** The lines that the caller sees. */
export const railFor = (may: (id: OperationId) => May): readonly RailEntry[] =>
  rail.filter(({ operation }) => operation === undefined || [operation].flat().some((one) => may(one).ok));
