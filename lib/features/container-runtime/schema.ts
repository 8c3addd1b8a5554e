import * as z from 'zod';

export const ContainerRuntimeConfig = z
  .object({
    /** Whether the runtime answers. */
    isFound: z.boolean(),
    /** Of the runtime; empty while it does not answer. */
    version: z.string(),
    /** Whether it is at least `platform.containerMinSupportedVersion`. */
    isCompatible: z.boolean(),
    /** The address that is in use; empty where the runtime has none. */
    'platform.containerHost': z.string(),
  })
  .meta({ id: 'ContainerRuntimeConfig' });
export type ContainerRuntimeConfig = z.output<typeof ContainerRuntimeConfig>;

/** An empty one, or `null`: the runtime's own. */
export const ContainerRuntimeInput = z.object({ 'platform.containerHost': z.string().max(4096).nullable() });
export type ContainerRuntimeInput = z.output<typeof ContainerRuntimeInput>;
