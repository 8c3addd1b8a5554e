import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Artifacts } from './artifacts.js';
import { compile } from './java-jar.js';

/** The engine's own class for the hub, alone in a process. */
export interface EngineClient {
  /** What it told so far: `opened`, `closed`, `published ...`, and what went wrong. */
  told(): readonly string[];
  publish(line: string): void;
  close(): Promise<void>;
}

export interface EngineClientOptions {
  /** `host:port` of the gateway. */
  readonly address: string;
  readonly topic: string;
  /** Without one it does not log in. */
  readonly login?: { readonly userName: string; readonly password: string };
}

/** Compiles the program once, for as many clients as are wanted. */
export async function engineClients(
  parts: Artifacts,
  directory: string,
): Promise<(options: EngineClientOptions) => Promise<EngineClient>> {
  const { javaHome, engine, hadoop } = parts;
  const classes = join(directory, 'programs');
  await compile(parts, 'programs', classes, `${engine}/*:${hadoop}/*`);

  return async ({ address, topic, login }) => {
    const child = spawn(
      join(javaHome, 'bin/java'),
      [
        ...['-Xmx64m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Djava.net.preferIPv4Stack=true'],
        ...['-cp', `${classes}:${engine}/*:${hadoop}/*`, 'org.example.EngineClient', address, topic],
        ...(login ? [login.userName, login.password] : []),
      ],
      // Where it works, a run that is given up finds and ends it.
      { cwd: directory, stdio: ['pipe', 'pipe', 'pipe'] },
    );
    const closed = once(child, 'close');
    let output = '';
    const opened = new Promise<void>((resolve, reject) => {
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (text: string) => {
          output += text;
          if (/^opened$/m.test(output)) resolve();
        });
      child.once('error', reject);
      child.once('close', () => reject(new Error(`The engine's client ended:\n${output}`)));
    });
    child.stdin.on('error', () => {});
    await opened;
    return {
      told: () => output.split('\n').filter((line) => line !== ''),
      publish: (line) => child.stdin.write(`${line}\n`),
      async close() {
        child.kill('SIGKILL');
        await closed;
      },
    };
  };
}
