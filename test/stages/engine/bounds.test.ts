import t from 'tap';
import { engineGateway, untilItRuns, words } from '../../helpers/applications.js';
import { as } from '../../helpers/people.js';

// What one request may bring to a running application of the embedded engine.

const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));
const levels = (count: number, name = 'org.example.Class') =>
  many(count, (i) => ({ target: `${name}${i}`, logLevel: 'DEBUG' as const }));

t.test('an application takes so much of one request', async (t) => {
  const { gateway, baseUrl, newClient } = await engineGateway(t);
  const ada = newClient(as('ada'));
  const appid = await gateway.launch(words());
  await untilItRuns(ada, appid);
  const params = { appid };

  await t.test('levels of loggers', async (t) => {
    await ada.setLoggers({ params, body: { loggers: levels(1_000) } });
    await t.rejects(ada.setLoggers({ params, body: { loggers: levels(1, 'org.example.Other') } }), {
      status: 400,
      message:
        'The application would have 1001 levels of loggers, more than 1000: set one of a package (org.example.*), which takes the place of those in it',
    });
    t.equal((await ada.listLoggers({ params })).loggers.length, 1_000, 'they are as they were');
    await ada.setLoggers({ params, body: { loggers: levels(1_000) } });
    const whole = { target: 'org.example.*', logLevel: 'INFO' as const };
    await ada.setLoggers({ params, body: { loggers: [whole] } });
    t.strictSame((await ada.listLoggers({ params })).loggers, [whole]);
  });

  await t.test('what is sent to its master has the limits of other bodies', async (t) => {
    const sent = async (body: string) => {
      const response = await fetch(`${baseUrl}/proxy/master/v2/${appid}/loggers`, {
        method: 'POST',
        headers: { ...as('ada').headers, 'content-type': 'application/json' },
        body,
      });
      return { status: response.status, text: await response.text() };
    };
    for (const [body, message] of [
      [JSON.stringify({ loggers: levels(1_001) }), 'body.loggers: Too big'],
      [JSON.stringify(many(10_000, () => 1)), 'The body holds more than 10000 values'],
      ['['.repeat(65) + ']'.repeat(65), 'The body is nested deeper than 64 levels'],
      [' '.repeat(1024 * 1024 + 1), 'The body is larger than 1048576 bytes'],
    ] as const) {
      const { status, text } = await sent(body);
      t.equal(status, 400, message);
      t.match(text, message);
    }
    t.equal((await sent(' '.repeat(1024 * 1024))).status, 400, 'nothing at all');
    t.equal((await sent('{"loggers":[]}'.padEnd(1024 * 1024))).status, 200);
  });
});
