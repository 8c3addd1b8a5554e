import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { ClusterDriver, Gateway } from 'headgate';
import { JsonApplication } from 'headgate/driver-kit';

const pollMillis = 100;
const drainMillis = 10_000;

export interface Demo {
  /** Lets it finish what it has read. Gives up after 10 s; closing the gateway then ends it. */
  drain(): Promise<void>;
}

/** Launches the application of this file on the server's own access log. */
export async function startDemo(
  gateway: Gateway,
  cluster: ClusterDriver,
  { file, accessLogFile }: { readonly file: URL; readonly accessLogFile: string },
): Promise<Demo> {
  const application = JsonApplication.parse(JSON.parse(await readFile(file, 'utf8')));
  const appId = await gateway.launch({
    user: 'admin',
    name: application.displayName ?? 'Demo',
    application,
    properties: { 'platform.operator.lines.prop.path': accessLogFile },
  });

  const hasEnded = async () =>
    (await cluster.resourceManager.getApplication(appId)).finalStatus !== 'UNDEFINED';

  return {
    async drain() {
      const deadline = performance.now() + drainMillis;
      if (await hasEnded()) return;
      const master = await cluster.master(appId);
      await master.shutdown();
      while (!(await hasEnded()) && performance.now() < deadline) await delay(pollMillis);
    },
  };
}
