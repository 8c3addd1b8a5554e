import {
  BadRequest,
  Conflict,
  createHttpClient,
  GatewayError,
  type HttpAnswer,
  type HttpCall,
  type HttpStream,
  NotFound,
  type TlsOptions,
  Unreachable,
  UnusableAnswer,
} from 'headgate/driver-kit';
import type { ZodType } from 'zod';
import { formOf, type SentFile } from './form.js';
import { findLeader } from './leader.js';
import { notAdaptive, reasonIn, tellsOfFixedParallelism, tellsOfProfile, tellsOfUnknown } from './reasons.js';

/** Asks the JobManager that leads, of those there are. Paths begin with a slash, and hold no part that somebody else chose. */
export interface JobManagerClient {
  /**
   * What it answers, parsed. Rejects with `NotFound` for what it does not know, `Unreachable` or `TimedOut` when none of them
   * answers, `UnusableAnswer` for what is no answer of a JobManager: a page of a proxy, another shape, too much of it.
   */
  get<T>(path: string, shape: ZodType<T>, signal?: AbortSignal): Promise<T>;
  /**
   * The same of a change, of which one that may have begun is not tried again. What Flink refuses rejects with `BadRequest`
   * (`ENGINE_REFUSED`) and its reason.
   */
  send<T>(path: string, shape: ZodType<T>, change: Change, signal?: AbortSignal): Promise<T>;
  /** Sends a file as a form does, as a stream. Resolves who has it besides what is answered. Rejects as `send` does. */
  upload<T>(path: string, shape: ZodType<T>, file: SentFile, signal?: AbortSignal): Promise<Taken<T>>;
  /** As it comes. Whoever opens it reads it to its end, or destroys it. */
  open(path: string, signal?: AbortSignal): Promise<HttpStream>;
  /** Base URL of the one that answered last, or that will be asked first. */
  readonly active: string;
  close(): void;
}

interface Change {
  /** `GET`: for what became of something, which may be a refusal. */
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, in place of `body`. */
  readonly content?: { readonly type: string; readonly bytes: Uint8Array };
  /** The base URL of the one JobManager that is asked. Default: of the one that leads. */
  readonly at?: string | undefined;
  /** A program runs before it is answered: there is `limits.runMillis` for it. */
  readonly runsProgram?: boolean;
}

interface Taken<T> {
  readonly answer: T;
  /** For `Change`: the others do not have it. */
  readonly at: string;
}

/** `name`: how sentences call it that is asked. A SQL gateway answers in the same form. `read`: of its JSON. Default: `JSON.parse`. */
export function createJobManagerClient(deps: {
  readonly name?: string;
  readonly read?: ReadJson;
  readonly urls: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly tls: TlsOptions | undefined;
  readonly limits: {
    readonly connections: number;
    readonly timeoutMillis: number;
    readonly answerBytes: number;
    readonly runMillis: number;
  };
}): JobManagerClient {
  const { tls, limits, name = 'The JobManager', read = JSON.parse } = deps;
  const parsed = <T>(answer: HttpAnswer, shape: ZodType<T>) => parsedAs(answer, shape, { name, read });
  const http = createHttpClient({ ...limits, tls });
  const patient = createHttpClient({ ...limits, timeoutMillis: limits.runMillis, tls });
  const leader = findLeader(deps.urls, name);

  const callOf = (signal: AbortSignal | undefined, more: Partial<HttpCall> = {}): HttpCall => ({
    what: name,
    signal,
    ...more,
    headers: { accept: 'application/json', ...deps.headers, ...more.headers },
  });

  return {
    get: (path, shape, signal) =>
      leader.ask(
        async (base) => parsed(checked(await http.ask(base + path, callOf(signal)), path, name), shape),
        {
          isRepeatable: true,
          signal,
        },
      ),
    send: (path, shape, change, signal) =>
      leader.ask(
        async (base) => {
          const client = change.runsProgram ? patient : http;
          const answer = await client.ask(base + path, callOf(signal, sent(change)));
          requireNotRefused(answer);
          return parsed(checked(answer, path, name), shape);
        },
        { isRepeatable: false, signal, at: change.at },
      ),
    upload: (path, shape, file, signal) =>
      leader.ask(
        async (at) => {
          const answer = await patient.ask(at + path, callOf(signal, formOf(file)));
          requireNotRefused(answer);
          return { answer: parsed(checked(answer, path, name), shape), at };
        },
        { isRepeatable: false, signal },
      ),
    open: (path, signal) =>
      leader.ask(
        async (base) => {
          const stream = await http.open(base + path, callOf(signal, { headers: { accept: '*/*' } }));
          if (stream.status === 200) return stream;
          const text = await startOf(stream);
          checked({ ...stream, text }, path, name);
          throw new UnusableAnswer(name, `answered with status ${stream.status}`);
        },
        { isRepeatable: true, signal },
      ),
    get active() {
      return leader.active;
    },
    close() {
      http.close();
      patient.close();
    },
  };
}

