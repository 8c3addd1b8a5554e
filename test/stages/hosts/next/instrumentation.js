export async function register() {
  // The custom server has opened one.
  if (process.env.NEXT_RUNTIME !== 'nodejs' || globalThis.headgate) return;
  const { openGateway } = await import('./gateway.mjs');
  globalThis.headgate = await openGateway();
}
