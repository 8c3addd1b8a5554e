package org.example;

import com.datatorrent.api.AutoMetric;
import com.datatorrent.lib.io.ConsoleOutputOperator;

/** A console with metrics of its own. */
public class MeteredConsole extends ConsoleOutputOperator
{
  @AutoMetric
  private long windows;
  @AutoMetric
  private double half = 0.5;

  @Override
  public void beginWindow(long windowId)
  {
    super.beginWindow(windowId);
    windows++;
  }
}
