import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request } from 'node:https';
import t from 'tap';
import { trustedProxy } from '../../../adapters/auth/trusted-proxy.js';
import type { CallerRequest } from '../../../lib/index.js';
import { authenticatorContract } from '../../../packages/contracts/authenticator.js';
import { certificate, key } from '../../helpers/tls-front.js';

const secret = 'sixteen bytes and more';
const from = (headers: CallerRequest['headers'], raw: unknown = {}): CallerRequest => ({
  headers,
  remoteAddress: '127.0.0.1',
  raw,
});

t.test('what every authenticator promises', async (t) => {
  await authenticatorContract(t, {
    create: () => trustedProxy({ proof: { secret } }),
    known: {
      request: from({ 'x-forwarded-user': 'ada', 'x-proxy-secret': secret }),
      userName: 'ada',
    },
  });
});

t.test('headers count only with the secret, and say one name', async (t) => {
  const proxy = trustedProxy({
    proof: { secret, header: 'X-Proof' },
    userHeader: 'X-User',
    groupsHeader: 'X-Groups',
    rolesHeader: 'x-roles',
  });
  t.strictSame(proxy.headers, ['X-User', 'X-Groups', 'x-roles', 'X-Proof'], 'for nobody else to read');
  const of = (headers: CallerRequest['headers']) =>
    proxy.authenticate(from({ 'x-proof': secret, ...headers }));
  t.strictSame(await of({ 'x-user': 'ada', 'x-groups': 'a b, ,c', 'x-roles': 'admin' }), {
    userName: 'ada',
    scheme: 'proxy',
    groups: ['a b', 'c'],
    roles: ['admin'],
  });
  t.match(await of({ 'x-user': 'ada' }), { groups: [], roles: [] }, 'none said is none had');
  t.match(await of({ 'x-user': Buffer.from('Zoë').toString('latin1') }), { userName: 'Zoë' });
  const nobody: CallerRequest['headers'][] = [
    {},
    { 'x-user': '' },
    { 'x-user': '  ' },
    { 'x-user': 'eve, ada' },
    { 'x-user': '\xff\xfe' },
    { 'x-user': 'ada', 'x-proof': undefined },
    { 'x-user': 'ada', 'x-proof': '' },
    { 'x-user': 'ada', 'x-proof': `${secret} ` },
    { 'x-user': 'ada', 'x-proof': `${secret}, ${secret}` },
    { 'x-user': 'ada', 'x-proof': [secret] },
  ];
  for (const headers of nobody) t.equal(await of(headers), undefined, JSON.stringify(headers));
  t.equal(
    await trustedProxy({ proof: { secret } }).authenticate(from({ 'x-forwarded-user': 'ada' })),
    undefined,
  );
});

t.test('a certificate counts by its fingerprint', async (t) => {
  const { fingerprint256 } = new X509Certificate(certificate);
  const known = trustedProxy({ proof: { certificates: [fingerprint256.toLowerCase()] } });
  const other = trustedProxy({ proof: { certificates: ['0'.repeat(64)] } });
  const found: unknown[] = [];
  const server = createServer(
    { cert: certificate, key, requestCert: true, rejectUnauthorized: false },
    async (req, res) => {
      for (const proxy of [known, other])
        found.push((await proxy.authenticate(from(req.headers, req)))?.userName);
      res.end();
    },
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  for (const tls of [{ cert: certificate, key }, {}]) {
    const asked = request({
      port,
      host: '127.0.0.1',
      headers: { 'x-forwarded-user': 'ada' },
      rejectUnauthorized: false,
      agent: false,
      ...tls,
    });
    asked.end();
    const [response] = await once(asked, 'response');
    response.resume();
    await once(response, 'end');
  }
  t.strictSame(found, ['ada', undefined, undefined, undefined]);
  for (const raw of [
    undefined,
    null,
    {},
    { socket: {} },
    { socket: { getPeerCertificate: () => ({ fingerprint256 }) } },
  ])
    t.equal(
      await known.authenticate(from({ 'x-forwarded-user': 'ada' }, raw)),
      undefined,
      'no TLS, no proof',
    );
});

t.test('a proof that proves nothing is refused', async (t) => {
  t.throws(() => trustedProxy({ proof: { secret: 'short' } }), /less than 16 bytes/);
  t.throws(() => trustedProxy({ proof: { certificates: [] } }), /fingerprints/);
  t.throws(() => trustedProxy({ proof: { certificates: ['AB:CD'] } }), /fingerprints/);
});
