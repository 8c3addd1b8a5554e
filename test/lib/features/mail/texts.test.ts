import t from 'tap';
import { memoryStorage } from '../../../../adapters/storage/memory.js';
import { type MailOptions, readMailOptions } from '../../../../lib/features/mail/options.js';
import { SmtpInput } from '../../../../lib/features/mail/schema.js';
import { alertTestText, changeText, settingsTestText } from '../../../../lib/features/mail/texts.js';
import {
  durationText,
  escapeHtml,
  oneLine,
  paragraphs,
  timeText,
} from '../../../../lib/features/mail/wording.js';
import { readAddress, readAddresses } from '../../../../lib/formats/mail-addresses.js';
import { createGateway } from '../../../../lib/index.js';
import type { AlertChange } from '../../../../lib/model/alerts.js';
import { pauseAfter } from '../../../../lib/runtime/back-off.js';
import { emptyCluster } from '../../../helpers/empty-cluster.js';

/** Names of tests are ASCII on one line. */
const named = (text: string): string => encodeURIComponent(text.replace(/\p{Surrogate}/gu, '?'));

t.test('addresses: what is one, and what is not', async (t) => {
  const good: readonly [string, string][] = [
    ['ops@example.org', 'ops@example.org'],
    ['OPS@Example.ORG', 'OPS@example.org'],
    ["o'neil+tag_1@a-b.example", "o'neil+tag_1@a-b.example"],
    ['root@localhost', 'root@localhost'],
    ['ops@bücher.example', 'ops@xn--bcher-kva.example'],
    [`${'a'.repeat(64)}@b.example`, `${'a'.repeat(64)}@b.example`],
  ];
  for (const [text, address] of good) t.strictSame(readAddress(text), { address }, named(text));
  const bad: readonly [string, RegExp][] = [
    ['ops', /"ops" is no mail address/],
    ['@example.org', /is no mail address/],
    ['a@', /is no mail address/],
    ['a@b@example.org', /is no mail address/],
    ['.a@example.org', /is no mail address/],
    ['a..b@example.org', /is no mail address/],
    ['a@-b.example', /is no mail address/],
    ['a@b-.example', /is no mail address/],
    ['a@b..example', /is no mail address/],
    ['a@[127.0.0.1]', /is no mail address/],
    ['a@b.example\r\nBcc: c@d.example', /commas|is no mail address/],
    ['a@b.example\nDATA', /is no mail address/],
    ['a@exa%6dple.org', /is no mail address/],
    ['ä@example.org', /is no mail address/],
    ['a@b\u0000.example', /is no mail address/],
    ['a b@example.org', /is no mail address/],
    ['Ops <ops@example.org>', /give the address alone/],
    ['"a b"@example.org', /give the address alone/],
    ['a@example.org;b@example.org', /separate addresses by commas/],
    ['a@example.org b@example.org', /separate addresses by commas/],
    [`${'a'.repeat(65)}@b.example`, /is no mail address/],
    [`a@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(63)}.${'e'.repeat(63)}`, /is too long/],
    ['a@'.repeat(8000), /is too long/],
  ];
  for (const [text, problem] of bad)
    t.match(readAddress(text).problem ?? 'fine', problem, named(text.slice(0, 60)));
});

t.test('lists of addresses: 1 to 50, each once', async (t) => {
  t.strictSame(readAddresses(' a@b.example ,, c@d.example,a@B.example, '), {
    addresses: ['a@b.example', 'c@d.example'],
  });
  const many = (count: number) => Array.from({ length: count }, (_, i) => `a${i}@b.example`).join(',');
  t.equal(readAddresses(many(50)).addresses?.length, 50);
  t.strictSame(readAddresses(many(51)), { problem: 'more than 50 addresses' });
  for (const none of ['', ' ', ',', ' , ,'])
    t.strictSame(readAddresses(none), { problem: 'no address is given' });
  t.match(readAddresses('a@b.example,c').problem, /"c" is no mail address/);
});

