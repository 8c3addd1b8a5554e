import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * `execPath` of containers without the test runner's hooks, which it puts into the environment of every child process:
 * they more than double the time of its start, and rewrite its stack traces. The script goes with the folder.
 */
export function bareRuntime(folder: string): string {
  if (process.platform === 'win32') return process.execPath;
  const path = join(folder, 'bare-node');
  const channel = ['NODE_CHANNEL_FD', 'NODE_CHANNEL_SERIALIZATION_MODE'].map((name) => `${name}="$${name}"`);
  writeFileSync(path, `#!/bin/sh\nexec env -i ${channel.join(' ')} '${process.execPath}' "$@"\n`, {
    mode: 0o755,
  });
  return path;
}
