import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import type { Storage } from '../../lib/index.js';

/** Gets the id of the request and the answer's text; `undefined`: there is nothing. */
export type AnswerWithId = (requestId: string, text: string | undefined) => void;

export type UserOf = (req: IncomingMessage) => string | undefined;

const Setting = z.object({ value: z.unknown() });
const StoredSetting = z.object({ json: z.string() });

/** Where a setting is. */
export const settingPath = /^\/ws\/v2\/profile\/settings\/([^/?]+)\/([^/?]+)$/;

interface Asked {
  readonly req: IncomingMessage;
  readonly user: string;
  readonly at: string;
  readonly requestId: string;
  /** Monotonic. */
  readonly startedAt: number;
}

/**
 * The least that a gateway can do for settings: by hand, but each answer has its id, is counted, timed and given to a log; settings are
 * in a storage behind an interface; what a user may have is bounded; and a change gives the event loop a turn, is there in one
 * batch with the record of who made it and what was sent, which is begun before, and is told with its end. Nobody looks for
 * a fault, and numbers of 64 bits are lost. Who calls is told by `userOf`.
 */
export function leastOf({ documents }: Storage, userOf: UserOf, log: (line: object) => void) {
  const counted = new Map<string, { count: number; seconds: number }>();
  const uses = new Map<string, { keys: number; bytes: number }>();
  const known = new Map<string, { bytes: number; etag: string | undefined }>();
  const underWay = new Map<string, object>();
  let records = 0;

  function finish(operation: string, { req, user, requestId, startedAt }: Asked): void {
    const durationMillis = performance.now() - startedAt;
    const before = counted.get(operation) ?? { count: 0, seconds: 0 };
    before.count++;
    before.seconds += durationMillis / 1000;
    counted.set(operation, before);
    const { method, url, socket } = req;
    const { remoteAddress } = socket;
    log({
      event: 'http.request',
      requestId,
      method,
      url,
      operation,
      status: 200,
      durationMillis,
      user,
      remoteAddress,
    });
  }

  async function put(asked: Asked, answer: AnswerWithId, body: string) {
    const { req, user, at, requestId } = asked;
    const { value } = Setting.parse(JSON.parse(body));
    const record = {
      time: Date.now(),
      requestId,
      userName: user,
      remoteAddress: req.socket.remoteAddress,
      operation: 'putSetting',
      method: req.method,
      target: req.url,
      result: 'unknown',
      status: 0,
      input: { body: { value: shown(value, 0) } },
    };
    underWay.set(requestId, record);
    await nextTurn();
    const json = JSON.stringify(value);
    const bytes = Buffer.byteLength(json);
    const use = uses.get(user) ?? { keys: 0, bytes: 0 };
    const before = known.get(at);
    if (use.bytes + bytes > 16 * 1024 * 1024 || use.keys > 1000) return answer(requestId, undefined);
    const ifMatch = before?.etag ?? null;
    const [etag] = await documents.write([
      { op: 'put', collection: 'settings', key: at, value: { json }, ifMatch },
      { op: 'put', collection: 'audit', key: String(records++ % 10_000), value: record },
    ]);
    uses.set(user, {
      keys: use.keys + (before ? 0 : 1),
      bytes: use.bytes + bytes - (before?.bytes ?? 0),
    });
    known.set(at, { bytes, etag });
    underWay.delete(requestId);
    log({ ...record, time: Date.now(), result: 'done', status: 200 });
    finish('putSetting', asked);
    answer(requestId, '{}');
  }

  async function get(asked: Asked, answer: AnswerWithId) {
    const stored = await documents.get('settings', asked.at);
    finish('getSetting', asked);
    answer(asked.requestId, stored && `{"value":${StoredSetting.parse(stored.value).json}}`);
  }

  return (req: IncomingMessage, answer: AnswerWithId): void => {
    const startedAt = performance.now();
    const [, owner = '', key = ''] = settingPath.exec(req.url ?? '') ?? [];
    const user = decodeURIComponent(owner);
    const at = `${user}/${decodeURIComponent(key)}`;
    if (userOf(req) !== user) return void answer('', undefined);
    const asked: Asked = { req, user, at, requestId: randomUUID(), startedAt };
    if (req.method === 'GET') return void get(asked, answer);
    const chunks: Buffer[] = [];
    req.on('data', (chunk) => chunks.push(chunk));
    req.on('end', () => void put(asked, answer, Buffer.concat(chunks).toString()));
  };
}

/** What a record keeps of a value: short. */
function shown(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return value.length > 256 ? `${value.slice(0, 256)}…` : value;
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 6) return '…';
  if (Array.isArray(value)) return value.slice(0, 20).map((item) => shown(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, 50)
      .map(([name, member]) => [name, isSecret.test(name) ? '***' : shown(member, depth + 1)]),
  );
}

const isSecret = /password|secret|token|credential/i;
