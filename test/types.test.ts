import { expectTypeOf } from 'expect-type';
import t from 'tap';
import type { Client, ClientError, TopicData, Upload } from '../lib/client.js';
import type { Health } from '../lib/features/discovery/schema.js';
import { BadRequest, Conflict, type ErrorCode, type GatewayOptions, type Storage } from '../lib/index.js';
import type { ClusterMetrics } from '../lib/model/cluster.js';

// What the compiler promises to users. Nothing here runs; a line that no longer holds does not compile.

const typesOnly = (_: (client: Client) => unknown): void => {};

t.test('calls are typed by the routes', async (t) => {
  typesOnly((client) => {
    expectTypeOf(client.getHealth).returns.resolves.toEqualTypeOf<Health>();
    expectTypeOf(client.restoreDefaultRoles).returns.resolves.toEqualTypeOf<void>();
    // @ts-expect-error there is no such operation
    void client.getEverything();
    // @ts-expect-error its parameters are missing
    void client.getApplication();
    // @ts-expect-error and one is misspelt
    void client.getApplication({ params: { appId: 'a' } });
    // @ts-expect-error it takes no body
    void client.getHealth({ body: {} });
    // @ts-expect-error a body of another shape
    void client.login({ body: { user: 'a' } });
    void client.getApplication({
      params: { appid: 'a' },
      signal: AbortSignal.timeout(1),
      headers: { a: 'b' },
    });
    // Defaults and optional queries need not be sent.
    void client.listApplications();
    void client.listEvents({ params: { appid: 'a' } });
  });
  t.pass('it compiled');
});

t.test('topics are typed by their names, with parameters anywhere', async (t) => {
  typesOnly((client) => {
    expectTypeOf<TopicData<'cluster.metrics'>>().toEqualTypeOf<ClusterMetrics>();
    expectTypeOf<TopicData<'demo.numbers'>>().toBeUnknown();
    expectTypeOf<TopicData<'applications.app_1.unknown'>>().toBeUnknown();
    expectTypeOf<TopicData<string>>().toBeUnknown();
    const appid: string = 'app_1';
    client.subscribe(`applications.${appid}.containers`, (data) => {
      expectTypeOf(data).not.toBeUnknown();
      expectTypeOf(data).toEqualTypeOf<TopicData<'applications.app_1.containers'>>();
    });
    expectTypeOf<TopicData<`applications.${string}`>>().toEqualTypeOf<TopicData<'applications.app_1'>>();
    expectTypeOf<TopicData<'applications'>>().not.toEqualTypeOf<TopicData<'applications.app_1'>>();
  });
  t.pass('it compiled');
});

t.test('uploads take what fetch takes, and streams', async (t) => {
  expectTypeOf<string>().toExtend<Upload>();
  expectTypeOf<Buffer>().toExtend<Upload>();
  expectTypeOf<Blob>().toExtend<Upload>();
  expectTypeOf<ReadableStream<Uint8Array>>().toExtend<Upload>();
  expectTypeOf<AsyncIterable<Uint8Array>>().toExtend<Upload>();
  expectTypeOf<number>().not.toExtend<Upload>();
  t.pass('it compiled');
});

t.test(
  'the codes of errors are a closed list for who throws them, and an open one for who meets them',
  async (t) => {
    expectTypeOf<'APPLICATION_ENDED' | 'NOT_FOUND' | 'TIMED_OUT'>().toExtend<ErrorCode>();
    expectTypeOf<string>().not.toExtend<ErrorCode>();
    expectTypeOf<ErrorCode>().toExtend<ClientError['code']>();
    expectTypeOf<string>().toExtend<ClientError['code']>();
    typesOnly(() => {
      void new BadRequest('NAME_NOT_VALID', 'A sentence', { path: 'body' });
      // @ts-expect-error a sentence is no code
      void new BadRequest('A sentence');
      // @ts-expect-error its status is another one
      void new BadRequest('APPLICATION_ENDED', 'A sentence');
      // @ts-expect-error there is no such code
      void new Conflict('SOMETHING', 'A sentence');
    });
    t.pass('it compiled');
  },
);

t.test('a gateway needs a storage and a cluster, and nothing else', async (t) => {
  type Needed = { [K in keyof GatewayOptions]-?: undefined extends GatewayOptions[K] ? never : K };
  expectTypeOf<Needed[keyof GatewayOptions]>().toEqualTypeOf<'storage' | 'cluster'>();
  expectTypeOf<GatewayOptions['storage']>().toEqualTypeOf<Storage>();
  t.pass('it compiled');
});
