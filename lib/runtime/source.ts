import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { BadRequest, ContainerFailed, GatewayError, TooLarge } from '../model/errors.js';
import { owned } from './owned.js';

/** What is fetched from a URL: an image, a program, a package. */
export interface Source {
  /** Bytes, where somebody says so before. */
  readonly size: number | undefined;
  /** Fails with `TooLarge` beyond the limit, with `ContainerFailed` when it is cut. Read it to its end or destroy it. */
  readonly content: Readable;
}

/**
 * Opens an `http:`, `https:` or `file:` URL. Rejects with `BadRequest` for another one, with `ContainerFailed` saying what
 * answered otherwise, or that nobody did. A user and a password in the URL become a Basic login, and are
 * in no message. `onProgress` gets a sentence, at most once a second.
 */
export async function openSource(
  url: string,
  options: {
    readonly signal?: AbortSignal | undefined;
    readonly maxBytes: number;
    readonly onProgress?: (sentence: string) => void;
  },
): Promise<Source> {
  const { signal, maxBytes, onProgress = () => {} } = options;
  const parsed = checkSource(url);
  const { size, content } = await (parsed.protocol === 'file:' ? openFile(parsed) : openHttp(parsed, signal));
  if (size !== undefined && size > maxBytes) {
    content.destroy();
    throw new TooLarge(shown(parsed), maxBytes);
  }
  const counted = owned(
    Readable.from(counting(content, { size, maxBytes, what: shown(parsed), signal, onProgress })),
  );
  // What is behind must go too when nobody reads on.
  counted.once('close', () => content.destroy());
  return { size, content: counted };
}

/** What can be told without opening it. Throws `BadRequest`. */
export function checkSource(url: string): URL {
  // The text may hold a password.
  if (!URL.canParse(url))
    throw new BadRequest('ADDRESS_NOT_VALID', 'This is no URL: it needs a form like https://host/path');
  const parsed = new URL(url);
  if (parsed.protocol === 'file:') pathOf(parsed);
  else if (/^https?:$/.test(parsed.protocol)) loginApart(parsed);
  else
    throw new BadRequest('ADDRESS_NOT_VALID', `${shown(parsed)} does not begin with http:, https: or file:`);
  return parsed;
}

function pathOf(url: URL): string {
  if (url.host !== '') throw new BadRequest('ADDRESS_NOT_VALID', `${shown(url)} names another machine`);
  try {
    return fileURLToPath(url);
  } catch {
    throw new BadRequest('ADDRESS_NOT_VALID', `${shown(url)} is no path of a file`);
  }
}

async function openFile(url: URL): Promise<Source> {
  const path = pathOf(url);
  const info = await stat(path).catch((cause) => {
    throw new ContainerFailed(`There is no file ${path}`, cause);
  });
  if (!info.isFile()) throw new ContainerFailed(`${path} is no file`);
  return { size: info.size, content: owned(createReadStream(path)) };
}

async function openHttp(url: URL, signal: AbortSignal | undefined): Promise<Source> {
  const { bare, headers } = loginApart(url);
  const response = await fetch(bare, { headers, ...(signal ? { signal } : {}) }).catch((cause) => {
    throw signal?.aborted ? signal.reason : new ContainerFailed(`${shown(url)} can't be reached`, cause);
  });
  if (!response.ok || !response.body) {
    // One that breaks meanwhile says nothing that the status does not.
    await response.body?.cancel().catch(() => {});
    throw new ContainerFailed(`${shown(url)} answered with status ${response.status}`);
  }
  const says = Number(response.headers.get('content-length') ?? Number.NaN);
  const isEncoded = response.headers.has('content-encoding');
  return {
    size: Number.isFinite(says) && !isEncoded ? says : undefined,
    content: owned(Readable.fromWeb(response.body)),
  };
}

/** `fetch` refuses URLs with a login, in a message that holds it. */
function loginApart(url: URL): { readonly bare: URL; readonly headers: Record<string, string> } {
  const bare = new URL(url);
  if (url.username === '' && url.password === '') return { bare, headers: {} };
  bare.username = '';
  bare.password = '';
  let login: string;
  try {
    login = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  } catch {
    throw new BadRequest(
      'ADDRESS_NOT_VALID',
      `The user or the password in the URL of ${shown(url)} is not well encoded`,
    );
  }
  return { bare, headers: { authorization: `Basic ${Buffer.from(login).toString('base64')}` } };
}

async function* counting(
  content: Readable,
  {
    size,
    maxBytes,
    what,
    signal,
    onProgress,
  }: {
    size: number | undefined;
    maxBytes: number;
    what: string;
    signal: AbortSignal | undefined;
    onProgress: (sentence: string) => void;
  },
): AsyncGenerator<Buffer> {
  let count = 0;
  let told = performance.now();
  try {
    for await (const chunk of content) {
      const bytes = Buffer.from(chunk);
      count += bytes.length;
      if (count > maxBytes) throw new TooLarge(what, maxBytes);
      if (performance.now() - told >= 1000) {
        told = performance.now();
        onProgress(`Fetched ${megabytes(count)}${size === undefined ? '' : ` of ${megabytes(size)}`} MB`);
      }
      yield bytes;
    }
  } catch (cause) {
    if (signal?.aborted) throw signal.reason;
    if (cause instanceof GatewayError) throw cause;
    throw new ContainerFailed(`${what} could not be read to its end`, cause);
  }
}

const megabytes = (bytes: number): string => (bytes / 1024 / 1024).toFixed(1);

/** Without what could be a password. */
const shown = (url: URL): string => `${url.protocol}//${url.host}${url.pathname}`;
