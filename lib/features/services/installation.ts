import { BadRequest, Conflict, InvalidInput } from '../../model/errors.js';
import { createMutex } from '../../runtime/mutex.js';
import { checkAddresses, checkPatterns, checkTogether, isSame } from './definition/definition-checks.js';
import { masked, maskedValues, unmasked } from './definition/definition-secrets.js';
import type { ServiceKind } from './kinds/kind.js';
import type { NamedService, ServiceDefinition, ServiceInput, ServiceType } from './schema.js';
import type { Supervisor } from './supervision/supervisor.js';
import type { Supervisors } from './supervision/supervisors.js';

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
  ): Promise<readonly Supervisor[]>;
}

export function createInstallation(deps: {
  readonly supervisors: Supervisors;
  readonly kinds: Readonly<Record<ServiceType, ServiceKind>>;
}): Installation {
  const { supervisors, kinds } = deps;
  const exclusive = createMutex();

  function check(name: string, definition: ServiceDefinition, at: string): void {
    kinds[definition.type].check(name, definition, at);
    checkAddresses(definition, at);
  }

  return {
    put: (name, input, installedBy) =>
      exclusive(async () => {
        requireSameName(name, input);
        const { name: _, ...definition } = input;
        const there = supervisors.get(name);
        if (there && isAsRead(there, definition)) return;
        if (there) throw new Conflict('NAME_TAKEN', `There is a service ${name} already: POST changes it`);
        await checkPatterns(definition, 'body');
        unmasked(definition, undefined, 'body');
        check(name, definition, 'body');
        const service = { ...definition, name };
        checkTogether([service], supervisors.definitions(), 'body');
        await supervisors.add([service], { installedBy });
      }),

    change: (name, input) =>
      exclusive(async () => {
        requireSameName(name, input);
        const { name: _, ...sent } = input;
        supervisors.require(name);
        await checkPatterns(sent, 'body');
        const supervisor = supervisors.require(name);
        const definition = unmasked(withoutLive(supervisor, sent), supervisor.stored.definition, 'body');
        check(name, definition, 'body');
        checkTogether([{ ...definition, name }], supervisors.definitions(), 'body');
        const { type } = supervisor.stored.definition;
        if (definition.type !== type)
          throw new BadRequest(
            'SERVICE_TYPE_FIXED',
            `${name} is of type ${type}: delete it and install it anew`,
          );
        await supervisor.redefine((stored) => {
          if (stored.state !== 'STOPPED')
            throw new Conflict(
              'SERVICE_NOT_STOPPED',
              `The service ${name} is ${stored.state}: stop it before changing it`,
            );
          return { ...stored, definition };
        });
        return definition;
      }),

    installAll: (sent, { at, ...by }) =>
      exclusive(async () => {
        requireOnce(sent, at);
        for (const [index, service] of sent.entries()) await checkPatterns(service, `${at}.${index}`);
        const services = sent.map(({ name, ...definition }, index) => ({
          ...unmasked(definition, supervisors.get(name)?.stored.definition, `${at}.${index}`),
          name,
        }));
        for (const [index, { name, ...definition }] of services.entries())
          check(name, definition, `${at}.${index}`);
        const fresh = services.filter(({ name, ...definition }) => {
          const there = supervisors.get(name);
          if (there && !isSame(there.stored.definition, definition)) throw differs(name);
          return !there;
        });
        checkTogether(fresh, supervisors.definitions(), at);
        return fresh.length === 0 ? [] : supervisors.add(fresh, by);
      }),
  };
}

/** What GET tells, sent back. */
function isAsRead(supervisor: Supervisor, sent: ServiceDefinition): boolean {
  const { definition, enabled } = supervisor.stored;
  return (sent.enabled ?? enabled) === enabled && isSame(masked(definition), withoutLive(supervisor, sent));
}

/** Metadata that a running service adds are told as its own, and are not part of its definition. */
function withoutLive({ life, stored }: Supervisor, sent: ServiceDefinition): ServiceDefinition {
  const live = maskedValues(life?.metadata ?? {});
  const own = Object.entries(sent.metadata).filter(
    ([name, value]) => Object.hasOwn(stored.definition.metadata, name) || live[name] !== value,
  );
  return { ...sent, metadata: Object.fromEntries(own) };
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
    'SERVICE_DIFFERS',
    `There is a service ${name} already, with another definition: stop it and POST the new one, or delete it`,
  );
