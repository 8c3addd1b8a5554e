import { Average } from './average.js';
import { Combine } from './combine.js';
import { ConsoleOutput } from './console-output.js';
import { Count } from './count.js';
import { Dedup } from './dedup.js';
import { FileLines } from './file-lines.js';
import { FileOutput } from './file-output.js';
import { Filter } from './filter.js';
import { HttpPoll } from './http-poll.js';
import { HubOutput } from './hub-output.js';
import { Join } from './join.js';
import { JsonParse } from './json-parse.js';
import { FieldMap } from './map.js';
import { Maximum } from './maximum.js';
import { MergeAggregates } from './merge-aggregates.js';
import { MergeTopN } from './merge-top-n.js';
import { Minimum } from './minimum.js';
import type { OperatorClass } from './operator.js';
import { Percentiles } from './percentiles.js';
import { RandomGenerator } from './random-generator.js';
import { RegexParse } from './regex-parse.js';
import { SnapshotServer } from './snapshot-server.js';
import { Sum } from './sum.js';
import { Throttle } from './throttle.js';
import { Timer } from './timer.js';
import { TopN } from './top-n.js';

export { PropertiesError, parseProperties } from './parse-properties.js';
export { operatorReference } from './reference.js';
export {
  Average,
  Combine,
  ConsoleOutput,
  Count,
  Dedup,
  FieldMap,
  FileLines,
  FileOutput,
  Filter,
  HttpPoll,
  HubOutput,
  Join,
  JsonParse,
  Maximum,
  MergeAggregates,
  MergeTopN,
  Minimum,
  Percentiles,
  RandomGenerator,
  RegexParse,
  SnapshotServer,
  Sum,
  Throttle,
  Timer,
  TopN,
};

/** What an application may use without anybody registering anything. */
export const builtInOperators: readonly OperatorClass[] = [
  FileLines,
  HttpPoll,
  RandomGenerator,
  Timer,
  ConsoleOutput,
  FileOutput,
  HubOutput,
  SnapshotServer,
  JsonParse,
  RegexParse,
  Combine,
  Dedup,
  Filter,
  Join,
  FieldMap,
  Throttle,
  Average,
  Count,
  Maximum,
  Minimum,
  Percentiles,
  Sum,
  TopN,
  MergeAggregates,
  MergeTopN,
];
