import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import {
  BadRequest,
  type CallOptions,
  isSecretName,
  type Launcher,
  owned,
  type PackageContent,
  type PackagedPlan,
  type PackageOperatorReader,
  type PackageOperators,
  UnusableAnswer,
} from 'headgate/driver-kit';
import * as z from 'zod';
import type { Cli } from '../commands/cli.js';
import { logicalPlanView, MasterLogicalPlan } from '../views/logical.js';
import { ClassDescription, classView } from '../views/operator-class.js';

/** What packages hold, found out by the engine itself, which loads and runs their classes for that. */
export interface Discovery {
  readonly plan: NonNullable<Launcher['plan']>;
  readonly operators: PackageOperatorReader;
}

const Planned = z.object({
  applications: z.array(
    z.object({
      name: z.string(),
      dag: MasterLogicalPlan.nullish(),
      error: z.string().nullish(),
      errorStackTrace: z.string().nullish(),
    }),
  ),
});

const text = z.string().nullish();
const Discovered = z.object({
  operatorClasses: z.array(
    ClassDescription.extend({
      name: z.string(),
      displayName: text,
      shortDesc: text,
      longDesc: text,
      category: text,
      doclink: text,
      tags: z.array(z.string()).nullish(),
      defaultValue: z.record(z.string(), z.unknown()).nullish(),
    }),
  ),
  failedOperators: z.record(z.string(), z.string()).nullish(),
});
type Found = z.output<typeof Discovered>['operatorClasses'][number];

/** Packages whose answers are remembered. */
const maxRemembered = 50;

export function createDiscovery({ cli }: { readonly cli: Cli }): Discovery {
  const plans = remembered(async (content, options) => {
    const answer = await ask(cli, 'get-app-package-info', Planned, content, options);
    return new Map(answer.applications.map((one) => [one.name, plannedBy(one)]));
  });

  const operators = remembered<PackageOperators>(async (content, options) => {
    const answer = await ask(cli, 'get-app-package-operators', Discovered, content, options);
    return {
      classes: answer.operatorClasses.map(operatorClass),
      problems: Object.entries(answer.failedOperators ?? {}).map(([file, message]) => ({ file, message })),
    };
  });

  return {
    async plan({ packageContent, packaged }, options) {
      const all = await plans(packageContent, options).catch((error: unknown) => {
        if (error instanceof BadRequest) return error;
        throw error;
      });
      if (all instanceof BadRequest) return { error: all.message };
      const none = `The engine finds no application ${JSON.stringify(packaged.name)} in the package`;
      return all.get(packaged.name) ?? { error: none };
    },
    operators: { readsJars: true, describe: operators },
  };
}

async function ask<T>(
  cli: Cli,
  command: string,
  schema: z.ZodType<T>,
  content: PackageContent,
  options: CallOptions | undefined,
): Promise<T> {
  const answer = await cli.job(async (job) => {
    await pipeline(content.archive(), owned(createWriteStream(job.path('package.apa'))));
    return job.run([command, job.path('package.apa')], options?.signal);
  }, options?.signal);
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  throw new UnusableAnswer("The engine's command line", 'answered in a way that is not understood', {
    cause: parsed.error,
  });
}

/** By digest. */
function remembered<T>(
  find: (content: PackageContent, options?: CallOptions) => Promise<T>,
): (content: PackageContent, options?: CallOptions) => Promise<T> {
  const known = new Map<string, T>();
  return async (content, options) => {
    const before = known.get(content.digest);
    if (before !== undefined) return before;
    const found = await find(content, options);
    known.set(content.digest, found);
    const [oldest] = known.keys();
    if (known.size > maxRemembered && oldest !== undefined) known.delete(oldest);
    return found;
  };
}

function plannedBy({
  dag,
  error,
  errorStackTrace,
}: z.output<typeof Planned>['applications'][number]): PackagedPlan {
  if (dag) return { plan: logicalPlanView(dag) };
  return {
    error: error ?? 'The application failed to describe itself and did not say why',
    ...(errorStackTrace ? { stackTrace: errorStackTrace } : {}),
  };
}

function operatorClass({
  name,
  displayName: title,
  shortDesc,
  longDesc,
  category,
  doclink,
  tags,
  defaultValue,
  ...description
}: Found) {
  const texts = { title, shortDesc, longDesc, category, doclink };
  return {
    name,
    ...classView(description),
    ...Object.fromEntries(Object.entries(texts).filter(([, value]) => value)),
    ...(tags ? { tags } : {}),
    ...(defaultValue ? { defaultValue: shown(defaultValue) } : {}),
  };
}

const shown = (values: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(values).filter(([name]) => name !== '@class' && !isSecretName(name)));
