import { Agent, request } from 'node:http';

export interface ManyAddresses {
  /** The status of the answer. `address`: 1 to 65534; to the gateway each is somebody else. */
  ask(
    address: number,
    method: string,
    path: string,
    options?: { headers?: Readonly<Record<string, string>>; body?: unknown },
  ): Promise<number>;
  login(address: number, userName: string, password: string): Promise<number>;
  close(): void;
}

/** A client with many addresses: all of 127.0.0.0/16 are the loopback. */
export function fromManyAddresses(port: number): ManyAddresses {
  const agents = new Map<number, Agent>();
  const agentOf = (address: number): Agent => {
    const agent = agents.get(address) ?? new Agent({ keepAlive: true });
    agents.set(address, agent);
    return agent;
  };

  const ask: ManyAddresses['ask'] = (address, method, path, { headers = {}, body } = {}) =>
    new Promise((resolve, reject) => {
      const req = request({
        host: '127.0.0.1',
        port,
        method,
        path,
        localAddress: `127.0.${address >> 8}.${address & 255}`,
        agent: agentOf(address),
        headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      });
      req.on('response', (res) => {
        res.resume();
        res.on('end', () => resolve(res.statusCode ?? 0));
      });
      req.on('error', reject);
      req.end(body === undefined ? '' : JSON.stringify(body));
    });

  return {
    ask,
    login: (address, userName, password) =>
      ask(address, 'POST', '/ws/v2/login', { body: { userName, password } }),
    close() {
      for (const agent of agents.values()) agent.destroy();
    },
  };
}

/** Does it for each number below `count`, 64 at a time; resolves how often there was which answer. */
export async function countAnswers(
  count: number,
  one: (at: number) => Promise<number>,
): Promise<Readonly<Record<number, number>>> {
  const answers: Record<number, number> = {};
  let next = 0;
  const client = async () => {
    while (next < count) {
      const status = await one(next++);
      answers[status] = (answers[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: 64 }, client));
  return answers;
}
