import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Test } from 'tap';
import { x as unpack } from 'tar';
import { z } from 'zod';
import { configuredAuth } from '../../adapters/auth/configured.js';
import { firstOf } from '../../adapters/auth/first-of.js';
import { apiTokens } from '../../adapters/auth/tokens.js';
import { smtpMailer } from '../../adapters/mail/smtp.js';
import type { Client } from '../../lib/client.js';
import type { GatewayOptions, LoginScheme } from '../../lib/index.js';
import { processRuntime } from '../../packages/containers/index.js';
import { localCluster } from '../../packages/engine/index.js';
import { filesystemStorage } from '../../packages/level/index.js';
import { bareRuntime } from './bare-runtime.js';
import { testFolder } from './folder.js';
import { newGateway, type TestGateway } from './gateway.js';
import { root } from './sources.js';
import { certificate } from './tls-front.js';

/*
 * `fixtures/kept-data.tar.gz` was written by Headgate 0.1.0 as it stood on 2026-11-22 (a981b22), when it was one package
 * that kept more in files of their own than it does today. `data/` is laid out as the bundled server does it;
 * `answers.json` is what that version answered about it, and the names of what is in it.
 *
 * An application of a package ran, was changed, recorded, lost a container and came to its end. Then the host was killed:
 * another application and a service ran, one mail waited for its server, another was not in the outbox yet, and a setting
 * was being written. The lock of the engine names a process that no machine has.
 */

const Told = z.object({
  /** Epoch milliseconds. */
  madeAt: z.number(),
  installedAt: z.number(),
  licenseKey: z.string(),
  token: z.string(),
  shippedTemplate: z.string(),
  countingDigest: z.string(),
  wordyDigest: z.string(),
  configDigest: z.string(),
  /** The application that ended, two of its operators, a recording of the second and one of its containers. */
  wordsId: z.string(),
  source: z.string(),
  countId: z.string(),
  recording: z.string(),
  containerId: z.string(),
  /** The one that was running. */
  countingId: z.string(),
  /** Since when the alert `active` is active. */
  activeSince: z.number(),
  /** Of the container of the service `beacon`. */
  beaconId: z.string(),
  /** The newest record that `listAudit` told. */
  lastAudit: z.string(),
  answers: z.record(z.string(), z.unknown()),
});

interface KeptData {
  readonly directory: string;
  readonly told: z.output<typeof Told>;
}

/** Unpacked into a folder of the test's own. */
export async function keptData(t: Pick<Test, 'teardown' | 'testdir'>): Promise<KeptData> {
  const folder = testFolder(t, {});
  await unpack({ file: join(root, 'test/fixtures/kept-data.tar.gz'), cwd: folder, strip: 1 });
  const told = Told.parse(JSON.parse(await readFile(join(folder, 'answers.json'), 'utf8')));
  return { directory: join(folder, 'data'), told };
}

export const passwords = { admin: 'a made-up password', ada: 'engine no. 1', bob: 'bob was here' };

export interface KeptGateway extends TestGateway {
  login(userName: string, password: string): Promise<Client>;
}

/** A gateway over it, as the host had it, an hour after it was written: tokens, mails and histories grow old. */
export async function gatewayOverKept(
  t: Parameters<typeof newGateway>[0],
  { directory, told }: KeptData,
  { smtpPort, ...more }: { readonly smtpPort: number } & Partial<GatewayOptions>,
): Promise<KeptGateway> {
  const opened = performance.now();
  const now = () => Math.floor(told.madeAt + 3_600_000 + performance.now() - opened);
  const smtp = smtpMailer({ ca: certificate });
  const living = await newGateway(t, {
    storage: await filesystemStorage({ directory: join(directory, 'storage') }),
    cluster: localCluster({
      directory: join(directory, 'engine'),
      execPath: bareRuntime(directory),
      packageCode: true,
      statsIntervalMillis: 250,
    }),
    auth: firstOf(configuredAuth({ schemes: { ldap: directoryOfPeople } }), apiTokens()),
    // The port of then may be another's today.
    mailer: { send: (mail, server, options) => smtp.send(mail, { ...server, port: smtpPort }, options) },
    mail: { limits: { firstPauseMillis: 50, longestPauseMillis: 1000 } },
    alerts: { everyMillis: 100, durable: true },
    containers: processRuntime({ directory: join(directory, 'services') }),
    services: { stopOnClose: true, limits: { pollMillis: 100 } },
    site: { directory: join(directory, 'conf') },
    licensing: { publicKeys: [told.licenseKey], product: 'streams' },
    clock: { now, monotonic: () => performance.now() },
    ...more,
  });
  const login = async (userName: string, password: string) => {
    const client = living.newClient();
    await client.login({ body: { userName, password } });
    return client;
  };
  return { ...living, login };
}

/** It can be asked with the password that was sealed for it, and no other. */
const directoryOfPeople = (configuration: object): LoginScheme => ({
  name: 'ldap',
  async login({ userName, password }) {
    const isBound = 'bindPassword' in configuration && configuration.bindPassword === 'open spelt';
    return isBound && password === `${userName} of the directory` ? { userName } : undefined;
  },
});
