import { createClient } from '../../../lib/client.js';
import type { Example } from '../../../lib/http/openapi.js';
import { dockerRuntime } from '../../../packages/containers/index.js';
import { flinkGateway } from '../../helpers/flink.js';
import { fullGateway } from '../../helpers/full-gateway.js';
import { newGateway } from '../../helpers/gateway.js';
import { recorder } from '../../helpers/recorder.js';
import { tourAccounts } from './tour-accounts.js';
import { tourApplications, tourCheckpoints, tourProfiling } from './tour-applications.js';
import { tourPackages, tourPlan, tourSample } from './tour-packages.js';
import { tourLicenses, tourPlatform } from './tour-platform.js';

/** Calls every operation of a living gateway and gives the exchange of each, by its id. */
export async function tour(t: Parameters<typeof newGateway>[0]): Promise<ReadonlyMap<string, Example>> {
  const { baseUrl, directory } = await fullGateway(t);
  const { host } = new URL(baseUrl);
  const { fetch, examples } = recorder({ [directory]: '/var/lib/headgate', [host]: '127.0.0.1:9090' });
  const client = createClient({ baseUrl, fetch });
  t.teardown(async () => client.close());
  await tourAccounts(client);
  await tourLicenses(client);
  await tourPackages(client);
  const appid = await tourApplications(client);
  await tourPlatform(t, client);
  await client.killApplication({ params: { appid } });
  await client.logout();

  const flink = await flinkGateway(t, { withSql: true });
  const ofFlink = createClient({ baseUrl: flink.baseUrl, fetch });
  t.teardown(async () => ofFlink.close());
  const job = flink.double.start().id;
  await tourCheckpoints(ofFlink, job);
  await tourProfiling(ofFlink, job);
  await tourSample(ofFlink);
  await tourPlan(ofFlink);

  // A runtime of containers whose address can be set; it need not be there.
  const other = await newGateway(t, { containers: dockerRuntime({ host: `unix://${directory}/none.sock` }) });
  const its = createClient({ baseUrl: other.baseUrl, fetch });
  t.teardown(async () => its.close());
  await its.getContainerRuntime();
  await its.putContainerRuntime({ body: { 'platform.containerHost': 'unix:///var/run/docker.sock' } });
  await its.restartGateway();
  return examples;
}
