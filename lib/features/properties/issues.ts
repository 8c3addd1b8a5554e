import type { PropertyService } from './service.js';

/** What an administrator should know of the site files. */
export const propertyIssues = ({ problems }: Pick<PropertyService, 'problems'>) => [
  {
    key: 'PROPERTIES_NOT_READ',
    severity: 'error' as const,
    find: (): string | undefined => problems().join(' ') || undefined,
  },
];
