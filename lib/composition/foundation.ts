import { type AuditService, createAuditService } from '../features/audit/service.js';
import { communityLicense } from '../features/licenses/community.js';
import { createLicenseService, type LicenseService } from '../features/licenses/service.js';
import { createKeystore, type Keystore } from '../features/properties/keystore.js';
import { createPropertyService, type PropertyService } from '../features/properties/service.js';
import { installTime } from '../features/usage/installation.js';
import type { Clock } from '../interfaces/clock.js';
import type { Logger } from '../interfaces/logger.js';
import type { DocumentStore, Storage } from '../interfaces/storage.js';
import { defaultTimeouts, type Timeouts } from '../model/timeouts.js';
import { type GatewayOptions, machineClock, silent } from '../options.js';
import type { Teardown } from '../runtime/teardown.js';
import { createSealing, type Sealing, storageSecrets } from '../storage/sealing.js';
import { version } from '../version.js';

/** What all other services stand on: the storage, the keys of what is sealed in it, the platform's properties, the license. */
export interface Foundation {
  readonly audit: AuditService;
  /** Where all rooms keep what they keep. */
  readonly storage: Storage;
  readonly properties: PropertyService;
  readonly keystore: Keystore;
  readonly sealing: Sealing;
  readonly licenses: LicenseService;
  /** When the gateway was started first. */
  readonly installed: number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly timeouts: Timeouts;
}

export async function createFoundation(options: GatewayOptions, teardown: Teardown): Promise<Foundation> {
  const { cluster, logger = silent, clock = machineClock } = options;
  const audit = await createAuditService({
    documents: options.storage.documents,
    clock,
    logger,
    options: options.audit,
  });
  teardown.add('the audit', audit.close);
  const storage = withDocuments(options.storage, audit.documents);
  const { documents } = storage;
  const usualSecrets = options.secrets ?? storageSecrets(storage);
  const installed = await installTime(documents, clock);
  const licenses = options.licensing
    ? await createLicenseService({ options: options.licensing, documents, cluster, clock, logger })
    : communityLicense({ cluster, clock });
  teardown.add('licenses', licenses.close);

  const { importDirectory } = options.packages ?? {};
  const properties = createPropertyService({
    documents,
    // Never with the key store: its own password is one of them.
    sealing: createSealing(usualSecrets),
    logger,
    options: options.site,
    fixed: () => ({
      'platform.version': version,
      'platform.installTime': String(installed),
      ...(options.licensing ? { 'platform.license.platform.id': licenses.currentId() ?? '' } : {}),
      ...(importDirectory === undefined ? {} : { 'platform.gateway.importDirectory': importDirectory }),
    }),
  });
  await properties.takeEffect();
  const keystore = createKeystore(properties, usualSecrets, clock);
  keystore.begin();
  return {
    audit,
    storage,
    properties,
    keystore,
    sealing: createSealing(keystore.secrets),
    licenses,
    installed,
    clock,
    logger,
    timeouts: { ...defaultTimeouts, ...options.timeouts },
  };
}

/** The same storage with another way to its documents. A host's may be an object of a class: its methods stay its own. */
function withDocuments(storage: Storage, documents: DocumentStore): Storage {
  const { blobs, secretKey } = storage;
  return {
    documents,
    blobs,
    ...(secretKey ? { secretKey: () => secretKey.call(storage) } : {}),
    problems: () => storage.problems(),
    close: () => storage.close(),
  };
}
