import fc from 'fast-check';
import t from 'tap';
import { hopsOf, nodeAddress } from '../../../lib/http/forwarded-hops.js';
import { clientBehind, type TrustProxy } from '../../../lib/http/trusted-proxies.js';

// Whom the headers of proxies are believed about, as tables. What becomes of it at every door: test/trust-proxy.test.ts.

/** The address; where more is told, `http` or `https` and the host behind it. */
function seen(trustProxy: TrustProxy, peer: string, headers: Record<string, string>): string {
  const client = clientBehind(trustProxy)?.({ remoteAddress: peer, headers });
  if (client === undefined) return peer;
  const scheme = client.isSecure === undefined ? [] : [client.isSecure ? 'https' : 'http'];
  return [client.remoteAddress, ...scheme, ...(client.host === undefined ? [] : [client.host])].join(' ');
}
const xff = (list: string) => ({ 'x-forwarded-for': list });
const rfc = (list: string) => ({ forwarded: list });

t.test('how far a list is believed', async (t) => {
  const cases: [
    trust: TrustProxy,
    peer: string,
    headers: Record<string, string>,
    seen: string,
    why: string,
  ][] = [
    [false, '127.0.0.1', xff('203.0.113.9'), '127.0.0.1', 'nobody is believed by default'],
    [0, '127.0.0.1', xff('203.0.113.9'), '127.0.0.1', 'no proxies'],
    [[], '127.0.0.1', xff('203.0.113.9'), '127.0.0.1', 'an empty list'],
    ['loopback', '127.0.0.1', {}, '127.0.0.1', 'a proxy that says nothing'],
    ['loopback', '127.0.0.1', xff(''), '127.0.0.1', 'or says it with many words'],
    ['loopback', '127.0.0.1', xff('203.0.113.9'), '203.0.113.9', 'by name'],
    [
      'loopback',
      '::ffff:127.0.0.1',
      xff('203.0.113.9'),
      '203.0.113.9',
      'as a socket of both families shows it',
    ],
    ['loopback', '::1', xff('2001:db8::7'), '2001:db8::7', 'IPv6'],
    ['loopback', '10.1.2.3', xff('203.0.113.9'), '10.1.2.3', 'another peer changes nothing'],
    ['loopback', '', xff('203.0.113.9'), '', 'a socket that shows no address is at none'],
    [
      'loopback',
      '127.0.0.1',
      xff('198.51.100.1, 203.0.113.9'),
      '203.0.113.9',
      'what a client prepends gains nothing',
    ],
    ['loopback', '127.0.0.1', xff('127.0.0.1, 203.0.113.9'), '203.0.113.9', 'not even trusted addresses'],
    ['loopback', '127.0.0.1', xff('unknown, "x, 203.0.113.9'), '203.0.113.9', 'nor malformed ones'],
    ['10.0.0.0/8, loopback', '127.0.0.1', xff('203.0.113.9, 10.1.2.3'), '203.0.113.9', 'through two'],
    [['10.0.0.0/8', 'loopback'], '127.0.0.1', xff('203.0.113.9, 10.1.2.3'), '203.0.113.9', 'as a list'],
    [
      '10.1.2.3',
      '10.1.2.3',
      xff('203.0.113.9, 10.1.2.4'),
      '10.1.2.4',
      'and no further than they are trusted',
    ],
    ['uniquelocal', '172.31.0.1', xff('203.0.113.9, 192.168.1.1, fd00::1'), '203.0.113.9', 'three of a name'],
    ['linklocal', 'fe80::1%eth0', xff('169.254.1.1, fe80::2'), '169.254.1.1', 'all of them proxies'],
    [1, '198.51.100.7', xff('203.0.113.9'), '203.0.113.9', 'one, wherever it is'],
    [1, '198.51.100.7', xff('203.0.113.1, 203.0.113.9'), '203.0.113.9', 'and no more than one'],
    [2, '198.51.100.7', xff('203.0.113.1, 203.0.113.9'), '203.0.113.1', 'two'],
    [3, '198.51.100.7', xff('203.0.113.9'), '203.0.113.9', 'more than there are'],
    [1, '', xff('203.0.113.9'), '203.0.113.9', 'behind a socket of the file system'],
    [2, '198.51.100.7', xff('203.0.113.1, unknown'), '198.51.100.7', 'who does not know ends it'],
    [3, '198.51.100.7', xff('203.0.113.1, _hidden, 203.0.113.9'), '203.0.113.9', 'or does not tell'],
    ['loopback', '127.0.0.1', xff('203.0.113.9,'), '203.0.113.9', 'empty entries are none'],
    ['loopback', '127.0.0.1', xff(' , ,203.0.113.9 , '), '203.0.113.9', 'wherever they are'],
    ['loopback', '127.0.0.1', xff('203.0.113.9:4711'), '203.0.113.9', 'a port'],
    ['loopback', '127.0.0.1', xff('[2001:DB8::7]:4711'), '2001:db8::7', 'IPv6 with a port, in one spelling'],
    ['loopback', '127.0.0.1', xff('::ffff:203.0.113.9'), '203.0.113.9', 'IPv4 in IPv6'],
    ['loopback', '127.0.0.1', xff('::ffff:cb00:7109'), '203.0.113.9', 'the same in hexadecimal digits'],
    ['loopback', '127.0.0.1', xff('203.0.113.256'), '127.0.0.1', 'no address'],
    ['loopback', '127.0.0.1', xff('203.0.113.9; drop'), '127.0.0.1', 'nor this'],
    ['loopback', '127.0.0.1', rfc('for=203.0.113.9'), '203.0.113.9', 'RFC 7239'],
    ['loopback', '127.0.0.1', rfc('For="[2001:db8:cafe::17]:4711"'), '2001:db8:cafe::17', 'quoted'],
    [
      'loopback',
      '127.0.0.1',
      rfc('for=1.2.3.4, for=203.0.113.9;proto=https'),
      '203.0.113.9 https',
      'the last one',
    ],
    [
      'loopback',
      '127.0.0.1',
      rfc('for="1.2.3.4, for=203.0.113.9'),
      '203.0.113.9',
      'an open quote swallows nothing',
    ],
    ['loopback', '127.0.0.1', rfc('for="\\", for=203.0.113.9'), '203.0.113.9', 'nor does an escaped one'],
    ['loopback', '127.0.0.1', rfc('for="a,b", for="203.0.113.9:80"'), '203.0.113.9', 'a comma in quotes'],
    ['loopback', '127.0.0.1', rfc('for=unknown;proto=https'), '127.0.0.1 https', 'for whom is not known'],
    ['loopback', '127.0.0.1', rfc('for=_gazonk'), '127.0.0.1', 'obfuscated'],
    ['loopback', '127.0.0.1', rfc('for=1.2.3.4;for=203.0.113.9'), '127.0.0.1', 'twice the same'],
    ['loopback', '127.0.0.1', rfc('203.0.113.9'), '127.0.0.1', 'no parameter'],
    ['loopback', '127.0.0.1', rfc('for=203.0.113.9 proto=https'), '127.0.0.1', 'no semicolon'],
    ['loopback', '127.0.0.1', rfc('proto=https'), '127.0.0.1 https', 'only how'],
    [
      'loopback',
      '127.0.0.1',
      rfc('for=1.1.1.1;host=evil.example;proto=http, for=127.0.0.9;host=a.example;proto=https'),
      '1.1.1.1 http evil.example',
      'each word is of who spoke it: a proxy at 127.0.0.9 said so',
    ],
    [
      'loopback',
      '127.0.0.1',
      rfc('for=1.1.1.1;host=evil.example, for=203.0.113.9;host=a.example:8443;proto=https'),
      '203.0.113.9 https a.example:8443',
      'of a client nothing is believed',
    ],
    ['loopback', '127.0.0.1', { ...xff('203.0.113.9'), ...rfc('for=1.2.3.4') }, '203.0.113.9', 'never both'],
    [
      'loopback',
      '127.0.0.1',
      { 'x-forwarded-proto': 'https', ...rfc('for=1.2.3.4') },
      '127.0.0.1 https',
      'nor one beside the other',
    ],
    [
      { proxies: 'loopback', header: 'forwarded' },
      '127.0.0.1',
      { ...xff('1.2.3.4'), ...rfc('for=203.0.113.9') },
      '203.0.113.9',
      'the one that is said',
    ],
    [
      { proxies: 1, header: 'x-forwarded-for' },
      '9.9.9.9',
      rfc('for=1.2.3.4'),
      '9.9.9.9',
      'and that one only',
    ],
    [
      'loopback',
      '127.0.0.1',
      { ...xff('203.0.113.9'), 'x-forwarded-proto': 'https', 'x-forwarded-host': 'Console.Example.org' },
      '203.0.113.9 https console.example.org',
      'how, and for whom',
    ],
    [
      'loopback',
      '127.0.0.1',
      { ...xff('1.1.1.1, 203.0.113.9'), 'x-forwarded-proto': 'https, http', 'x-forwarded-host': 'evil, a' },
      '203.0.113.9 http a',
      'prepended as well',
    ],
    [
      2,
      '127.0.0.1',
      { ...xff('203.0.113.9, 10.0.0.1'), 'x-forwarded-proto': 'https', 'x-forwarded-host': 'a' },
      '203.0.113.9 https a',
      'passed on by the second proxy',
    ],
    [
      2,
      '127.0.0.1',
      { ...xff('203.0.113.9, 10.0.0.1'), 'x-forwarded-proto': 'https, http' },
      '203.0.113.9 https',
      'or added to by it',
    ],
    [
      'loopback',
      '127.0.0.1',
      { ...xff('203.0.113.9'), 'x-forwarded-proto': 'gopher', 'x-forwarded-host': 'a/b' },
      '203.0.113.9',
      'neither a scheme nor a host',
    ],
    [
      'loopback',
      '127.0.0.1',
      { ...xff('203.0.113.9'), 'x-forwarded-proto': 'wss' },
      '203.0.113.9 https',
      'a socket',
    ],
  ];
  for (const [trust, peer, headers, expected, why] of cases)
    t.equal(seen(trust, peer, headers), expected, why);
});

