import { Transform } from 'node:stream';
import { owned } from '../runtime/owned.js';

/**
 * JSON on its way, with `null` for what stands under the name of a secret; everything else byte by byte as it came,
 * whatever its size. A list or an object under such a name is one secret.
 */
export function redactSecrets(isSecret: (name: string) => boolean): Transform {
  const scan = new SecretScan(isSecret);
  return owned(
    new Transform({
      transform(chunk: Buffer, _encoding, done) {
        done(null, scan.pass(chunk));
      },
    }),
  );
}

type State =
  | 'between'
  | 'text'
  | 'behindText'
  | 'beforeSecret'
  | 'secretText'
  | 'secretScalar'
  | 'secretNested';

/** Longer than any name of a secret. */
const maxName = 256;

const [quote, backslash, colon, comma, open, openList, close, closeList] = [...'"\\:,{[}]'].map((c) =>
  c.charCodeAt(0),
);
const isSecretState = (state: State): boolean =>
  state === 'secretText' || state === 'secretScalar' || state === 'secretNested';
const isSpace = (byte: number) => byte === 32 || (byte >= 9 && byte <= 13);
const nothing = Buffer.from('null');

class SecretScan {
  private state: State = 'between';
  private isEscaped = false;
  /** Of lists and objects that are a secret, and whether that stands in one of their texts. */
  private depth = 0;
  private isInNestedText = false;
  private name: number[] = [];

  constructor(private readonly isSecret: (name: string) => boolean) {}

  pass(chunk: Buffer): Buffer {
    const kept: Buffer[] = [];
    let from = 0;
    const drop = (at: number) => {
      kept.push(chunk.subarray(from, at), nothing);
    };
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      const before = this.state;
      this.step(byte);
      const isHidden = isSecretState(this.state);
      if (before === 'beforeSecret' && isHidden) drop(at);
      // The last quote or bracket is hidden too; what ends a scalar is not.
      if (before === 'secretText' || before === 'secretNested' || isHidden) from = at + 1;
      else if (before === 'secretScalar') from = at;
    }
    if (!isSecretState(this.state)) kept.push(chunk.subarray(from));
    return kept.length === 1 ? (kept[0] ?? chunk) : Buffer.concat(kept);
  }

  private step(byte: number): void {
    switch (this.state) {
      case 'text':
      case 'secretText':
        this.inText(byte);
        return;
      case 'behindText':
        if (isSpace(byte)) return;
        if (byte === colon) this.state = this.isSecret(this.nameText()) ? 'beforeSecret' : 'between';
        else this.begin(byte);
        return;
      case 'beforeSecret':
        if (isSpace(byte)) return;
        if (byte === quote) this.state = 'secretText';
        else if (byte === open || byte === openList) {
          this.state = 'secretNested';
          this.depth = 1;
        } else this.state = 'secretScalar';
        return;
      case 'secretNested':
        this.inNested(byte);
        return;
      case 'secretScalar':
        if (byte === comma || byte === close || byte === closeList || isSpace(byte)) this.state = 'between';
        return;
      default:
        this.begin(byte);
    }
  }

  private begin(byte: number): void {
    this.state = byte === quote ? 'text' : 'between';
    this.name = [];
  }

  private inNested(byte: number): void {
    if (this.isEscaped) this.isEscaped = false;
    else if (this.isInNestedText && byte === backslash) this.isEscaped = true;
    else if (byte === quote) this.isInNestedText = !this.isInNestedText;
    else if (this.isInNestedText) return;
    else if (byte === open || byte === openList) this.depth++;
    else if ((byte === close || byte === closeList) && --this.depth === 0) this.state = 'between';
  }

  private inText(byte: number): void {
    if (this.isEscaped) this.isEscaped = false;
    else if (byte === backslash) this.isEscaped = true;
    else if (byte === quote) {
      this.state = this.state === 'text' ? 'behindText' : 'between';
      return;
    }
    if (this.state === 'text' && this.name.length < maxName) this.name.push(byte);
  }

  /** Escapes too: a name must not hide behind `\u0050`. */
  private nameText(): string {
    const text = Buffer.from(this.name).toString('utf8');
    return text.replace(/\\u([0-9a-f]{4})/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
  }
}
