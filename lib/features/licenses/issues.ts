import type { LicenseService } from './service.js';
import type { LicenseWarning } from './warnings.js';

const kinds: readonly Pick<LicenseWarning, 'key' | 'severity'>[] = [
  { key: 'LICENSE_MISSING', severity: 'error' },
  { key: 'LICENSE_EXPIRED', severity: 'error' },
  { key: 'LICENSE_MEMORY_EXCEEDED', severity: 'error' },
  { key: 'LICENSE_MEMORY_EXCEEDED', severity: 'warning' },
  { key: 'LICENSE_EXPIRING', severity: 'warning' },
];

/** What an administrator should know of the license; listed with the others of `config/issues`. */
export const licenseIssues = ({ warnings }: Pick<LicenseService, 'warnings'>) =>
  kinds.map((kind) => ({
    ...kind,
    async find(): Promise<string | undefined> {
      const found = await warnings();
      return found.find(({ key, severity }) => key === kind.key && severity === kind.severity)?.sentence;
    },
  }));
