import { commandWords } from '../../../formats/command-words.js';
import type {
  ContainerReport,
  ContainerRuntime,
  ContainerSpec,
} from '../../../interfaces/container-runtime.js';
import { ContainerFailed, InvalidInput, NotSupported } from '../../../model/errors.js';
import { withTimeout } from '../../../runtime/with-timeout.js';
import type { ServiceLimits } from '../options.js';
import type { ServiceDefinition } from '../schema.js';
import type { Life, ServiceKind, ServiceOrder } from './kind.js';

/** Services that a container runtime runs. */
export function createContainerKind(runtime: ContainerRuntime, limits: ServiceLimits): ServiceKind {
  const what = `The container runtime "${runtime.name}"`;

  /** Split first, filled in then: a value never becomes two words. */
  async function specOf({ name, definition, revision, resolve }: ServiceOrder): Promise<ContainerSpec> {
    const { srcUrl, run, exec = [] } = wordsOf(definition, 'container');
    const spec = {
      name,
      revision,
      ...(srcUrl === undefined ? {} : { srcUrl: await resolve(srcUrl) }),
      run: await Promise.all(run.map(resolve)),
      ...(exec.length === 0 ? {} : { exec: await Promise.all(exec.map(resolve)) }),
    };
    const [problem] = runtime.check(spec);
    if (problem) throw new ContainerFailed(`${problem.field}: ${problem.message}`);
    return spec;
  }

  return {
    check(name, definition, at) {
      const { srcUrl, run, exec } = wordsOf(definition, `${at}.container`);
      const spec = {
        name,
        revision: '0',
        run,
        ...(srcUrl === undefined ? {} : { srcUrl }),
        ...(exec ? { exec } : {}),
      };
      const problems = runtime.check(spec);
      if (problems.length === 0) return;
      throw new InvalidInput(
        problems.map(({ field, message }) => ({
          path: field === 'srcUrl' ? `${at}.srcUrl` : `${at}.container.${field}`,
          message,
        })),
      );
    },

    requireReachable: async () => {
      await withTimeout(limits.askMillis, what, undefined, (signal) => runtime.info({ signal }));
    },

    async install(order, work) {
      await runtime.install(await specOf(order), work);
      return undefined;
    },

    start: async (order, { signal }) => lifeOf(await runtime.start(await specOf(order), { signal })),

    stop: ({ name }, _life, signal) => runtime.stop(name, { signal, graceMillis: limits.stopGraceMillis }),

    remove: ({ name }, _life, signal) => runtime.remove(name, { signal }),

    async look(_lifeIds, outer) {
      const reports = await withTimeout(limits.askMillis, what, outer, (signal) => runtime.list({ signal }));
      return new Map(reports.map((report) => [report.name, lifeOf(report)]));
    },
  };
}

/** Where the host gives nothing that runs containers: only removing works. */
export function noContainers(): ServiceKind {
  const absent = () =>
    new NotSupported('none', 'services of type container: the host gives no `containers` to createGateway');
  const refuse = async () => {
    throw absent();
  };
  return {
    check() {
      throw absent();
    },
    requireReachable: refuse,
    install: refuse,
    start: refuse,
    stop: async () => {},
    remove: async () => {},
    look: async () => new Map(),
  };
}

const lifeOf = (report: ContainerReport): Life => report;

function wordsOf(definition: ServiceDefinition, at: string) {
  if (definition.type !== 'container') throw new TypeError('Not a service of type container');
  const { run, exec } = definition.container;
  const split = (line: string, member: string) => {
    const split = commandWords(line);
    if (split.problem === undefined && split.words.length > 0) return split.words;
    throw new InvalidInput([{ path: `${at}.${member}`, message: split.problem ?? 'has no words' }]);
  };
  return {
    srcUrl: definition.srcUrl,
    run: split(run, 'run'),
    exec: exec === undefined ? undefined : split(exec, 'exec'),
  };
}
