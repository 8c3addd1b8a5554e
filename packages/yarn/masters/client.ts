import {
  BadRequest,
  type Clock,
  type Forwarder,
  GatewayError,
  type HttpAnswer,
  type HttpClient,
  NotFound,
  Unreachable,
  UnusableAnswer,
} from 'headgate/driver-kit';
import type * as z from 'zod';
import type { Sighting } from '../manager/reports.js';
import { parseKeepingIntegers, readAnswer } from '../wire/json.js';
import { cookieHeader, type MasterAddress, masterName } from './discovery.js';
import { createMasterAddresses, type MasterPlace } from './master-addresses.js';

/** The master of one application, as of what the manager last told of it. */
export interface MasterClient {
  /** For errors. */
  readonly name: string;
  get<T>(schema: z.ZodType<T>, path: string, signal: AbortSignal | undefined, pace?: Pace): Promise<T>;
  /** An answer as it came, for what parsing would lose. */
  text(path: string, signal: AbortSignal | undefined, pace?: Pace): Promise<string>;
  /** For calls that somebody else makes. */
  readonly forwarder: Forwarder;
  /** Resolves what the master answered, parsed. */
  post(path: string, body: unknown, signal?: AbortSignal, pace?: Pace): Promise<unknown>;
}

/**
 * What takes a healthy master long, and tells nothing of its health when it does not come. `slow`: work of its own.
 * `live`: it waits for a container, for 5 s, and each such question keeps the others of that kind waiting.
 */
type Pace = 'slow' | 'live';

export interface Masters {
  of(sighting: Sighting): MasterClient;
}

interface MasterCall {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: string;
  readonly signal: AbortSignal | undefined;
  readonly pace: Pace | undefined;
}

export function createMasters(deps: {
  /** For the proxy of the manager, which hangs when a master does. */
  readonly proxy: HttpClient;
  readonly direct: HttpClient;
  readonly slow: HttpClient;
  readonly live: HttpClient;
  readonly manager: { readonly active: string };
  readonly clock: Clock;
  readonly limits: { readonly masters: number; readonly backOffMillis: number };
}): Masters {
  const { direct } = deps;
  const addresses = createMasterAddresses(deps);

  async function askAt(address: MasterAddress, call: MasterCall, what: string): Promise<HttpAnswer> {
    const { method, path, body, signal, pace } = call;
    return (pace === undefined ? direct : deps[pace]).ask(`${address.base}/${path}`, {
      method,
      signal,
      what,
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...cookieHeader(address.cookie),
      },
      ...(body === undefined ? {} : { body }),
    });
  }

  /** An address that does not hold any more is found anew, once. */
  async function ask(place: MasterPlace, call: MasterCall, what: string): Promise<HttpAnswer> {
    const address = await place.address(call.signal);
    try {
      const answer = await askAt(address, call, what);
      if (answer.status !== 401) return answer;
    } catch (error) {
      // A change that was sent may have been done: only one that reached nobody is sent again.
      if (!(error instanceof Unreachable) || (call.method === 'POST' && !isRefused(error))) throw error;
    }
    place.doubt(address);
    return askAt(await place.address(call.signal), call, what);
  }

  /** Not while it is left alone. */
  async function askUnlessHeld(sighting: Sighting, call: MasterCall): Promise<HttpAnswer> {
    const place = addresses.of(sighting);
    place.requireAskable();
    try {
      const answer = await ask(place, call, masterName(sighting.report.id));
      place.answered();
      return answer;
    } catch (error) {
      if (error instanceof GatewayError && error.status >= 500 && call.pace === undefined)
        place.failed(error);
      throw error;
    }
  }

  return {
    of: (sighting) =>
      masterClient({
        name: masterName(sighting.report.id),
        place: () => addresses.of(sighting),
        ask: (call) => askUnlessHeld(sighting, call),
        http: direct,
      }),
  };
}

function masterClient(deps: {
  readonly name: string;
  readonly place: () => MasterPlace;
  readonly ask: (call: MasterCall) => Promise<HttpAnswer>;
  readonly http: HttpClient;
}): MasterClient {
  const { name, ask, http } = deps;
  const text = async (path: string, signal: AbortSignal | undefined, pace?: Pace) =>
    checked(await ask({ method: 'GET', path, signal, pace }), name, path).text;
  return {
    name,
    forwarder: {
      async target({ signal } = {}) {
        const place = deps.place();
        place.requireAskable();
        const address = await place.address(signal);
        const base = new URL(`${address.base}/`);
        return {
          base,
          headers: async () => cookieHeader(address.cookie),
          agent: http.agent(base),
          failed: () => place.doubt(address),
        };
      },
    },
    text,
    get: async (schema, path, signal, pace) => readAnswer(schema, await text(path, signal, pace), name),
    async post(path, body, signal, pace) {
      const answer = await ask({ method: 'POST', path, body: JSON.stringify(body), signal, pace });
      const { text } = checked(answer, name, path);
      return text.trim() === '' ? {} : parseKeepingIntegers(text);
    },
  };
}

const isRefused = ({ cause }: Unreachable): boolean =>
  cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED';

function checked(answer: HttpAnswer, what: string, path: string): HttpAnswer {
  const { status, text } = answer;
  if (status < 300) return answer;
  if (status === 404) throw new NotFound('resource of the master', path);
  const message = /"message"\s*:\s*"((?:[^"\\]|\\.){0,2000})"/.exec(text)?.[1];
  if (status === 400)
    throw new BadRequest('ENGINE_REFUSED', `${what} refuses this: ${message ?? 'it does not say why'}`);
  if (status === 401 || status === 403) throw new UnusableAnswer(what, "refuses the gateway's user");
  throw new UnusableAnswer(what, `answered with status ${status}`, {
    cause: new Error(message ?? text.slice(0, 1000)),
  });
}