function sent({ method, body, content }: Change): Partial<HttpCall> {
  if (content) return { method, body: content.bytes, headers: { 'content-type': content.type } };
  if (body === undefined) return { method };
  return { method, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
}

/** Bytes of an error that are read for its reason. */
const maxErrorBytes = 64 * 1024;

async function startOf({ body, pieces }: HttpStream): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of pieces()) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxErrorBytes) break;
  }
  body.destroy();
  return Buffer.concat(chunks).toString('utf8');
}

/** Throws for what is no success. */
function checked(answer: HttpAnswer, path: string, name: string): HttpAnswer {
  const { status, text } = answer;
  if (status >= 200 && status < 300) return answer;
  if (status === 404 || tellsOfUnknown(text)) throw new NotFound('resource of the cluster', pathOnly(path));
  if (tellsOfFixedParallelism(text)) throw notAdaptive();
  if (status === 401 || status === 403)
    throw new GatewayError(502, 'REFUSED', `${name} refuses the gateway (status ${status})`);
  if (status >= 300 && status < 400)
    throw new UnusableAnswer(
      name,
      `sends the gateway elsewhere (status ${status}), as a server that wants a login does`,
    );
  // While a leader is chosen.
  if (status === 503) throw new Unreachable(name, new Error(reasonIn(text) ?? 'status 503'));
  const reason = reasonIn(text);
  throw new UnusableAnswer(
    name,
    `answered with status ${status}${reason === undefined ? '' : `: ${reason}`}`,
  );
}

/** Flink answers with status 400, 409 or 500 what it does not do, and says why. */
function requireNotRefused({ status, text }: HttpAnswer): void {
  if (status < 400 || status === 503 || status === 404 || tellsOfUnknown(text)) return;
  if (tellsOfFixedParallelism(text)) throw notAdaptive();
  if (tellsOfProfile(text))
    throw new Conflict(
      'PROFILE_UNDER_WAY',
      'A profile of this container is being made: wait until it is done',
    );
  const reason = reasonIn(text);
  if (reason !== undefined) throw new BadRequest('ENGINE_REFUSED', `Flink refuses this: ${reason}`);
}

const pathOnly = (path: string): string => path.split('?')[0] ?? path;

type ReadJson = (text: string) => unknown;

function parsedAs<T>(
  { text }: HttpAnswer,
  shape: ZodType<T>,
  { name, read }: { readonly name: string; readonly read: ReadJson },
): T {
  let value: unknown;
  try {
    value = read(text === '' ? '{}' : text);
  } catch (cause) {
    const what = /^\s*</.test(text) ? 'a page' : 'what is no JSON';
    throw new UnusableAnswer(name, `answered with ${what}: is it a server in front of it?`, {
      cause,
    });
  }
  const { data, error } = shape.safeParse(value);
  if (error) throw new UnusableAnswer(name, 'answered in a shape that is not known', { cause: error });
  return data;
}
