import type { ApplicationFilter, AppSummary } from './schema.js';

/** `resolved-gaps.md` G20: exact matches; unknown states match nothing. */
export function matches(app: AppSummary, filter: ApplicationFilter): boolean {
  if (filter.states !== undefined && !filter.states.split(',').includes(app.state)) return false;
  if (filter.name !== undefined && app.name !== filter.name) return false;
  return filter.user === undefined || app.user === filter.user;
}

export const hasEnded = (app: Pick<AppSummary, 'finalStatus'>): boolean => app.finalStatus !== 'UNDEFINED';
