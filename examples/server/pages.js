import { readFile } from 'node:fs/promises';

const types = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
};
const files = { '/': 'index.html', '/page.js': 'page.js', '/page.css': 'page.css' };

/** Answers the page's three files, and 404 for the rest. */
export async function servePage(request, response) {
  const name = files[request.url.split('?', 1)[0]];
  if (name === undefined || request.method !== 'GET') {
    response.writeHead(404, { 'content-type': 'text/plain' }).end('There is nothing here\n');
    return;
  }
  const content = await readFile(new URL(`./public/${name}`, import.meta.url));
  response
    .writeHead(200, {
      'content-type': types[name.split('.').at(-1)],
      'content-security-policy':
        "default-src 'self'; connect-src 'self' ws: wss:; img-src 'self' data:; frame-ancestors 'self'",
      'x-content-type-options': 'nosniff',
    })
    .end(content);
}