t.test('one line stays one, whatever is in it', async (t) => {
  const rows: readonly [string, string][] = [
    ['cpu > 90% / a', 'cpu > 90% / a'],
    ['a\r\nBcc: x@y.example', 'a Bcc: x@y.example'],
    ['a\u2028b\u2029c\u0085d\u0000e\tf', 'a b c d e f'],
    ['\u202egnp.exe', 'gnp.exe'],
    ['\ud83d', '\ufffd'],
    ['👩‍🚀 ok', '👩‍🚀 ok'],
    ['  a   b  ', 'a b'],
  ];
  for (const [text, line] of rows) t.equal(oneLine(text, 100), line, named(text));
  t.equal(oneLine('abcdef', 4), 'abc…');
  t.equal(oneLine('😀😀😀', 2), '😀…', 'no character is cut in two');
  t.equal(oneLine('x'.repeat(1_000_000), 10).length, 10);
  t.equal(paragraphs('a\r\nb\rc\u2028d\te\u0007', 100), 'a\nb\nc\nd  e');
});

t.test('times and durations', async (t) => {
  t.equal(timeText(Date.UTC(2026, 10, 21, 23, 14, 20, 999)), '2026-11-21 23:14:20 UTC');
  t.equal(timeText(Number.NaN), 'unknown');
  const rows: readonly [number, string][] = [
    [0, '0 s'],
    [449, '0.4 s'],
    [9_940, '9.9 s'],
    [10_000, '10 s'],
    [59_600, '1 min'],
    [310_000, '5 min 10 s'],
    [3_600_000, '1 h'],
    [3_610_000, '1 h'],
    [7_500_000, '2 h 5 min'],
    [183_600_000, '2 d 3 h'],
    [-1, 'unknown'],
    [Number.NaN, 'unknown'],
  ];
  for (const [millis, text] of rows) t.equal(durationText(millis), text);
});

const time = Date.UTC(2026, 10, 21, 23, 0, 0);
const change: AlertChange = {
  id: 'a-1',
  kind: 'triggered',
  alert: {
    name: 'latency of orders',
    owner: 'ada',
    condition: "_topic['applications.a1'].latency > 500",
    recipients: ['ops@example.org'],
    description: 'Orders are slow.\nLook at the database first.',
    timeThresholdMillis: 5000,
  },
  time,
  inTime: time,
  fields: [
    { topic: 'applications.a1', path: ['latency'], value: '731.5' },
    { topic: 'a.b', path: ['operators', '0', 'odd name'] },
  ],
};
const letterhead = { platform: 'Headgate', link: 'https://console.example.org/?a=1&b=2' };

t.test('in effect: the description first, then the facts and what was read', async (t) => {
  const { subject, text, html } = changeText(change, letterhead);
  t.equal(subject, '[Headgate] Alert "latency of orders" in effect');
  t.equal(
    text,
    `Alert "latency of orders" in effect

Orders are slow.
Look at the database first.

Time: 2026-11-21 23:00:00 UTC
Condition: _topic['applications.a1'].latency > 500
Held for at least: 5 s
Owner: ada

What the condition read:
applications.a1.latency: 731.5
a.b.operators[0]["odd name"]: nothing there

https://console.example.org/?a=1&b=2
`,
  );
  t.match(html, '_topic[&#39;applications.a1&#39;].latency &gt; 500');
  t.match(html, '<a href="https://console.example.org/?a=1&amp;b=2">');
});

t.test('out of effect and disabled: since when, and for how long', async (t) => {
  const cleared = changeText(
    { ...change, kind: 'cleared', time: time + 310_000, fields: [] },
    { platform: 'P' },
  );
  t.equal(cleared.subject, '[P] Alert "latency of orders" out of effect');
  t.match(cleared.text, /In effect since: 2026-11-21 23:00:00 UTC\nDuration: 5 min 10 s\n/);
  t.notMatch(cleared.text, /What the condition read|https/);
  const { inTime: _, ...inactive } = change;
  const disabled = changeText({ ...inactive, kind: 'disabled' }, { platform: 'P' });
  t.equal(disabled.subject, '[P] Alert "latency of orders" disabled');
  t.notMatch(disabled.text, /Duration|Held for/);
});

t.test('tests say what they are', async (t) => {
  const test = { ...change.alert, result: false, fields: change.fields, userName: 'eve <b>' };
  const { subject, text, html } = alertTestText(test, time, letterhead);
  t.equal(subject, '[Headgate] Test of an alert');
  t.match(text, /Result: false: it would not be in effect\nAsked for by: eve <b>/);
  t.notMatch(html, '<b>');
  const server = {
    host: 'mail.example.org',
    port: 587,
    encryption: 'tls',
    from: { address: 'a@b', name: '' },
  } as const;
  t.match(
    settingsTestText(server, 'ada', time, letterhead).text,
    /Mail server: mail.example.org:587\nChanged by: ada/,
  );
});

