import { type client, uploadClient } from '../../gateway/client.js';
import { changed } from '../../gateway/queries.js';
import { createStore } from '../../gateway/store.js';
import type { PackageRef } from './rows.js';
import { afterProgress, type MergeMode, type Upload, without, withUpload } from './upload-states.js';

/** They go on while other screens are looked at. */
export const uploads = createStore<readonly Upload[]>([]);

const controllers = new Map<number, AbortController>();
let lastId = 0;

const set = (id: number, change: Partial<Upload>) => uploads.set(withUpload(uploads.get(), id, change));

/** By the endings that the engine's tools give: `.apc` is a configuration package. */
const isConfiguration = (name: string): boolean => /\.apc$/i.test(name);

/** `fail`, unless somebody has said what shall become of the package that is there already. */
export function beginUpload(file: File, merge: MergeMode = 'fail'): void {
  const id = ++lastId;
  uploads.set([...uploads.get(), { id, file, sent: 0, total: file.size, state: 'sending' }]);
  void run(id, file, merge);
}

async function run(id: number, file: File, merge: MergeMode): Promise<void> {
  const controller = new AbortController();
  controllers.set(id, controller);
  const sending = uploadClient((sent, total) => uploads.set(afterProgress(uploads.get(), id, sent, total)));
  try {
    const call = { body: file, signal: controller.signal };
    if (isConfiguration(file.name)) {
      await sending.uploadConfigPackage(call);
      set(id, { state: 'done' });
    } else
      set(id, { state: 'done', made: refIn(await sending.uploadPackage({ ...call, query: { merge } })) });
    await changed('listPackages', 'listConfigPackages', 'getPackage');
  } catch (error) {
    if (controller.signal.aborted) uploads.set(without(uploads.get(), id));
    else set(id, { state: 'failed', error: error instanceof Error ? error : new Error(String(error)) });
  } finally {
    controllers.delete(id);
    sending.close();
  }
}

const refIn = (meta: Awaited<ReturnType<typeof client.uploadPackage>>): PackageRef => ({
  owner: meta.owner,
  name: meta.appPackageName,
  version: meta.appPackageVersion,
});

export const cancelUpload = (id: number): void => controllers.get(id)?.abort();

export const dismissUpload = (id: number): void => uploads.set(without(uploads.get(), id));

export function uploadAgain({ id, file }: Upload, merge: MergeMode): void {
  dismissUpload(id);
  beginUpload(file, merge);
}
