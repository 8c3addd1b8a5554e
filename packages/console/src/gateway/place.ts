// Where things are, as the browser sees it: the console's own files lie in `console/assets/`, and the gateway above `console/`.
// Neither prefix nor proxy need be known.

const consoleUrl = new URL(/* @vite-ignore */ '..', import.meta.url);

/** The path of the console's first page, with a slash at its end: `/streams/console/`. */
export const consolePath = consoleUrl.pathname;

/** The gateway's own address, without a slash at its end: `https://example.org/streams`. */
export const gatewayUrl = new URL('..', consoleUrl).href.replace(/\/$/, '');
