import type { DoubleApplication } from './application.js';
import { type Answer, type DoubleServer, html, serve } from './server.js';

/** The logs of containers, as a node manager of Hadoop 2.7 shows them. */
export async function doubleNodeManager(
  find: (appOrContainer: string) => DoubleApplication | undefined,
): Promise<DoubleServer> {
  return serve(({ path, headers }) => {
    const raw = /^\/logs\/userlogs\/([^/]+)\/([^/]+)\/([^/]*)$/.exec(path);
    if (raw) return file(find(raw[1] ?? ''), raw[3] ?? '', headers.range);
    const service = /^\/ws\/v1\/node\/containerlogs\/([^/]+)\/([^/]+)$/.exec(path);
    if (service) {
      const text = find(service[1] ?? '')?.logs.get(service[2] ?? '');
      if (text === undefined) return html('not found', 404);
      return {
        status: 200,
        headers: { 'content-type': ['text/plain; charset=utf-8', 'text/plain'] },
        body: text,
      };
    }
    const page = /^\/node\/containerlogs\/([^/]+)\/[^/]+$/.exec(path);
    const application = page && find(page[1] ?? '');
    if (!application) return html('not found', 404);
    const links = [...application.logs].map(
      ([name, text]) =>
        `<p><a href="/x/${name}/?start=-4096">${name} : Total file length is ${Buffer.byteLength(text)} bytes.</a></p>`,
    );
    return html(links.join('\n'));
  });
}

function file(application: DoubleApplication | undefined, name: string, range: string | undefined): Answer {
  if (!application) return html('not found', 404);
  if (name === '') {
    const rows = [...application.logs].map(
      ([one, text]) =>
        `<TR><TD><A HREF="/${one}">${one}&nbsp;</TD><TD ALIGN=right>${Buffer.byteLength(text)} bytes&nbsp;</TD></TR>`,
    );
    return html(`<TABLE>${rows.join('\n')}</TABLE>`);
  }
  const text = application.logs.get(name);
  if (text === undefined) return html('not found', 404);
  const bytes = Buffer.from(text);
  const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(range ?? '') ?? [];
  if (start === undefined || end === undefined) return { status: 200, body: bytes };
  if (Number(start) >= bytes.length)
    // With the whole file, as the real one.
    return { status: 416, headers: { 'content-range': `bytes */${bytes.length}` }, body: bytes };
  const last = Math.min(Number(end), bytes.length - 1);
  return {
    status: 206,
    headers: { 'content-range': `bytes ${start}-${last}/${bytes.length}` },
    body: bytes.subarray(Number(start), last + 1),
  };
}
