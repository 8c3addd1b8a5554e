import sax from 'sax';
import { BrokenClass } from './broken-class.js';
import type { ClassText, MethodText } from './documentation.js';

/** Takes a `-javadoc.xml` in pieces, as the doclet of the engine's archetype makes it. */
interface JavadocReader {
  /** Throws an error that says what is wrong with the file. */
  write(text: string): void;
  /** The texts of the wanted classes by their names in source code. */
  end(): ReadonlyMap<string, ClassText>;
}

interface Draft {
  readonly name: string;
  comment?: string;
  readonly tags: Map<string, string>;
  readonly fields: Map<string, string>;
  readonly methods: Map<string, MethodText>;
}

/** What an element that is open is about. */
type Subject = { readonly is: 'field' | 'method'; readonly name: string };

/** Those of XML; else sax knows the ones of HTML too. Its types lack the option. */
const onlyFiveEntities: sax.SAXOptions & { strictEntities: boolean } = { strictEntities: true };

/** Longer texts are cut. */
const maxTextLength = 20_000;

/** How many characters may still be kept, of all files together. */
interface TextRoom {
  left: number;
}

export function createJavadocReader(isWanted: (className: string) => boolean, room: TextRoom): JavadocReader {
  const classes = new Map<string, ClassText>();
  const parser = sax.parser(true, onlyFiveEntities);
  let draft: Draft | undefined;
  let subject: Subject | undefined;
  let comment: string | undefined;

  parser.onerror = (error) => {
    throw new BrokenClass(`line ${parser.line + 1}: ${error.message.split('\n')[0]}`);
  };
  parser.ondoctype = () => {
    throw new BrokenClass(`line ${parser.line + 1}: a document type (DOCTYPE) is not allowed here`);
  };
  parser.onopentag = ({ name, attributes }) => {
    const attribute = (key: string) => String(attributes[key] ?? '');
    if (name === 'class') draft = newDraft(attribute('qualified'), isWanted);
    else if (name === 'field' || name === 'method') subject = { is: name, name: attribute('name') };
    else if (name === 'comment') comment = '';
    else if (name === 'tag' && draft) addTag(draft, subject, attribute('name'), attribute('text').trim());
  };
  parser.ontext = (text) => {
    if (comment !== undefined && comment.length < maxTextLength)
      comment = (comment + text).slice(0, maxTextLength);
  };
  parser.oncdata = parser.ontext;
  parser.onclosetag = (name) => {
    if (name === 'class') {
      if (draft) classes.set(draft.name, draft);
      draft = undefined;
    } else if (name === 'field' || name === 'method') subject = undefined;
    else if (name === 'comment') {
      if (draft && comment && room.left >= comment.length) {
        room.left -= comment.length;
        addComment(draft, subject, comment.trim());
      }
      comment = undefined;
    }
  };

  return {
    write: (text) => {
      parser.write(text);
    },
    end() {
      parser.close();
      return classes;
    },
  };
}

const newDraft = (name: string, isWanted: (className: string) => boolean): Draft | undefined =>
  isWanted(name) ? { name, tags: new Map(), fields: new Map(), methods: new Map() } : undefined;

function addTag(draft: Draft, subject: Subject | undefined, name: string, text: string): void {
  if (!subject) draft.tags.set(name, text.slice(0, maxTextLength));
  else if (subject.is === 'method' && name === '@omitFromUI') {
    draft.methods.set(subject.name, { ...draft.methods.get(subject.name), isHidden: true });
  }
}

function addComment(draft: Draft, subject: Subject | undefined, comment: string): void {
  if (!subject) draft.comment = comment;
  else if (subject.is === 'field') draft.fields.set(subject.name, comment);
  else draft.methods.set(subject.name, { isHidden: false, ...draft.methods.get(subject.name), comment });
}
