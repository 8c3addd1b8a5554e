import {
  ContainerFailed,
  type ContainerRuntime,
  type ContainerSpec,
  type RuntimeContext,
  type SpecProblem,
  UnusableAnswer,
} from 'headgate/driver-kit';
import * as z from 'zod';
import { clearContainers, endContainer } from './container-orders.js';
import { installImage } from './images.js';
import { filterOf } from './labels.js';
import { type DockerRuntimeOptions, readDockerOptions } from './options.js';
import { isLiving } from './report.js';
import { parseRun, type RunOptions } from './run-options.js';
import { createRuntimeConnection } from './runtime-connection.js';
import { startContainer } from './start.js';

const Version = z.object({ Version: z.string().regex(/^\d+(\.\d+)*/) });
const Volumes = z.object({ Volumes: z.array(z.object({ Name: z.string() })).nullish() });

type RunRules = Parameters<typeof parseRun>[1];

/** Services of type `container` as containers of Docker, Podman, or another runtime that speaks Docker's HTTP API. */
export function dockerRuntime(given: DockerRuntimeOptions = {}): ContainerRuntime {
  const options = readDockerOptions(given);
  const { limits } = options;
  let context: RuntimeContext | undefined;
  const ownerOf = () => {
    if (!context) throw new TypeError('The container runtime was not opened');
    return context.owner;
  };
  const connection = createRuntimeConnection({ host: options.host, limits, ownerOf });

  return {
    name: 'docker',

    async open(given) {
      context = given;
    },

    async info({ signal } = {}) {
      const { http } = connection.current();
      const version = await http.ask('/version', Version, { signal });
      if (!version) throw new UnusableAnswer('The container runtime', 'does not tell its version');
      return { version: version.Version };
    },

    host: { current: () => connection.address().url, use: connection.use },

    check: (spec) => problemsOf(spec, options),

    async install(spec, { signal, onProgress } = {}) {
      const { image } = parsedRun(spec, options);
      let told = Number.NEGATIVE_INFINITY;
      const tell = (sentence: string) => {
        if (performance.now() - told < 1000) return;
        told = performance.now();
        onProgress?.(sentence);
      };
      await installImage(connection.current().http, options, { image, srcUrl: spec.srcUrl, signal, tell });
    },

    async start(spec, { signal } = {}) {
      const run = parsedRun(spec, options);
      return startContainer(connection.current(), {
        spec,
        run,
        owner: ownerOf(),
        publishAddress: options.publishAddress,
        limits,
        signal,
      });
    },

    async stop(name, { signal, graceMillis }) {
      const { http, containers } = connection.current();
      for (const { Id, State } of await containers.find(name, signal))
        if (isLiving(State)) await endContainer(http, Id, graceMillis, signal, limits.timeoutMillis);
    },

    async remove(name, { signal } = {}) {
      const to = connection.current();
      await clearContainers(to, name, signal);
      const volumes = await to.http.ask(`/volumes?filters=${filterOf(ownerOf(), name)}`, Volumes, { signal });
      // 409: a container of somebody else uses it.
      for (const { Name } of volumes?.Volumes ?? [])
        await to.http.order(`/volumes/${Name}`, { method: 'DELETE', signal, fine: [404, 409] });
    },

    list: ({ signal } = {}) => connection.current().containers.reports(signal),

    async close() {
      connection.close();
    },
  };
}

function problemsOf({ run, srcUrl }: ContainerSpec, options: RunRules): SpecProblem[] {
  const problems: SpecProblem[] = parseRun(run, options, 'open').problems.map((message) => ({
    field: 'run',
    message,
  }));
  if (srcUrl !== undefined && !srcUrl.includes('${') && !isArchiveUrl(srcUrl))
    problems.push({ field: 'srcUrl', message: 'needs an http:, https: or file: URL of an image archive' });
  return problems;
}

function parsedRun(spec: ContainerSpec, options: RunRules): RunOptions {
  const { run, problems } = parseRun(spec.run, options, 'known');
  if (!run) throw new ContainerFailed(`run: ${problems[0]}`);
  return run;
}

const isArchiveUrl = (url: string): boolean =>
  URL.canParse(url) && ['http:', 'https:', 'file:'].includes(new URL(url).protocol);
