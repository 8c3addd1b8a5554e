import type { Clock } from 'headgate/driver-kit';
import * as z from 'zod';
import { readAnswer } from '../wire/json.js';
import { Text } from '../wire/values.js';
import { type ManagerClient, managerName } from './client.js';

const Nodes = z.object({
  nodes: z.object({ node: z.array(z.object({ nodeHTTPAddress: Text })).default([]) }).nullable(),
});

/**
 * The machines of the cluster. What applications tell of where their logs are is not asked for without looking here: they
 * are programs of users, and could name any address that the gateway can reach.
 */
export interface ClusterNodes {
  /** Whether a node manager listens at this `host:port`. */
  has(address: string, signal?: AbortSignal): Promise<boolean>;
}

/** Milliseconds. */
const goodFor = 60_000;
const askAgain = 2000;

export function createNodes({
  manager,
  clock,
}: {
  readonly manager: ManagerClient;
  readonly clock: Clock;
}): ClusterNodes {
  let known: ReadonlySet<string> = new Set();
  let asked = -Infinity;

  async function refresh(signal: AbortSignal | undefined): Promise<void> {
    asked = clock.monotonic();
    const states = 'NEW,RUNNING,UNHEALTHY,DECOMMISSIONED,LOST,REBOOTED';
    const { text } = await manager.ask(`/ws/v1/cluster/nodes?states=${states}`, { signal });
    const { nodes } = readAnswer(Nodes, text, managerName);
    known = new Set((nodes?.node ?? []).map(({ nodeHTTPAddress }) => nodeHTTPAddress.toLowerCase()));
  }

  return {
    async has(address, signal) {
      const name = address.toLowerCase();
      const age = clock.monotonic() - asked;
      if (age > goodFor || (!known.has(name) && age > askAgain)) await refresh(signal);
      return known.has(name);
    },
  };
}
