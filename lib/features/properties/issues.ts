import type { Keystore } from './keystore.js';
import type { PropertyService } from './service.js';

/** What an administrator should know of the site files, and of the key store that they name. */
export const propertyIssues = (
  { problems }: Pick<PropertyService, 'problems'>,
  keystore: Pick<Keystore, 'problem'>,
) => [
  {
    key: 'PROPERTIES_NOT_READ',
    severity: 'error' as const,
    find: (): string | undefined => problems().join(' ') || undefined,
  },
  {
    key: 'KEYSTORE_NOT_READ',
    severity: 'error' as const,
    find: keystore.problem,
  },
];
