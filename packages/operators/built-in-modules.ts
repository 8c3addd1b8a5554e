import type { OperatorClass } from './operator.js';

/** Where each of the built-in classes is: for those who need few of them. */
export const builtInModules: ReadonlyMap<string, () => Promise<OperatorClass>> = new Map<
  string,
  () => Promise<OperatorClass>
>([
  ['headgate.io.FileLines', async () => (await import('./file-lines.js')).FileLines],
  ['headgate.io.HttpPoll', async () => (await import('./http-poll.js')).HttpPoll],
  ['headgate.io.RandomGenerator', async () => (await import('./random-generator.js')).RandomGenerator],
  ['headgate.io.Timer', async () => (await import('./timer.js')).Timer],
  ['headgate.io.ConsoleOutput', async () => (await import('./console-output.js')).ConsoleOutput],
  ['headgate.io.FileOutput', async () => (await import('./file-output.js')).FileOutput],
  ['headgate.io.HubOutput', async () => (await import('./hub-output.js')).HubOutput],
  ['headgate.io.SnapshotServer', async () => (await import('./snapshot-server.js')).SnapshotServer],
  ['headgate.parse.JsonParse', async () => (await import('./json-parse.js')).JsonParse],
  ['headgate.parse.RegexParse', async () => (await import('./regex-parse.js')).RegexParse],
  ['headgate.transform.Combine', async () => (await import('./combine.js')).Combine],
  ['headgate.transform.Dedup', async () => (await import('./dedup.js')).Dedup],
  ['headgate.transform.Filter', async () => (await import('./filter.js')).Filter],
  ['headgate.transform.Join', async () => (await import('./join.js')).Join],
  ['headgate.transform.Map', async () => (await import('./map.js')).FieldMap],
  ['headgate.transform.Throttle', async () => (await import('./throttle.js')).Throttle],
  ['headgate.aggregate.Average', async () => (await import('./average.js')).Average],
  ['headgate.aggregate.Count', async () => (await import('./count.js')).Count],
  ['headgate.aggregate.Maximum', async () => (await import('./maximum.js')).Maximum],
  ['headgate.aggregate.Minimum', async () => (await import('./minimum.js')).Minimum],
  ['headgate.aggregate.Percentiles', async () => (await import('./percentiles.js')).Percentiles],
  ['headgate.aggregate.Sum', async () => (await import('./sum.js')).Sum],
  ['headgate.aggregate.TopN', async () => (await import('./top-n.js')).TopN],
  ['headgate.aggregate.MergeAggregates', async () => (await import('./merge-aggregates.js')).MergeAggregates],
  ['headgate.aggregate.MergeTopN', async () => (await import('./merge-top-n.js')).MergeTopN],
]);
