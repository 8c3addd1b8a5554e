import { requestedRange } from '../../http/range-request.js';
import { File } from '../../http/reply.js';
import type { AppPackages, ConditionalCall } from './directory.js';
import type { PackageRef } from './schema.js';

/** The archive, or the part of it that the caller's `Range` asks for. It comes whole, whatever happens to the package. */
export const download = (packages: AppPackages, call: ConditionalCall, ref: PackageRef): Promise<File> =>
  packages.readingBytes(call, ref, async (blob, { size, digest: etag }) => {
    const name = `${ref.name}-${ref.version}.apa`;
    const range = requestedRange(call.caller, size, etag);
    if (!range) return new File(blob.stream(), name, size, { etag });
    const part = { ...range, of: size };
    return new File(blob.stream(range), name, range.end - range.start, { etag, range: part });
  });
