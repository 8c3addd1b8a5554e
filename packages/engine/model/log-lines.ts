const maxLength = 32_768;

/** How containers and the application master write their logs. `at`: epoch milliseconds. */
export function logLine(at: number, level: string, logger: string, message: string): string {
  const time = new Date(at).toISOString().replace('T', ' ').replace('.', ',').replace('Z', '');
  return `${time} [main] ${level.padEnd(5)} ${logger} - ${message.slice(0, maxLength)}\n`;
}