t.test('headers of any length cost little, and nothing is read in the middle of an entry', async (t) => {
  const hops = (list: string) => [...hopsOf(xff(list), 'x-forwarded-for')];
  t.equal(hops('10.0.0.1, '.repeat(100_000)).length, 31, 'an empty one at the end, and 31');
  t.equal(seen('uniquelocal', '10.0.0.1', xff(`203.0.113.9${', 10.0.0.1'.repeat(1000)}`)), '10.0.0.1');
  t.equal(hops(`${' '.repeat(2000)}10.0.0.1`).length, 1);
  t.equal(seen('loopback', '127.0.0.1', xff(`${'9'.repeat(1_000_000)}203.0.113.9`)), '127.0.0.1');
  t.equal(seen('loopback', '127.0.0.1', rfc(`for=1.2.3.4;x="${'\\'.repeat(1_000_000)}"`)), '127.0.0.1');
  t.equal(
    seen('loopback', '127.0.0.1', rfc(`for="${'a,'.repeat(1_000_000)}, for=203.0.113.9`)),
    '203.0.113.9',
  );
});

t.test('whatever a client writes in front, what the proxy adds is what counts', async () => {
  const piece = fc.constantFrom(
    '"',
    '\\',
    ',',
    ';',
    '=',
    'for',
    'for=',
    '127.0.0.1',
    '[',
    ']',
    ':',
    ' ',
    '_x',
    '%',
  );
  const added: [header: string, word: string][] = [
    ['x-forwarded-for', '203.0.113.9'],
    ['forwarded', 'for=203.0.113.9'],
    ['forwarded', 'by=_p;for="203.0.113.9:4711";host="a.example";proto=https'],
  ];
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), fc.constantFrom(...added), (pieces, [header, word]) =>
      seen('loopback', '127.0.0.1', { [header]: `${pieces.join('')}, ${word}` }).startsWith('203.0.113.9'),
    ),
    { numRuns: 5000 },
  );
});

