/** Messages of one client that wait: for its rights to be known anew, or for a long one before them. */
export class Inbox {
  /** Of all that wait. */
  bytes = 0;
  private readonly waiting: Buffer[] = [];

  get isEmpty(): boolean {
    return this.waiting.length === 0;
  }

  add(message: Buffer): void {
    this.waiting.push(message);
    this.bytes += message.length;
  }

  /** Puts a message back that is to be the next. */
  putBack(message: Buffer): void {
    this.waiting.unshift(message);
    this.bytes += message.length;
  }

  /** Takes out the next one. */
  next(): Buffer | undefined {
    const message = this.waiting.shift();
    this.bytes -= message?.length ?? 0;
    return message;
  }
}
