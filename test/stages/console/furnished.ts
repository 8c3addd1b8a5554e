import type { Client } from '../../../lib/client.js';

/** What somebody has who has used the server for a while: the example packages, and an alert that is active. */
export async function furnish(client: Client): Promise<void> {
  const { appPackages } = await client.listImportablePackages();
  await client.importPackages({ body: { files: appPackages.map(({ file }) => file) } });
  await client.putAlert({
    params: { name: 'Something runs' },
    body: {
      condition: "_topic['cluster.metrics'].numAppsRunning > 0",
      email: 'ops@example.org',
      description: 'Something runs',
      timeThresholdMillis: 0,
    },
  });
}
