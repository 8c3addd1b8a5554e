import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import type { Gateway } from 'headgate';

/** The key store that the site files name, where they say that this server speaks TLS. Rejects with a sentence. */
export async function readTls(
  gateway: Pick<Gateway, 'property'>,
): Promise<{ readonly pfx: Buffer; readonly passphrase: string } | undefined> {
  if (gateway.property('platform.attr.GATEWAY_USE_SSL') !== 'true') return undefined;
  const path = gateway.property('platform.gateway.sslKeystorePath');
  if (path === undefined) {
    throw new Error('platform.attr.GATEWAY_USE_SSL is true, and platform.gateway.sslKeystorePath is not set');
  }
  const passphrase = gateway.property('platform.gateway.sslKeystorePassword') ?? '';
  try {
    const pfx = await readFile(path);
    createSecureContext({ pfx, passphrase });
    return { pfx, passphrase };
  } catch (error) {
    const why = error instanceof Error ? error.message : 'it can not be read';
    throw new Error(`The key store ${path} can't be used for TLS: ${why}`, { cause: error });
  }
}
