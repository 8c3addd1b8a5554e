import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configuredAuth } from '../../adapters/auth/configured.js';
import { firstOf } from '../../adapters/auth/first-of.js';
import { apiTokens } from '../../adapters/auth/tokens.js';
import { smtpMailer } from '../../adapters/mail/smtp.js';
import type { Authenticator, GatewayOptions } from '../../lib/index.js';
import { processRuntime } from '../../packages/containers/index.js';
import { localCluster } from '../../packages/engine/index.js';
import { adminPassword } from './accounts.js';
import { words } from './applications.js';
import { bareRuntime } from './bare-runtime.js';
import { newGateway, type TestGateway } from './gateway.js';
import { makeHashesCheap } from './hashes.js';
import { vendor } from './licenses.js';
import { fixtures } from './local-cluster.js';
import { configuration, packageOf } from './packages.js';
import { certificate } from './tls-front.js';

export interface FullGateway extends TestGateway {
  /** Of everything that it keeps, and is removed with it. */
  readonly directory: string;
}

/** A package whose application runs on the embedded engine. */
export const wordsPackage = (version = '1.0.0'): Buffer =>
  packageOf(
    { name: 'wordy', version },
    {
      'app/words.json': JSON.stringify(words().application),
      'conf/slow.xml': configuration({ 'apex.operator.source.prop.tuplesPerSecond': '20' }),
    },
  );

/**
 * A living gateway that can do all that there is: the embedded engine, services that are programs of this machine, mails,
 * licenses, users with passwords, one of which is the administrator's, and tokens. `first` is asked before these.
 */
export async function fullGateway(
  t: Parameters<typeof newGateway>[0],
  { first = [], ...more }: Partial<GatewayOptions> & { readonly first?: readonly Authenticator[] } = {},
): Promise<FullGateway> {
  makeHashesCheap();
  const directory = mkdtempSync(join(tmpdir(), 'headgate-full-'));
  const importDirectory = join(directory, 'import');
  mkdirSync(importDirectory);
  writeFileSync(join(importDirectory, 'imported.apa'), packageOf({ name: 'imported' }));
  const teardown = (close: () => Promise<void>) =>
    t.teardown(async () => {
      await close();
      rmSync(directory, { recursive: true, force: true });
    });
  const living = await newGateway(
    { teardown },
    {
      cluster: localCluster({
        directory: join(directory, 'engine'),
        execPath: bareRuntime(directory),
        operators: [fixtures],
      }),
      auth: firstOf(...first, configuredAuth(), apiTokens()),
      mailer: smtpMailer({ ca: certificate }),
      containers: processRuntime({ directory: join(directory, 'services') }),
      services: { stopOnClose: true },
      packages: { importDirectory },
      site: { directory: join(directory, 'conf') },
      licensing: { publicKeys: [String(vendor.publicKey.export({ type: 'spki', format: 'pem' }))] },
      initialAdmin: { password: adminPassword },
      ...more,
    },
  );
  return { ...living, directory };
}
