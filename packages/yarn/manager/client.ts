import {
  type Clock,
  type Forwarder,
  GatewayError,
  type HttpAnswer,
  type HttpCall,
  type HttpClient,
  NotFound,
  Unreachable,
  UnusableAnswer,
} from 'headgate/driver-kit';
import type { Authorize } from '../wire/authorized.js';

export const managerName = 'The resource manager';

/** Asks the manager that is active, of those there are. */
export interface ManagerClient {
  /** The text of an answer. Rejects with `NotFound` for 404, `Unreachable` when no manager answers for the cluster. */
  ask(path: string, call?: ManagerCall): Promise<HttpAnswer>;
  /** Base URL of the one that answered last, or that will be asked first. */
  readonly active: string;
  /** For calls that somebody else makes: of the one that is active. */
  readonly forwarder: Forwarder;
}

interface ManagerCall extends Pick<HttpCall, 'method' | 'headers' | 'body' | 'signal'> {
  /** Also one that is on standby may answer: what it is, how it is configured. */
  readonly ofAny?: boolean;
}

/** A manager on standby sends on with a header or a redirect, or just says so. */
const maxHops = 5;
/** Milliseconds. */
const activeGoodFor = 5000;

export function createManagerClient(deps: {
  readonly urls: readonly string[];
  /** Who asks, on a cluster without security; `undefined`: requests prove that themselves. */
  readonly user: string | undefined;
  readonly http: HttpClient;
  readonly clock: Clock;
  readonly authorize: Authorize | undefined;
}): ManagerClient {
  const { urls, http } = deps;
  let active = urls[0] ?? '';

  const withUser = (url: string): string => {
    const target = new URL(url);
    if (deps.user !== undefined) target.searchParams.set('user.name', deps.user);
    return target.href;
  };

  /** Follows from one manager to the one that it names; `undefined`: that one does not know of an active one. */
  async function askOne(base: string, path: string, call: ManagerCall): Promise<HttpAnswer | undefined> {
    let url = base + path;
    for (let hop = 0; hop <= maxHops; hop++) {
      const { ofAny: _, ...plain } = call;
      const answer = await http.ask(withUser(url), {
        ...plain,
        what: managerName,
        headers: { accept: 'application/json', ...call.headers },
      });
      const next = elsewhere(answer);
      if (next === undefined) {
        if (!call.ofAny && isStandby(answer)) return undefined;
        active = new URL(url).origin;
        return answer;
      }
      if (!URL.canParse(next, url)) return undefined;
      url = new URL(next, url).href;
    }
    return undefined;
  }

  async function ask(path: string, call: ManagerCall = {}): Promise<HttpAnswer> {
    const order = [active, ...urls.filter((url) => url !== active)];
    let problem: unknown;
    for (const base of order) {
      try {
        const answer = await askOne(base, path, call);
        if (answer) return checked(answer, path);
      } catch (error) {
        if (!(error instanceof GatewayError) || error.status < 500) throw error;
        problem = error;
      }
      call.signal?.throwIfAborted();
    }
    // Whoever is asked next time begins with another one.
    active = urls[(urls.indexOf(active) + 1) % urls.length] ?? active;
    throw problem ?? new Unreachable(managerName, new Error('none of them is active'));
  }

  return {
    ask,
    forwarder: managerForwarder({
      ...deps,
      requireActive: async (signal) => {
        await ask('/ws/v1/cluster/metrics', { signal });
      },
      url: () => withUser(`${active}/ws/v1/`),
    }),
    get active() {
      return active;
    },
  };
}

/** Calls that somebody else makes go to the one that is known to be active. */
function managerForwarder(deps: {
  readonly http: HttpClient;
  readonly clock: Clock;
  readonly authorize: Authorize | undefined;
  /** Finds the one that is active. */
  readonly requireActive: (signal: AbortSignal | undefined) => Promise<void>;
  readonly url: () => string;
}): Forwarder {
  let knownActive = -Infinity;
  let base = new URL(deps.url());
  return {
    async target(call) {
      // One on standby would send the client to an address that only the gateway may know.
      if (deps.clock.monotonic() - knownActive > activeGoodFor) await deps.requireActive(call?.signal);
      knownActive = deps.clock.monotonic();
      // Reading an address costs a twentieth of a small call.
      if (base.href !== deps.url()) base = new URL(deps.url());
      return {
        base,
        headers: async (request) =>
          deps.authorize?.({ method: request.method, url: request.url, service: 'resourceManager' }) ?? {},
        agent: deps.http.agent(base),
        failed: () => {
          knownActive = -Infinity;
        },
      };
    },
  };
}

function elsewhere(answer: HttpAnswer): string | undefined {
  const refresh = /;\s*url=(\S+)/i.exec(answer.header('refresh') ?? '')?.[1];
  if (refresh !== undefined) return refresh;
  return answer.status >= 300 && answer.status < 400 ? answer.header('location') : undefined;
}

const isStandby = ({ text, status }: HttpAnswer): boolean =>
  status < 400 && /^\s*This is standby RM/i.test(text);

function checked(answer: HttpAnswer, path: string): HttpAnswer {
  const { status } = answer;
  if (status < 300) return answer;
  if (status === 404) throw new NotFound('resource of the cluster', path);
  if (status === 401 || status === 403) {
    throw new GatewayError(502, 'REFUSED', `${managerName} refuses the gateway's user (status ${status})`);
  }
  throw new UnusableAnswer(managerName, `answered with status ${status}`);
}
