import { createRequire } from 'node:module';
import t from 'tap';
import { silent } from '../../../lib/options.js';
import { kerberosScheme } from '../../../packages/directory/kerberos.js';
import { keytabEntries } from '../../../packages/directory/kerberos-keytab.js';
import { parsePrincipal, userOf } from '../../../packages/directory/kerberos-principal.js';
import { testFolder } from '../../helpers/folder.js';

// What needs no realm. Tickets of a real one: `test/stages/identity`.

t.test('principals', async (t) => {
  for (const [text, principal] of [
    ['ann', { components: ['ann'] }],
    ['ann@EXAMPLE.ORG', { components: ['ann'], realm: 'EXAMPLE.ORG' }],
    ['HTTP/gate.example.org@EXAMPLE.ORG', { components: ['HTTP', 'gate.example.org'], realm: 'EXAMPLE.ORG' }],
    ['a\\/b\\@c\\\\d@R', { components: ['a/b@c\\d'], realm: 'R' }],
    ['ann@A/B', { components: ['ann'], realm: 'A/B' }],
    ['', undefined],
    ['@R', undefined],
    ['ann@', undefined],
    ['ann//x@R', undefined],
    ['ann@R@S', undefined],
    ['ann\\', undefined],
  ] as const) {
    t.strictSame(parsePrincipal(text), principal, JSON.stringify(text));
  }
});

t.test('who a principal is', async (t) => {
  const realm = 'EXAMPLE.ORG';
  for (const [text, plain, withGroups] of [
    ['ann@EXAMPLE.ORG', { userName: 'ann' }, { userName: 'ann', groups: [] }],
    ['ann/ops@EXAMPLE.ORG', { userName: 'ann/ops' }, { userName: 'ann', groups: ['ops'] }],
    ['ann@OTHER.ORG', { userName: 'ann@OTHER.ORG' }, { userName: 'ann@OTHER.ORG', groups: [] }],
    ['ann/ops@OTHER.ORG', { userName: 'ann/ops@OTHER.ORG' }, { userName: 'ann@OTHER.ORG', groups: ['ops'] }],
    ['ann@example.org', { userName: 'ann@example.org' }, { userName: 'ann@example.org', groups: [] }],
    ['ann\\@EXAMPLE.ORG@OTHER.ORG', undefined, undefined],
    ['ann\\/ops@EXAMPLE.ORG', undefined, undefined],
    ['a/b/c@EXAMPLE.ORG', undefined, undefined],
    ['a\\nb@EXAMPLE.ORG', undefined, undefined],
    ['a\\0@EXAMPLE.ORG', undefined, undefined],
    [`${'a'.repeat(129)}@EXAMPLE.ORG`, undefined, undefined],
    ['', undefined, undefined],
  ] as const) {
    t.strictSame(userOf(text, { realm, groupSupport: false }), plain, text);
    t.strictSame(userOf(text, { realm, groupSupport: true }), withGroups, text);
  }
});

t.test('keytabs', async (t) => {
  const counted = (text: string) => {
    const bytes = Buffer.from(text);
    return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 255]), bytes]);
  };
  const sized = (bytes: Buffer, sign = 1) => {
    const size = Buffer.alloc(4);
    size.writeInt32BE(sign * bytes.length);
    return Buffer.concat([size, bytes]);
  };
  const entry = (realm: string, ...components: string[]) =>
    Buffer.concat([
      Buffer.from([0, components.length]),
      counted(realm),
      ...components.map(counted),
      Buffer.alloc(30, 7),
    ]);
  const http = entry('R', 'HTTP', 'x');
  const file = Buffer.concat([Buffer.from([5, 2]), sized(http), sized(http, -1), sized(entry('S', 'ann'))]);
  const known = [
    { components: ['HTTP', 'x'], realm: 'R' },
    { components: ['ann'], realm: 'S' },
  ];
  t.strictSame(keytabEntries(file), known, 'deleted entries are none');
  t.strictSame(keytabEntries(Buffer.from([5, 2])), []);
  for (const bad of [Buffer.from('text'), Buffer.alloc(0), Buffer.from([5, 1, 0])])
    t.equal(keytabEntries(bad), undefined);
  for (let length = 0; length < file.length; length++) {
    const entries = keytabEntries(file.subarray(0, length));
    t.ok((entries?.length ?? 0) <= 2, `cut at ${length}`);
  }
  t.strictSame(keytabEntries(Buffer.concat([file, Buffer.from([127, 255, 255, 255, 0])])), undefined);
});

t.test('without the package, or a Node to run it, a sentence says what to install', async (t) => {
  const keytab = Buffer.from('0502', 'hex');
  const entry = Buffer.concat([
    Buffer.from('0002000152000448545450', 'hex'),
    Buffer.from('000178', 'hex'),
    Buffer.alloc(20),
  ]);
  const size = Buffer.alloc(4);
  size.writeInt32BE(entry.length);
  const directory = testFolder(t, { keytab: Buffer.concat([keytab, size, entry]) });
  const context = { clock: { now: () => 0, monotonic: () => 0 }, logger: silent };
  const configuration = {
    type: 'kerberos',
    groupSupport: false,
    kerberosPrincipal: 'HTTP/x@R',
    kerberosKeytab: `${directory}/keytab`,
  } as const;
  const answer = async () =>
    kerberosScheme({ execPath: `${directory}/no-such-node` })(configuration, context);
  await t.rejects(
    answer(),
    isInstalled()
      ? { code: 'KERBEROS_NOT_STARTED', message: /^Kerberos: the helper process does not start: .*ENOENT/ }
      : { code: 'MISSING_PACKAGE', message: 'Kerberos needs the package kerberos: npm install kerberos' },
  );
});

/** `npm run test:identity` puts it beside the compiled library. */
function isInstalled(): boolean {
  try {
    createRequire(new URL('../../../packages/directory/kerberos.js', import.meta.url)).resolve('kerberos');
    return true;
  } catch {
    return false;
  }
}
