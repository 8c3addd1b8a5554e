import * as z from 'zod';
import { TemplateContent } from './schema.js';

// What is kept in storage. Never sent: the wire shapes are in `schema.ts`.

/** Instead of a shipped template, or besides them; without content: a shipped one that was deleted. */
export const StoredTemplate = z.object({ content: TemplateContent.optional() });
export type StoredTemplate = z.output<typeof StoredTemplate>;
