package org.example;

import com.datatorrent.stram.util.PubSubWebSocketClient;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import org.apache.apex.shaded.ning19.com.ning.http.client.ws.WebSocket;

/**
 * The engine's own connection to a gateway, with nothing around it: it answers no pings, and opens itself again only for
 * somebody who asks. Tells when it opens and closes, and publishes each line that it reads.
 */
public class EngineClient extends PubSubWebSocketClient
{
  @Override
  public void onOpen(WebSocket socket)
  {
    System.out.println("opened");
  }

  @Override
  public void onMessage(String type, String topic, Object data)
  {
  }

  @Override
  public void onClose(WebSocket socket)
  {
    System.out.println("closed");
  }

  /** Address of the gateway, topic, and for who logs in a name and a password. */
  public static void main(String[] args) throws Exception
  {
    EngineClient client = new EngineClient();
    client.setUri(new URI("ws://" + args[0] + "/pubsub"));
    if (args.length > 2) {
      client.setLoginUrl("http://" + args[0] + "/ws/v2/login");
      client.setUserName(args[2]);
      client.setPassword(args[3]);
    }
    client.openConnection(60000);
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      client.publish(args[1], line);
      System.out.println("published " + line);
    }
    client.teardown();
    System.exit(0);
  }
}
