import { BadRequest, Conflict, InvalidInput } from '../../core/errors.js';
import { oneByOne } from '../../core/one-by-one.js';
import { checkPatterns, checkTogether, isSame } from './definitions.js';
import type { Keeper } from './keeper.js';
import type { Keepers } from './keepers.js';
import type { ServiceKind } from './kind.js';
import type { NamedService, ServiceDefinition, ServiceInput, ServiceType } from './schema.js';
import { unmasked } from './secrets.js';

/** Takes definitions that clients and packages bring, checked as a whole, one request after the other. */
export interface Installation {
  /** Rejects with `Conflict` where there is one of this name. */
  put(name: string, input: ServiceInput, installedBy: string): Promise<void>;
  /** Rejects with `Conflict` unless it is STOPPED. */
  change(name: string, input: ServiceInput): Promise<ServiceDefinition>;
  /**
   * All or none. Resolves those that are new: one that is there already is left alone when it is the same, and a `Conflict`
   * when not. `at` is where they stand in what was sent.
   */
  installAll(
    sent: readonly NamedService[],
    by: { installedBy: string; at: string; isTransient?: (name: string) => boolean },
  ): Promise<readonly Keeper[]>;
}

export function createInstallation(deps: {
  readonly keepers: Keepers;
  readonly kinds: Readonly<Record<ServiceType, ServiceKind>>;
}): Installation {
  const { keepers, kinds } = deps;
  const turns = oneByOne();

  function check(name: string, definition: ServiceDefinition, at: string): void {
    kinds[definition.type].check(name, definition, at);
    checkPatterns(definition, at);
  }

  return {
    put: (name, input, installedBy) =>
      turns('', async () => {
        requireSameName(name, input);
        if (keepers.get(name)) throw new Conflict(`There is a service ${name} already: POST changes it`);
        const { name: _, ...definition } = input;
        unmasked(definition, undefined, 'body');
        check(name, definition, 'body');
        const service = { ...definition, name };
        checkTogether([service], keepers.definitions(), 'body');
        await keepers.add([service], { installedBy });
      }),

    change: (name, input) =>
      turns('', async () => {
        requireSameName(name, input);
        const { name: _, ...sent } = input;
        const keeper = keepers.require(name);
        const definition = unmasked(sent, keeper.stored.definition, 'body');
        check(name, definition, 'body');
        checkTogether([{ ...definition, name }], keepers.definitions(), 'body');
        const { type } = keeper.stored.definition;
        if (definition.type !== type)
          throw new BadRequest(`${name} is of type ${type}: delete it and install it anew`);
        await keeper.redefine((stored) => {
          if (stored.state !== 'STOPPED')
            throw new Conflict(`The service ${name} is ${stored.state}: stop it before changing it`);
          return { ...stored, definition };
        });
        return definition;
      }),

    installAll: (sent, { at, ...by }) =>
      turns('', async () => {
        requireOnce(sent, at);
        const services = sent.map(({ name, ...definition }, index) => ({
          ...unmasked(definition, keepers.get(name)?.stored.definition, `${at}.${index}`),
          name,
        }));
        for (const [index, { name, ...definition }] of services.entries())
          check(name, definition, `${at}.${index}`);
        const fresh = services.filter(({ name, ...definition }) => {
          const there = keepers.get(name);
          if (there && !isSame(there.stored.definition, definition)) throw differs(name);
          return !there;
        });
        checkTogether(fresh, keepers.definitions(), at);
        return fresh.length === 0 ? [] : keepers.add(fresh, by);
      }),
  };
}

function requireSameName(name: string, { name: inBody }: ServiceInput): void {
  if (inBody !== undefined && inBody !== name)
    throw new InvalidInput([{ path: 'body.name', message: `is not ${name}, the name in the path` }]);
}

function requireOnce(services: readonly NamedService[], at: string): void {
  const seen = new Set<string>();
  for (const [index, { name }] of services.entries()) {
    if (seen.has(name))
      throw new InvalidInput([{ path: `${at}.${index}.name`, message: `${name} comes twice` }]);
    seen.add(name);
  }
}

const differs = (name: string) =>
  new Conflict(
    `There is a service ${name} already, with another definition: stop it and POST the new one, or delete it`,
  );
