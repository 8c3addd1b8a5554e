import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import * as z from 'zod';
import type { CallerRequest, Identity } from './driver-kit.js';
import { jsonBody, rawBody } from './http/body.js';
import { createDispatch, type DispatchOptions, pathOf } from './http/dispatch.js';
import { anonymous } from './http/principal.js';
import { empty, File, file, json, passthrough, Text, text } from './http/reply.js';
import { routeFor } from './http/route.js';
import { buildTable, type ListedRoute, listRoutes, ownPrefixes } from './http/table.js';
import type { Gateway } from './index.js';
import { NotFound } from './model/errors.js';
import { createHub } from './pubsub/hub.js';
import { bindTopics } from './pubsub/topic-table.js';
import { createUpgradeHandler } from './pubsub/upgrade-handler.js';

/** What a host did to the gateway behind it. */
export interface Probe {
  readonly gateway: Gateway;
  /** Its operations, with all that is known of them. */
  readonly routes: readonly ListedRoute[];
  /** Fields of each log line. */
  readonly logs: Readonly<Record<string, unknown>>[];
  /** Uploads are not read before. */
  gate: Promise<void>;
  /** Bytes of the latest upload that reached a handler. */
  received: number;
  /** Bytes of the latest download that were made. */
  made: number;
  /** The stream of the latest download. */
  source: Readable | undefined;
  /** What was put, by its name. */
  readonly settings: Map<string, ProbeSetting>;
  /** Signal of the latest request that waits. */
  waiting: AbortSignal | undefined;
}

/** Little waits for a client that does not read, so that a host is soon seen to say how much that is. */
const limits = { hardLimitBytes: 4 * 1024 * 1024 };

const route = routeFor<Probe>();
const Any = z.looseObject({});

/** What anybody may keep here. */
export const ProbeSetting = z.looseObject({ count: z.number().optional() });
export type ProbeSetting = z.output<typeof ProbeSetting>;

/** Operations that between them do everything a host can break. */
const probeRoutes = {
  getCurrent: route({
    method: 'GET',
    path: '/ws/v2/probe/names/current',
    access: 'public',
    summary: 'A literal that a parameter would match too',
    reply: json(Any),
    handle: () => ({ current: true }),
  }),
  getName: route({
    method: 'GET',
    path: '/ws/v2/probe/names/{name}',
    access: 'public',
    summary: 'Its parameters',
    params: z.object({ name: z.string() }),
    query: Any,
    reply: json(Any),
    handle: (_, { params, query, caller }) => ({
      name: params.name,
      query,
      remoteAddress: caller.remoteAddress,
    }),
  }),
  getRest: route({
    method: 'GET',
    path: '/ws/v2/probe/rest/{rest...}',
    access: 'public',
    summary: 'The end of the path, as it came',
    params: z.object({ rest: z.string() }),
    reply: json(Any),
    handle: (_, { params }) => params,
  }),
  putDocument: route({
    method: 'PUT',
    path: '/ws/v2/probe/documents/{name}',
    access: 'public',
    summary: 'Its body',
    params: z.object({ name: z.string() }),
    body: jsonBody(ProbeSetting),
    reply: json(Any),
    handle: (_, { body }) => body,
  }),
  getSetting: route({
    method: 'GET',
    path: '/ws/v2/probe/settings/{name}',
    access: 'public',
    summary: 'What was put there',
    params: z.object({ name: z.string() }),
    reply: json(Any),
    handle({ settings }, { params: { name } }) {
      const setting = settings.get(name);
      if (!setting) throw new NotFound('setting', name);
      return setting;
    },
  }),
  putSetting: route({
    method: 'PUT',
    path: '/ws/v2/probe/settings/{name}',
    access: 'public',
    summary: 'Is kept in memory',
    params: z.object({ name: z.string() }),
    body: jsonBody(ProbeSetting),
    reply: empty,
    handle: ({ settings }, { params: { name }, body }) => void settings.set(name, body),
  }),
  deleteDocument: route({
    method: 'DELETE',
    path: '/ws/v2/probe/documents/{name}',
    access: 'user',
    summary: 'Needs a user, and answers nothing',
    params: z.object({ name: z.string() }),
    reply: empty,
    handle: () => {},
  }),
  upload: route({
    method: 'POST',
    path: '/ws/v2/probe/uploads',
    access: 'public',
    summary: 'Size and digest of what comes',
    body: rawBody('*'),
    reply: json(Any),
    async handle(probe, { body }) {
      probe.received = 0;
      await probe.gate;
      const digest = createHash('sha256');
      for await (const chunk of body) {
        probe.received += chunk.length;
        digest.update(chunk);
      }
      return { size: probe.received, digest: digest.digest('hex') };
    },
  }),
  uploadAsUser: route({
    method: 'POST',
    path: '/ws/v2/probe/private-uploads',
    access: 'user',
    summary: 'Refused before the body is read',
    body: rawBody('*'),
    reply: empty,
    handle: (_, { body }) => void body.destroy(),
  }),
  download: route({
    method: 'GET',
    path: '/ws/v2/probe/downloads/{name}',
    access: 'public',
    summary: 'A file of `size` bytes',
    params: z.object({ name: z.string() }),
    query: z.object({ size: z.coerce.number(), breakAt: z.coerce.number().optional() }),
    reply: file('application/zip'),
    handle: (probe, { params, query }) =>
      new File(sourceOf(probe, query.size, query.breakAt), params.name, query.size),
  }),
  getText: route({
    method: 'GET',
    path: '/ws/v2/probe/texts/{name}',
    access: 'public',
    summary: 'Text as it comes',
    params: z.object({ name: z.string() }),
    reply: text(),
    handle: () => new Text(Readable.from(['first line\n', 'grüße\n'])),
  }),
  wait: route({
    method: 'GET',
    path: '/ws/v2/probe/waiting',
    access: 'public',
    summary: 'Answers when nobody waits for it any more',
    reply: empty,
    handle: (probe, { signal }) =>
      new Promise((resolve) => {
        probe.waiting = signal;
        signal.addEventListener('abort', () => resolve(), { once: true });
      }),
  }),
  getStatus: route({
    method: 'GET',
    path: '/ws/v2/probe/statuses/{status}',
    access: 'public',
    summary: 'What a proxied server may answer',
    params: z.object({ status: z.coerce.number() }),
    reply: passthrough,
    handle: (_, { params }) => ({
      status: params.status,
      headers: { 'set-cookie': ['a=1', 'b=2'], 'x-probe': 'yes', 'content-type': 'text/plain' },
      body: params.status === 204 || params.status === 304 ? '' : 'as it came',
    }),
  }),
};

