import { createHash, timingSafeEqual } from 'node:crypto';
import { TLSSocket } from 'node:tls';
import {
  type Authenticator,
  type CallerRequest,
  type Identity,
  type OptionChecks,
  option,
  readOptions,
} from '../../lib/driver-kit.js';

export interface TrustedProxyOptions {
  /** How the proxy proves that it is the one. A header alone proves nothing: anybody can send one. */
  readonly proof: SharedSecret | ClientCertificate;
  /** Holds the user's name, in UTF-8. The proxy must drop what clients send under it. Default: `x-forwarded-user`. */
  readonly userHeader?: string;
  /** Holds groups, separated by commas, for the group mapping. Default: none is read. */
  readonly groupsHeader?: string;
  /** Holds roles, separated by commas, which replace those that the gateway keeps. Default: none is read. */
  readonly rolesHeader?: string;
}

/** The proxy sends it along with each request. */
export interface SharedSecret {
  /** At least 16 bytes, of random. */
  readonly secret: string;
  /** Default: `x-proxy-secret`. */
  readonly header?: string;
}

/** The proxy connects by TLS with a certificate of its own; the server asks for one (`requestCert: true`). */
export interface ClientCertificate {
  /**
   * SHA-256 of the certificate, as `openssl x509 -fingerprint -sha256` prints it. Who has its key is the proxy, whichever
   * authority signed it.
   */
  readonly certificates: readonly string[];
}

const minSecretBytes = 16;

const sharedSecret = option.group<SharedSecret>({
  secret: option.needed(option.text, `what the proxy sends along, ${minSecretBytes} random bytes or more`),
  header: option.text,
});
const clientCertificate = option.group<ClientCertificate>({
  certificates: option.needed(option.listOf(option.text), 'SHA-256 fingerprints of those that the proxy has'),
});
const trustedProxyOptions: OptionChecks<TrustedProxyOptions> = {
  proof: option.needed(
    {
      problem: (given, place) =>
        (typeof given === 'object' && given !== null && 'certificates' in given
          ? clientCertificate
          : sharedSecret
        ).problem(given, place),
    },
    '{ secret } that the proxy sends along, or { certificates } that it shows',
  ),
  userHeader: option.text,
  groupsHeader: option.text,
  rolesHeader: option.text,
};

/**
 * Who a proxy in front says is calling, for hosts behind one that does the login. Requests that did not come through it are
 * nobody's. Throws `TypeError` for a proof that proves nothing.
 */
export function trustedProxy(given: TrustedProxyOptions): Authenticator {
  const options = readOptions('trustedProxy', given, trustedProxyOptions);
  const isProxy = proofOf(options.proof);
  const { userHeader = 'x-forwarded-user', groupsHeader, rolesHeader } = options;
  const secretHeader = 'secret' in options.proof ? [secretHeaderOf(options.proof)] : [];
  return {
    headers: [userHeader, groupsHeader, rolesHeader, ...secretHeader].filter((name) => name !== undefined),
    async authenticate(request): Promise<Identity | undefined> {
      if (!isProxy(request)) return undefined;
      const userName = textOf(request, userHeader);
      // Two headers of one name come as one with a comma: one of them is the client's own.
      if (userName === undefined || userName === '' || userName.includes(',')) return undefined;
      const groups = groupsHeader === undefined ? undefined : listOf(request, groupsHeader);
      const roles = rolesHeader === undefined ? undefined : listOf(request, rolesHeader);
      return {
        userName,
        scheme: 'proxy',
        ...(groups === undefined ? {} : { groups }),
        ...(roles === undefined ? {} : { roles }),
      };
    },
  };
}

function proofOf(proof: TrustedProxyOptions['proof']): (request: CallerRequest) => boolean {
  if ('certificates' in proof) {
    const known = new Set(proof.certificates.map(plain));
    if (known.size === 0 || ![...known].every((one) => /^[0-9A-F]{64}$/.test(one))) {
      throw new TypeError('trustedProxy: certificates are SHA-256 fingerprints, 64 hexadecimal digits each');
    }
    return ({ raw }) => {
      const socket = socketOf(raw);
      // Absent when the client showed none.
      const shown = socket?.getPeerCertificate().fingerprint256 ?? '';
      return known.has(plain(shown));
    };
  }
  const { secret } = proof;
  const header = secretHeaderOf(proof).toLowerCase();
  if (Buffer.byteLength(secret) < minSecretBytes) {
    throw new TypeError(`trustedProxy: the secret has less than ${minSecretBytes} bytes`);
  }
  const wanted = digest(secret);
  return ({ headers }) => {
    const sent = headers[header];
    // Of one length, so the comparison takes the same time for any.
    return typeof sent === 'string' && timingSafeEqual(digest(sent), wanted);
  };
}

const secretHeaderOf = ({ header = 'x-proxy-secret' }: SharedSecret): string => header;

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
const plain = (fingerprint: string): string => fingerprint.replace(/:/g, '').toUpperCase();

/** `IncomingMessage`, Express' request and Koa's context have it in the same place. */
function socketOf(raw: unknown): TLSSocket | undefined {
  const socket = typeof raw === 'object' && raw !== null && 'socket' in raw ? raw.socket : undefined;
  return socket instanceof TLSSocket ? socket : undefined;
}

/** Node reads headers as Latin-1; `undefined` for what is no UTF-8. */
function textOf({ headers }: CallerRequest, name: string): string | undefined {
  const sent = headers[name.toLowerCase()];
  if (typeof sent !== 'string') return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(sent, 'latin1')).trim();
  } catch {
    return undefined;
  }
}

/** None when it is absent: then the user has no groups, or no roles. */
const listOf = (request: CallerRequest, name: string): string[] =>
  (textOf(request, name) ?? '')
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean);
