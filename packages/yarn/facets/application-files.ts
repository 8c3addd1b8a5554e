import type { Container } from 'headgate/driver-kit';
import * as z from 'zod';
import type { ClusterFiles } from '../files/cluster-files.js';
import { containerView, MasterContainer } from '../views/containers.js';
import { parseKeepingIntegers } from '../wire/json.js';

/** What an application leaves in its folder, while it runs and afterwards. */
export interface ApplicationFiles {
  readonly folder: string;
  readonly files: ClusterFiles;
  /** `undefined` when there is none: the application never got that far, or its folder is gone. */
  meta(signal?: AbortSignal): Promise<ApplicationMeta | undefined>;
  /** All that ever became active, in the order of their start. */
  containers(signal?: AbortSignal): Promise<Container[]>;
  deployments(signal?: AbortSignal): Promise<Deployment[]>;
}

const Meta = z.object({
  attributes: z.record(z.string(), z.unknown()).default({}),
  metrics: z.record(z.string(), z.array(z.string())).default({}),
});
type ApplicationMeta = z.output<typeof Meta>;

const Deployment = z.object({
  name: z.string(),
  id: z.union([z.number(), z.string()]).transform(String),
  container: z.string(),
  startTime: z.coerce.number(),
});
type Deployment = z.output<typeof Deployment>;

export function applicationFiles(files: ClusterFiles, folder: string): ApplicationFiles {
  /** Of all attempts, in their order. The last line of each may be cut, and one that is damaged is left out. */
  async function linesOf<T>(name: string, schema: z.ZodType<T>, signal?: AbortSignal): Promise<T[]> {
    const entries = (await files.list(folder, signal)) ?? [];
    const numbers = entries
      .map((entry) => new RegExp(`^${name}_(\\d{1,6})\\.json$`).exec(entry.name)?.[1])
      .filter((number) => number !== undefined)
      .sort((one, other) => Number(one) - Number(other));
    const found: T[] = [];
    for (const number of numbers) {
      const text = (await files.readText(`${folder}/${name}_${number}.json`, signal)) ?? '';
      for (const line of text.split('\n')) found.push(...parsed(schema, line));
    }
    return found;
  }

  return {
    folder,
    files,
    async meta(signal) {
      const text = await files.readText(`${folder}/meta.json`, signal);
      return text === undefined ? undefined : parsed(Meta, text)[0];
    },
    async containers(signal) {
      const all = await linesOf('containers', MasterContainer, signal);
      return [...new Map(all.map((container) => [container.id, containerView(container)])).values()];
    },
    deployments: (signal) => linesOf('operators', Deployment, signal),
  };
}

/** One value, or none for what is cut or damaged. */
function parsed<T>(schema: z.ZodType<T>, text: string): T[] {
  try {
    const found = schema.safeParse(parseKeepingIntegers(text));
    return found.success ? [found.data] : [];
  } catch {
    return [];
  }
}
