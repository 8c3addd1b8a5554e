import { createHash } from 'node:crypto';
import { ContainerFailed, openSource } from 'headgate/driver-kit';
import * as z from 'zod';
import type { Http } from './http.js';
import type { DockerRuntimeOptions, readDockerOptions } from './options.js';

interface Install {
  readonly image: string;
  readonly srcUrl?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly tell: (sentence: string) => void;
}

const Image = z.object({ Id: z.string() });
/** A line of what a pull or a load tells while it goes on. */
const Line = z.object({
  error: z.string().nullish(),
  id: z.string().nullish(),
  progressDetail: z.object({ current: z.number().nullish(), total: z.number().nullish() }).nullish(),
});

/** Which archive an image was loaded from is a second name of it. */
const markRepository = 'headgate-loaded';
const markOf = (srcUrl: string) => createHash('sha256').update(srcUrl).digest('hex').slice(0, 32);

/** Resolves when the image is there: as it was, pulled, or loaded from `srcUrl`. */
export async function installImage(
  http: Http,
  options: ReturnType<typeof readDockerOptions>,
  install: Install,
): Promise<void> {
  const { image, srcUrl, signal } = install;
  const idOf = async (name: string) => (await http.ask(`/images/${name}/json`, Image, { signal }))?.Id;
  const id = await idOf(image);
  if (srcUrl === undefined) {
    if (id === undefined) await pull(http, options, install);
    return;
  }
  const mark = markOf(srcUrl);
  if (id !== undefined && (await idOf(`${markRepository}:${mark}`)) === id) return;
  await load(http, options, { ...install, srcUrl });
  if ((await idOf(image)) === undefined)
    throw new ContainerFailed(`The archive of srcUrl was loaded, and there is no image ${image} in it`);
  await http.order(`/images/${image}/tag?repo=${markRepository}&tag=${mark}`, { signal });
}

async function pull(
  http: Http,
  { limits, registries = {} }: ReturnType<typeof readDockerOptions>,
  { image, signal, tell }: Install,
): Promise<void> {
  tell(`Fetching the image ${image}`);
  const lines = http.stream(`/images/create?fromImage=${encodeURIComponent(image)}`, {
    method: 'POST',
    signal,
    timeoutMillis: limits.imageMillis,
    headers: loginFor(image, registries),
  });
  const layers = new Map<string, { current: number; total: number }>();
  await followed(lines, ({ id, progressDetail }) => {
    const { current, total } = progressDetail ?? {};
    if (!id || !current || !total) return;
    layers.set(id, { current: Math.max(current, layers.get(id)?.current ?? 0), total });
    const sum = (member: 'current' | 'total') =>
      [...layers.values()].reduce((bytes, layer) => bytes + layer[member], 0);
    tell(`Fetched ${megabytes(sum('current'))} of ${megabytes(sum('total'))} MB of the image ${image}`);
  });
}

function loginFor(image: string, registries: NonNullable<DockerRuntimeOptions['registries']>) {
  const [registry = '', path] = image.split('/');
  const login = registries[path === undefined ? 'docker.io' : registry];
  if (!login) return {};
  const text = JSON.stringify({ ...login, serveraddress: registry });
  return { 'x-registry-auth': Buffer.from(text).toString('base64url') };
}

async function load(
  http: Http,
  { limits }: ReturnType<typeof readDockerOptions>,
  { srcUrl, signal, tell }: Install & { readonly srcUrl: string },
): Promise<void> {
  const { content } = await openSource(srcUrl, { signal, maxBytes: limits.archiveBytes, onProgress: tell });
  tell('Fetching the archive of srcUrl');
  try {
    await followed(
      http.stream('/images/load?quiet=true', {
        method: 'POST',
        body: content,
        headers: { 'content-type': 'application/x-tar' },
        signal,
        timeoutMillis: limits.imageMillis,
      }),
      () => {},
    );
  } finally {
    content.destroy();
  }
}

/** Failures come as a line, behind a status that says that all is well. */
async function followed(
  pieces: AsyncIterable<Buffer>,
  tell: (line: z.output<typeof Line>) => void,
): Promise<void> {
  let rest = '';
  const decoder = new TextDecoder();
  const read = (text: string) => {
    const line = parsedLine(text);
    if (line?.error) throw new ContainerFailed(`The container runtime says: ${line.error.trim()}`);
    if (line) tell(line);
  };
  for await (const piece of pieces) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n');
    rest = (lines.pop() ?? '').slice(0, 2 ** 16);
    for (const line of lines) read(line);
  }
  read(rest);
}

function parsedLine(text: string): z.output<typeof Line> | undefined {
  try {
    return Line.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

const megabytes = (bytes: number): number => Math.round(bytes / 2 ** 20);
