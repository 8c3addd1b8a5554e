import type { LicenseFeature, LicenseNeeds } from '../../http/route.js';
import { NotFound } from '../../model/errors.js';
import { FeatureNotLicensed, LicenseLocked } from '../../model/license-errors.js';
import { type LicenseDeps, openLicenseInForce } from './license-in-force.js';
import type { AddedLicense, CurrentLicense, License, LicenseUpload } from './schema.js';
import { monitorStatus } from './status-monitor.js';
import { addedLicense, currentLicense, licenseOf } from './views.js';
import { type LicenseView, type LicenseWarning, warningsOf } from './warnings.js';

export interface LicenseService {
  /** Rejects with `LicenseRefused` saying what is wrong; the license that is there stays then. */
  add(text: string, upload: LicenseUpload): Promise<AddedLicense>;
  list(): Promise<License[]>;
  /** Rejects with `NotFound` for another id than that of the current one. */
  get(id: string): Promise<License>;
  current(): Promise<CurrentLicense>;
  /** `undefined`: there is none. */
  currentId(): string | undefined;
  /** Rejects with `FeatureNotLicensed` or `LicenseLocked`. */
  require(needs: LicenseNeeds): Promise<void> | void;
  /** Throws `FeatureNotLicensed`. */
  requireFeature(feature: LicenseFeature): void;
  /** What can be launched yet. */
  headroom(): Promise<LicenseHeadroom>;
  warnings(): Promise<readonly LicenseWarning[]>;
  close(): void;
}

export interface LicenseHeadroom {
  readonly isLocked: boolean;
  /** `undefined`: without limit, or unknown. */
  readonly remainingMB: number | undefined;
}

export async function createLicenseService(deps: LicenseDeps): Promise<LicenseService> {
  const license = await openLicenseInForce(deps);
  const { view } = license;
  const monitor = monitorStatus(view, deps.options.sampleMillis ?? 10_000, deps.logger);

  function requireFeature(feature: LicenseFeature): void {
    const terms = license.terms();
    if (terms?.features.includes(feature)) return;
    const why = terms
      ? `The license "${terms.id}" does not cover`
      : 'No license is configured, which this needs:';
    throw new FeatureNotLicensed(feature, `${why} ${feature}`);
  }

  return {
    async add(text, upload) {
      const added = await license.replace(text, upload);
      return addedLicense(added, await view());
    },

    async list() {
      const seen = await view();
      return seen.terms ? [licenseOf(seen.terms, seen)] : [];
    },

    async get(id) {
      const seen = await view();
      if (id !== seen.terms?.id) throw new NotFound('license', id);
      return licenseOf(seen.terms, seen);
    },

    current: async () => currentLicense(await view()),

    async require({ licensed, lockable }) {
      if (licensed) requireFeature(licensed);
      if (!lockable) return;
      const seen = await view();
      if (seen.status.isLocked)
        throw new LicenseLocked(warningsOf(seen)[0]?.sentence ?? 'The license is locked');
    },

    requireFeature,
    headroom: async () => headroomOf(await view()),
    currentId: () => license.terms()?.id,
    warnings: async () => warningsOf(await view()),
    close: monitor.close,
  };
}

function headroomOf({ terms, status, usedMB }: LicenseView): LicenseHeadroom {
  const allowed = terms?.memoryMBAllowed;
  const isKnown = allowed !== undefined && usedMB !== undefined;
  return {
    isLocked: status.isLocked,
    remainingMB: isKnown ? Math.max(0, allowed - usedMB) : undefined,
  };
}
