import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.util.ratelimit.RateLimiterStrategy;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.connector.datagen.source.GeneratorFunction;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;

/**
 * `Numbers NAME PARALLELISM [FAILS]`: numbers from 0 on, 100 a second, shared out by their rest of seven, and one more. With a third
 * argument the tenth number that a subtask makes is an exception.
 */
public class Numbers {
  public static void main(String[] args) throws Exception {
    boolean fails = args.length > 2;
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.setParallelism(Integer.parseInt(args[1]));
    env.enableCheckpointing(500);
    GeneratorFunction<Long, Long> make = new Make(fails);
    env.fromSource(
            new DataGeneratorSource<>(make, Long.MAX_VALUE, RateLimiterStrategy.perSecond(100), Types.LONG),
            WatermarkStrategy.noWatermarks(),
            "numbers")
        .keyBy(value -> value % 7)
        .map(value -> value + 1)
        .returns(Types.LONG)
        .name("plus one")
        .sinkTo(new DiscardingSink<>())
        .name("nowhere");
    env.execute(args[0]);
  }

  static class Make implements GeneratorFunction<Long, Long> {
    final boolean fails;
    transient int made;

    Make(boolean fails) {
      this.fails = fails;
    }

    @Override
    public Long map(Long index) {
      if (fails && ++made >= 10) throw new IllegalStateException("boom at number " + made);
      return index;
    }
  }
}
