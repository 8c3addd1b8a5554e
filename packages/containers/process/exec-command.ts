import { execFile } from 'node:child_process';
import { ContainerFailed, ownedProcess } from 'headgate/driver-kit';
import { findProgram, type Places } from './program.js';

/** Runs a command beside the program, to its end; rejects with the last that it said unless it ends well. */
export async function execCommand(
  places: Places,
  [program = '', ...args]: readonly string[],
  given: {
    readonly cwd: string;
    readonly env: Readonly<Record<string, string>>;
    readonly timeoutMillis: number;
    readonly signal: AbortSignal | undefined;
  },
): Promise<void> {
  const { cwd, env, timeoutMillis, signal } = given;
  const path = await findProgram(places, program, env['PATH'] ?? '');
  await new Promise<void>((resolve, reject) => {
    const options = {
      cwd,
      env,
      timeout: timeoutMillis,
      killSignal: 'SIGKILL' as const,
      maxBuffer: 1024 * 1024,
      ...(signal ? { signal } : {}),
    };
    ownedProcess(
      execFile(path, args, options, (error, stdout, stderr) => {
        if (!error) return resolve();
        const said = (stderr || stdout).trimEnd().split('\n').at(-1)?.slice(0, 300);
        const how = error.killed ? `did not end within ${timeoutMillis} ms` : `ended with code ${error.code}`;
        reject(new ContainerFailed(`exec: ${program} ${how}${said ? `: ${said}` : ''}`, error));
      }),
    );
  });
}
