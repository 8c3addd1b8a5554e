import type { Principal } from '../../http/principal.js';
import type { Call } from '../../http/route.js';
import type { CallOptions } from '../../interfaces/call-options.js';
import type { ApplicationReport } from '../../interfaces/cluster.js';
import { type Access, accessByShare, stronger } from '../../model/acl.js';
import type { ApplicationFilter } from '../../model/applications.js';
import {
  DamagedDocument,
  Forbidden,
  NotFound,
  TimedOut,
  Unreachable,
  UnusableAnswer,
} from '../../model/errors.js';
import { mapLimited } from '../../runtime/map-limited.js';
import type { AskResourceManager } from '../../runtime/resource-manager-calls.js';
import { accessByRight } from './access.js';
import type { AccessRules } from './access-rules.js';
import { asksForActive, matchesFilter } from './filter.js';

interface FoundApplication {
  readonly report: ApplicationReport;
  readonly access: Exclude<Access, 'none'>;
}

/** Applications as far as their callers may see them. All reject with `NotFound` for hidden ones too. */
export interface ApplicationLookup {
  find(call: Call, appId: string): Promise<FoundApplication>;
  /** Rejects with `Forbidden` for who may only read. */
  findToChange(call: Call, appId: string): Promise<FoundApplication>;
  /** Those the caller may see among those that pass the filter. */
  visible(call: Call, filter: ApplicationFilter): Promise<FoundApplication[]>;
}

/** Permissions read at once for one list. */
export const readsAtOnce = 16;

export function createApplicationLookup(
  askManager: AskResourceManager,
  rules: Pick<AccessRules, 'read'>,
): ApplicationLookup {
  async function accessOf(user: Principal, report: ApplicationReport, options: CallOptions): Promise<Access> {
    const byRight = accessByRight(user, report);
    if (byRight === 'write') return byRight;
    return stronger(byRight, accessByShare(user, await rules.read(report, options)));
  }

  const find = (call: Call, appId: string): Promise<FoundApplication> =>
    askManager(call.signal, async (resourceManager, options) => {
      const report = await resourceManager.getApplication(appId, options).catch(asIfHidden(appId));
      const access = await accessOf(call.user, report, options);
      if (access === 'none') throw new NotFound('application', appId);
      return { report, access };
    });

  return {
    find,

    async findToChange(call, appId) {
      const found = await find(call, appId);
      if (found.access === 'write') return found;
      throw new Forbidden(`The application ${JSON.stringify(appId)} is not yours to change`);
    },

    visible: ({ user, signal }, filter) =>
      askManager(signal, async (resourceManager, options) => {
        const all = await resourceManager.listApplications({ ...options, activeOnly: asksForActive(filter) });
        // Before any permissions are read: a long history must not cost one reading each.
        const reports = all.filter((report) => matchesFilter(report, filter));
        const found = await mapLimited(reports, readsAtOnce, async (report) => ({
          report,
          access: await accessOf(user, report, options).catch((error) => {
            // Rights that can't be read cost the guests of that application only.
            if (error instanceof DamagedDocument || isFault(error)) return accessByRight(user, report);
            throw error;
          }),
        }));
        return found.filter(isVisible);
      }),
  };
}

const isVisible = (found: { report: ApplicationReport; access: Access }): found is FoundApplication =>
  found.access !== 'none';

/** What is not there gets word by word what a hidden one gets, whatever the driver says. */
const asIfHidden = (appId: string) => (error: unknown) => {
  throw error instanceof NotFound ? new NotFound('application', appId) : error;
};

/** A part of the cluster that is not well. */
const isFault = (error: unknown): boolean =>
  [Unreachable, TimedOut, UnusableAnswer].some((fault) => error instanceof fault);