/** A gateway made of the real core, with operations of its own. */
export function createProbe(
  options: {
    silent?: boolean;
    onAnswered?: DispatchOptions['onAnswered'];
    /** As the gateway's own option. */
    unknownPaths?: 'refuse' | 'host';
  } = {},
): Probe {
  const logs: Probe['logs'] = [];
  const log = (fields: object) => {
    if (!options.silent) logs.push({ ...fields });
  };
  const services: { probe?: Probe } = {};
  const routes = { probe: probeRoutes };
  const probe: Probe = {
    logs,
    gate: Promise.resolve(),
    received: 0,
    made: 0,
    source: undefined,
    settings: new Map(),
    waiting: undefined,
    routes: listRoutes(routes),
    get gateway() {
      return gateway;
    },
  };
  services.probe = probe;
  const table = buildTable(routes, services, { keeps: options.unknownPaths === 'host' ? [] : ownPrefixes });
  const clock = { now: () => Date.now(), monotonic: () => performance.now() };
  const logger = { debug: log, info: log, warn: log, error: log };
  const principalOf = (identity: Identity) => ({ ...anonymous, userName: identity.userName, identity });
  const authenticate = async ({ headers }: CallerRequest) =>
    headers.authorization === 'Bearer probe' ? { userName: 'probe' } : undefined;
  const dispatch = createDispatch({
    table,
    authenticate,
    principalOf,
    requireLicense: () => {},
    driverName: 'probe',
    capabilities: new Set(),
    origins: [],
    logger,
    clock,
    ...(options.onAnswered ? { onAnswered: options.onAnswered } : {}),
  });
  const hub = createHub({ topics: bindTopics({}, {}), clock, logger, limits });
  const gateway: Gateway = {
    handle: dispatch,
    owns: (url) => table.owns(pathOf(url)),
    operationAt: (method, url) => table.operationAt(method, pathOf(url)),
    routes: table.routes,
    pubsub: createUpgradeHandler({ hub, logger, authenticate, principalOf }),
    ownsUpgrade: () => false,
    property: () => undefined,
    rightsChanged() {},
    launch: () => Promise.reject(new Error('A probe runs nothing')),
    close: async () => hub.close(),
  };
  return probe;
}

/** Makes bytes when asked for them only, so that `made` shows how far ahead of the reader it got. */
function sourceOf(probe: Probe, size: number, breakAt = Number.POSITIVE_INFINITY): Readable {
  probe.made = 0;
  const source = new Readable({
    read(wanted) {
      if (probe.made >= breakAt) {
        this.destroy(new Error('The disk is gone'));
        return;
      }
      const length = Math.min(wanted, size - probe.made);
      probe.made += length;
      this.push(length === 0 ? null : Buffer.alloc(length, 'x'));
    },
  });
  probe.source = source;
  return source;
}
