import { z } from 'zod';
import {
  Conflict,
  ContainerFailed,
  type ContainerRuntime,
  type ContainerSpec,
  type RuntimeContext,
  type SpecProblem,
  UnusableAnswer,
} from '../../../lib/driver-kit.js';
import { defaultAddress, parseAddress, type RuntimeAddress } from './address.js';
import { type Containers, createContainers } from './containers.js';
import { createBody } from './create-body.js';
import { execute } from './exec.js';
import { createHttp, type Http } from './http.js';
import { installImage } from './images.js';
import { filterOf, labelsOf } from './labels.js';
import { type DockerRuntimeOptions, readOptions } from './options.js';
import { isLiving } from './report.js';
import { parseRun, type RunOptions } from './run-options.js';

const Version = z.object({ Version: z.string().regex(/^\d+(\.\d+)*/) });
const Made = z.object({ Id: z.string() });
const Volumes = z.object({ Volumes: z.array(z.object({ Name: z.string() })).nullish() });

interface Connection {
  readonly address: RuntimeAddress;
  readonly http: Http;
  readonly containers: Containers;
}

/** Services of type `container` as containers of Docker, Podman, or another runtime that speaks Docker's HTTP API. */
export function dockerRuntime(given: DockerRuntimeOptions = {}): ContainerRuntime {
  const options = readOptions(given);
  const { limits } = options;
  let context: RuntimeContext | undefined;
  let chosen = options.host === undefined ? undefined : parseAddress(options.host);
  const ownAddress = chosen;
  let connection: Connection | undefined;

  const ownerOf = () => {
    if (!context) throw new TypeError('The container runtime was not opened');
    return context.owner;
  };

  /** To the address that is in use now; the socket of the runtime's own may be another one after it was installed anew. */
  function connected(): Connection {
    const address = chosen ?? defaultAddress();
    if (connection?.address.url === address.url) return connection;
    connection?.http.close();
    const http = createHttp(address, limits);
    connection = { address, http, containers: createContainers(http, address, ownerOf) };
    return connection;
  }

  function check({ run, srcUrl }: ContainerSpec): SpecProblem[] {
    const problems: SpecProblem[] = parseRun(run, options, 'open').problems.map((message) => ({
      field: 'run',
      message,
    }));
    if (srcUrl !== undefined && !srcUrl.includes('${') && !isArchiveUrl(srcUrl))
      problems.push({ field: 'srcUrl', message: 'needs an http:, https: or file: URL of an image archive' });
    return problems;
  }

  function parsedRun(spec: ContainerSpec): RunOptions {
    const { run, problems } = parseRun(spec.run, options, 'known');
    if (!run) throw new ContainerFailed(`run: ${problems[0]}`);
    return run;
  }

  /** Removes what is left of earlier ones, so that the name is free. */
  async function clear({ http, containers }: Connection, name: string, signal: AbortSignal | undefined) {
    for (const { Id } of await containers.find(name, signal)) await removeContainer(http, Id, signal);
  }

  async function make(
    { http, address }: Connection,
    spec: ContainerSpec,
    run: RunOptions,
    signal: AbortSignal | undefined,
  ): Promise<string> {
    const marks = labelsOf(ownerOf(), spec);
    // One that is there already stays whose it is.
    for (const { source } of run.volumes)
      if (!source.startsWith('/'))
        await http.order('/volumes/create', { body: { Name: source, Labels: marks }, signal });
    const publishAddress =
      options.publishAddress ?? (address.connection && 'socketPath' in address.connection ? '127.0.0.1' : '');
    const name = `headgate-${ownerOf().slice(0, 12)}-${spec.name}`;
    const made = await http.ask(`/containers/create?name=${encodeURIComponent(name)}`, Made, {
      method: 'POST',
      body: createBody(run, marks, publishAddress),
      signal,
      timeoutMillis: limits.imageMillis,
    });
    if (!made) throw new ContainerFailed(`There is no image ${run.image} any more, or no such network`);
    return made.Id;
  }

  return {
    name: 'docker',

    async open(given) {
      context = given;
    },

    async info({ signal } = {}) {
      const { http } = connected();
      const version = await http.ask('/version', Version, { signal });
      if (!version) throw new UnusableAnswer('The container runtime', 'does not tell its version');
      return { version: version.Version };
    },

    host: {
      current: () => (chosen ?? defaultAddress()).url,
      use(url) {
        chosen = url === undefined ? ownAddress : parseAddress(url);
      },
    },

    check,

    async install(spec, { signal, onProgress } = {}) {
      const { image } = parsedRun(spec);
      let told = Number.NEGATIVE_INFINITY;
      const tell = (sentence: string) => {
        if (performance.now() - told < 1000) return;
        told = performance.now();
        onProgress?.(sentence);
      };
      await installImage(connected().http, options, { image, srcUrl: spec.srcUrl, signal, tell });
    },

    async start(spec, { signal } = {}) {
      const run = parsedRun(spec);
      const to = connected();
      const { http, containers } = to;
      const before = await containers.find(spec.name, signal);
      if (before.some(({ State }) => isLiving(State)))
        throw new Conflict(`A container of ${spec.name} runs already`);
      await clear(to, spec.name, signal);
      const id = await make(to, spec, run, signal);
      try {
        await http.order(`/containers/${id}/start`, { signal, timeoutMillis: limits.imageMillis });
      } catch (error) {
        await removeContainer(http, id).catch(() => {});
        throw error;
      }
      if (spec.exec)
        try {
          await execute(http, id, spec.exec, { signal, millis: limits.execMillis });
        } catch (error) {
          await endContainer(http, id, 0).catch(() => {});
          throw error;
        }
      const [listed] = await containers.find(spec.name, signal);
      const report = listed && (await containers.report(listed, signal));
      if (!report) throw new ContainerFailed(`The container of ${spec.name} was removed while it started`);
      return report;
    },

    async stop(name, { signal, graceMillis }) {
      const { http, containers } = connected();
      for (const { Id, State } of await containers.find(name, signal))
        if (isLiving(State)) await endContainer(http, Id, graceMillis, signal, limits.timeoutMillis);
    },

    async remove(name, { signal } = {}) {
      const to = connected();
      await clear(to, name, signal);
      const volumes = await to.http.ask(`/volumes?filters=${filterOf(ownerOf(), name)}`, Volumes, { signal });
      // 409: a container of somebody else uses it.
      for (const { Name } of volumes?.Volumes ?? [])
        await to.http.order(`/volumes/${Name}`, { method: 'DELETE', signal, fine: [404, 409] });
    },

    list: ({ signal } = {}) => connected().containers.reports(signal),

    async close() {
      connection?.http.close();
      connection = undefined;
    },
  };
}

async function removeContainer(http: Http, id: string, signal?: AbortSignal): Promise<void> {
  // 409: it is being removed already.
  await http.order(`/containers/${id}?force=true&v=true`, { method: 'DELETE', signal, fine: [404, 409] });
}

async function endContainer(
  http: Http,
  id: string,
  graceMillis: number,
  signal?: AbortSignal,
  timeoutMillis = 10_000,
): Promise<void> {
  const seconds = Math.ceil(graceMillis / 1000);
  // 304: it had ended.
  await http.order(`/containers/${id}/stop?t=${seconds}`, {
    signal,
    timeoutMillis: seconds * 1000 + timeoutMillis,
    fine: [304, 404],
  });
}

const isArchiveUrl = (url: string): boolean =>
  URL.canParse(url) && ['http:', 'https:', 'file:'].includes(new URL(url).protocol);
