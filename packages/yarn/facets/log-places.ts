import type { Container, LogInfo } from 'headgate/driver-kit';
import * as z from 'zod';

/** Where a container's logs are: the address of its node manager, and the paths there. */
export interface LogPlace {
  /** `host:port` */
  readonly node: string;
  readonly origin: string;
  /** A page that lists the files, with a path below it for each. */
  readonly page: string;
  /** A folder of plain files, of which parts can be read; `undefined`: the node manager does not show it. */
  readonly folder: string | undefined;
  /** The service that gives a file as a whole. */
  readonly service: string;
  /** The service that lists the files, since 2.8. */
  readonly list: string;
}

/** `undefined` when the cluster never told where. Only the address is taken from what was told; the paths are known. */
export function logPlaceOf(
  { id, containerLogsUrl, rawContainerLogsUrl }: Container,
  appId: string,
  user: string,
): LogPlace | undefined {
  const url = withScheme(containerLogsUrl || rawContainerLogsUrl);
  if (url === undefined || !/^https?:$/.test(url.protocol)) return undefined;
  return {
    node: url.host,
    origin: url.origin,
    page: `/node/containerlogs/${id}/${encodeURIComponent(user)}`,
    folder: rawContainerLogsUrl === '' ? undefined : `/logs/userlogs/${appId}/${id}`,
    service: `/ws/v1/node/containerlogs/${id}`,
    list: `/ws/v1/node/containers/${id}/logs`,
  };
}

function withScheme(address: string): URL | undefined {
  const url = /^https?:\/\//.test(address) ? address : `http://${address}`;
  return address !== '' && URL.canParse(url) ? new URL(url) : undefined;
}

export const isLogName = (name: string): boolean => /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(name);

/** The page of a node manager: `apex.log : Total file length is 12871 bytes.` */
export function logsOnPage(html: string): LogInfo[] {
  const found = html.matchAll(/>\s*([^<>\s]{1,128}) : Total file length is (\d{1,15}) bytes/g);
  return named([...found].map(([, name = '', length = '']) => ({ name, length: Number(length) })));
}

/** The list of a folder: `<A HREF="...">apex.log&nbsp;</TD><TD ALIGN=right>12871 bytes&nbsp;` */
export function logsInFolder(html: string): LogInfo[] {
  const found = html.matchAll(
    /<a [^>]{1,1000}>([^<>&\s]{1,128})(?:&nbsp;)?(?:<\/a>)?<\/td>\s*<td[^>]{0,100}>(\d{1,15}) bytes/gi,
  );
  return named([...found].map(([, name = '', length = '']) => ({ name, length: Number(length) })));
}

const Listed = z.object({
  containerLogInfo: z
    .array(z.object({ fileName: z.string(), fileSize: z.union([z.string(), z.number()]).transform(Number) }))
    .default([]),
});
const one = Listed.transform((list) => [list]);
const Lists = z.union([
  z.object({ containerLogsInfo: z.union([z.array(Listed), one]) }).transform((all) => all.containerLogsInfo),
  one,
]);

/** The JSON of node managers since 2.8, in the shapes that it has had; `undefined`: it is none of them. */
export function logsInList(value: unknown): LogInfo[] | undefined {
  const lists = Lists.safeParse(value).data;
  return lists && named(lists.flatMap((list) => list.containerLogInfo.map(sized)));
}

const sized = ({ fileName: name, fileSize: length }: { fileName: string; fileSize: number }): LogInfo => ({
  name,
  length: Number.isSafeInteger(length) ? length : 0,
});

/** Those that may be asked for, each once, by name. */
export const named = (logs: readonly LogInfo[]): LogInfo[] =>
  [...new Map(logs.filter(({ name }) => isLogName(name)).map((log) => [log.name, log])).values()].sort(
    (one, other) => (one.name < other.name ? -1 : 1),
  );
