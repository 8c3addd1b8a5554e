export async function register() {
  if (process.env.NEXT_RUNTIME === 'nodejs') {
    const { openGateway } = await import('./gateway.mjs');
    // The custom server has opened one.
    globalThis.headgate ??= await openGateway();
  }
}
