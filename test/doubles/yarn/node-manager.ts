import type { DoubleApplication } from './application.js';
import { type Answer, type DoubleServer, html, json, serve } from './server.js';

/** How node managers are. */
export interface NodeHabits {
  /** Of Hadoop: since 3 there is a service that lists logs. */
  version: 2 | 3;
  /** They know nothing of applications that have ended: their logs were handed in. */
  forgetEnded: boolean;
  /** Called when the first byte of a log was asked for, which tells its length. */
  probed(): void;
}

/** The logs of containers, as a node manager shows them. */
export async function doubleNodeManager(
  findAny: (appOrContainer: string) => DoubleApplication | undefined,
  habits: NodeHabits,
): Promise<DoubleServer> {
  const find = (id: string) => {
    const found = findAny(id);
    return habits.forgetEnded && found?.finalStatus !== 'UNDEFINED' ? undefined : found;
  };
  return serve(({ path, headers }) => {
    const raw = /^\/logs\/userlogs\/([^/]+)\/([^/]+)\/([^/]*)$/.exec(path);
    if (raw) {
      const answer = file(find(raw[1] ?? ''), raw[3] ?? '', headers.range);
      if (headers.range === 'bytes=0-0') habits.probed();
      return answer;
    }
    const service = /^\/ws\/v1\/node\/containerlogs\/([^/]+)\/([^/]+)$/.exec(path);
    if (service) {
      const text = find(service[1] ?? '')?.logs.get(service[2] ?? '');
      if (text === undefined) return unknownContainer;
      return {
        status: 200,
        headers: { 'content-type': ['text/plain; charset=utf-8', 'text/plain'] },
        body: text,
      };
    }
    const list = /^\/ws\/v1\/node\/containers\/([^/]+)\/logs$/.exec(path);
    if (list && habits.version === 3) return listOf(list[1] ?? '', find(list[1] ?? ''));
    const page = /^\/node\/containerlogs\/([^/]+)\/[^/]+$/.exec(path);
    const application = page && find(page[1] ?? '');
    if (page && !application && findAny(page[1] ?? ''))
      return { status: 302, headers: { location: 'http://127.0.0.1:1/jobhistory/logs/' } };
    if (!application) return html('not found', 404);
    const links = [...application.logs].map(
      ([name, text]) =>
        `<p><a href="/x/${name}/?start=-4096">${name} : Total file length is ${Buffer.byteLength(text)} bytes.</a></p>`,
    );
    return html(links.join('\n'));
  });
}

const unknownContainer: Answer = {
  status: 404,
  headers: { 'content-type': 'text/plain' },
  body: 'java.lang.Exception: Unknown container. Container either has not started or has already completed.',
};

function listOf(containerId: string, application: DoubleApplication | undefined): Answer {
  if (!application) return unknownContainer;
  const containerLogInfo = [...application.logs].map(([fileName, text]) => ({
    lastModifiedTime: 'Sat Nov 21 19:04:41 +0000 2026',
    fileSize: String(Buffer.byteLength(text)),
    fileName,
  }));
  return json({ containerLogsInfo: { logAggregationType: 'LOCAL', containerId, containerLogInfo } });
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
