import { execFile } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Artifacts } from './artifacts.js';

/**
 * Writes the engine's command line as its distribution has it: a shell script that stays while its Java runs, prepares
 * `$HOME/.dt` and takes the JVM's options from `DT_CLIENT_OPTS`.
 */
export async function writeCommandLine(
  directory: string,
  conf: string,
  { javaHome, hadoop, engine }: Artifacts,
): Promise<string> {
  const file = join(directory, 'apex');
  await writeFile(
    file,
    `#!/bin/bash
if [ ! -f "$HOME/.dt/clirc" ]; then
  mkdir -p "$HOME/.dt"
  echo '# User editable apex settings' >"$HOME/.dt/clirc"
fi
export HADOOP_CONF_DIR='${conf}'
"${javaHome}/bin/java" -XX:+UseSerialGC -XX:TieredStopAtLevel=1 \${DT_CLIENT_OPTS:--Xmx384m} \\
  -cp "${conf}:${engine}/*:${hadoop}/*" com.datatorrent.stram.cli.ApexCli "$@"
`,
  );
  await chmod(file, 0o755);
  return file;
}

/** Writes what `yarn logs` is of Hadoop's script `yarn`, which is not among its jars. */
export async function writeYarnCommand(
  directory: string,
  conf: string,
  { javaHome, hadoop }: Artifacts,
): Promise<string> {
  const file = join(directory, 'yarn');
  await writeFile(
    file,
    `#!/bin/bash
[ "$1" = logs ] || exit 1
shift
exec "${javaHome}/bin/java" -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xmx128m \\
  -cp "${conf}:${hadoop}/*" org.apache.hadoop.yarn.client.cli.LogsCLI "$@"
`,
  );
  await chmod(file, 0o755);
  return file;
}

/** Runs one command of the engine's and resolves the JSON that it prints. */
export async function apex(
  { apex, directory }: { readonly apex: string; readonly directory: string },
  command: string,
): Promise<unknown> {
  const env = { ...process.env, HOME: join(directory, 'home') };
  await mkdir(env.HOME, { recursive: true });
  const { stdout } = await promisify(execFile)(apex, ['-r', '-e', command], { env, timeout: 120_000 });
  return stdout.trim() === '' ? undefined : JSON.parse(stdout);
}
