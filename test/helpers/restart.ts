import type { Client } from '../../lib/client.js';
import { until } from './waiting.js';

/** Restarts the gateway in place; resolves when the next one answers. A call between the two may be refused. */
export async function restarted(admin: Client): Promise<void> {
  const before = (await admin.getAbout()).jvmName;
  await admin.restartGateway();
  await until(
    async () => (await admin.getAbout().catch(() => undefined))?.jvmName ?? before,
    (now) => now !== before,
  );
}
