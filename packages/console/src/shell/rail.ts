import type { OperationId } from '../gateway/capabilities.js';

/** The menu: things, and not parts of the API. A line is shown when the caller may read what it leads to. */
export interface RailEntry {
  readonly label: string;
  readonly to: string;
  /** One of the letters that go after `g`. */
  readonly key: string;
  /** Operation that must be allowed; default: none. */
  readonly operation?: OperationId;
}

export const rail: readonly RailEntry[] = [
  { label: 'Applications', to: '/apps', key: 'a' },
  { label: 'Alerts', to: '/alerts', key: 'l', operation: 'listAlerts' },
  { label: 'Topics', to: '/topics', key: 't' },
];
