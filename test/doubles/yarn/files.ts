import { type Answer, type Asked, type DoubleServer, json, remoteException, serve } from './server.js';

/** The file system of the double: what is in it, and the servers that show it. */
export interface DoubleFiles {
  readonly nameNode: DoubleServer;
  readonly dataNode: DoubleServer;
  /** Refuses changes. */
  safeMode: boolean;
  /** Takes no content any more: `quota` of a folder, or all of its disks. */
  full: 'disks' | 'quota' | undefined;
  /** Is not the one that is active. */
  standby: boolean;
  /** Paths below these may not be read. */
  readonly forbidden: Set<string>;
  write(path: string, text: string): void;
  append(path: string, text: string): void;
  read(path: string): string | undefined;
  remove(path: string): boolean;
  names(folder: string): string[];
}

interface Entry {
  content: Buffer;
  /** Of the creation: an open file keeps it, and its length as of then. */
  modified: number;
}

export async function doubleFiles(): Promise<DoubleFiles> {
  const entries = new Map<string, Entry>();

  const under = (folder: string) =>
    [...entries.keys()].filter((path) => path.startsWith(`${folder.replace(/\/$/, '')}/`));

  function status(path: string, name: string) {
    const entry = entries.get(path);
    if (entry)
      // Stale: what was flushed since the file was created is not counted.
      return { pathSuffix: name, type: 'FILE', length: 0, modificationTime: entry.modified, owner: 'hadoop' };
    return { pathSuffix: name, type: 'DIRECTORY', length: 0, modificationTime: 0, owner: 'hadoop' };
  }

  function names(folder: string): string[] {
    const length = folder.replace(/\/$/, '').length + 1;
    return [...new Set(under(folder).map((path) => path.slice(length).split('/')[0] ?? ''))];
  }

  const isForbidden = (path: string) => [...files.forbidden].some((one) => path.startsWith(one));
  const denied = (path: string) =>
    remoteException('AccessControlException', 403, `Permission denied: user=hadoop, inode="${path}"`);

  function ask({ method, path: whole, query }: Asked): Answer {
    const path = whole.replace(/^\/webhdfs\/v1/, '').replace(/\/$/, '');
    if (files.standby)
      return remoteException(
        'StandbyException',
        403,
        'Operation category READ is not supported in state standby',
      );
    // Whether a file may be made is looked at where its content goes.
    if (query.get('op') !== 'CREATE' && isForbidden(path)) return denied(path);
    if (method !== 'GET' && files.safeMode)
      return remoteException('SafeModeException', 403, 'Name node is in safe mode.');
    switch (query.get('op')) {
      case 'LISTSTATUS': {
        const found = names(path);
        if (found.length === 0 && !entries.has(path))
          return remoteException('FileNotFoundException', 404, `File ${path} does not exist.`);
        const list = entries.has(path)
          ? [status(path, '')]
          : found.map((name) => status(`${path}/${name}`, name));
        return json({ FileStatuses: { FileStatus: list } });
      }
      case 'OPEN':
        // That it is a folder is found out by the data node.
        if (!entries.has(path) && names(path).length === 0)
          return remoteException('FileNotFoundException', 404, `No ${path}`);
        return toDataNode(whole, query, 307);
      case 'CREATE':
        return toDataNode(whole, query, 307);
      case 'DELETE':
        return json({ boolean: files.remove(path) });
      default:
        return remoteException('IllegalArgumentException', 400, 'Invalid value for webhdfs parameter "op"');
    }
  }

  const toDataNode = (path: string, query: URLSearchParams, code: number): Answer => ({
    status: code,
    headers: {
      location: `${dataNode.url}${path.split('/').map(encodeURIComponent).join('/')}?${query}`,
      'content-type': 'application/octet-stream',
    },
  });

  function store({ method, path: whole, body }: Asked): Answer {
    const path = whole.replace(/^\/webhdfs\/v1/, '');
    if (method === 'PUT') {
      if (isForbidden(path)) return denied(path);
      if (files.full === 'quota')
        return remoteException(
          'DSQuotaExceededException',
          403,
          'The DiskSpace quota of /user/hadoop is exceeded: quota = 10 B = 10 B',
        );
      if (files.full)
        return remoteException(
          'IOException',
          403,
          `File ${path} could only be replicated to 0 nodes instead of minReplication (=1).\n\tat x`,
        );
      files.write(path, body);
      return { status: 201 };
    }
    const entry = entries.get(path);
    if (!entry) return remoteException('FileNotFoundException', 404, `No ${path}`);
    return { status: 200, headers: { 'content-type': 'application/octet-stream' }, body: entry.content };
  }

  const dataNode = await serve(store);
  const nameNode = await serve(ask);
  const files: DoubleFiles = {
    nameNode,
    dataNode,
    safeMode: false,
    full: undefined,
    standby: false,
    forbidden: new Set(),
    names,
    write: (path, text) => {
      entries.set(path, { content: Buffer.from(text), modified: Date.now() });
    },
    append: (path, text) => {
      const entry = entries.get(path);
      if (entry) entry.content = Buffer.concat([entry.content, Buffer.from(text)]);
      else files.write(path, text);
    },
    read: (path) => entries.get(path)?.content.toString(),
    remove(path) {
      const gone = [path, ...under(path)].filter((one) => entries.has(one));
      for (const one of gone) entries.delete(one);
      return gone.length > 0;
    },
  };
  return files;
}
