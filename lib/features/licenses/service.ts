import type { LicenseFeature, LicenseNeeds } from '../../http/route.js';
import type { Clock } from '../../interfaces/clock.js';
import type { ClusterDriver } from '../../interfaces/cluster.js';
import type { Logger } from '../../interfaces/logger.js';
import type { DocumentStore } from '../../interfaces/storage.js';
import { GatewayError, NotFound } from '../../model/errors.js';
import { FeatureNotLicensed, LicenseLocked, LicenseRefused } from '../../model/license-errors.js';
import { type Collection, collection } from '../../storage/collection.js';
import { noLimit } from './no-limit.js';
import type { LicensingOptions } from './options.js';
import type { AddedLicense, CurrentLicense, License, LicenseUpload } from './schema.js';
import { createLicenseReader, type LicenseReader } from './signature.js';
import { noticePeriod, statusOf } from './status.js';
import { StoredLicense } from './stored.js';
import type { LicenseTerms } from './terms.js';
import { createClusterUse } from './use.js';
import { currentLicense, licenseOf } from './views.js';
import { openViolationClock } from './violation-clock.js';
import { dateOf, type LicenseView, type LicenseWarning, warningsOf } from './warnings.js';

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
  room(): Promise<LicenseRoom>;
  warnings(): Promise<readonly LicenseWarning[]>;
  close(): void;
}

export interface LicenseRoom {
  readonly isLocked: boolean;
  /** `undefined`: without limit, or unknown. */
  readonly remainingMB: number | undefined;
}

interface LicenseDeps {
  readonly options: LicensingOptions;
  readonly documents: DocumentStore;
  readonly cluster: ClusterDriver;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A license is often made a moment before, on a machine whose clock is a little ahead. Milliseconds. */
const startTolerance = 24 * 60 * 60_000;
const key = 'current';

export async function createLicenseService(deps: LicenseDeps): Promise<LicenseService> {
  const { options, clock, logger } = deps;
  const use = createClusterUse(deps);

  const read = createLicenseReader(options);
  const kept = collection(deps.documents, 'licenses', StoredLicense);
  const violation = await openViolationClock(deps);
  let { terms, problem } = await load(kept, read, logger);

  async function view(): Promise<LicenseView & { readonly nodesUsed: number | undefined }> {
    const { memoryMBUsed: usedMB, nodesUsed } = await use.read();
    const allowed = terms?.memoryMBAllowed;
    // What is unknown neither begins nor ends a violation.
    if (allowed === undefined) await violation.note(false);
    else if (usedMB !== undefined) await violation.note(usedMB > allowed);
    const now = clock.now();
    const standing = statusOf(terms, { now, exceededMillis: violation.exceededMillis() });
    return { terms, problem, standing, usedMB, nodesUsed, now };
  }

  let told = '';
  /** Says it once in the log when the license comes to stand otherwise. */
  async function watch(): Promise<void> {
    const seen = await view();
    const { state } = seen.standing;
    if (state === told) return;
    told = state;
    const [warning] = warningsOf(seen);
    const fields = { licenseId: seen.terms?.id, state };
    if (warning) {
      const { key, sentence } = warning;
      logger.warn({ event: 'license.warning', ...fields, key, sentence }, 'the license needs attention');
    } else logger.info({ event: 'license.valid', ...fields }, 'the license is valid');
  }
  const look = () => {
    watch().catch((err) =>
      logger.error({ event: 'license.check_failed', err }, 'the license can not be looked after'),
    );
  };
  const timer = setInterval(look, options.sampleMillis ?? 10_000);
  timer.unref();

  function requireFeature(feature: LicenseFeature): void {
    if (terms?.features.includes(feature)) return;
    const why = terms
      ? `The license "${terms.id}" does not cover`
      : 'No license is configured, which this needs:';
    throw new FeatureNotLicensed(feature, `${why} ${feature}`);
  }

  return {
    async add(text, { filename }) {
      const added = read(text);
      requireInTime(added, clock.now());
      await kept.put(key, {
        text,
        addedAt: clock.now(),
        ...(filename === undefined ? {} : { fileName: filename }),
      });
      terms = added;
      problem = undefined;
      const seen = await view();
      const { nodesAllowed = noLimit.nodesAllowed, contextType, type, features } = added;
      return {
        ...licenseOf(added, seen),
        nodesAllowed,
        contextType,
        type,
        features,
        expirationTimeNotificationPeriod: noticePeriod,
      };
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
      if (seen.standing.isLocked)
        throw new LicenseLocked(warningsOf(seen)[0]?.sentence ?? 'The license is locked');
    },

    requireFeature,

    async room() {
      const { standing, usedMB } = await view();
      const allowed = terms?.memoryMBAllowed;
      const isKnown = allowed !== undefined && usedMB !== undefined;
      return {
        isLocked: standing.isLocked,
        remainingMB: isKnown ? Math.max(0, allowed - usedMB) : undefined,
      };
    },

    currentId: () => terms?.id,
    warnings: async () => warningsOf(await view()),
    close: () => clearInterval(timer),
  };
}

/** What is kept stays, also when it can't be used: the host may have been given other keys. */
async function load(
  kept: Collection<StoredLicense>,
  read: LicenseReader,
  logger: Logger,
): Promise<{ terms: LicenseTerms | undefined; problem: string | undefined }> {
  try {
    const stored = await kept.get(key);
    return { terms: stored && read(stored.value.text), problem: undefined };
  } catch (err) {
    logger.error({ event: 'license.invalid', err }, 'the license that is kept can not be used');
    if (err instanceof GatewayError) return { terms: undefined, problem: err.message };
    throw err;
  }
}

/** Asked at the upload only: a clock that goes back later makes no license invalid. */
function requireInTime({ id, startDate, expireTime }: LicenseTerms, now: number): void {
  if (expireTime !== undefined && expireTime <= now) {
    throw new LicenseRefused('expired', `The license "${id}" expired at ${dateOf(expireTime)}`);
  }
  if (startDate > now + startTolerance) {
    const begins = dateOf(startDate);
    throw new LicenseRefused(
      'notYet',
      `The license "${id}" begins at ${begins}, and here it is ${dateOf(now)}: upload it then`,
    );
  }
}
