import { median } from '../report.js';
import { load, micros, type Running } from './load.js';

export const methods = ['GET', 'PUT'] as const;
export type Method = (typeof methods)[number];

/**
 * Before those that count. What is asked of a gateway costs less until some 25,000 requests in, of each method: the compilers
 * get to the last of its functions then. What is short is done after 3,000.
 */
const roundsBefore = 16;
const rounds = 6;
const perRound = 1600;

/** Requests per processor second of each kind of server, a figure a round: ratios are those within rounds. */
export function createRates<Kind extends string>() {
  const figures = new Map<string, number[]>();
  const of = (method: Method, kind: Kind): readonly number[] => figures.get(`${method} ${kind}`) ?? [];

  return {
    /** Each server once in each round. */
    async measure<Server extends Running>(
      running: ReadonlyMap<Kind, Server>,
      requestOf: (server: Server, method: Method) => string,
    ): Promise<void> {
      for (let round = 0; round < roundsBefore + rounds; round++) {
        for (const method of methods) {
          for (const [kind, server] of running) {
            const before = await micros(server);
            await load(server.port, requestOf(server, method), perRound);
            const perSecond = (perRound * 1e6) / ((await micros(server)) - before);
            if (round >= roundsBefore) figures.set(`${method} ${kind}`, [...of(method, kind), perSecond]);
          }
        }
      }
    },

    perSecond: (method: Method, kind: Kind): number => median(of(method, kind)),

    ratio: (method: Method, kind: Kind, peer: Kind): number =>
      median(of(method, kind).map((figure, i) => figure / (of(method, peer)[i] ?? Number.NaN))),
  };
}
