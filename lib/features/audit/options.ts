import { type OptionChecks, option } from '../../runtime/option-checks.js';
import type { AuditRecord } from './schema.js';

export interface AuditOptions {
  /** Records of changes that are kept; the oldest go first. Default: 10,000. */
  readonly changes?: number;
  /** Records of refusals that are kept, apart from the changes. Default: 10,000. */
  readonly refusals?: number;
  /** Told each record at once, whatever becomes of the storage. What it throws is logged. Default: nobody. */
  readonly onRecord?: (record: AuditRecord) => void;
}

export const auditOptions: OptionChecks<AuditOptions> = {
  changes: option.atLeast(1),
  refusals: option.atLeast(1),
  onRecord: option.callback,
};
