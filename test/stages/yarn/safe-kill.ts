import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Node managers end containers by `kill -15 -<group>`. The `kill` of procps 4.0.2 (Debian 12) takes only the first digit
 * of that group: of `-1234` it makes `-1`, which is every process of the machine. The shell's own one reads it right.
 * It comes first in the path of the daemons, and refuses what is not exactly one signal and one process or group.
 */
export async function writeSafeKill(directory: string): Promise<void> {
  const file = join(directory, 'kill');
  await writeFile(
    file,
    `#!/bin/bash
if [[ $# -ne 2 || ! $1 =~ ^-[0-9]+$ || ! $2 =~ ^-?[1-9][0-9]*$ || \${2#-} == 1 ]]; then
  echo "kill: refused: $*" >&2
  exit 1
fi
builtin kill "$1" -- "$2"
`,
  );
  await chmod(file, 0o755);
}