t.test('nothing that a user wrote leaves its place', async (t) => {
  const evil = `"><script>alert('x')</script>\r\nBcc: x@y.example\r\n\r\n.\r\nQUIT\u202e&amp;`;
  const all = changeText(
    {
      ...change,
      alert: { ...change.alert, name: evil, owner: evil, condition: evil, description: evil },
      fields: [{ topic: evil, path: [evil], value: evil }],
    },
    { platform: 'Headgate' },
  );
  t.notMatch(all.subject, /[\r\n]/);
  t.notMatch(all.html, /<script|<\/script|\u202e/);
  t.equal(all.html.match(/alert\(&#39;x&#39;\)/g)?.length, 8, 'every place is escaped, and none is left out');
  t.match(all.html, '&amp;amp;', 'what looks escaped is escaped too');
  t.notMatch(all.text, /\r|\u202e/);
  t.equal(escapeHtml(`<a href="b" c='d'>&`), '&lt;a href=&quot;b&quot; c=&#39;d&#39;&gt;&amp;');

  const long = 'x'.repeat(100_000);
  const bounded = changeText(
    {
      ...change,
      alert: { ...change.alert, name: long, owner: long, condition: long, description: long },
      fields: Array.from({ length: 50 }, () => ({ topic: long, path: [long], value: long })),
    },
    letterhead,
  );
  t.ok(bounded.subject.length < 200);
  t.ok(bounded.text.length < 40_000 && bounded.html.length < 60_000);
});

t.test('pauses double up to the longest, and chance only shortens them', async (t) => {
  const backOff = { first: 10_000, most: 900_000 };
  t.strictSame(
    [1, 2, 3, 7, 8, 1000].map((failures) => pauseAfter(failures, backOff, 0)),
    [10_000, 20_000, 40_000, 640_000, 900_000, 900_000],
  );
  t.equal(pauseAfter(1, backOff, 0.999), 8002);
});

t.test('options that can not be used are named', async (t) => {
  const start = (mail: MailOptions) =>
    createGateway({ storage: memoryStorage(), cluster: emptyCluster(), mail });
  await t.rejects(start({ consoleUrl: 'javascript:alert(1)' }), /mail\.consoleUrl must begin with http/);
  await t.rejects(start({ limits: { mails: 0 } }), /mail\.limits\.mails must be at least 1, not 0/);
  t.equal(readMailOptions({ platform: 'A\r\nB' }).letterhead.platform, 'A B');
});

t.test('settings: what may be sent', async (t) => {
  const settings = {
    host: 'mail.example.org',
    port: '587',
    fromAddr: 'gate@example.org',
    encryptionType: 'tls',
    authType: 'none',
    testAddr: 'ops@example.org',
  };
  t.match(SmtpInput.parse(settings), { port: '587', fromName: '', username: '' });
  t.equal(SmtpInput.parse({ ...settings, port: 25 }).port, '25');
  t.match(SmtpInput.parse({ ...settings, host: '::1' }), { host: '::1' });
  const bad: readonly [object, RegExp][] = [
    [{ host: 'a b' }, /is no host name/],
    [{ host: 'a\r\nb' }, /is no host name/],
    [{ host: '' }, /is no host name/],
    [{ port: 0 }, /port/],
    [{ port: '65536' }, /port/],
    [{ port: '25x' }, /a port from 1 to 65535/],
    [{ fromAddr: 'a@b,c@d' }, /is no mail address/],
    [{ testAddr: 'nobody' }, /is no mail address/],
    [{ fromName: 'a\r\nBcc: b@c' }, /is one line/],
    [{ username: 'a\u0000b' }, /is one line/],
    [{ encryptionType: 'starttls' }, /tls/],
    [{ authType: 'password' }, /is needed where authType is password/],
  ];
  for (const [part, message] of bad) {
    t.match(
      SmtpInput.safeParse({ ...settings, ...part }).error?.message ?? 'fine',
      message,
      JSON.stringify(part),
    );
  }
});
