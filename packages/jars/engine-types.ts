/**
 * The public types of the engine's own API, version 3.7.0, which packages need not bring: a line each with name, flags,
 * generic signature, getters and setters, ports (`#`) and values of enumerations (`=`).
 */
// Made by `test/stages/jars/engine-types.ts`, which `npm run test:jars` holds it against.
export const engineTypes = `
com.datatorrent.api.AffinityRule 1 Ljava/lang/Object;Ljava/io/Serializable; getLocality()Lcom/datatorrent/api/DAG$Locality; setLocality(Lcom/datatorrent/api/DAG$Locality;)V getType()Lcom/datatorrent/api/AffinityRule$Type; setType(Lcom/datatorrent/api/AffinityRule$Type;)V isRelaxLocality()Z setRelaxLocality(Z)V getOperatorsList()Ljava/util/List<Ljava/lang/String;>; setOperatorsList(Ljava/util/List<Ljava/lang/String;>;)V getOperatorRegex()Ljava/lang/String; setOperatorRegex(Ljava/lang/String;)V
com.datatorrent.api.AffinityRule$Type 4011 Ljava/lang/Enum<Lcom/datatorrent/api/AffinityRule$Type;>; =AFFINITY =ANTI_AFFINITY
com.datatorrent.api.AffinityRulesSet 1 Ljava/lang/Object;Ljava/io/Serializable; getAffinityRules()Ljava/util/Collection<Lcom/datatorrent/api/AffinityRule;>; setAffinityRules(Ljava/util/Collection<Lcom/datatorrent/api/AffinityRule;>;)V
com.datatorrent.api.Attribute 1 <T:Ljava/lang/Object;>Ljava/lang/Object;Ljava/io/Serializable; getName()Ljava/lang/String; getLongName()Ljava/lang/String; getSimpleName()Ljava/lang/String;
com.datatorrent.api.Attribute$AttributeMap 601 Ljava/lang/Object;Ljava/lang/Cloneable;
com.datatorrent.api.Attribute$AttributeMap$AttributeInitializer 1 Ljava/lang/Object;
com.datatorrent.api.Attribute$AttributeMap$DefaultAttributeMap 1 Ljava/lang/Object;Lcom/datatorrent/api/Attribute$AttributeMap;Ljava/io/Serializable;
com.datatorrent.api.AutoMetric$Aggregator 601 Ljava/lang/Object;
com.datatorrent.api.AutoMetric$DimensionsScheme 601 Ljava/lang/Object; getTimeBuckets()[Ljava/lang/String;
com.datatorrent.api.AutoMetric$PhysicalMetricsContext 601 Ljava/lang/Object; getMetrics()Ljava/util/Map<Ljava/lang/String;Ljava/lang/Object;>;
com.datatorrent.api.AutoMetric$Transport 601 Ljava/lang/Object; getSchemaResendInterval()J
com.datatorrent.api.Component 601 <CONTEXT::Lcom/datatorrent/api/Context;>Ljava/lang/Object; setup(TCONTEXT;)V
com.datatorrent.api.Component$ComponentComplementPair 401 <COMPONENT::Lcom/datatorrent/api/Component<*>;COMPLEMENT:Ljava/lang/Object;>Ljava/lang/Object; getComplement()TCOMPLEMENT;
com.datatorrent.api.Context 601 Ljava/lang/Object; getAttributes()Lcom/datatorrent/api/Attribute$AttributeMap; setCounters(Ljava/lang/Object;)V
com.datatorrent.api.Context$DAGContext 601 Ljava/lang/Object;Lcom/datatorrent/api/Context;
com.datatorrent.api.Context$OperatorContext 601 Ljava/lang/Object;Lcom/datatorrent/api/Context; getId()I getName()Ljava/lang/String; getWindowsFromCheckpoint()I
com.datatorrent.api.Context$PortContext 601 Ljava/lang/Object;Lcom/datatorrent/api/Context;
com.datatorrent.api.ControlTupleEnabledSink 601 <T:Ljava/lang/Object;>Ljava/lang/Object;Lcom/datatorrent/api/Sink<TT;>;
com.datatorrent.api.DAG$GenericOperator 601 Ljava/lang/Object;
com.datatorrent.api.DAG$Locality 4011 Ljava/lang/Enum<Lcom/datatorrent/api/DAG$Locality;>; =THREAD_LOCAL =CONTAINER_LOCAL =NODE_LOCAL =RACK_LOCAL
com.datatorrent.api.DefaultInputPort 401 <T:Ljava/lang/Object;>Ljava/lang/Object;Lcom/datatorrent/api/Operator$InputPort<TT;>;Lcom/datatorrent/api/Sink<TT;>; getSink()Lcom/datatorrent/api/Sink<TT;>; setConnected(Z)V isConnected()Z getStreamCodec()Lcom/datatorrent/api/StreamCodec<TT;>; setup(Lcom/datatorrent/api/Context$PortContext;)V setup(Lcom/datatorrent/api/Context;)V
com.datatorrent.api.DefaultOutputPort 1 <T:Ljava/lang/Object;>Ljava/lang/Object;Lcom/datatorrent/api/Operator$OutputPort<TT;>; setSink(Lcom/datatorrent/api/Sink<Ljava/lang/Object;>;)V isConnected()Z getUnifier()Lcom/datatorrent/api/Operator$Unifier<TT;>; setup(Lcom/datatorrent/api/Context$PortContext;)V setup(Lcom/datatorrent/api/Context;)V
com.datatorrent.api.DefaultPartition 1 <T:Ljava/lang/Object;>Ljava/lang/Object;Lcom/datatorrent/api/Partitioner$Partition<TT;>; getPartitionKeys()Ljava/util/Map<Lcom/datatorrent/api/Operator$InputPort<*>;Lcom/datatorrent/api/Partitioner$PartitionKeys;>; getLoad()I getStats()Lcom/datatorrent/api/StatsListener$BatchedOperatorStats; getPartitionedInstance()TT; isModified()Z getAttributes()Lcom/datatorrent/api/Attribute$AttributeMap;
com.datatorrent.api.DefaultPartition$PartitionPortMap 1 Ljava/util/HashMap<Lcom/datatorrent/api/Operator$InputPort<*>;Lcom/datatorrent/api/Partitioner$PartitionKeys;>; isModified()Z
com.datatorrent.api.InputOperator 601 Ljava/lang/Object;Lcom/datatorrent/api/Operator;
com.datatorrent.api.LocalMode 401 <H::Lorg/apache/apex/api/EmbeddedAppLauncher$EmbeddedAppHandle;>Lorg/apache/apex/api/EmbeddedAppLauncher<TH;>; getController()Lcom/datatorrent/api/LocalMode$Controller;
com.datatorrent.api.LocalMode$Controller 601 Ljava/lang/Object; setHeartbeatMonitoringEnabled(Z)V
com.datatorrent.api.Module 601 Ljava/lang/Object;Lcom/datatorrent/api/DAG$GenericOperator;
com.datatorrent.api.Module$ProxyInputPort 11 <T:Ljava/lang/Object;>Ljava/lang/Object;Lcom/datatorrent/api/Operator$InputPort<TT;>; set(Lcom/datatorrent/api/Operator$InputPort<TT;>;)V get()Lcom/datatorrent/api/Operator$InputPort<TT;>; setup(Lcom/datatorrent/api/Context$PortContext;)V getSink()Lcom/datatorrent/api/Sink<TT;>; setConnected(Z)V getStreamCodec()Lcom/datatorrent/api/StreamCodec<TT;>; setup(Lcom/datatorrent/api/Context;)V
com.datatorrent.api.Module$ProxyOutputPort 11 <T:Ljava/lang/Object;>Ljava/lang/Object;Lcom/datatorrent/api/Operator$OutputPort<TT;>; set(Lcom/datatorrent/api/Operator$OutputPort<TT;>;)V get()Lcom/datatorrent/api/Operator$OutputPort<TT;>; setup(Lcom/datatorrent/api/Context$PortContext;)V setSink(Lcom/datatorrent/api/Sink<Ljava/lang/Object;>;)V getUnifier()Lcom/datatorrent/api/Operator$Unifier<TT;>; setup(Lcom/datatorrent/api/Context;)V
com.datatorrent.api.Operator 601 Ljava/lang/Object;Lcom/datatorrent/api/Component<Lcom/datatorrent/api/Context$OperatorContext;>;Lcom/datatorrent/api/DAG$GenericOperator;
com.datatorrent.api.Operator$ActivationListener 601 <CONTEXT::Lcom/datatorrent/api/Context;>Ljava/lang/Object;
com.datatorrent.api.Operator$CheckpointListener 601 Ljava/lang/Object;
com.datatorrent.api.Operator$CheckpointNotificationListener 601 Ljava/lang/Object;Lcom/datatorrent/api/Operator$CheckpointListener;
com.datatorrent.api.Operator$DelayOperator 601 Ljava/lang/Object;Lcom/datatorrent/api/Operator;
com.datatorrent.api.Operator$IdleTimeHandler 601 Ljava/lang/Object;
com.datatorrent.api.Operator$InputPort 601 <T:Ljava/lang/Object;>Ljava/lang/Object;Lcom/datatorrent/api/Operator$Port; getSink()Lcom/datatorrent/api/Sink<TT;>; setConnected(Z)V getStreamCodec()Lcom/datatorrent/api/StreamCodec<TT;>;
com.datatorrent.api.Operator$OutputPort 601 <T:Ljava/lang/Object;>Ljava/lang/Object;Lcom/datatorrent/api/Operator$Port; setSink(Lcom/datatorrent/api/Sink<Ljava/lang/Object;>;)V getUnifier()Lcom/datatorrent/api/Operator$Unifier<TT;>;
com.datatorrent.api.Operator$Port 601 Ljava/lang/Object;Lcom/datatorrent/api/Component<Lcom/datatorrent/api/Context$PortContext;>;
com.datatorrent.api.Operator$ProcessingMode 4011 Ljava/lang/Enum<Lcom/datatorrent/api/Operator$ProcessingMode;>; =AT_LEAST_ONCE =AT_MOST_ONCE =EXACTLY_ONCE
com.datatorrent.api.Operator$ShutdownException 1 Ljava/lang/RuntimeException;
com.datatorrent.api.Operator$Unifier 601 <T:Ljava/lang/Object;>Ljava/lang/Object;Lcom/datatorrent/api/Operator;
com.datatorrent.api.Partitioner 601 <T:Ljava/lang/Object;>Ljava/lang/Object;
com.datatorrent.api.Partitioner$Partition 601 <T:Ljava/lang/Object;>Ljava/lang/Object; getPartitionKeys()Ljava/util/Map<Lcom/datatorrent/api/Operator$InputPort<*>;Lcom/datatorrent/api/Partitioner$PartitionKeys;>; getLoad()I getStats()Lcom/datatorrent/api/StatsListener$BatchedOperatorStats; getPartitionedInstance()TT; getAttributes()Lcom/datatorrent/api/Attribute$AttributeMap;
com.datatorrent.api.Partitioner$PartitionKeys 1 Ljava/lang/Object;Ljava/io/Serializable;
com.datatorrent.api.Partitioner$PartitioningContext 601 Ljava/lang/Object; getParallelPartitionCount()I getInputPorts()Ljava/util/List<Lcom/datatorrent/api/Operator$InputPort<*>;>;
com.datatorrent.api.Sink 601 <T:Ljava/lang/Object;>Ljava/lang/Object;
com.datatorrent.api.Stats 601 Ljava/lang/Object;Ljava/io/Serializable;
com.datatorrent.api.Stats$Checkpoint 601 Ljava/lang/Object;Ljava/io/Serializable; getWindowId()J
com.datatorrent.api.Stats$CheckpointStats 1 Ljava/lang/Object;Lcom/datatorrent/api/Stats;
com.datatorrent.api.Stats$OperatorStats 1 Ljava/lang/Object;Lcom/datatorrent/api/Stats;
com.datatorrent.api.Stats$OperatorStats$PortStats 1 Ljava/lang/Object;Lcom/datatorrent/api/Stats;
com.datatorrent.api.StatsListener 601 Ljava/lang/Object;
com.datatorrent.api.StatsListener$BatchedOperatorStats 601 Ljava/lang/Object; getLastWindowedStats()Ljava/util/List<Lcom/datatorrent/api/Stats$OperatorStats;>; getOperatorId()I getCurrentWindowId()J getTuplesProcessedPSMA()J getTuplesEmittedPSMA()J getCpuPercentageMA()D getLatencyMA()J getOperatorResponse()Ljava/util/List<Lcom/datatorrent/api/StatsListener$OperatorResponse;>;
com.datatorrent.api.StatsListener$OperatorCommand 601 Ljava/lang/Object;
com.datatorrent.api.StatsListener$OperatorRequest 601 Ljava/lang/Object;
com.datatorrent.api.StatsListener$OperatorResponse 601 Ljava/lang/Object; getResponseId()Ljava/lang/Object; getResponse()Ljava/lang/Object;
com.datatorrent.api.StatsListener$Response 1 Ljava/lang/Object;Ljava/io/Serializable;
com.datatorrent.api.StatsListener$StatsListenerContext 601 Ljava/lang/Object;
com.datatorrent.api.StatsListener$StatsListenerWithContext 601 Ljava/lang/Object;Lcom/datatorrent/api/StatsListener;
com.datatorrent.api.StorageAgent 601 Ljava/lang/Object;
com.datatorrent.api.StorageAgent$ApplicationAwareStorageAgent 601 Ljava/lang/Object;Lcom/datatorrent/api/StorageAgent; setApplicationAttributes(Lcom/datatorrent/api/Attribute$AttributeMap;)V
com.datatorrent.api.StreamCodec 601 <T:Ljava/lang/Object;>Ljava/lang/Object;
com.datatorrent.api.StreamingApplication 601 Ljava/lang/Object;
com.datatorrent.api.StreamingApplication$Environment 4011 Ljava/lang/Enum<Lcom/datatorrent/api/StreamingApplication$Environment;>; =LOCAL =CLUSTER
com.datatorrent.api.StringCodec 601 <T:Ljava/lang/Object;>Ljava/lang/Object;
com.datatorrent.api.StringCodec$Boolean2String 1 Ljava/lang/Object;Lcom/datatorrent/api/StringCodec<Ljava/lang/Boolean;>;Ljava/io/Serializable; getInstance()Lcom/datatorrent/api/StringCodec<Ljava/lang/Boolean;>;
com.datatorrent.api.StringCodec$Class2String 1 <T:Ljava/lang/Object;>Ljava/lang/Object;Lcom/datatorrent/api/StringCodec<Ljava/lang/Class<+TT;>;>;Ljava/io/Serializable; getInstance<T:Ljava/lang/Object;>()Lcom/datatorrent/api/StringCodec<Ljava/lang/Class<+TT;>;>;
com.datatorrent.api.StringCodec$Collection2String 1 <T:Ljava/lang/Object;>Ljava/lang/Object;Lcom/datatorrent/api/StringCodec<Ljava/util/Collection<TT;>;>;Ljava/io/Serializable;
com.datatorrent.api.StringCodec$Enum2String 1 <T:Ljava/lang/Enum<TT;>;>Ljava/lang/Object;Lcom/datatorrent/api/StringCodec<TT;>;Ljava/io/Serializable;
com.datatorrent.api.StringCodec$Factory 1 Ljava/lang/Object;
com.datatorrent.api.StringCodec$Integer2String 1 Ljava/lang/Object;Lcom/datatorrent/api/StringCodec<Ljava/lang/Integer;>;Ljava/io/Serializable; getInstance()Lcom/datatorrent/api/StringCodec<Ljava/lang/Integer;>;
com.datatorrent.api.StringCodec$JsonStringCodec 1 <T:Ljava/lang/Object;>Ljava/lang/Object;Lcom/datatorrent/api/StringCodec<TT;>;Ljava/io/Serializable;
com.datatorrent.api.StringCodec$Long2String 1 Ljava/lang/Object;Lcom/datatorrent/api/StringCodec<Ljava/lang/Long;>;Ljava/io/Serializable; getInstance()Lcom/datatorrent/api/StringCodec<Ljava/lang/Long;>;
com.datatorrent.api.StringCodec$Map2String 1 <K:Ljava/lang/Object;V:Ljava/lang/Object;>Ljava/lang/Object;Lcom/datatorrent/api/StringCodec<Ljava/util/Map<TK;TV;>;>;Ljava/io/Serializable;
com.datatorrent.api.StringCodec$Object2String 1 <T:Ljava/lang/Object;>Ljava/lang/Object;Lcom/datatorrent/api/StringCodec<TT;>;Ljava/io/Serializable; getInstance<T:Ljava/lang/Object;>()Lcom/datatorrent/api/StringCodec<TT;>;
com.datatorrent.api.StringCodec$String2String 1 Ljava/lang/Object;Lcom/datatorrent/api/StringCodec<Ljava/lang/String;>;Ljava/io/Serializable; getInstance()Lcom/datatorrent/api/StringCodec<Ljava/lang/String;>;
com.datatorrent.common.codec.JsonStreamCodec 1 <T:Ljava/lang/Object;>Ljava/lang/Object;Lcom/datatorrent/api/StreamCodec<TT;>;
com.datatorrent.common.experimental.AppData 601 Ljava/lang/Object;
com.datatorrent.common.experimental.AppData$ConnectionInfoProvider 601 Ljava/lang/Object; getAppDataURL()Ljava/lang/String; getTopic()Ljava/lang/String;
com.datatorrent.common.experimental.AppData$EmbeddableQueryInfoProvider 601 <QUERY_TYPE:Ljava/lang/Object;>Ljava/lang/Object;Lcom/datatorrent/api/Operator;Lcom/datatorrent/common/experimental/AppData$ConnectionInfoProvider;Lcom/datatorrent/api/Operator$ActivationListener<Lcom/datatorrent/api/Context$OperatorContext;>; getOutputPort()Lcom/datatorrent/api/DefaultOutputPort<TQUERY_TYPE;>;
com.datatorrent.common.experimental.AppData$Store 601 <QUERY_TYPE:Ljava/lang/Object;>Ljava/lang/Object;Lcom/datatorrent/api/Operator$ActivationListener<Lcom/datatorrent/api/Context$OperatorContext;>; getEmbeddableQueryInfoProvider()Lcom/datatorrent/common/experimental/AppData$EmbeddableQueryInfoProvider<TQUERY_TYPE;>; setEmbeddableQueryInfoProvider(Lcom/datatorrent/common/experimental/AppData$EmbeddableQueryInfoProvider<TQUERY_TYPE;>;)V
com.datatorrent.common.metric.AutoMetricBuiltInTransport 1 Ljava/lang/Object;Lcom/datatorrent/api/AutoMetric$Transport;Ljava/io/Serializable; getSchemaResendInterval()J getTopic()Ljava/lang/String;
com.datatorrent.common.metric.MetricsAggregator 1 Ljava/lang/Object;Lcom/datatorrent/api/AutoMetric$Aggregator;Ljava/io/Serializable; getAggregatorMetricSeparator()Ljava/lang/String; setAggregatorMetricSeparator(Ljava/lang/String;)V
com.datatorrent.common.metric.MetricsAggregator$LogicalMetricMeta 1 Ljava/lang/Object;Ljava/io/Serializable; getAggregator()Lcom/datatorrent/common/metric/SingleMetricAggregator; getName()Ljava/lang/String;
com.datatorrent.common.metric.SingleMetricAggregator 601 Ljava/lang/Object;
com.datatorrent.common.metric.sum.DoubleSumAggregator 1 Ljava/lang/Object;Lcom/datatorrent/common/metric/SingleMetricAggregator;Ljava/io/Serializable;
com.datatorrent.common.metric.sum.LongSumAggregator 1 Ljava/lang/Object;Lcom/datatorrent/common/metric/SingleMetricAggregator;Ljava/io/Serializable;
com.datatorrent.common.partitioner.StatelessPartitioner 1 <T::Lcom/datatorrent/api/Operator;>Ljava/lang/Object;Lcom/datatorrent/api/Partitioner<TT;>;Ljava/io/Serializable; setPartitionCount(I)V getPartitionCount()I
com.datatorrent.common.util.AsyncFSStorageAgent 1 Lcom/datatorrent/common/util/FSStorageAgent;Lorg/apache/apex/common/util/AsyncStorageAgent; isSyncCheckpoint()Z setSyncCheckpoint(Z)V
com.datatorrent.common.util.BaseOperator 1 Ljava/lang/Object;Lcom/datatorrent/api/Operator; getName()Ljava/lang/String; setName(Ljava/lang/String;)V setup(Lcom/datatorrent/api/Context$OperatorContext;)V setup(Lcom/datatorrent/api/Context;)V
com.datatorrent.common.util.BasicContainerOptConfigurator 1 Ljava/lang/Object;Lcom/datatorrent/api/Context$ContainerOptConfigurator;
com.datatorrent.common.util.DefaultDelayOperator 1 <T:Ljava/lang/Object;>Lcom/datatorrent/common/util/BaseOperator;Lcom/datatorrent/api/Operator$DelayOperator; <init>()V #input:Lcom/datatorrent/api/DefaultInputPort<TT;>; #output:Lcom/datatorrent/api/DefaultOutputPort<TT;>;
com.datatorrent.common.util.FSStorageAgent 1 Ljava/lang/Object;Lcom/datatorrent/api/StorageAgent;Ljava/io/Serializable;
com.datatorrent.common.util.JacksonObjectMapperProvider 1 Ljava/lang/Object;Ljavax/ws/rs/ext/ContextResolver<Lorg/codehaus/jackson/map/ObjectMapper;>;
com.datatorrent.common.util.NameableThreadFactory 1 Ljava/lang/Object;Ljava/util/concurrent/ThreadFactory;
com.datatorrent.common.util.NumberAggregate 601 Ljava/lang/Object; getMin()Ljava/lang/Number; getMax()Ljava/lang/Number; getSum()Ljava/lang/Number; getAvg()Ljava/lang/Number;
com.datatorrent.common.util.NumberAggregate$DoubleAggregate 1 Ljava/lang/Object;Lcom/datatorrent/common/util/NumberAggregate; getMin()Ljava/lang/Number; getMax()Ljava/lang/Number; getAvg()Ljava/lang/Number; getSum()Ljava/lang/Number;
com.datatorrent.common.util.NumberAggregate$LongAggregate 1 Ljava/lang/Object;Lcom/datatorrent/common/util/NumberAggregate; getMin()Ljava/lang/Number; getMax()Ljava/lang/Number; getAvg()Ljava/lang/Number; getSum()Ljava/lang/Number;
com.datatorrent.common.util.ObjectMapperString 1 Ljava/lang/Object;
com.datatorrent.common.util.Pair 1 <F:Ljava/lang/Object;S:Ljava/lang/Object;>Ljava/lang/Object;Ljava/io/Serializable; getFirst()TF; getSecond()TS;
com.datatorrent.common.util.PubSubMessage 1 <T:Ljava/lang/Object;>Ljava/lang/Object; getType()Lcom/datatorrent/common/util/PubSubMessage$PubSubMessageType; setType(Lcom/datatorrent/common/util/PubSubMessage$PubSubMessageType;)V getTopic()Ljava/lang/String; setTopic(Ljava/lang/String;)V getData()TT; setData(TT;)V
com.datatorrent.common.util.PubSubMessage$PubSubMessageType 4011 Ljava/lang/Enum<Lcom/datatorrent/common/util/PubSubMessage$PubSubMessageType;>; getIdentifier()Ljava/lang/String; =PUBLISH =SUBSCRIBE =UNSUBSCRIBE =SUBSCRIBE_NUM_SUBSCRIBERS =UNSUBSCRIBE_NUM_SUBSCRIBERS =DATA =GET_LATEST_TOPICS
com.datatorrent.common.util.PubSubMessageCodec 1 <T:Ljava/lang/Object;>Ljava/lang/Object;
com.datatorrent.common.util.ScheduledExecutorService 601 Ljava/lang/Object;Ljava/util/concurrent/ScheduledExecutorService; getCurrentTimeMillis()J
com.datatorrent.common.util.ScheduledThreadPoolExecutor 1 Ljava/util/concurrent/ScheduledThreadPoolExecutor;Lcom/datatorrent/common/util/ScheduledExecutorService; getCurrentTimeMillis()J
com.datatorrent.common.util.SerializableObject 1 Ljava/lang/Object;Ljava/io/Serializable;
org.apache.apex.api.ControlAwareDefaultInputPort 401 <T:Ljava/lang/Object;>Lcom/datatorrent/api/DefaultInputPort<TT;>;Lcom/datatorrent/api/ControlTupleEnabledSink<TT;>;
org.apache.apex.api.ControlAwareDefaultOutputPort 1 <T:Ljava/lang/Object;>Lcom/datatorrent/api/DefaultOutputPort<TT;>; isConnected()Z setSink(Lcom/datatorrent/api/Sink<Ljava/lang/Object;>;)V
org.apache.apex.api.EmbeddedAppLauncher 401 <H::Lorg/apache/apex/api/EmbeddedAppLauncher$EmbeddedAppHandle;>Lorg/apache/apex/api/Launcher<TH;>; getDAG()Lcom/datatorrent/api/DAG;
org.apache.apex.api.EmbeddedAppLauncher$EmbeddedAppHandle 601 Ljava/lang/Object;Lorg/apache/apex/api/Launcher$AppHandle;
org.apache.apex.api.Launcher 401 <H::Lorg/apache/apex/api/Launcher$AppHandle;>Ljava/lang/Object;
org.apache.apex.api.Launcher$AppHandle 601 Ljava/lang/Object; isFinished()Z
org.apache.apex.api.Launcher$LaunchMode 1 <L:Lorg/apache/apex/api/Launcher;>Ljava/lang/Object;
org.apache.apex.api.Launcher$LauncherException 1 Ljava/lang/RuntimeException;
org.apache.apex.api.Launcher$ShutdownMode 4011 Ljava/lang/Enum<Lorg/apache/apex/api/Launcher$ShutdownMode;>; =AWAIT_TERMINATION =KILL
org.apache.apex.api.YarnAppLauncher 401 <H::Lorg/apache/apex/api/YarnAppLauncher$YarnAppHandle;>Lorg/apache/apex/api/Launcher<TH;>;
org.apache.apex.api.YarnAppLauncher$YarnAppHandle 601 Ljava/lang/Object;Lorg/apache/apex/api/Launcher$AppHandle; getApplicationId()Ljava/lang/String;
org.apache.apex.api.operator.ControlTuple 601 Ljava/lang/Object; getDeliveryType()Lorg/apache/apex/api/operator/ControlTuple$DeliveryType;
org.apache.apex.api.operator.ControlTuple$DeliveryType 4011 Ljava/lang/Enum<Lorg/apache/apex/api/operator/ControlTuple$DeliveryType;>; =IMMEDIATE =END_WINDOW
org.apache.apex.api.plugin.DAGSetupEvent 1 Lorg/apache/apex/api/plugin/Event$BaseEvent<Lorg/apache/apex/api/plugin/DAGSetupEvent$Type;>;
org.apache.apex.api.plugin.DAGSetupEvent$Type 4011 Ljava/lang/Enum<Lorg/apache/apex/api/plugin/DAGSetupEvent$Type;>;Lorg/apache/apex/api/plugin/Event$Type; =PRE_POPULATE_DAG =POST_POPULATE_DAG =PRE_CONFIGURE_DAG =POST_CONFIGURE_DAG =PRE_VALIDATE_DAG =POST_VALIDATE_DAG
org.apache.apex.api.plugin.DAGSetupPlugin 601 <T::Lorg/apache/apex/api/plugin/DAGSetupPlugin$Context;>Ljava/lang/Object;Lorg/apache/apex/api/plugin/Plugin<TT;>;
org.apache.apex.api.plugin.DAGSetupPlugin$Context 601 <E:Lorg/apache/apex/api/plugin/DAGSetupEvent;>Ljava/lang/Object;Lorg/apache/apex/api/plugin/Plugin$PluginContext<Lorg/apache/apex/api/plugin/DAGSetupEvent$Type;TE;>; getDAG()Lcom/datatorrent/api/DAG; getConfiguration()Lorg/apache/hadoop/conf/Configuration;
org.apache.apex.api.plugin.Event 601 <T::Lorg/apache/apex/api/plugin/Event$Type;>Ljava/lang/Object; getType()TT;
org.apache.apex.api.plugin.Event$BaseEvent 1 <T::Lorg/apache/apex/api/plugin/Event$Type;>Ljava/lang/Object;Lorg/apache/apex/api/plugin/Event<TT;>; getType()TT;
org.apache.apex.api.plugin.Event$Type 601 Ljava/lang/Object;
org.apache.apex.api.plugin.Plugin 601 <T::Lorg/apache/apex/api/plugin/Plugin$PluginContext;>Ljava/lang/Object;Lcom/datatorrent/api/Component<TT;>;
org.apache.apex.api.plugin.Plugin$EventHandler 601 <E::Lorg/apache/apex/api/plugin/Event;>Ljava/lang/Object;
org.apache.apex.api.plugin.Plugin$PluginContext 601 <T::Lorg/apache/apex/api/plugin/Event$Type;E::Lorg/apache/apex/api/plugin/Event<TT;>;>Ljava/lang/Object;Lcom/datatorrent/api/Context;
org.apache.apex.common.util.AsyncStorageAgent 601 Ljava/lang/Object;Lcom/datatorrent/api/StorageAgent; isSyncCheckpoint()Z
org.apache.apex.common.util.JarHelper 1 Ljava/lang/Object;
org.apache.apex.common.util.PropertiesHelper 1 Ljava/lang/Object;
org.apache.apex.common.util.ToStringStyle 401 Lorg/apache/commons/lang/builder/ToStringStyle;
`;
