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
  /** What was asked to be planned, the oldest first. */
  readonly plans: PlanBody[];
  /** Status and text of the next plan, in place of one. */
  nextPlan: Answer | undefined;
  /**
   * What happens to the next run, or plan: `lost` begins the job and does not say so, `unheard` does neither, `hangs` says nothing for ever.
   * `web.submit.enable` is false for `off`, of all jars.
   */
  next: 'lost' | 'unheard' | 'hangs' | 'off' | undefined;
}

interface PlanBody {
  readonly entryClass: string;
  readonly programArgsList: readonly string[];
  readonly parallelism?: number;
  readonly flinkConfiguration?: Readonly<Record<string, string>>;
}

export interface RunBody extends PlanBody {
  readonly jobId: string;
  readonly savepointPath?: string;
  readonly allowNonRestoredState?: boolean;
}

export const newJars = (): DoubleJars => ({
  version: '2.3.0',
  uploaded: new Map(),
  taken: [],
  runs: [],
  plans: [],
  nextPlan: undefined,
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
    ['POST', /^\/jars\/([^/]+)\/plan$/, ([id = ''], asked) => plan(jars, id, asked)],
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
  const fault = jars.next;
  jars.next = undefined;
  if (fault === 'hangs') return new Promise(() => {});
  if (fault === 'unheard') throw new Error('the connection is lost');
  const problem = problemOf(jars, id, order);
  if (problem) return problem;
  const { jobId, savepointPath, flinkConfiguration } = order;
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

/** Of a program, before there is a job of it. */
function problemOf(
  jars: DoubleJars,
  id: string,
  { entryClass, programArgsList }: PlanBody,
): Answer | undefined {
  const jar = jars.uploaded.get(id);
  if (!jar) return refused(400, `Jar file ${folder}/${id} does not exist`);
  if (jar.bytes.toString('latin1', 0, 2) !== 'PK')
    return failed(
      `${completion}${invocation}Error while opening jar file '${folder}/${id}'. zip END header not found`,
      `${invocation}Error while opening jar file '${folder}/${id}'. zip END header not found`,
      'java.util.zip.ZipException: zip END header not found',
    );
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
  return undefined;
}

const branching = 'plus one<br/>:- split<br/>:  +- nowhere: Writer<br/>+- log<br/>';

function plan(jars: DoubleJars, id: string, { body }: Asked): Answer | Promise<Answer> {
  const order: PlanBody = JSON.parse(body);
  jars.plans.push(order);
  const { next: fault, nextPlan } = jars;
  Object.assign(jars, { next: undefined, nextPlan: undefined });
  if (fault === 'hangs') return new Promise(() => {});
  const problem = problemOf(jars, id, order) ?? nextPlan;
  if (problem) return problem;
  const { parallelism = 1, flinkConfiguration, programArgsList } = order;
  const branches = programArgsList.includes('--branches');
  const vertex = (vertexId: string, description: string, inputs: readonly object[]) => ({
    id: vertexId,
    parallelism,
    operator: '',
    operator_strategy: '',
    description,
    ...(inputs.length === 0 ? {} : { inputs }),
    optimizer_properties: {},
  });
  const input = (from: string, ship_strategy: string) => ({
    num: 0,
    id: from,
    ship_strategy,
    exchange: 'pipelined_bounded',
  });
  const nodes = [
    vertex('b'.repeat(32), branches ? branching : 'plus one<br/>', [input('a'.repeat(32), 'HASH')]),
    vertex('a'.repeat(32), 'Source: numbers<br/>', []),
  ];
  const name = flinkConfiguration?.['pipeline.name'] ?? 'Flink Streaming Job';
  return json({ plan: { jid: 'c'.repeat(32), name, type: 'STREAMING', nodes } });
}
