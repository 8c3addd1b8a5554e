import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import {
  BadRequest,
  type LoginSchemeFactory,
  MissingPackage,
  type OptionChecks,
  option,
  readOptions,
  type SchemeSessions,
  Unreachable,
} from 'headgate/driver-kit';
import { createAcceptor } from './kerberos-acceptor.js';
import { checkKeytab } from './kerberos-keytab.js';
import { parsePrincipal, userOf } from './kerberos-principal.js';

export interface KerberosOptions {
  /** The file to read instead of `/etc/krb5.conf`. */
  readonly krb5Config?: string;
  /**
   * Where tickets that were used already are noted, so that none is used twice (`KRB5RCACHEDIR`). Default: the system's
   * directory for temporary files, where all services of one user share it.
   */
  readonly replayCacheDirectory?: string;
  /** The Node to run the helper process with. Default: this one's. */
  readonly execPath?: string;
}

const kerberosOptions: OptionChecks<KerberosOptions> = {
  krb5Config: option.path,
  replayCacheDirectory: option.path,
  execPath: option.program,
};

/** Tickets of Active Directory list the groups of their owner, and get large. */
const maxTokenLength = 64 * 1024;
const minSecretBytes = 16;

/**
 * Knows people by their Kerberos ticket (SPNEGO, RFC 4559; `docs/identity.md`). Needs the native package `kerberos`, which
 * runs in a helper process: the keytab holds for a whole process, and the host's is not ours to change.
 */
export function kerberosScheme(options: KerberosOptions = {}): LoginSchemeFactory<'kerberos'> {
  const { krb5Config, replayCacheDirectory, execPath } = readOptions(
    'kerberosScheme',
    options,
    kerberosOptions,
  );
  return async (configuration, { logger }) => {
    const { kerberosPrincipal, kerberosKeytab, groupSupport } = configuration;
    const realm = await checkKeytab(kerberosKeytab, kerberosPrincipal);
    const sessions = await sessionsOf(configuration);
    requirePackage();
    const acceptor = createAcceptor({
      service: (parsePrincipal(kerberosPrincipal)?.components ?? []).join('@'),
      env: {
        KRB5_KTNAME: `FILE:${kerberosKeytab}`,
        LC_ALL: 'C',
        ...(krb5Config === undefined ? {} : { KRB5_CONFIG: krb5Config }),
        ...(replayCacheDirectory === undefined ? {} : { KRB5RCACHEDIR: replayCacheDirectory }),
      },
      execPath,
    });
    await acceptor.start().catch((error: unknown) => {
      acceptor.close();
      const why = error instanceof Error ? error.message : String(error);
      throw new BadRequest('KERBEROS_NOT_STARTED', `Kerberos: the helper process does not start: ${why}`);
    });

    return {
      name: 'kerberos',
      sessions,
      async negotiate(token, { signal }) {
        if (token.length > maxTokenLength || !/^[A-Za-z0-9+/]+={0,2}$/.test(token)) return undefined;
        const answer = await acceptor.accept(token, signal);
        if (answer.outcome === 'failed') throw new Unreachable('Kerberos', new Error(answer.why));
        if (answer.outcome === 'refused') {
          // Clocks that differ and keys that changed show here only.
          logger.info({ event: 'kerberos.ticket_refused', why: answer.why }, 'a Kerberos ticket was refused');
          return undefined;
        }
        const user = userOf(answer.principal, { realm, groupSupport });
        if (user === undefined) {
          logger.info(
            { event: 'kerberos.principal_invalid', principal: answer.principal },
            'a Kerberos principal that can be no user',
          );
          return undefined;
        }
        return { user, ...(answer.reply === undefined ? {} : { reply: answer.reply }) };
      },
      close: () => acceptor.close(),
    };
  };
}

function requirePackage(): void {
  try {
    createRequire(import.meta.url).resolve('kerberos');
  } catch (error) {
    throw new MissingPackage('Kerberos', 'kerberos', error);
  }
}

async function sessionsOf(
  configuration: Parameters<LoginSchemeFactory<'kerberos'>>[0],
): Promise<SchemeSessions> {
  const { tokenValidity, cookieDomain, cookiePath, signatureSecret } = configuration;
  return {
    ...(tokenValidity === undefined ? {} : { absoluteMillis: tokenValidity * 1000 }),
    ...(cookieDomain === undefined ? {} : { cookieDomain }),
    ...(cookiePath === undefined ? {} : { cookiePath }),
    ...(signatureSecret === undefined ? {} : { signatureSecret: await secretOf(signatureSecret) }),
  };
}

/** A path, or the secret itself: `docs/decisions.md`, A path or a secret. */
async function secretOf(text: string): Promise<Buffer> {
  const bytes = text.startsWith('/') ? await secretFile(text) : Buffer.from(text);
  if (bytes.length < minSecretBytes) {
    throw new BadRequest(
      'AUTH_SETTING_NOT_VALID',
      `signatureSecret: at least ${minSecretBytes} bytes, made by chance: openssl rand -hex 32`,
    );
  }
  return bytes;
}

async function secretFile(path: string): Promise<Buffer> {
  try {
    return Buffer.from((await readFile(path, 'latin1')).trimEnd(), 'latin1');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'no file';
    throw new BadRequest('AUTH_FILE_NOT_USABLE', `signatureSecret: ${path} can't be read (${code})`);
  }
}
