import { createPrivateKey, type KeyObject } from 'node:crypto';

// Key stores as `keytool` and `openssl pkcs12` write them (RFC 7292, DER). Names of keys are in the clear there; a key
// itself is opened by OpenSSL, so what protects it is checked by OpenSSL too.

const oid = {
  data: '2a864886f70d010701',
  encryptedKey: '2a864886f70d010c0a0102',
  secret: '2a864886f70d010c0a0105',
  friendlyName: '2a864886f70d010914',
  pbes2: '2a864886f70d01050d',
  scrypt: '2b06010401da47040b',
};
const tags = { integer: 0x02, octets: 0x04, sequence: 0x30, bmpString: 0x1e };

/** Of the password, for the key: 50 ms in which all others wait. Tools write 2,048 or 10,000. */
const maxRounds = 100_000;

interface Node {
  readonly tag: number;
  readonly content: Buffer;
}

/** The private key of this name, in either case. Throws an `Error` whose message is the end of a sentence. */
export function keyOfStore(store: Buffer, password: string, alias: string): KeyObject {
  if (store.subarray(0, 4).toString('hex') === 'feedfeed') {
    throw new Error(
      'it is a JKS key store: "keytool -importkeystore -deststoretype pkcs12" makes the right one of it',
    );
  }
  const found = bagsOf(store).filter(({ name }) => name?.toLowerCase() === alias.toLowerCase());
  const bag = found.find(({ type }) => type === oid.encryptedKey);
  if (!bag) {
    const isSecret = found.some(({ type }) => type === oid.secret);
    throw new Error(
      isSecret
        ? `its key ${alias} is none of a key pair: "keytool -genkeypair" makes one`
        : `it has no key named ${alias}`,
    );
  }
  if (!(roundsOf(bag.value) <= maxRounds)) {
    throw new Error(
      `its key ${alias} takes too long to open, more than ${maxRounds} rounds: write it anew with "openssl pkcs12 -export -iter 10000"`,
    );
  }
  try {
    return createPrivateKey({ key: bag.value, format: 'der', type: 'pkcs8', passphrase: password });
  } catch (cause) {
    throw new Error(`the password does not open its key ${alias}`, { cause });
  }
}

interface Bag {
  readonly type: string;
  readonly value: Buffer;
  readonly name: string | undefined;
}

function bagsOf(store: Buffer): Bag[] {
  try {
    const [, authSafe] = childrenOf(only(store, tags.sequence));
    return childrenOf(only(dataOf(authSafe), tags.sequence)).flatMap((part) => {
      // Certificates are often in encrypted parts, keys never are: they are encrypted themselves.
      const isData = hexOf(childrenOf(part)[0]) === oid.data;
      return isData ? childrenOf(only(dataOf(part), tags.sequence)).map(bagOf) : [];
    });
  } catch (cause) {
    throw new Error('it is no PKCS#12 key store', { cause });
  }
}

/** Of a ContentInfo that holds plain data. */
function dataOf(info: Node | undefined): Buffer {
  const [, content] = childrenOf(info);
  return only(content?.content, tags.octets).content;
}

function bagOf(bag: Node): Bag {
  const [type, value, attributes] = childrenOf(bag);
  const names = childrenOf(attributes, true).filter(
    (attribute) => hexOf(childrenOf(attribute)[0]) === oid.friendlyName,
  );
  const [name] = childrenOf(childrenOf(names[0], true)[1], true);
  return {
    type: hexOf(type) ?? '',
    value: value?.content ?? Buffer.alloc(0),
    name: name?.tag === tags.bmpString ? Buffer.from(name.content).swap16().toString('utf16le') : undefined,
  };
}

/** How often the password goes round until the key is open: as many times as the file says. */
function roundsOf(encryptedKey: Buffer): number {
  try {
    const [protection] = childrenOf(only(encryptedKey, tags.sequence));
    const [method, settings] = childrenOf(protection);
    // The newer method names a derivation of its own; the older ones are one.
    const derivation = hexOf(method) === oid.pbes2 ? childrenOf(settings)[0] : protection;
    const [kind, salted] = childrenOf(derivation);
    const [, rounds] = childrenOf(salted);
    // Its cost has several factors, and no tool writes it into a key store.
    if (hexOf(kind) === oid.scrypt) return Infinity;
    if (rounds?.tag !== tags.integer) throw new Error('the rounds are missing');
    return Number(`0x${hexOf(rounds)}`);
  } catch (cause) {
    throw new Error('it is no PKCS#12 key store', { cause });
  }
}

const hexOf = (node: Node | undefined): string | undefined => node?.content.toString('hex');

function only(bytes: Buffer | undefined, tag: number): Node {
  const [node] = nodesIn(bytes ?? Buffer.alloc(0));
  if (node?.tag !== tag) throw new Error(`expected a value of type ${tag}`);
  return node;
}

/** `mayBeMissing`: then it has none. */
function childrenOf(node: Node | undefined, mayBeMissing = false): Node[] {
  if (!node && !mayBeMissing) throw new Error('a part is missing');
  return node ? nodesIn(node.content) : [];
}

function nodesIn(bytes: Buffer): Node[] {
  const nodes: Node[] = [];
  for (let at = 0; at < bytes.length; ) {
    const first = bytes.readUInt8(at + 1);
    const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
    // Without a length (BER), or longer than any key store.
    if (first === 0x80 || lengthBytes > 4) throw new Error('this form of lengths is not read');
    const length = lengthBytes === 0 ? first : bytes.readUIntBE(at + 2, lengthBytes);
    const start = at + 2 + lengthBytes;
    const end = start + length;
    if (end > bytes.length) throw new Error('it is cut short');
    nodes.push({ tag: bytes.readUInt8(at), content: bytes.subarray(start, end) });
    at = end;
  }
  return nodes;
}
