import java.io.FileWriter;
import java.io.IOException;
import java.util.concurrent.locks.LockSupport;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichFlatMapFunction;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.connector.datagen.source.GeneratorFunction;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.Collector;
import org.apache.flink.util.ParameterTool;

/**
 * The pipelines of `../pipelines.ts` as jobs. Each has a parallelism of one and reuses objects; the parts of `across` and
 * `keyed` are in slots of their own, which one slot a task manager makes processes of their own.
 */
public class Pipelines {
  public static void main(String[] args) throws Exception {
    ParameterTool options = ParameterTool.fromArgs(args);
    String progress = options.get("progress");
    int every = options.getInt("every");
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.setParallelism(1);
    env.getConfig().enableObjectReuse();
    if (options.has("checkpointMillis")) env.enableCheckpointing(options.getLong("checkpointMillis"));
    switch (options.get("pipeline")) {
      case "chain":
        source(env, Types.LONG, index -> index)
            .map(value -> value * 2)
            .returns(Types.LONG)
            .flatMap(new Count<Long>(progress, every));
        break;
      case "across":
        source(env, Types.STRING, new Texts(options.getInt("bytes")))
            .slotSharingGroup("source")
            .flatMap(new Count<String>(progress, every))
            .slotSharingGroup("count");
        break;
      case "keyed":
        Keys keys = new Keys(options.getInt("keys"), options.getLong("perSecond"), options.getLong("from"));
        source(env, Types.STRING, keys)
            .slotSharingGroup("source")
            .keyBy(key -> key)
            .flatMap(new KeyedCount(progress, every))
            .slotSharingGroup("count");
        break;
      default:
        throw new IllegalArgumentException(options.get("pipeline"));
    }
    env.execute(options.get("pipeline"));
  }

  static <T> SingleOutputStreamOperator<T> source(
      StreamExecutionEnvironment env, TypeInformation<T> type, GeneratorFunction<Long, T> make) {
    DataGeneratorSource<T> generator = new DataGeneratorSource<>(make, Long.MAX_VALUE, type);
    return env.fromSource(generator, WatermarkStrategy.noWatermarks(), "source");
  }

  /** Texts of so many characters, each of its own. */
  static class Texts implements GeneratorFunction<Long, String> {
    final int bytes;
    final String text;

    Texts(int bytes) {
      this.bytes = bytes;
      this.text = "x".repeat(bytes);
    }

    @Override
    public String map(Long index) {
      return (index + text).substring(0, bytes);
    }
  }

  /** So many keys in turn; as fast as it goes, or as many as are due since a moment. */
  static class Keys implements GeneratorFunction<Long, String> {
    final int keys;
    final long perSecond;
    /** Epoch milliseconds. */
    final long from;
    transient long due;

    Keys(int keys, long perSecond, long from) {
      this.keys = keys;
      this.perSecond = perSecond;
      this.from = from;
    }

    @Override
    public String map(Long index) {
      while (perSecond > 0 && index >= due) {
        due = (System.currentTimeMillis() - from) * perSecond / 1000;
        if (index >= due) LockSupport.parkNanos(1_000_000);
      }
      return "key-" + index % keys;
    }
  }

  /** Counts, and tells how far it has come. */
  static class Count<T> extends RichFlatMapFunction<T, Void> implements CheckpointedFunction {
    final String path;
    final int every;
    transient FileWriter file;
    transient ListState<Long> kept;
    transient long noted;
    long count;

    /** `every`: records between two looks at the clock, a power of two. */
    Count(String path, int every) {
      this.path = path;
      this.every = every;
    }

    @Override
    public void open(OpenContext context) throws Exception {
      file = new FileWriter(path, true);
    }

    @Override
    public void flatMap(T value, Collector<Void> out) throws Exception {
      if ((++count & (every - 1)) == 0) note();
    }

    void note() throws IOException {
      long now = System.currentTimeMillis();
      if (now - noted < 20) return;
      noted = now;
      file.write(now + " " + count + "\n");
      file.flush();
    }

    @Override
    public void snapshotState(FunctionSnapshotContext context) throws Exception {
      kept.update(java.util.List.of(count));
    }

    @Override
    public void initializeState(FunctionInitializationContext context) throws Exception {
      kept = context.getOperatorStateStore().getListState(new ListStateDescriptor<>("count", Types.LONG));
      for (Long value : kept.get()) count = value;
    }
  }

  /** Counts each key. */
  static class KeyedCount extends Count<String> {
    transient ValueState<Long> ofKey;

    KeyedCount(String path, int every) {
      super(path, every);
    }

    @Override
    public void open(OpenContext context) throws Exception {
      super.open(context);
      ofKey = getRuntimeContext().getState(new ValueStateDescriptor<>("ofKey", Types.LONG));
    }

    @Override
    public void flatMap(String key, Collector<Void> out) throws Exception {
      Long before = ofKey.value();
      ofKey.update(before == null ? 1L : before + 1);
      super.flatMap(key, out);
    }
  }
}
