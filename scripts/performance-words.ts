// What docs/performance.md says of which lines of the benches, and which limits it quotes.

/** What a line tells somebody who plans an installation: bench, begin of its name, what to make of it. */
export type Telling = readonly [bench: string, start: string, words: string];

export const expectations: readonly Telling[] = [
  [
    'gateway',
    'GET http sessions',
    'small GETs of a whole gateway in `http`, by a user who logged in, a processor second',
  ],
  ['gateway', 'PUT http sessions', 'PUTs of 1 kB, the same'],
  ['gateway', 'p99 at 1,000 GET/s, gateway', '99 of 100 GETs are answered within, at 1,000 a second'],
  [
    'storage',
    'durable writes of 200 B: Headgate, 1 writer',
    'durable writes of one client, one after the other',
  ],
  ['storage', 'durable writes of 200 B: Headgate, 32 writers', 'durable writes of 32 clients'],
  ['storage', '100,000 settings: reopen', 'until a storage with 100,000 settings is open'],
  [
    'hub',
    '1,000 subscribers, one 200-byte message at a time: headgate',
    'messages to 1,000 sockets, single ones, a processor second',
  ],
  [
    'hub',
    '1,000 subscribers of 8 topics that are published together: headgate',
    'the same, of eight topics at once',
  ],
  [
    'hub',
    'Sockets that are opened: gateway',
    'sockets opened and closed, with rights checked, a processor second',
  ],
  ['hub', 'an idle subscriber: headgate', 'memory of a socket that listens'],
  [
    'topics',
    'all topics computed',
    'of one core for all topics of 50 of 1,000 applications with 100 operators each, each second',
  ],
  [
    'topics',
    '10 consoles, each with the list and a page of another application',
    'of one core for ten people who look at the list and at an application each, sending included',
  ],
  [
    'cluster',
    '1000 running applications: topic applications',
    'for the list of 1,000 running applications of a cluster, asked for each second',
  ],
  [
    'cluster',
    '1000 running jobs of Flink: + 50 jobs, four topics each',
    'for that of 1,000 jobs of a Flink and everything of 50 of them, each of ten vertices with four subtasks',
  ],
  ['alerts', 'a some(): all processes', 'for 1,000 conditions of alerts, evaluated each second'],
  [
    'packages',
    '200 MB: 150 jars: upload: Headgate (checked, digest, fsync)',
    'upload of a package of 200 MB',
  ],
  ['packages', '200 MB: 150 jars: download: Headgate', 'its download'],
  ['proxy', 'GET, ours, by processor time', 'small GETs through the proxy, a processor second'],
  ['proxy', '1 GB down, ours', '1 GB through the proxy'],
  ['logins', '100 log in at once: until all were in', 'until 100 people who log in at once are in'],
  ['start', 'import of the core', 'to import the core'],
  [
    'start',
    'a gateway with engine and level, ready',
    'until a gateway with engine and file storage is ready',
  ],
  ['start', 'its memory, idle', 'its memory, idle'],
  [
    'container-start',
    'a container, live after its launch',
    'until a container of the embedded engine is live',
  ],
  ['container-start', 'its own: an idle container', 'memory that one more container takes'],
  [
    'engine',
    'one container: source -> map -> count',
    'through three operators of the embedded engine in one container',
  ],
  ['engine', 'two containers, 200 B', 'from one container to another, of 200 B'],
];

export const floors: readonly Telling[] = [
  [
    'gateway',
    'GET the least of it / by hand',
    'of a GET by hand: what is left when the id of the request, the guards, a count, a time, a line of the log and a storage behind an interface are added by hand',
  ],
  [
    'gateway',
    'PUT the least of it',
    'of a PUT by hand, with bounds of what a user has, a turn of the event loop and a record of the change too',
  ],
  [
    'gateway',
    'GET the least of it in Koa',
    'of a GET by hand in Koa, with a named route of its router besides',
  ],
  ['gateway', 'PUT the least of it in Koa', 'of a PUT by hand in Koa, the same'],
  ['gateway', 'PUT the least of it in Express', 'of a PUT by hand in Express'],
  [
    'gateway',
    'GET the least of it with a session',
    'of a GET without a session, when the user is found in memory by the hash of a cookie',
  ],
  [
    'hub',
    "the same past Node's streams",
    'of bare `ws` for single messages: what a hub reaches that writes past the streams of Node',
  ],
  [
    'hub',
    'the same, bare ws with messages checked',
    'of bare `ws` for fan-in, where each message is checked, by a program that does nothing else',
  ],
  [
    'topics',
    "JSON.stringify alone, a second's texts",
    "of one core for `JSON.stringify` of a second's topics, in a row: no way was found to make these texts that is faster",
  ],
  [
    'cluster',
    '1000 running applications: a bare fetch and JSON.parse',
    'to fetch and parse the list of 1,000 applications, and nothing else',
  ],
  [
    'cluster',
    '1000 running jobs of Flink: topic applications: the same of 50 jobs',
    'to ask a Flink for each vertex of 50 jobs and for what it measures, to parse that, and nothing else',
  ],
  [
    'storage',
    'durable writes of 200 B: 1 writer: bare with etag and checksum',
    'of bare LevelDB, with an etag and a checksum of each document, which we keep',
  ],
  [
    'storage',
    '100,000 settings: the same with etag and checksum of each',
    'for a list of 100 documents, straight from LevelDB with `JSON.parse` and those',
  ],
  [
    'audit',
    'straight to LevelDB: fewer with the record',
    'fewer changes a second straight to LevelDB, when each has a record',
  ],
  [
    'proxy',
    'GET, floor / the same',
    'of `http-proxy` with kept connections: limits, rules for headers and a log for one route, by hand',
  ],
  ['proxy', 'GET, guarded / the same', 'of the same, with rights, second tries, clocks and metrics besides'],
  [
    'packages',
    '10 MB: 2,000 small entries: upload, floor',
    'of a bare upload of 10 MB, when each of its 2,000 entries is inflated and summed and the whole digested and synced',
  ],
  [
    'packages',
    '200 MB: 150 jars: download, bare with its sum',
    'of a bare download of 200 MB, when its bytes are summed on their way, which finds what the disk has changed',
  ],
  [
    'start',
    'memory of a server with an open database',
    'of memory for a listening server of Node with an open LevelDB',
  ],
  [
    'start',
    'memory of one with Express, ws and zod besides',
    'of memory for that with Express, `ws` and zod loaded, and nothing done with them',
  ],
  [
    'container-start',
    'its own: a bare process with a thread',
    'of its own for a process of Node with one thread beside, as each container has',
  ],
];

/** Options of docs/operations.md whose bound says how large an installation may get. */
export const bounds: readonly string[] = [
  'pubsub.limits.connections',
  'pubsub.limits.connectionsPerUser',
  'pubsub.limits.subscriptions',
  'pubsub.limits.hardLimitBytes',
  'packages.limits.maxBytes',
  'packages.limits.maxEntries',
  'alerts.limits.total',
  'alerts.limits.perOwner',
  'audit.changes',
  'localCluster.limits.containers',
];
