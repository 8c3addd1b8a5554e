import { accessors, type ClassSpec, flags } from './class-bytes.js';

// Operators as an author of the engine writes them, as class files.

const api = 'com/datatorrent/api';
export const inputPort = `L${api}/DefaultInputPort;`;
export const outputPort = `L${api}/DefaultOutputPort;`;
export const base = 'com.datatorrent.common.util.BaseOperator';

/** `class Base<T> extends BaseOperator` with an input port for `T`, an output port for lists of it and properties. */
export const genericBase: ClassSpec = {
  name: 'org.example.lib.Base',
  extends: base,
  flags: flags.public | flags.abstract,
  signature: '<T:Ljava/lang/Object;>Lcom/datatorrent/common/util/BaseOperator;',
  fields: [
    { name: 'input', descriptor: inputPort, signature: `L${api}/DefaultInputPort<TT;>;` },
    {
      name: 'lists',
      descriptor: outputPort,
      flags: flags.private,
      signature: `L${api}/DefaultOutputPort<Ljava/util/List<TT;>;>;`,
    },
    { name: 'count', descriptor: 'I' },
  ],
  methods: [
    ...accessors('limit', 'I'),
    ...accessors('seed', 'Ljava/lang/Object;', 'TT;'),
    { name: 'getTotal', descriptor: '()J' },
    { name: 'setup', descriptor: '(Lcom/datatorrent/api/Context$OperatorContext;)V' },
  ],
};

/** `class Words extends Base<String>`: another port, a bean, an enumeration and a map. */
export const words: ClassSpec = {
  name: 'org.example.Words',
  extends: genericBase.name,
  signature: 'Lorg/example/lib/Base<Ljava/lang/String;>;',
  fields: [
    {
      name: 'output',
      descriptor: outputPort,
      signature: `L${api}/DefaultOutputPort<Ljava/lang/Integer;>;`,
      annotations: [
        {
          type: 'com.datatorrent.api.annotation.OutputPortFieldAnnotation',
          values: { optional: false, error: true },
        },
      ],
    },
    {
      name: 'more',
      descriptor: inputPort,
      signature: `L${api}/DefaultInputPort<[B>;`,
      annotations: [
        { type: 'com.datatorrent.api.annotation.InputPortFieldAnnotation', values: { optional: true } },
      ],
    },
  ],
  methods: [
    { name: '<init>', descriptor: '()V' },
    ...accessors('mode', 'Lorg/example/Words$Mode;'),
    ...accessors('settings', 'Lorg/example/Settings;'),
    ...accessors('weights', 'Ljava/util/Map;', 'Ljava/util/Map<Ljava/lang/String;Ljava/lang/Double;>;'),
    { name: 'setSecret', descriptor: '(Ljava/lang/String;)V' },
  ],
};

export const mode: ClassSpec = {
  name: 'org.example.Words$Mode',
  extends: 'java.lang.Enum',
  flags: flags.public | flags.enum,
  signature: 'Ljava/lang/Enum<Lorg/example/Words$Mode;>;',
  fields: ['FAST', 'EXACT'].map((name) => ({
    name,
    descriptor: 'Lorg/example/Words$Mode;',
    flags: flags.public | flags.static | flags.enum,
  })),
};

export const settings: ClassSpec = {
  name: 'org.example.Settings',
  methods: [...accessors('depth', 'S'), ...accessors('parent', 'Lorg/example/Settings;')],
};

/** It needs no port. */
export const source: ClassSpec = {
  name: 'org.example.Source',
  extends: base,
  implements: ['com.datatorrent.api.InputOperator'],
};

export const operatorClasses: readonly ClassSpec[] = [words, mode, settings, source];

export const application = (name: string, annotatedName?: string): ClassSpec => ({
  name,
  implements: ['com.datatorrent.api.StreamingApplication'],
  ...(annotatedName === undefined
    ? {}
    : {
        annotations: [
          {
            type: 'com.datatorrent.api.annotation.ApplicationAnnotation',
            values: { name: annotatedName },
          },
        ],
      }),
});

export const javadoc = `<?xml version="1.0" encoding="UTF-8"?><root><package name="org.example">
<class name="Words" qualified="org.example.Words"><comment>Counts words &amp;amp; more.
&lt;p&gt;At length.&lt;/p&gt;</comment>
<tag name="@displayName" text="Word Counter"/><tag name="@category" text="Text"/><tag name="@tags" text="Words, count ,"/>
<tag name="@doclink" text="https://docs.example.org/"/>
<field name="output"><comment>Numbers</comment></field>
<method name="setMode"><comment>How it counts</comment></method>
<method name="setSecret"><comment>Not to be seen</comment><tag name="@omitFromUI" text=""/></method></class>
<class name="Base" qualified="org.example.lib.Base"><comment>Not an operator by itself</comment>
<field name="input"><comment>Lines</comment></field>
<method name="getLimit"><comment>At most</comment></method></class>
<class name="Mode" qualified="org.example.Words.Mode"><comment>Modes</comment></class>
</package></root>`;
