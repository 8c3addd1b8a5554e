import type { ContainerRuntime } from '../../interfaces/container-runtime.js';
import type { Logger } from '../../interfaces/logger.js';
import { NotSupported, undefinedIfUnknown } from '../../model/errors.js';
import { withTimeout } from '../../runtime/with-timeout.js';
import type { PropertyService } from '../properties/service.js';
import type { ContainerRuntimeConfig, ContainerRuntimeInput } from './schema.js';

export interface ContainerRuntimeService {
  /** Asks the runtime, each time. */
  get(signal?: AbortSignal): Promise<ContainerRuntimeConfig>;
  /** Rejects with `BadRequest` for what is no address of the runtime; nothing is changed then. */
  put(input: ContainerRuntimeInput): Promise<void>;
  /** What keeps services from running in containers, in a sentence; nothing where the host gives no runtime. */
  warning(): Promise<RuntimeWarning | undefined>;
}

export interface RuntimeWarning {
  readonly key: 'CONTAINER_RUNTIME_NOT_FOUND' | 'CONTAINER_RUNTIME_INCOMPATIBLE';
  readonly sentence: string;
}

const hostProperty = 'platform.containerHost';
/** Milliseconds for the runtime to tell its version. */
const askMillis = 10_000;
/** The same while others wait for the rest of the issues. */
const glanceMillis = 3000;

/** Which container runtime there is: `docs/decisions.md`, The container runtime. */
export function createContainerRuntimeService(deps: {
  runtime: ContainerRuntime | undefined;
  properties: Pick<PropertyService, 'value' | 'put' | 'remove' | 'onChange'>;
  logger: Logger;
}): ContainerRuntimeService {
  const { runtime, properties, logger } = deps;

  /** Of people who edit properties, too: what is no address leaves the one that is in use. */
  function useProperty(): void {
    try {
      runtime?.host?.use(properties.value(hostProperty) || undefined);
    } catch (err) {
      logger.error(
        { event: 'container_runtime.address_invalid', err, property: hostProperty },
        'the address of the container runtime can not be used',
      );
    }
  }
  useProperty();
  properties.onChange(useProperty);

  const leastVersion = () => properties.value('platform.containerMinSupportedVersion') ?? '0';

  return {
    async get(signal) {
      const version = await versionOf(runtime, askMillis, logger, signal);
      const least = leastVersion();
      return {
        isFound: version !== undefined,
        version: version ?? '',
        isCompatible: version !== undefined && compareLeadingNumbers(version, least) >= 0,
        [hostProperty]: runtime?.host?.current() ?? '',
      };
    },

    async put({ [hostProperty]: url }) {
      const { host, name = 'none' } = runtime ?? {};
      if ((url ?? '') === (host?.current() ?? '')) return;
      if (!host) throw new NotSupported(name, 'an address of the container runtime');
      const before = properties.value(hostProperty) || undefined;
      host.use(url || undefined);
      try {
        if (url) await properties.put(hostProperty, { value: url });
        else await properties.remove(hostProperty).catch(undefinedIfUnknown);
      } catch (error) {
        host.use(before);
        throw error;
      }
    },

    async warning() {
      if (!runtime) return undefined;
      const version = await versionOf(runtime, glanceMillis, logger);
      return warningOf(runtime, version, leastVersion());
    },
  };
}

/** `undefined` where there is no runtime, and while it does not answer. */
async function versionOf(
  runtime: ContainerRuntime | undefined,
  millis: number,
  logger: Logger,
  outer?: AbortSignal,
): Promise<string | undefined> {
  if (!runtime) return undefined;
  try {
    const { version } = await withTimeout(millis, titleOf(runtime), outer, (signal) =>
      runtime.info({ signal }),
    );
    return version;
  } catch (err) {
    if (outer?.aborted) throw err;
    logger.debug({ event: 'container_runtime.unreachable', err }, 'the container runtime does not answer');
    return undefined;
  }
}

function warningOf(
  runtime: ContainerRuntime,
  version: string | undefined,
  leastVersion: string,
): RuntimeWarning | undefined {
  if (version === undefined) {
    const address = runtime.host?.current();
    const sentence = `${titleOf(runtime)} does not answer${address ? ` at ${address}` : ''}: no service of type container can be started`;
    return { key: 'CONTAINER_RUNTIME_NOT_FOUND', sentence };
  }
  if (compareLeadingNumbers(version, leastVersion) >= 0) return undefined;
  const sentence = `${titleOf(runtime)} is version ${version}, and ${leastVersion} is the lowest that is supported`;
  return { key: 'CONTAINER_RUNTIME_INCOMPATIBLE', sentence };
}

const titleOf = ({ name }: ContainerRuntime) => `The container runtime "${name}"`;

/** By the numbers at the beginning: `20.10.24+dfsg1` is 20.10.24. */
export function compareLeadingNumbers(one: string, other: string): number {
  const numbers = (version: string) => (/^\d+(\.\d+)*/.exec(version)?.[0] ?? '0').split('.').map(Number);
  const [a, b] = [numbers(one), numbers(other)];
  for (let at = 0; at < Math.max(a.length, b.length); at++) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
