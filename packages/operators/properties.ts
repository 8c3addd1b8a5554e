import { RE2JS } from 're2js';
import * as z from 'zod';
import { compileExpression, maxExpressionLength } from './expression.js';
import { messageOf } from './record.js';

// Kinds of properties: what can't work is refused when the application is launched, with the place.

const compiles = (compile: (text: string) => unknown) => (text: string, context: z.RefinementCtx) => {
  try {
    compile(text);
  } catch (error) {
    context.addIssue({ code: 'custom', message: messageOf(error) });
  }
};

/** Text of an expression (expression.ts). */
export const Expression = z.string().min(1).max(maxExpressionLength).superRefine(compiles(compileExpression));

/** Text of a regular expression in RE2's syntax: it runs in linear time, so no look-ahead and no back references. */
export const Pattern = z
  .string()
  .min(1)
  .max(1_000)
  .superRefine(compiles((text) => RE2JS.compile(text)));

export const FieldName = z.string().min(1).max(200);

export const HttpUrl = z.url({ protocol: /^https?$/, error: 'an absolute URL with http or https' });
