import type { ContainerRuntimeService, RuntimeWarning } from './service.js';

interface Rule {
  readonly key: RuntimeWarning['key'];
  readonly propertyName?: string;
  readonly health?: { readonly part: string; readonly message: string };
}

const rules: readonly Rule[] = [
  {
    key: 'CONTAINER_RUNTIME_NOT_FOUND',
    propertyName: 'platform.containerHost',
    health: { part: 'containers', message: 'No service in a container can be started' },
  },
  { key: 'CONTAINER_RUNTIME_INCOMPATIBLE' },
];

/** What an administrator should know of the container runtime, where the host gives one. */
export function containerRuntimeIssues({ warning }: Pick<ContainerRuntimeService, 'warning'>) {
  // Rules are asked together: that is one question to the runtime.
  let asked: ReturnType<typeof warning> | undefined;
  const now = () => {
    asked ??= warning().finally(() => {
      asked = undefined;
    });
    return asked;
  };
  return rules.map((rule) => ({
    ...rule,
    severity: 'warning' as const,
    find: async (): Promise<string | undefined> => {
      const found = await now();
      return found?.key === rule.key ? found.sentence : undefined;
    },
  }));
}
