import { Operator, type Port } from '@headgate/operators';
import * as z from 'zod';

/** Joins the output of partitions when the port names no unifier. */
export class PassThrough extends Operator {
  static override readonly className: string = 'headgate.engine.PassThrough';
  static override readonly title = 'Pass through';
  static override readonly description = 'Emits what it gets; the default unifier of partitions.';
  static override readonly tags = ['engine'];
  static override readonly properties = z.object({});
  static override readonly inputs: Readonly<Record<string, Port>> = { input: {} };
  static override readonly outputs: Readonly<Record<string, Port>> = { output: {} };

  override process(_port: string, tuple: unknown): void {
    this.emit('output', tuple);
  }
}
