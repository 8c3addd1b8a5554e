import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** A shell that goes on from one piece of text to the next, as somebody's terminal does. */
export interface Shell {
  /** Resolves what the commands printed; rejects with it when one of them failed. */
  run(commands: string): Promise<string>;
  close(): Promise<void>;
}

export function openShell(cwd: string): Shell {
  // Tap makes every child load a file of its own.
  const child = spawn('env', ['-u', 'NODE_OPTIONS', 'bash', '--noprofile', '--norc'], {
    cwd,
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true,
  });
  const mark = `-- done ${process.pid} --`;
  let output = '';
  let look = () => {};
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    look();
  });
  const closed = once(child, 'close');
  child.stdin.on('error', () => {});
  child.stdin.write('exec 2>&1\nset -eo pipefail\n');

  return {
    run: (commands) =>
      new Promise((resolve, reject) => {
        output = '';
        look = () => {
          const end = output.indexOf(mark);
          if (end >= 0) resolve(output.slice(0, end));
        };
        closed.then(() => reject(new Error(`The shell ended in\n${commands}\n${output}`)));
        child.stdin.write(`${commands}\necho; echo '${mark}'\n`);
      }),
    async close() {
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
      await closed;
    },
  };
}
