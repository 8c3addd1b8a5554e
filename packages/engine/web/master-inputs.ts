import { ChangeRequest, InvalidInput } from 'headgate/driver-kit';
import * as z from 'zod';

// What clients send to a master.

export const Named = z.record(z.string(), z.unknown());
export const Loggers = z.object({
  loggers: z
    .array(
      z.object({
        target: z.string(),
        logLevel: z.enum(['OFF', 'FATAL', 'ERROR', 'WARN', 'INFO', 'DEBUG', 'TRACE', 'ALL']),
      }),
    )
    .max(1000),
});
export const Changes = z.object({ requests: z.array(ChangeRequest).max(1000) });
export const Windows = z.object({ numWindows: z.coerce.number().int().positive().optional() }).default({});

/** More of them help nobody. */
const maxIssues = 20;

/** Throws `InvalidInput`. */
export function sent<T>(schema: z.ZodType<T>, body: unknown): T {
  const read = schema.safeParse(body);
  if (read.success) return read.data;
  throw new InvalidInput(
    read.error.issues
      .slice(0, maxIssues)
      .map(({ path, message }) => ({ path: ['body', ...path].join('.'), message })),
  );
}
