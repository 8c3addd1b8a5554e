import type { Gateway } from 'headgate';
import { createProbe } from 'headgate/host-probe';
import { answerContract } from './host-answers.js';
import { bodyContract } from './host-bodies.js';
import { socketContract } from './host-sockets.js';
import { streamContract } from './host-streams.js';
import type { HostTest } from './host-test.js';
import { urlContract } from './host-urls.js';
import { hostAnswer } from './host-wire.js';
import type { Suite } from './suite.js';
import { type Closing, closingAfter, inTime } from './using.js';

export { hostAnswer };

export interface HostUnderTest extends Closing {
  /**
   * Starts a host with this gateway and its WebSocket in it. To everything that is not the gateway's, upgrades too, the
   * host answers 404 with the header `x-host: yes` and the body `hostAnswer`.
   */
  start(gateway: Gateway): Promise<RunningHost>;
  /** Media types that a body parser of the host reads before the gateway sees the request. Default: none. */
  readonly parses?: readonly string[];
  /**
   * The host hands out URLs as browsers parse them: dots that stand for a way up are gone, encoded or not, before the gateway
   * sees a path. Default: false, as they came.
   */
  readonly parsesUrls?: boolean;
}

export interface RunningHost {
  /** With the prefix, if there is one; without a slash at its end. */
  readonly baseUrl: string;
  close(): Promise<void>;
}

/** Everything that a host adapter promises, for authors of adapters. Await it where the runner wants that (node:test). */
export async function hostContract(suite: Suite, host: HostUnderTest): Promise<void> {
  const registered: unknown[] = [];
  const test: HostTest = (name, run, options) => {
    const done = suite.test(`host: ${name}`, async () => {
      const probe = createProbe(options);
      const { baseUrl, close } = await host.start(probe.gateway);
      await closingAfter(
        () => run({ baseUrl, probe }),
        async () => {
          await probe.gateway.close();
          await inTime('close() of the host', host, close);
        },
      );
    });
    registered.push(done);
  };
  const parses = host.parses ?? [];
  urlContract(test, { parsesUrls: host.parsesUrls ?? false });
  answerContract(test);
  bodyContract(test, parses);
  streamContract(test);
  socketContract(test);
  await Promise.all(registered);
}
