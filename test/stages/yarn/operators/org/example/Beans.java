package org.example;

import com.datatorrent.api.Context.OperatorContext;
import com.datatorrent.api.DefaultOutputPort;
import com.datatorrent.api.InputOperator;
import com.datatorrent.api.annotation.OutputPortFieldAnnotation;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Counts, with properties of all kinds; its beans are not Serializable, as those of most operators. */
public class Beans implements InputOperator
{
  public enum Mode
  {
    CALM, WILD
  }

  public static class Range
  {
    private int low = 1;
    private int high = 9;
    private Mode mode = Mode.CALM;

    public int getLow()
    {
      return low;
    }

    public void setLow(int low)
    {
      this.low = low;
    }

    public int getHigh()
    {
      return high;
    }

    public void setHigh(int high)
    {
      this.high = high;
    }

    public Mode getMode()
    {
      return mode;
    }

    public void setMode(Mode mode)
    {
      this.mode = mode;
    }
  }

  @OutputPortFieldAnnotation(optional = true)
  public final transient DefaultOutputPort<Long> numbers = new DefaultOutputPort<>();

  private int limit = 10;
  private double ratio = 1.5;
  private String label = "7";
  private boolean broken;
  private int stuckMillis;
  private long count;
  private Mode mode = Mode.CALM;
  private Range range = new Range();
  private List<Range> ranges = new ArrayList<>();
  private Map<String, Range> named = new LinkedHashMap<>();

  public Beans()
  {
    ranges.add(new Range());
    named.put("first", new Range());
  }

  @Override
  public void emitTuples()
  {
    if (count % 50 == 0) {
      numbers.emit(count);
    }
    count++;
    pause(5);
  }

  @Override
  public void beginWindow(long windowId)
  {
    if (broken) {
      throw new IllegalStateException("broken, as it was told");
    }
    pause(stuckMillis);
  }

  private static void pause(int millis)
  {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      throw new RuntimeException(e);
    }
  }

  @Override
  public void endWindow()
  {
  }

  @Override
  public void setup(OperatorContext context)
  {
  }

  @Override
  public void teardown()
  {
  }

  public int getLimit()
  {
    return limit;
  }

  public void setLimit(int limit)
  {
    this.limit = limit;
  }

  public double getRatio()
  {
    return ratio;
  }

  public void setRatio(double ratio)
  {
    this.ratio = ratio;
  }

  public String getLabel()
  {
    return label;
  }

  public void setLabel(String label)
  {
    this.label = label;
  }

  public boolean isBroken()
  {
    return broken;
  }

  public void setBroken(boolean broken)
  {
    this.broken = broken;
  }

  public int getStuckMillis()
  {
    return stuckMillis;
  }

  public void setStuckMillis(int stuckMillis)
  {
    this.stuckMillis = stuckMillis;
  }

  /** Without a setter. */
  public long getCount()
  {
    return count;
  }

  public Mode getMode()
  {
    return mode;
  }

  public void setMode(Mode mode)
  {
    this.mode = mode;
  }

  public Range getRange()
  {
    return range;
  }

  public void setRange(Range range)
  {
    this.range = range;
  }

  public List<Range> getRanges()
  {
    return ranges;
  }

  public void setRanges(List<Range> ranges)
  {
    this.ranges = ranges;
  }

  public Map<String, Range> getNamed()
  {
    return named;
  }

  public void setNamed(Map<String, Range> named)
  {
    this.named = named;
  }
}
