import * as z from 'zod';
import { AuthConfig, GroupEntries } from './schema.js';

// What is kept in storage. Never sent: the wire shapes are in `schema.ts`.

/** The body of the PUT without its secrets, and these sealed, by the key as it was sent. */
export const StoredAuth = z.object({ sent: AuthConfig, sealed: z.record(z.string(), z.string()) });
export type StoredAuth = z.output<typeof StoredAuth>;

/** `next` comes with a new auth configuration, and takes the place of `now` at the restart. */
export const StoredMapping = z.object({ now: GroupEntries.optional(), next: GroupEntries.optional() });
export type StoredMapping = z.output<typeof StoredMapping>;
