// Classes that are never in a package: those of Java, and those that the engine and its cluster bring along.

const kinds: Readonly<Record<string, string>> = {
  'java.util.Collection': `
    java.util.AbstractCollection java.util.AbstractList java.util.AbstractQueue java.util.AbstractSequentialList
    java.util.AbstractSet java.util.ArrayDeque java.util.ArrayList java.util.Deque java.util.EnumSet java.util.HashSet
    java.util.LinkedHashSet java.util.LinkedList java.util.List java.util.NavigableSet java.util.PriorityQueue
    java.util.Queue java.util.Set java.util.SortedSet java.util.Stack java.util.TreeSet java.util.Vector
    java.util.concurrent.ArrayBlockingQueue java.util.concurrent.BlockingDeque java.util.concurrent.BlockingQueue
    java.util.concurrent.ConcurrentHashMap$KeySetView java.util.concurrent.ConcurrentLinkedDeque
    java.util.concurrent.ConcurrentLinkedQueue java.util.concurrent.ConcurrentSkipListSet
    java.util.concurrent.CopyOnWriteArrayList java.util.concurrent.CopyOnWriteArraySet java.util.concurrent.DelayQueue
    java.util.concurrent.LinkedBlockingDeque java.util.concurrent.LinkedBlockingQueue
    java.util.concurrent.LinkedTransferQueue java.util.concurrent.PriorityBlockingQueue
    java.util.concurrent.SynchronousQueue java.util.concurrent.TransferQueue`,
  'java.util.Map': `
    java.security.Provider java.util.AbstractMap java.util.EnumMap java.util.HashMap java.util.Hashtable
    java.util.IdentityHashMap java.util.LinkedHashMap java.util.NavigableMap java.util.Properties java.util.SortedMap
    java.util.TreeMap java.util.WeakHashMap java.util.concurrent.ConcurrentHashMap java.util.concurrent.ConcurrentMap
    java.util.concurrent.ConcurrentNavigableMap java.util.concurrent.ConcurrentSkipListMap java.util.jar.Attributes
    javax.script.Bindings javax.script.SimpleBindings`,
  'java.lang.Enum': `
    java.lang.Character$UnicodeScript java.lang.ProcessBuilder$Redirect$Type java.lang.Thread$State
    java.lang.annotation.ElementType java.lang.annotation.RetentionPolicy java.lang.management.MemoryType
    java.math.RoundingMode java.net.Authenticator$RequestorType java.net.Proxy$Type java.net.StandardProtocolFamily
    java.nio.file.AccessMode java.nio.file.FileVisitOption java.nio.file.FileVisitResult java.nio.file.LinkOption
    java.nio.file.StandardCopyOption java.nio.file.StandardOpenOption java.nio.file.attribute.AclEntryFlag
    java.nio.file.attribute.AclEntryPermission java.nio.file.attribute.AclEntryType
    java.nio.file.attribute.PosixFilePermission java.security.CryptoPrimitive java.security.KeyRep$Type
    java.security.cert.CRLReason java.sql.ClientInfoStatus java.sql.JDBCType java.sql.PseudoColumnUsage
    java.sql.RowIdLifetime java.text.Normalizer$Form java.time.DayOfWeek java.time.Month
    java.time.format.FormatStyle java.time.format.ResolverStyle java.time.format.SignStyle java.time.format.TextStyle
    java.time.temporal.ChronoField java.time.temporal.ChronoUnit java.util.Locale$Category
    java.util.Locale$FilteringMode java.util.concurrent.TimeUnit java.util.stream.Collector$Characteristics
    javax.net.ssl.SSLEngineResult$HandshakeStatus javax.net.ssl.SSLEngineResult$Status`,
};

const kindOf: ReadonlyMap<string, string> = new Map(
  Object.entries(kinds).flatMap(([kind, names]) =>
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, kind] as const),
  ),
);

/** What a class of Java is for whoever sets properties: `java.util.Collection`, `java.util.Map` or `java.lang.Enum`. */
export const platformKind = (name: string): string | undefined => kindOf.get(name);

/** Packages of the class path that the engine starts an application with. */
const provided = `
  java javax.accessibility javax.activation javax.annotation javax.crypto javax.imageio javax.lang javax.management
  javax.naming javax.net javax.print javax.rmi javax.script javax.security javax.sound javax.sql javax.swing javax.tools
  javax.transaction javax.validation javax.ws.rs javax.servlet javax.inject javax.xml org.ietf org.omg org.w3c.dom
  org.xml.sax com.sun com.datatorrent.api com.datatorrent.bufferserver com.datatorrent.common com.datatorrent.netlet
  com.datatorrent.stram com.esotericsoftware.kryo com.esotericsoftware.minlog com.esotericsoftware.reflectasm
  com.google.common com.google.gson com.google.inject com.google.protobuf net.engio.mbassy org.apache.apex.api
  org.apache.apex.common org.apache.apex.engine org.apache.apex.log org.apache.avro org.apache.bval
  org.apache.commons.beanutils org.apache.commons.cli org.apache.commons.codec org.apache.commons.collections
  org.apache.commons.compress org.apache.commons.configuration org.apache.commons.digester org.apache.commons.httpclient
  org.apache.commons.io org.apache.commons.lang org.apache.commons.lang3 org.apache.commons.logging
  org.apache.commons.math3 org.apache.commons.net org.apache.curator org.apache.hadoop org.apache.http org.apache.log4j
  org.apache.tools.ant org.apache.xbean.asm5 org.apache.zookeeper org.codehaus.jackson org.codehaus.jettison
  org.eclipse.jetty org.jctools org.mortbay org.objenesis org.slf4j org.xerial.snappy
`
  .trim()
  .split(/\s+/)
  .map((name) => `${name}.`);

/** A class that a package need not bring. What it is in detail may not be known. */
export const isProvided = (name: string): boolean => provided.some((prefix) => name.startsWith(prefix));
