import { spawn } from 'node:child_process';
import { Conflict } from 'headgate/driver-kit';
import pidusage from 'pidusage';

const sampleMillis = 1000;
/** Samples that averages are over. */
const samplesKept = 10;

/** Starts one process an operator and joins them by pipes; what it returns changes as they run. */
export function startPipeline({ id, user, name, definition, programs }) {
  const { operators, streams } = definition;
  const pipeline = {
    id,
    user,
    name,
    definition,
    startedTime: Date.now(),
    finishedTime: 0,
    state: 'RUNNING',
    diagnostics: '',
    operators: operators.map((operator, index) => startOperator(operator, String(index + 1), programs)),
    shutdown,
    kill,
  };
  const of = (operatorName) => pipeline.operators.find((one) => one.name === operatorName);

  for (const { source, sinks } of streams)
    for (const sink of sinks) join(of(source.operatorName), of(sink.operatorName));
  // Output that no stream takes is read all the same: a full pipe would stop its writer.
  for (const { process } of pipeline.operators) process.stdout.resume();
  const timer = setInterval(() => sample(pipeline.operators), sampleMillis);

  /** Why it ends, as far as somebody said so. */
  let wanted;
  const ended = Promise.all(
    pipeline.operators.map(async (operator) => {
      const problem = await operator.ended;
      if (!problem || wanted) return;
      pipeline.diagnostics ||= `${operator.name} ${problem}`;
      for (const { process } of pipeline.operators) process.kill('SIGKILL');
    }),
  ).then(() => {
    clearInterval(timer);
    pipeline.finishedTime = Date.now();
    pipeline.state = wanted ?? (pipeline.diagnostics ? 'FAILED' : 'FINISHED');
  });

  /** Sources are asked to end; everybody else ends when what they read does. */
  function shutdown() {
    wanted ??= 'FINISHED';
    const fed = new Set(streams.flatMap(({ sinks }) => sinks.map((sink) => sink.operatorName)));
    for (const { name, process } of pipeline.operators) if (!fed.has(name)) process.kill('SIGTERM');
  }
  function kill() {
    if (!pipeline.finishedTime) wanted = 'KILLED';
    for (const { process } of pipeline.operators) process.kill('SIGKILL');
    return ended;
  }

  return pipeline;
}

function startOperator({ name, class: className, properties = {} }, id, programs) {
  const [command, ...given] = programs[className].command;
  const extra = properties.arguments ?? [];
  const process = spawn(command, [...given, ...[extra].flat().map(String)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const operator = {
    id,
    name,
    className,
    process,
    startedTime: Date.now(),
    finishedTime: -1,
    emitted: 0,
    processed: 0,
    cpu: 0,
    memoryBytes: 0,
    samples: [],
  };
  process.stdout.on('data', (bytes) => {
    operator.emitted += linesIn(bytes);
  });
  // Whoever ends early leaves a pipe that nobody reads; its exit code tells why.
  process.stdin.on('error', () => {});
  operator.ended = new Promise((resolve) => {
    const end = (problem) => {
      operator.finishedTime = Date.now();
      resolve(problem);
    };
    process.once('error', ({ message }) => end(`could not be started: ${message}`));
    process.once('close', (code, signal) => end(code === 0 ? '' : `ended with ${code ?? signal}`));
  });
  return operator;
}

export function requireRunning({ id, finishedTime }) {
  if (finishedTime) throw new Conflict('APPLICATION_ENDED', `${id} has ended`);
}

/** A pipe with back-pressure; of several readers the slowest sets the pace. */
function join(source, sink) {
  source.process.stdout.on('data', (bytes) => {
    sink.processed += linesIn(bytes);
  });
  source.process.stdout.pipe(sink.process.stdin);
}

function linesIn(bytes) {
  let lines = 0;
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) lines++;
  return lines;
}

async function sample(operators) {
  const living = operators.filter(({ process, finishedTime }) => process.pid && finishedTime < 0);
  // Those that end meanwhile have no usage any more.
  const usage = await pidusage(living.map(({ process }) => process.pid)).catch(() => ({}));
  for (const operator of living) {
    const { cpu = operator.cpu, memory = operator.memoryBytes } = usage[operator.process.pid] ?? {};
    Object.assign(operator, { cpu, memoryBytes: memory });
    const { emitted, processed, samples } = operator;
    samples.push({ at: Date.now(), emitted, processed });
    if (samples.length > samplesKept) samples.shift();
  }
}
