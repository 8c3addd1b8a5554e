import { Readable } from 'node:stream';
import t from 'tap';
import type { Body } from '../../../lib/http/body.js';
import type { GatewayRequest } from '../../../lib/http/request.js';
import { routes } from '../../../lib/routes.js';
import { openThreadClock } from '../../helpers/thread-clock.js';

// What reading and checking one body takes of the event loop. All routes and shapes: `test/stages/attacks/bodies.test.ts`.

/** Of processor time, milliseconds. */
const most = 50;
const spent = openThreadClock();

const keys = (count: number, value: unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`key.${index}`, value]));
const application = (properties: object) => ({
  operators: [{ name: 'source', class: 'headgate.io.RandomGenerator', properties }],
  streams: [],
});
const alert = (email: string) => ({ condition: 'true', email, timeThresholdMillis: 0 });

for (const [what, body, value, refusal] of [
  [
    '900 KB of addresses',
    routes.systemAlerts.putAlert.body,
    alert('a@b.cc,'.repeat(130_000)),
    /wrong|Too big/,
  ],
  [
    'a launch with 30,000 keys',
    routes.launching.launchPackageApplication.body,
    keys(30_000, 'x'),
    /more than 2000/,
  ],
  ['a launch with 1,900 keys', routes.launching.launchPackageApplication.body, keys(1_900, 'x'), undefined],
  ['a launch with 1,900 wrong keys', routes.launching.launchPackageApplication.body, keys(1_900, null), /./],
  [
    'an application with 40,000 properties',
    routes.appPackages.putPackageApplication.body,
    application(keys(40_000, 'x')),
    /more than 10000/,
  ],
  [
    'an application with 9,900 properties',
    routes.appPackages.putPackageApplication.body,
    application(keys(9_900, 'x')),
    undefined,
  ],
] as const) {
  t.test(what, async (t) => {
    let least = Number.POSITIVE_INFINITY;
    for (let go = 0; go < 5 && least > most / 2; go++) {
      const bytes = Buffer.from(JSON.stringify(value));
      const before = spent();
      const problem = await reading(body, bytes);
      least = Math.min(least, spent() - before);
      if (refusal) t.match(problem, refusal);
      else t.equal(problem, undefined, 'is taken');
    }
    t.ok(least <= most, `${least.toFixed(1)} ms`);
  });
}

async function reading(
  body: Pick<Body<unknown>, 'read'> | undefined,
  bytes: Buffer,
): Promise<string | undefined> {
  const request: GatewayRequest = {
    method: 'PUT',
    url: '/',
    headers: { 'content-type': 'application/json', 'content-length': String(bytes.length) },
    body: Readable.from([bytes]),
    remoteAddress: '127.0.0.1',
    raw: undefined,
    signal: new AbortController().signal,
  };
  try {
    await body?.read(request);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
