import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.util.ratelimit.RateLimiterStrategy;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.connector.datagen.source.GeneratorFunction;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;

/**
 * `Numbers NAME PARALLELISM [fails|slow]`: numbers from 0 on, 100 a second, shared out by their rest of seven, and one more. `fails`: the
 * tenth number that a subtask makes is an exception. `slow`: as many as the second part takes, which works on each for a millisecond. An
 * empty NAME: `pipeline.name`.
 */
public class Numbers {
  public static void main(String[] args) throws Exception {
    String how = args.length > 2 ? args[2] : "";
    boolean isSlow = how.equals("slow");
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.setParallelism(Integer.parseInt(args[1]));
    env.enableCheckpointing(500);
    GeneratorFunction<Long, Long> make = new Make(how.equals("fails"));
    RateLimiterStrategy rate = isSlow ? RateLimiterStrategy.noOp() : RateLimiterStrategy.perSecond(100);
    MapFunction<Long, Long> plusOne = isSlow ? new Slowly() : value -> value + 1;
    env.fromSource(
            new DataGeneratorSource<>(make, Long.MAX_VALUE, rate, Types.LONG),
            WatermarkStrategy.noWatermarks(),
            "numbers")
        .keyBy(value -> value % 7)
        .map(plusOne)
        .returns(Types.LONG)
        .name("plus one")
        .sinkTo(new DiscardingSink<>())
        .name("nowhere");
    if (args[0].isEmpty()) env.execute();
    else env.execute(args[0]);
  }

  static class Slowly implements MapFunction<Long, Long> {
    @Override
    public Long map(Long value) {
      long until = System.nanoTime() + 1_000_000;
      while (System.nanoTime() < until) {}
      return value + 1;
    }
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
