import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
};
const files: Readonly<Record<string, string>> = {
  '/': 'index.html',
  '/page.js': 'page.js',
  '/page.css': 'page.css',
};

/** Answers the page's three files, and 404 for the rest. */
export async function servePage(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [path = ''] = (request.url ?? '').split('?', 1);
  const name = files[path];
  if (name === undefined || request.method !== 'GET') {
    response.writeHead(404, { 'content-type': 'text/plain' }).end('There is nothing here\n');
    return;
  }
  const content = await readFile(new URL(`../public/${name}`, import.meta.url));
  response
    .writeHead(200, {
      'content-type': types[name.split('.').at(-1) ?? ''],
      'content-security-policy':
        "default-src 'self'; connect-src 'self' ws: wss:; img-src 'self' data:; frame-ancestors 'self'",
      'x-content-type-options': 'nosniff',
    })
    .end(content);
}
