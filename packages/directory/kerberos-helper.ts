import { createRequire } from 'node:module';
import type { AcceptAnswer, AcceptRequest, HelperReady } from './kerberos-messages.js';

// The program of a process of its own: the keytab is found through `KRB5_KTNAME`, which holds for a whole process, and
// what is not right in a token meets a library in C here and not in the host.

/** What is used of the package `kerberos`. */
interface Kerberos {
  initializeServer(service: string): Promise<{
    readonly username: string | null;
    readonly response: string | null;
    readonly contextComplete: boolean;
    step(token: string): Promise<unknown>;
  }>;
}

const send = (message: AcceptAnswer | HelperReady) => process.send?.(message);
const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error)).slice(0, 500);

function load(): Kerberos | undefined {
  try {
    const kerberos: Kerberos = createRequire(import.meta.url)('kerberos');
    send({ ready: true });
    return kerberos;
  } catch (error) {
    send({ ready: false, why: messageOf(error) });
    process.disconnect();
    return undefined;
  }
}

async function answerTo(kerberos: Kerberos, { id, service, token }: AcceptRequest): Promise<AcceptAnswer> {
  let server: Awaited<ReturnType<Kerberos['initializeServer']>>;
  try {
    server = await kerberos.initializeServer(service);
  } catch (error) {
    return { id, outcome: 'failed', why: messageOf(error) };
  }
  try {
    await server.step(token);
  } catch (error) {
    return { id, outcome: 'refused', why: messageOf(error) };
  }
  const { username, response, contextComplete } = server;
  // Whoever needs another round would have to be known by the connection; a client with a ticket needs one.
  if (!contextComplete || !username) return { id, outcome: 'refused', why: 'more rounds than one' };
  return { id, outcome: 'accepted', principal: username, ...(response ? { reply: response } : {}) };
}

const kerberos = load();
process.on('message', (request: AcceptRequest) => {
  if (kerberos) void answerTo(kerberos, request).then(send);
});
// The gateway has gone.
process.on('disconnect', () => process.exit());
