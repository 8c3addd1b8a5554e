import type { Readable } from 'node:stream';
import { readBytes } from '../../formats/json.js';
import type { Tagged } from '../../http/conditional.js';
import type { Call, ConditionalCall } from '../../http/route.js';
import type { Clock } from '../../interfaces/clock.js';
import { BadRequest, NotFound, undefinedIfUnknown } from '../../model/errors.js';
import { defaultArchiveLimits } from './archive/limits.js';
import { checkName } from './archive/names.js';
import { defaultXmlLimits, parseConfiguration } from './config-xml.js';
import type { AppPackages } from './directory.js';
import { edited } from './merge.js';
import { packageLabel } from './open-package.js';
import type { ConfigRef, PackageRef } from './schema.js';

/** The files of `conf/`: properties that a launch may choose by their name. */
export interface PackageConfigs {
  listConfigs(call: Call, ref: PackageRef): Promise<Tagged<string[]>>;
  /** As it was stored. */
  getConfig(call: Call, ref: ConfigRef): Promise<Tagged<string>>;
  /** Creates or replaces; resolves the digest of the package that this makes. */
  putConfig(call: ConditionalCall, ref: ConfigRef, content: Readable): Promise<string>;
  removeConfig(call: ConditionalCall, ref: ConfigRef): Promise<string>;
}

const { maxBytes } = defaultXmlLimits;

export function createPackageConfigs(deps: { packages: AppPackages; clock: Clock }): PackageConfigs {
  const { packages, clock } = deps;
  const unknown = ({ configName, ...ref }: ConfigRef) =>
    new NotFound(`configuration of ${packageLabel(ref)}`, configName);

  return {
    async listConfigs(call, ref) {
      const { contents, kept } = await packages.describing(call, ref);
      return { value: contents.configs, digest: kept.value.digest };
    },

    getConfig: (call, ref) =>
      packages.reading(call, ref, async (pkg) => {
        const content = await pkg.read(fileOf(ref), maxBytes).catch(undefinedIfUnknown);
        if (!content || !pkg.contents.configs.includes(ref.configName)) throw unknown(ref);
        return { value: content.toString('utf8'), digest: pkg.stored.digest };
      }),

    async putConfig(call, ref, body) {
      const { configName, ...pkg } = ref;
      const name = fileOf(ref);
      if (!/^[^/]+\.xml$/.test(configName)) {
        throw new BadRequest(
          'NAME_NOT_VALID',
          'The name of a configuration ends in .xml and holds no slash',
          [{ path: 'params.configName', message: 'not a file name that ends in .xml' }],
        );
      }
      checkName(name, defaultArchiveLimits, 'NAME_NOT_VALID');
      await packages.findToChange(call, pkg);
      const content = await readBytes(body, maxBytes);
      await parseConfiguration(content, configName);
      const { digest } = await packages.changing(call, pkg, async (open) =>
        edited(await open.toCopy(), { name, content, modified: new Date(clock.now()) }),
      );
      return digest;
    },

    async removeConfig(call, ref) {
      const { configName, ...pkg } = ref;
      const { digest } = await packages.changing(call, pkg, async (open) => {
        if (!open.contents.configs.includes(configName)) throw unknown(ref);
        return edited(await open.toCopy(), { name: fileOf(ref), modified: new Date(clock.now()) });
      });
      return digest;
    },
  };
}

const fileOf = ({ configName }: ConfigRef): string => `conf/${configName}`;
