import t from 'tap';
import { foreignOrigin } from '../../../lib/http/origin.js';

const console_ = 'https://console.example.org';

t.test('whether a page of another origin sent a request', async (t) => {
  const cases: [headers: Record<string, string>, foreign: string | undefined, why: string][] = [
    [{ host: 'h:9090' }, undefined, 'a program says nothing'],
    [{ host: 'h:9090', origin: 'http://h:9090' }, undefined, 'our own page'],
    [{ host: 'h', origin: 'https://h' }, undefined, 'our own page behind TLS'],
    [{ host: 'h:9090', origin: 'http://h:9091' }, 'http://h:9091', 'another port'],
    [{ host: 'h', origin: 'https://h.evil' }, 'https://h.evil', 'ours is only its beginning'],
    [{ host: 'h', origin: 'https://evil-h' }, 'https://evil-h', 'ours is only its end'],
    [{ host: 'h', origin: 'null' }, 'null', 'a sandboxed page'],
    [{ host: 'null', origin: 'null' }, 'null', 'a sandboxed page is none of a host that is called so'],
    [{ origin: 'http://h' }, 'http://h', 'no host to be the own one of'],
    [{ host: 'h', origin: '' }, '', 'an empty origin is none of ours'],
    [{ host: 'h', origin: console_ }, undefined, 'allowed'],
    [{ host: 'h', origin: `${console_}.evil` }, `${console_}.evil`, 'whole origins are compared'],
    [{ host: 'h', 'sec-fetch-site': 'same-origin' }, undefined, 'the browser vouches'],
    [{ host: 'h', 'sec-fetch-site': 'none' }, undefined, 'typed by a person'],
    [{ host: 'h', 'sec-fetch-site': 'same-site' }, 'another site', 'a neighbour'],
    [{ host: 'h', 'sec-fetch-site': 'cross-site' }, 'another site', 'a stranger'],
    [{ host: 'h', origin: console_, 'sec-fetch-site': 'cross-site' }, undefined, 'an allowed stranger'],
    [{ host: 'h', origin: 'http://h', 'sec-fetch-site': 'same-origin' }, undefined, 'both vouch'],
    [
      { host: 'h', origin: 'http://h', 'sec-fetch-site': 'cross-site' },
      'http://h',
      'the host alone is the same',
    ],
    [
      { host: 'h', origin: 'http://h', 'sec-fetch-site': 'same-site' },
      'http://h',
      'a neighbour by its scheme',
    ],
  ];
  for (const [headers, foreign, why] of cases) t.equal(foreignOrigin({ headers }, [console_]), foreign, why);
});

t.test('where TLS ends here, the scheme is compared', async (t) => {
  const cases: [origin: string, isSecure: boolean | undefined, isForeign: boolean][] = [
    ['https://h', true, false],
    ['http://h', true, true],
    ['http://h', false, false],
    ['https://h', false, false],
    ['https://h', undefined, false],
    ['ftp://h', false, true],
    ['https://', true, true],
    [console_, true, false],
  ];
  for (const [origin, isSecure, isForeign] of cases) {
    const sent = { headers: { host: 'h', origin }, isSecure };
    t.equal(foreignOrigin(sent, [console_]) !== undefined, isForeign, `${origin}, ${isSecure}`);
  }
});
