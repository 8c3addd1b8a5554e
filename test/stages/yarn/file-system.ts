import { userInfo } from 'node:os';

/** Whether WebHDFS answers, outside safe mode, with a place to store blocks. */
export async function takesFiles(nameNode: string): Promise<boolean> {
  const answer = await beans(nameNode, 'Hadoop:service=NameNode,name=FSNamesystemState');
  return answer?.FSState === 'Operational' && Number(answer.NumLiveDataNodes) > 0;
}

async function beans(nameNode: string, name: string): Promise<Record<string, unknown> | undefined> {
  const reply = await fetch(`${nameNode}/jmx?qry=${name}`).catch(() => undefined);
  if (!reply?.ok) return undefined;
  const { beans } = (await reply.json()) as { beans: Record<string, unknown>[] };
  return beans[0];
}

/** The directories that any user may write to, as an installation of Hadoop makes them. */
export async function openDirectories(nameNode: string): Promise<void> {
  const user = userInfo().username;
  for (const [path, permission] of [
    ['/tmp', '1777'],
    ['/user', '777'],
  ]) {
    const url = `${nameNode}/webhdfs/v1${path}?user.name=${user}`;
    const made = await fetch(`${url}&op=MKDIRS`, { method: 'PUT' });
    const opened = await fetch(`${url}&op=SETPERMISSION&permission=${permission}`, { method: 'PUT' });
    if (!made.ok || !opened.ok) throw new Error(`${path}: ${made.status} ${opened.status}`);
  }
}
