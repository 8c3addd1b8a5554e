import { type ChildProcess, fork } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { Duplex, PassThrough } from 'node:stream';
import { owned, ownedProcess } from 'headgate/driver-kit';
import type { Agent } from '../layout/physical-state.js';
import { FromContainer, type ToContainer } from '../protocol/protocol.js';
import { createPublishReader, publishChannel } from '../protocol/publish-frames.js';
import { createQuestions } from './questions.js';
import { createStackTraces } from './stack-traces.js';
import { createTopicFeeds, type Publish, type Subscribe } from './topic-feeds.js';

export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

interface AgentOptions {
  readonly containerId: string;
  /** Path of the file that it runs. */
  readonly program: string;
  readonly execPath: string;
  readonly execArgv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly memoryMB: number;
  readonly logDirectory: string;
  readonly publish: Publish;
  readonly subscribe: Subscribe;
  readonly onMessage: (message: FromContainer) => void;
  readonly onExit: (exit: Exit) => void;
}

/** What the process prints before it has files of its own, and what the runtime prints as it ends; none on a disk that takes nothing. */
function logFiles(directory: string): number[] {
  const files: number[] = [];
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    for (const name of ['stdout', 'stderr']) files.push(openSync(join(directory, name), 'a', 0o600));
  } catch {
    // It ends when it can't open its own, and is tried again: that is told as every failure is.
  }
  return files;
}

export function startContainer(options: AgentOptions): Agent {
  const files = logFiles(options.logDirectory);
  let child: ChildProcess;
  try {
    child = ownedProcess(
      fork(options.program, [], {
        execPath: options.execPath,
        execArgv: [`--max-old-space-size=${options.memoryMB}`, ...options.execArgv],
        env: { ...options.env },
        stdio: ['ignore', files[0] ?? 'ignore', files[1] ?? 'ignore', 'ipc', 'pipe', 'pipe'],
      }),
    );
  } finally {
    for (const file of files) closeSync(file);
  }
  let done = false;
  const send = (order: ToContainer, sent = () => {}) => {
    // A closed channel means that the process is ending: its exit tells the rest.
    if (child.connected) child.send(order, sent);
  };
  const questions = createQuestions(options.containerId, send);
  const watchdog = child.stdio[4];
  const traces = createStackTraces(
    options.containerId,
    // There is none when the program could not be started.
    watchdog instanceof Duplex ? watchdog : owned(new PassThrough()),
  );
  const feeds = createTopicFeeds(options.subscribe, send);
  const published = child.stdio.at(publishChannel);
  const readPublished = createPublishReader(options.publish);
  published?.on('data', (chunk: Buffer) => {
    if (!readPublished(chunk)) published.destroy();
  });
  const exited = new Promise<void>((resolve) => {
    const end = (exit: Exit) => {
      if (done) return;
      done = true;
      questions.end();
      feeds.end();
      traces.end();
      published?.destroy();
      resolve();
      options.onExit(exit);
    };
    child.on('exit', (code, signal) => end({ code, signal }));
    // The program could not be started; an error after the start (a full channel) is followed by an exit.
    child.on('error', () => {
      if (child.pid === undefined) end({ code: 127, signal: null });
    });
  });
  child.on('message', (raw) => {
    const message = FromContainer.safeParse(raw);
    // Operators share the process and may say anything; only what we know is heard.
    if (!message.success || done) return;
    const { data } = message;
    if (data.type === 'answer' || data.type === 'refusal') questions.settle(data);
    else if (data.type === 'subscribe' || data.type === 'unsubscribe') feeds.hear(data);
    else options.onMessage(data);
  });
  return {
    containerId: options.containerId,
    pid: child.pid ?? -1,
    exited,
    heartbeat: undefined,
    send,
    ask: questions.ask,
    stackTrace: traces.take,
    kill: () => {
      child.kill('SIGKILL');
    },
  };
}
