import { AnswerTooLarge, BadRequest } from '../../model/errors.js';

/** Bytes of one answer: `docs/decisions.md`, Answers have a bound. */
const maxAnswerBytes = 16 * 1024 * 1024;
/** What each line counts besides its own bytes. */
const lineFrameBytes = 64;
/** Bytes of logs that are searched for one answer. */
const maxSearchedBytes = 1024 * 1024 * 1024;

interface AnswerSize {
  /** Throws `AnswerTooLarge` when this line no longer fits; `reached` is where the next request could begin. */
  add(lineBytes: number, reached: string): void;
}

export function createAnswerSize(advice: string, limitBytes = maxAnswerBytes): AnswerSize {
  let size = 0;
  return {
    add(lineBytes, reached) {
      size += lineBytes + lineFrameBytes;
      if (size > limitBytes)
        throw new AnswerTooLarge(
          `The lines found are more than the ${limitBytes} bytes of one answer: ${advice}`,
          {
            limitBytes,
            reached,
          },
        );
    },
  };
}

export function refuseLargeText(bytes: number): void {
  if (bytes <= maxAnswerBytes) return;
  throw new AnswerTooLarge(
    `This is ${bytes} bytes of text, and one answer carries ${maxAnswerBytes}: ask for a part with start and end, or for the end with lastNBytes`,
    { limitBytes: maxAnswerBytes, bytes },
  );
}

export function refuseLongSearch(bytes: number): void {
  if (bytes <= maxSearchedBytes) return;
  throw new BadRequest(
    'TOO_MUCH_ASKED',
    `These are ${bytes} bytes of logs, and one answer searches ${maxSearchedBytes}: ask for less of them`,
    { limitBytes: maxSearchedBytes, bytes },
  );
}