t.test('what names a node', async (t) => {
  const nodes: [node: string, address: string | undefined][] = [
    ['192.0.2.1', '192.0.2.1'],
    ['192.0.2.1:80', '192.0.2.1'],
    ['192.0.2.1:_port', '192.0.2.1'],
    ['192.0.2.1:123456', undefined],
    ['2001:db8::1', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['[2001:db8::1]:80', '2001:db8::1'],
    ['[192.0.2.1]', '192.0.2.1'],
    ['[2001:db8::1', undefined],
    ['fe80::1%eth0', 'fe80::1'],
    ['unknown', undefined],
    ['_hidden', undefined],
    ['localhost', undefined],
    ['0x7f.1', undefined],
    ['', undefined],
  ];
  for (const [node, address] of nodes) t.equal(nodeAddress(node), address, node);
});

t.test('what names no proxies is said', async (t) => {
  const wrong: [option: unknown, message: RegExp][] = [
    [true, /how many proxies stand in front \(1\)/],
    [null, /how many proxies/],
    [{}, /how many proxies/],
    [[1], /how many proxies/],
    [-1, /-1 is no number of proxies/],
    [1.5, /1\.5 is no number/],
    [Number.NaN, /NaN is no number/],
    ['', /"" is no address; write 10\.1\.2\.3 or 10\.1\.0\.0\/16/],
    ['localhost', /"localhost" is no address/],
    ['10.0.0.0/33', /no address/],
    ['__proto__', /no address/],
    [{ proxies: 1, header: 'x-real-ip' }, /trustProxy\.header: write 'forwarded' or 'x-forwarded-for'/],
  ];
  for (const [option, message] of wrong) {
    const given: { trustProxy: TrustProxy } = JSON.parse('{}');
    Object.assign(given, { trustProxy: option });
    t.throws(() => clientBehind(given.trustProxy), { name: 'TypeError', message }, String(message));
  }
});
