import type { Clock } from '../../interfaces/clock.js';
import type { ClusterDriver } from '../../interfaces/cluster.js';
import type { Logger } from '../../interfaces/logger.js';
import type { DocumentStore } from '../../interfaces/storage.js';
import { GatewayError } from '../../model/errors.js';
import { LicenseRefused } from '../../model/license-errors.js';
import { type Collection, collection } from '../../storage/collection.js';
import type { LicensingOptions } from './options.js';
import type { LicenseUpload } from './schema.js';
import { createLicenseReader, type LicenseReader } from './signature.js';
import { statusOf } from './status.js';
import { StoredLicense } from './stored.js';
import type { LicenseTerms } from './terms.js';
import { createClusterUse } from './use.js';
import { openViolationClock } from './violation-clock.js';
import { dateOf, type LicenseView } from './warnings.js';

/** The license that counts now, which is also kept, and how it is used. */
interface LicenseInForce {
  /** `undefined`: there is none, or none that can be used. */
  terms(): LicenseTerms | undefined;
  /** With the use that the cluster tells. Notes when more is used than is allowed. */
  view(): Promise<LicenseView>;
  /** Rejects with `LicenseRefused` saying what is wrong; the license that is there stays then. */
  replace(text: string, upload: LicenseUpload): Promise<LicenseTerms>;
}

export interface LicenseDeps {
  readonly options: LicensingOptions;
  readonly documents: DocumentStore;
  readonly cluster: ClusterDriver;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A license is often made a moment before, on a machine whose clock is a little ahead. Milliseconds. */
const startTolerance = 24 * 60 * 60_000;
const key = 'current';

export async function openLicenseInForce(deps: LicenseDeps): Promise<LicenseInForce> {
  const { options, clock, logger } = deps;
  const use = createClusterUse(deps);
  const read = createLicenseReader(options);
  const kept = collection(deps.documents, 'licenses', StoredLicense);
  const violation = await openViolationClock(deps);
  let { terms, problem } = await load(kept, read, logger);

  return {
    terms: () => terms,

    async view() {
      const { memoryMBUsed: usedMB, nodesUsed } = await use.read();
      const allowed = terms?.memoryMBAllowed;
      // What is unknown neither begins nor ends a violation.
      if (allowed === undefined) await violation.note(false);
      else if (usedMB !== undefined) await violation.note(usedMB > allowed);
      const now = clock.now();
      const status = statusOf(terms, { now, exceededMillis: violation.exceededMillis() });
      return { terms, problem, status, usedMB, nodesUsed, now };
    },

    async replace(text, { filename }) {
      const added = read(text);
      requireInTime(added, clock.now());
      await kept.put(key, {
        text,
        addedAt: clock.now(),
        ...(filename === undefined ? {} : { fileName: filename }),
      });
      terms = added;
      problem = undefined;
      return added;
    },
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
