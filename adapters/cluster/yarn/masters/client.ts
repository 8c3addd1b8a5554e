import type { z } from 'zod';
import {
  BadRequest,
  type Clock,
  type Forwarder,
  GatewayError,
  NotFound,
  setNewest,
  Unreachable,
  UnusableAnswer,
} from '../../../../lib/driver-kit.js';
import type { Sighting } from '../manager/reports.js';
import { createAborts } from '../wire/aborts.js';
import type { HttpAnswer, HttpClient } from '../wire/http.js';
import { parseKeepingIntegers, readAnswer } from '../wire/json.js';
import { type BackOff, createBackOff } from './back-off.js';
import { cookieHeader, discover, type MasterAddress, masterName } from './discovery.js';

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

interface Known {
  address: MasterAddress | undefined;
  /** It did not answer: it is looked for anew, and asked there again when nobody can tell where else. */
  isDoubtful: boolean;
  /** Shared by all who ask at the same time. */
  finding: Promise<MasterAddress> | undefined;
  readonly backOff: BackOff;
  attempt: string;
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
  const { proxy, direct, manager, clock, limits } = deps;
  const known = new Map<string, Known>();

  function knownOf({ report }: Sighting): Known {
    const found = known.get(report.id);
    // Another attempt is another process, at another port.
    const isSame = found?.attempt === report.currentAttemptId;
    const entry: Known =
      found && isSame
        ? found
        : {
            address: undefined,
            isDoubtful: false,
            finding: undefined,
            backOff: createBackOff(clock, limits.backOffMillis),
            attempt: report.currentAttemptId,
          };
    setNewest(known, report.id, entry, limits.masters);
    return entry;
  }

  async function addressOf(entry: Known, sighting: Sighting): Promise<MasterAddress> {
    if (entry.address && !entry.isDoubtful) return entry.address;
    // No signal: who hangs up first must not end it for the others. The connection has a timeout of its own.
    entry.finding ??= find(entry, sighting).finally(() => {
      entry.finding = undefined;
    });
    return entry.finding;
  }

  async function find(entry: Known, sighting: Sighting): Promise<MasterAddress> {
    try {
      entry.address = await discover(proxy, sighting, manager.active, undefined);
      entry.isDoubtful = false;
      return entry.address;
    } catch (error) {
      // A master lives on without its manager, where it was.
      if (entry.address) return entry.address;
      throw error;
    }
  }

  const aborts = createAborts();

  /** Who hangs up does not wait for what others still want. */
  async function abortable<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    if (!signal) return work;
    signal.throwIfAborted();
    return new Promise<T>((resolve, reject) => {
      const forget = aborts.on(signal, () => reject(signal.reason));
      work.then(resolve, reject).finally(forget);
    });
  }

  interface MasterCall {
    readonly method: 'GET' | 'POST';
    readonly path: string;
    readonly body?: string;
    readonly signal: AbortSignal | undefined;
    readonly pace: Pace | undefined;
  }

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
  async function ask(entry: Known, sighting: Sighting, call: MasterCall): Promise<HttpAnswer> {
    const what = masterName(sighting.report.id);
    const address = await abortable(addressOf(entry, sighting), call.signal);
    try {
      const answer = await askAt(address, call, what);
      if (answer.status !== 401) return answer;
    } catch (error) {
      // A change that was sent may have been done: only one that reached nobody is sent again.
      if (!(error instanceof Unreachable) || (call.method === 'POST' && !isRefused(error))) throw error;
    }
    doubt(entry, address);
    return askAt(await abortable(addressOf(entry, sighting), call.signal), call, what);
  }

  async function askPatiently(sighting: Sighting, call: MasterCall): Promise<HttpAnswer> {
    const entry = knownOf(sighting);
    const { holding } = entry.backOff;
    if (holding !== undefined) throw holding;
    try {
      const answer = await ask(entry, sighting, call);
      entry.backOff.worked();
      return answer;
    } catch (error) {
      if (error instanceof GatewayError && error.status >= 500 && call.pace === undefined) {
        entry.isDoubtful = true;
        entry.backOff.failed(error);
      }
      throw error;
    }
  }

  return {
    of: (sighting) => {
      const what = masterName(sighting.report.id);
      const text = async (path: string, signal: AbortSignal | undefined, pace?: Pace) =>
        checked(await askPatiently(sighting, { method: 'GET', path, signal, pace }), what, path).text;
      return {
        name: what,
        forwarder: {
          async target({ signal } = {}) {
            const entry = knownOf(sighting);
            const { holding } = entry.backOff;
            if (holding !== undefined) throw holding;
            const address = await abortable(addressOf(entry, sighting), signal);
            const base = new URL(`${address.base}/`);
            return {
              base,
              headers: async () => cookieHeader(address.cookie),
              agent: direct.agent(base),
              failed: () => doubt(entry, address),
            };
          },
        },
        text,
        get: async (schema, path, signal, pace) => readAnswer(schema, await text(path, signal, pace), what),
        async post(path, body, signal, pace) {
          const answer = await askPatiently(sighting, {
            method: 'POST',
            path,
            body: JSON.stringify(body),
            signal,
            pace,
          });
          const { text } = checked(answer, what, path);
          return text.trim() === '' ? {} : parseKeepingIntegers(text);
        },
      };
    },
  };
}

function doubt(entry: Known, address: MasterAddress): void {
  if (entry.address === address) entry.isDoubtful = true;
}

const isRefused = ({ cause }: Unreachable): boolean =>
  cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED';

function checked(answer: HttpAnswer, what: string, path: string): HttpAnswer {
  const { status, text } = answer;
  if (status < 300) return answer;
  if (status === 404) throw new NotFound('resource of the master', path);
  const message = /"message"\s*:\s*"((?:[^"\\]|\\.){0,2000})"/.exec(text)?.[1];
  if (status === 400) throw new BadRequest(`${what} refuses this: ${message ?? 'it does not say why'}`);
  if (status === 401 || status === 403) throw new UnusableAnswer(what, "refuses the gateway's user");
  throw new UnusableAnswer(what, `answered with status ${status}`, {
    cause: new Error(message ?? text.slice(0, 1000)),
  });
}
