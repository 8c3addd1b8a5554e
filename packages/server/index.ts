import { version } from 'headgate';
import { runServer } from './server.js';
import { readSettings, usage } from './settings.js';

/**
 * Runs the server until SIGTERM or SIGINT, as the command line (`['--port', '8080']`) and the environment variables
 * `HEADGATE_*` say; `--help` tells all of them. It owns the process: it listens to signals, prints, and ends it with 2 for an
 * option that can't be taken and with 1 where it can't start.
 */
export async function main(args: readonly string[]): Promise<void> {
  const read = settingsOf(args);
  if (read === undefined) process.exit(2);
  if ('asks' in read) {
    process.stdout.write(read.asks === 'help' ? usage : `${version}\n`);
    return;
  }
  try {
    await runServer(read);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  }
}

function settingsOf(args: readonly string[]): ReturnType<typeof readSettings> | undefined {
  try {
    return readSettings(args, process.env);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    return undefined;
  }
}
