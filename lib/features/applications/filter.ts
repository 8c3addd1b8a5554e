import type { ApplicationFilter, AppSummary } from '../../model/applications.js';

/** `docs/decisions.md`, Filters are exact; unknown states match nothing. What is empty is no filter. */
export function matchesFilter(app: AppSummary, { states, name, user }: ApplicationFilter): boolean {
  if (states && !states.split(',').includes(app.state)) return false;
  if (name && app.name !== name) return false;
  return !user || app.user === user;
}

const endStates = ['FINISHED', 'FAILED', 'KILLED'];

/** Whether nothing that has ended can pass the filter. */
export const asksForActive = ({ states }: ApplicationFilter): boolean =>
  !!states && !states.split(',').some((state) => endStates.includes(state));

export const hasEnded = (app: Pick<AppSummary, 'finalStatus'>): boolean => app.finalStatus !== 'UNDEFINED';
