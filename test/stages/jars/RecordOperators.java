import java.io.File;
import java.io.PrintWriter;
import java.util.Set;
import java.util.TreeSet;

import org.codehaus.jettison.json.JSONObject;

import com.datatorrent.stram.webapp.OperatorDiscoverer;

/**
 * Prints what the engine's own discovery finds in jars: a line of JSON for each operator. Needs Java 8 and the engine with
 * everything it depends on as class path, but not the jars themselves. See README.md.
 */
public class RecordOperators
{
  public static void main(String[] args) throws Exception
  {
    String[] jars = new String[args.length - 1];
    for (int i = 0; i < jars.length; i++) {
      jars[i] = new File(args[i + 1]).getAbsolutePath();
    }
    OperatorDiscoverer discoverer = new OperatorDiscoverer(jars);
    Set<String> names = new TreeSet<>(discoverer.getOperatorClasses(null, null));
    try (PrintWriter out = new PrintWriter(args[0], "UTF-8")) {
      for (String name : names) {
        try {
          JSONObject operator = discoverer.describeOperator(name);
          try {
            discoverer.addDefaultValue(name, operator);
          } catch (Throwable failure) {
            operator.put("noDefaultValue", String.valueOf(failure));
          }
          out.println(operator.toString());
        } catch (Throwable failure) {
          out.println(new JSONObject().put("name", name).put("failed", String.valueOf(failure)).toString());
        }
      }
    }
    System.exit(0);
  }
}
