/** Told how many bytes have left this machine. */
export type Progress = (sent: number, total: number) => void;

/**
 * `fetch` for one upload, by XMLHttpRequest: the only way in which a browser tells how far a body is. Bodies are what that can
 * send: a file, a text.
 */
export const uploading =
  (onProgress: Progress) =>
  (url: string, init: RequestInit): Promise<Response> =>
    new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      const abort = () => request.abort();
      request.open(init.method ?? 'POST', url);
      request.responseType = 'blob';
      for (const [name, value] of new Headers(init.headers)) request.setRequestHeader(name, value);
      request.upload.onprogress = ({ loaded, total }) => onProgress(loaded, total);
      request.onload = () => resolve(responseOf(request));
      request.onerror = () => reject(new TypeError('The connection was lost'));
      request.onabort = () => reject(init.signal?.reason);
      request.onloadend = () => init.signal?.removeEventListener('abort', abort);
      init.signal?.addEventListener('abort', abort);
      if (init.signal?.aborted) reject(init.signal.reason);
      else request.send(init.body instanceof Blob || typeof init.body === 'string' ? init.body : null);
    });

function responseOf(request: XMLHttpRequest): Response {
  const headers = new Headers();
  for (const line of request.getAllResponseHeaders().trim().split('\r\n')) {
    const at = line.indexOf(':');
    if (at > 0) headers.append(line.slice(0, at), line.slice(at + 1).trim());
  }
  return new Response(request.response, { status: request.status, headers });
}
