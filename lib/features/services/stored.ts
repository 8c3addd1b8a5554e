import * as z from 'zod';
import { ServiceDefinition, ServiceState } from './schema.js';

// What is kept in storage. Never sent: the wire shapes are in `schema.ts`.

export const StoredService = z.object({
  /** What was sent, read once; reading it again changes nothing. */
  definition: ServiceDefinition,
  state: ServiceState,
  enabled: z.boolean(),
  /** Who had it installed; applications of engine services are theirs. */
  installedBy: z.string(),
  /** Epoch milliseconds; 0 until it is installed. */
  installedTime: z.number(),
  /** Of the container or application that was started and not seen to end: another one is not ours to adopt. */
  lifeId: z.string().optional(),
  startedTime: z.number().optional(),
  /** Why it failed. */
  failure: z.string().optional(),
  /** Brought by a launch, and gone when no application needs it any more. */
  transient: z.boolean().optional(),
  /** What was fetched for an engine service. */
  installed: z.object({ srcUrl: z.string(), packageName: z.string(), packageVersion: z.string() }).optional(),
});
export type StoredService = z.output<typeof StoredService>;
export type Installed = NonNullable<StoredService['installed']>;

/** Which services an application needs; kept also when it has ended, for a restart of it. */
export const StoredNeeds = z.object({
  appName: z.string(),
  user: z.string(),
  services: z.array(z.string()),
  /** Epoch milliseconds; absent while it has not been seen to end. */
  endedTime: z.number().optional(),
});
export type StoredNeeds = z.output<typeof StoredNeeds>;

/** Tells containers of this gateway from those of others on the same machine. */
export const StoredOwner = z.object({ owner: z.string() });
