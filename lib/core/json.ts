import type { Readable } from 'node:stream';
import { BadRequest, TooLarge } from './errors.js';

export interface JsonLimits {
  /** Bytes. */
  readonly maxBytes: number;
  /** Levels of objects and arrays. */
  readonly maxDepth: number;
}

export const defaultJsonLimits: JsonLimits = { maxBytes: 1024 * 1024, maxDepth: 64 };

/** Reads a stream of text to its end, or stops at the limit. */
export async function readText(body: Readable, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    const bytes: Buffer = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
    size += bytes.length;
    if (size > maxBytes) throw new TooLarge('The body', maxBytes);
    chunks.push(bytes);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new BadRequest('The body is not UTF-8 text');
  }
}

/**
 * Parses JSON from a client. The depth is found by a flat scan before parsing, because every recursive reader
 * (JSON.stringify, structuredClone, zod) overflows the stack on deep values. Keys that reach for prototypes are refused.
 */
export function parseJson(text: string, limits: JsonLimits): unknown {
  const depth = depthOf(text, limits.maxDepth);
  if (depth > limits.maxDepth) throw tooDeep(limits.maxDepth);
  try {
    return mayHoldPrototypeKey.test(text) ? JSON.parse(text, refusePrototypeKeys) : JSON.parse(text);
  } catch (error) {
    if (error instanceof BadRequest) throw error;
    const message = error instanceof Error ? error.message : 'unreadable';
    const position = /position (\d+)/.exec(message)?.[1];
    throw new BadRequest(`The body is not JSON: ${message}`, [
      { path: 'body', message: position === undefined ? 'not JSON' : `not JSON at character ${position}` },
    ]);
  }
}

/** The same rules for a value that the host's body parser made. */
export function checkParsed(value: unknown, limits: JsonLimits): unknown {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    const next: unknown[] = [];
    for (const item of level) {
      if (typeof item !== 'object' || item === null) continue;
      if (depth === limits.maxDepth) throw tooDeep(limits.maxDepth);
      for (const [key, child] of Object.entries(item)) {
        if (isPrototypeKey(key)) throw prototypeKey(key);
        if (typeof child === 'object' && child !== null) next.push(child);
      }
    }
    level = next;
  }
  return value;
}

/** Nesting of objects and arrays outside of strings; stops counting one above `limit`. */
export function depthOf(text: string, limit: number): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let i = 0; i < text.length && deepest <= limit; i++) {
    const code = text.charCodeAt(i);
    if (inString) {
      if (code === 0x5c) i++;
      else if (code === 0x22) inString = false;
    } else if (code === 0x22) inString = true;
    else if (code === 0x7b || code === 0x5b) deepest = Math.max(deepest, ++depth);
    else if (code === 0x7d || code === 0x5d) depth--;
  }
  return deepest;
}

/** A reviver visits every value, so it runs only where the key could be, plain or with escapes. */
const mayHoldPrototypeKey = /__proto__|\\u00(?:5f|70|72|6f|74)/i;

const isPrototypeKey = (key: string) => key === '__proto__';

function refusePrototypeKeys(key: string, value: unknown): unknown {
  if (isPrototypeKey(key)) throw prototypeKey(key);
  return value;
}

const prototypeKey = (key: string) =>
  new BadRequest(`The key ${JSON.stringify(key)} is not allowed`, [{ path: 'body', message: `key ${key}` }]);

const tooDeep = (limit: number) =>
  new BadRequest(`The body is nested deeper than ${limit} levels`, [
    { path: 'body', message: `deeper than ${limit} levels` },
  ]);
