import { createReadStream } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { owned } from 'headgate/driver-kit';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
};

/**
 * Shows the files below `folder` (`platform.gateway.staticResourceDirectory`) at `/static/`, such as those of a console.
 * Resolves whether the request was for one of them.
 */
export async function serveStatic(
  folder: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  const path = /^\/static(\/[^?#]*)/.exec(request.url ?? '')?.[1];
  if (path === undefined || !['GET', 'HEAD'].includes(request.method ?? '')) return false;
  const file = await fileAt(folder, path.endsWith('/') ? `${path}index.html` : path);
  if (file === undefined) return false;
  response.writeHead(200, {
    'content-type': types[extname(file.path)] ?? 'application/octet-stream',
    'content-length': file.size,
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'SAMEORIGIN',
  });
  if (request.method === 'HEAD') response.end();
  else await pipeline(owned(createReadStream(file.path)), response).catch(() => {}); // the browser went away
  return true;
}

/** `undefined`: there is none, or it lies elsewhere: links and `..` do not lead out. */
async function fileAt(
  folder: string,
  path: string,
): Promise<{ readonly path: string; readonly size: number } | undefined> {
  try {
    const [root, found] = await Promise.all([
      realpath(folder),
      realpath(join(folder, decodeURIComponent(path))),
    ]);
    if (!found.startsWith(root + sep) || found.slice(root.length).includes(`${sep}.`)) return undefined;
    const about = await stat(found);
    return about.isFile() ? { path: found, size: about.size } : undefined;
  } catch {
    return undefined;
  }
}
