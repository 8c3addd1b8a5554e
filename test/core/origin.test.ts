import t from 'tap';
import { foreignOrigin } from '../../lib/core/origin.js';

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
    [{ host: 'null', origin: 'null' }, undefined, 'cannot be told apart, and no host is called so'],
    [{ origin: 'http://h' }, 'http://h', 'no host to be the own one of'],
    [{ host: 'h', origin: '' }, '', 'an empty origin is none of ours'],
    [{ host: 'h', origin: console_ }, undefined, 'allowed'],
    [{ host: 'h', origin: `${console_}.evil` }, `${console_}.evil`, 'whole origins are compared'],
    [{ host: 'h', 'sec-fetch-site': 'same-origin' }, undefined, 'the browser vouches'],
    [{ host: 'h', 'sec-fetch-site': 'none' }, undefined, 'typed by a person'],
    [{ host: 'h', 'sec-fetch-site': 'same-site' }, 'another site', 'a neighbour'],
    [{ host: 'h', 'sec-fetch-site': 'cross-site' }, 'another site', 'a stranger'],
    [{ host: 'h', origin: console_, 'sec-fetch-site': 'cross-site' }, undefined, 'an allowed stranger'],
  ];
  for (const [headers, foreign, why] of cases) t.equal(foreignOrigin(headers, [console_]), foreign, why);
});
