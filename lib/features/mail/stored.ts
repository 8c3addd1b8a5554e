import * as z from 'zod';
import { SmtpConfig } from './schema.js';

// What is kept in storage. Never sent: the wire shapes are in `schema.ts`.

/** `password` is sealed; it stays when the settings do without for a while. */
export const StoredSmtp = z.object({ config: SmtpConfig, password: z.string().optional() });
export type StoredSmtp = z.output<typeof StoredSmtp>;

/** A mail that waits, where unsent mails outlive a restart. */
export const StoredMail = z.object({
  to: z.array(z.string()),
  subject: z.string(),
  text: z.string(),
  html: z.string(),
  time: z.number(),
});
export type StoredMail = z.output<typeof StoredMail>;
