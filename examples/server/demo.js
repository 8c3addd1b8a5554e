import { readFile } from 'node:fs/promises';

const pollMillis = 100;
const drainMillis = 10_000;

/** Launches the application of `access-log.json` on this server's own access log. */
export async function startDemo(gateway, cluster, accessLogFile) {
  const application = JSON.parse(await readFile(new URL('./access-log.json', import.meta.url), 'utf8'));
  const appId = await gateway.launch({
    user: 'admin',
    name: application.displayName,
    application,
    properties: { 'platform.operator.lines.prop.path': accessLogFile },
  });

  const hasEnded = async () =>
    (await cluster.resourceManager.getApplication(appId)).finalStatus !== 'UNDEFINED';

  return {
    /** Lets it finish what it has read. Gives up after 10 s; closing the gateway then ends it. */
    async drain() {
      const deadline = performance.now() + drainMillis;
      if (await hasEnded()) return;
      await (await cluster.master(appId)).shutdown();
      while (!(await hasEnded()) && performance.now() < deadline) {
        await new Promise((resolve) => setTimeout(resolve, pollMillis));
      }
    },
  };
}
