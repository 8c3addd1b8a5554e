import type { Call } from '../../http/route.js';
import type { Logger } from '../../interfaces/logger.js';
import type { PropertyService } from '../properties/service.js';
import { createImportDirectory } from './import-directory.js';
import type { ImportablePackage } from './schema.js';
import type { Uploads } from './upload.js';

/** Packages that lie on the gateway's machine, taken in as if they were uploaded. */
export interface PackageImports {
  importable(): Promise<ImportablePackage[]>;
  /** As uploads of the caller that replace what is there. None is begun when one of the files is not there. */
  importFiles(call: Call, files: readonly string[]): Promise<void>;
}

export function createPackageImports({
  uploads,
  properties,
  logger,
}: {
  uploads: Uploads;
  properties: Pick<PropertyService, 'value'>;
  logger: Logger;
}): PackageImports {
  const directory = createImportDirectory(() => properties.value('platform.gateway.importDirectory'), logger);

  return {
    importable: directory.list,

    async importFiles(call, files) {
      for (const file of files) (await directory.open(file)).destroy();
      for (const file of files) {
        const content = await directory.open(file);
        try {
          await uploads.take(call, content, { merge: 'replace', fileName: file });
        } finally {
          content.destroy();
        }
      }
    },
  };
}
