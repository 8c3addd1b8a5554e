import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface Certificates {
  /** PEM files. */
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
}

/** An authority of its own and a certificate from it, for `localhost` and 127.0.0.1. */
export async function makeCertificates(directory: string): Promise<Certificates> {
  const at = (name: string) => join(directory, name);
  const openssl = (...args: string[]) => run('openssl', args);
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const ca = [
    '-x509',
    '-days',
    '2',
    '-subj',
    '/CN=Headgate test authority',
    '-addext',
    'keyUsage=keyCertSign',
  ];
  await openssl('req', ...key, ...ca, '-keyout', at('ca.key'), '-out', at('ca.pem'));
  await openssl(
    'req',
    ...key,
    '-subj',
    '/CN=localhost',
    '-keyout',
    at('server.key'),
    '-out',
    at('server.csr'),
  );
  await writeFile(at('server.ext'), 'subjectAltName=DNS:localhost,IP:127.0.0.1\n');
  const signing = ['-CA', at('ca.pem'), '-CAkey', at('ca.key'), '-CAcreateserial', '-days', '2'];
  await openssl(
    'x509',
    '-req',
    '-in',
    at('server.csr'),
    ...signing,
    '-extfile',
    at('server.ext'),
    '-out',
    at('server.pem'),
  );
  return { authority: at('ca.pem'), certificate: at('server.pem'), key: at('server.key') };
}
