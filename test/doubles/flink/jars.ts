import { randomUUID } from 'node:crypto';
import type { Answer, Asked } from '../yarn/server.js';
import { answers, type Route } from './answers.js';
import { type DoubleJob, newJob } from './job.js';

/** What the JobManager was given to run. */
export interface DoubleJars {
  /** Of Flink. */
  version: string;
  readonly uploaded: Map<
    string,
    { readonly name: string; readonly uploaded: number; readonly bytes: Buffer }
  >;
  /** Every jar that ever came, by the name that it came under. */
  readonly taken: { readonly name: string; readonly bytes: Buffer }[];
  /** What was ordered, the oldest first. */
  readonly runs: RunBody[];
  /**
   * What happens to the next run: `lost` begins the job and does not say so, `unheard` does neither, `hangs` says nothing for ever.
   * `web.submit.enable` is false for `off`, of all jars.
   */
  next: 'lost' | 'unheard' | 'hangs' | 'off' | undefined;
}

export interface RunBody {
  readonly jobId: string;
  readonly entryClass: string;
  readonly programArgsList: readonly string[];
  readonly parallelism?: number;
  readonly savepointPath?: string;
  readonly allowNonRestoredState?: boolean;
  readonly flinkConfiguration?: Readonly<Record<string, string>>;
}

export const newJars = (): DoubleJars => ({
  version: '2.3.0',
  uploaded: new Map(),
  taken: [],
  runs: [],
  next: undefined,
});

const folder = '/tmp/flink-web-5a1c/flink-web-upload';
const { json, refused, failed } = answers;
const completion = 'java.util.concurrent.CompletionException: ';
const invocation = 'org.apache.flink.client.program.ProgramInvocationException: ';
const notExecuted =
  'org.apache.flink.runtime.rest.handler.RestHandlerException: Could not execute application.';

export function jarRoutes({
  jobs,
  jars,
}: {
  readonly jobs: Map<string, DoubleJob>;
  readonly jars: DoubleJars;
}): Route[] {
  const routes: Route[] = [
    ['POST', /^\/jars\/upload$/, (_, asked) => upload(jars, asked)],
    [
      'GET',
      /^\/jars$/,
      () =>
        json({
          address: 'http://127.0.0.1:8081',
          files: [...jars.uploaded].map(([id, { name, uploaded }]) => ({ id, name, uploaded, entry: [] })),
        }),
    ],
    [
      'DELETE',
      /^\/jars\/([^/]+)$/,
      ([id = '']) =>
        jars.uploaded.delete(id) ? json({}) : refused(400, `File ${id} does not exist in ${folder}.`),
    ],
    ['POST', /^\/jars\/([^/]+)\/run$/, ([id = ''], asked) => run(jars, jobs, id, asked)],
  ];
  return routes.map(([method, path, answer]) => [
    method,
    path,
    (parts, asked) => (jars.next === 'off' ? refused(404, `Not found: ${asked.path}`) : answer(parts, asked)),
  ]);
}

function upload(jars: DoubleJars, { bytes, headers }: Asked): Answer {
  const [, boundary = ''] = /boundary=(.+)$/.exec(headers['content-type'] ?? '') ?? [];
  const start = bytes.indexOf('\r\n\r\n') + 4;
  const end = bytes.lastIndexOf(`\r\n--${boundary}--`);
  const head = bytes.subarray(0, start).toString();
  const [, name = ''] = /name="jarfile"; filename="([^"]+)"/.exec(head) ?? [];
  if (boundary === '' || end < start || name === '')
    return refused(400, 'Exactly 1 file must be sent, received 0.');
  if (!name.endsWith('.jar')) return refused(400, 'Only Jar files are allowed.');
  const id = `${randomUUID()}_${name}`;
  const content = bytes.subarray(start, end);
  jars.uploaded.set(id, { name, uploaded: Date.now(), bytes: content });
  jars.taken.push({ name, bytes: content });
  return json({ filename: `${folder}/${id}`, status: 'success' });
}

/** What is at hand of savepoints. */
const isSaved = (path: string): boolean => /^file:\/(?:savepoints|checkpoints)\//.test(path);

function run(
  jars: DoubleJars,
  jobs: Map<string, DoubleJob>,
  id: string,
  { body }: Asked,
): Answer | Promise<Answer> {
  const order: RunBody = JSON.parse(body);
  jars.runs.push(order);
  const jar = jars.uploaded.get(id);
  const fault = jars.next;
  jars.next = undefined;
  if (fault === 'hangs') return new Promise(() => {});
  if (fault === 'unheard') throw new Error('the connection is lost');
  if (!jar) return refused(400, `Jar file ${folder}/${id} does not exist`);
  if (jar.bytes.toString('latin1', 0, 2) !== 'PK')
    return failed(
      `${completion}${invocation}Error while opening jar file '${folder}/${id}'. zip END header not found`,
      `${invocation}Error while opening jar file '${folder}/${id}'. zip END header not found`,
      'java.util.zip.ZipException: zip END header not found',
    );
  const { entryClass, jobId, savepointPath, programArgsList, flinkConfiguration } = order;
  if (!jar.bytes.includes(`${entryClass.replaceAll('.', '/')}.class`)) {
    const missing = `${invocation}The program's entry point class '${entryClass}' was not found in the jar file.`;
    return failed(completion + missing, missing, `java.lang.ClassNotFoundException: ${entryClass}`);
  }
  if (programArgsList.includes('--fail'))
    return failed(
      notExecuted,
      `${completion}org.apache.flink.util.FlinkRuntimeException: Could not execute application.`,
      `${invocation}The main method caused an error: no topic is given`,
      'java.lang.IllegalArgumentException: no topic is given',
    );
  if (jobs.has(jobId))
    return failed(
      notExecuted,
      'org.apache.flink.runtime.client.DuplicateJobSubmissionException: Job has already been submitted.',
    );
  const job = newJob(flinkConfiguration?.['pipeline.name'] ?? 'Flink Streaming Job', ['tm1', 'tm2'], {
    id: jobId,
  });
  jobs.set(jobId, job);
  if (savepointPath !== undefined && !isSaved(savepointPath)) {
    Object.assign(job, { state: 'FAILED', endedAt: Date.now() });
    return failed(
      notExecuted,
      'org.apache.flink.runtime.client.JobInitializationException: Could not start the JobMaster.',
      `java.io.FileNotFoundException: Cannot find checkpoint or savepoint file/directory '${savepointPath}' on file system 'file'.`,
    );
  }
  if (fault === 'lost') throw new Error('the connection is lost');
  return json({ jobid: jobId });
}
