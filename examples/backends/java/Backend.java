import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * A game backend with Muster, in the standard library of Java 17 and later.
 *
 * <pre>MUSTER_URL=http://127.0.0.1:3000 MUSTER_SECRET=whsec_... java Backend.java</pre>
 *
 * It serves POST /play, which the game calls, and POST /webhooks, which Muster calls. MUSTER_TOKEN is a token for the
 * scope muster/backend, where the deployment has an issuer. PORT is 4000.
 */
public final class Backend {
    private static final String QUEUE = "duel";
    private static final String MUSTER = System.getenv("MUSTER_URL"), TOKEN = System.getenv("MUSTER_TOKEN");
    private static final byte[] KEY = Base64.getDecoder().decode(System.getenv("MUSTER_SECRET").replace("whsec_", ""));
    private static final long TOLERANCE_SECONDS = 300;
    private static final int TRIES = 6;
    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    /** The ports of the game servers, one for each match, however often it is asked for. */
    private static final Map<String, Integer> PORTS = new ConcurrentHashMap<>();
    private static final AtomicInteger NEXT_PORT = new AtomicInteger(7000);

    /** Muster has refused a request for good. Its document has a title, a detail, and a code with most 409. */
    private static final class Refused extends IOException {
        final int status;

        Refused(int status, String document) {
            super(status + " " + document);
            this.status = status;
        }
    }

    /** Sends a request until it is answered. Every request can be repeated: the ids are ours. */
    private static String send(String method, String path, String body) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(MUSTER + path)).timeout(Duration.ofSeconds(30))
                .method(method, HttpRequest.BodyPublishers.ofString(body)).header("content-type", "application/json");
        if (TOKEN != null) request.header("authorization", "Bearer " + TOKEN);
        for (int attempt = 0; attempt < TRIES; attempt++) {
            long pauseMs = 500L << attempt;
            try {
                HttpResponse<String> response = CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
                int status = response.statusCode();
                if (status < 300) return response.body();
                if (status != 429 && status < 500) throw new Refused(status, response.body());
                pauseMs = response.headers().firstValue("retry-after").map(s -> 1000 * Long.parseLong(s)).orElse(pauseMs);
            } catch (IOException error) {
                if (error instanceof Refused) throw error;
            }
            Thread.sleep(pauseMs);
        }
        throw new IOException(method + " " + path + ": no answer after " + TRIES + " tries");
    }

    /** Whether Muster has sent a webhook, not long ago. The body is as it was received, before any parsing. */
    private static boolean isFromMuster(HttpExchange exchange, byte[] body) throws Exception {
        String id = exchange.getRequestHeaders().getFirst("webhook-id");
        String timestamp = exchange.getRequestHeaders().getFirst("webhook-timestamp");
        String signatures = exchange.getRequestHeaders().getFirst("webhook-signature");
        if (id == null || signatures == null || timestamp == null || !timestamp.matches("\\d{1,12}")) return false;
        if (Math.abs(Instant.now().getEpochSecond() - Long.parseLong(timestamp)) > TOLERANCE_SECONDS) return false;
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(KEY, "HmacSHA256"));
        mac.update((id + "." + timestamp + ".").getBytes(StandardCharsets.UTF_8));
        byte[] expected = ("v1," + Base64.getEncoder().encodeToString(mac.doFinal(body))).getBytes();
        for (String one : signatures.split(" ")) if (MessageDigest.isEqual(expected, one.getBytes())) return true;
        return false;
    }

    /** Does what follows from an event. Each step can be repeated. */
    private static void onEvent(Map<String, Object> event) throws Exception {
        Map<String, Object> match = map(map(event.get("data")).get("match"));
        if (match == null) return;
        try {
            advance((String) event.get("type"), (String) match.get("matchId"), match);
        } catch (Refused refused) {
            // A webhook that comes late finds the match further on, which is no fault.
            if (refused.status != 409) throw refused;
        }
    }

    private static void advance(String type, String matchId, Map<String, Object> match) throws Exception {
        String path = "/matches/" + matchId;
        switch (type) {
            case "MatchFound" -> {
                // These players are bots. A player answers for itself, with the token of its ticket.
                String answer = "{\"accepted\":true,\"matchId\":\"" + matchId + "\"}";
                for (Object team : (List<?>) match.get("teams"))
                    for (Object player : (List<?>) map(team).get("players"))
                        send("PUT", "/tickets/" + map(player).get("ticketId") + "/acceptance", answer);
            }
            case "MatchAccepted" -> {
                int port = PORTS.computeIfAbsent(matchId, id -> NEXT_PORT.getAndIncrement());
                send("PUT", path + "/assignment", "{\"address\":\"203.0.113.7\",\"port\":" + port + "}");
            }
            // Put your game here. This one is over at once, and the first team has won.
            case "MatchAssigned" -> send("POST", path + "/result", "{\"ranks\":[1,2]}");
            default -> { }
        }
    }

    public static void main(String[] args) throws IOException {
        int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "4000"));
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
        server.setExecutor(Executors.newCachedThreadPool());
        server.createContext("/", exchange -> {
            int status = 500;
            String text = "";
            try {
                byte[] body = exchange.getRequestBody().readAllBytes();
                if (exchange.getRequestURI().getPath().equals("/play")) {
                    // A new ticketId for each search. The ladder of the queue has the skill; without one it stands beside the playerId.
                    String player = (String) map(new Json(body).read()).get("playerId");
                    String ticketId = UUID.randomUUID().toString();
                    text = send("POST", "/queues/" + QUEUE + "/tickets",
                            "{\"ticketId\":\"" + ticketId + "\",\"players\":[{\"playerId\":\"" + player + "\"}]}");
                    status = 201;
                } else if (!isFromMuster(exchange, body)) status = 401;
                else {
                    onEvent(map(new Json(body).read()));
                    status = 204;
                }
            } catch (Exception error) {
                text = error.toString(); // A status that is not 2xx makes Muster send a webhook again.
            }
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
            if (bytes.length > 0) exchange.getResponseBody().write(bytes);
            exchange.close();
        });
        server.start();
        System.out.println("listening on " + server.getAddress().getPort());
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> map(Object value) {
        return (Map<String, Object>) value;
    }

    /** Reads JSON, which Java has no reader for; take a library in earnest. Numbers and literals stay texts. */
    private static final class Json {
        private final java.util.regex.Matcher token;

        Json(byte[] body) {
            token = java.util.regex.Pattern.compile("[{}\\[\\],:]|\"(?:[^\"\\\\]|\\\\.)*\"|[\\w.+-]+")
                    .matcher(new String(body, StandardCharsets.UTF_8));
        }

        Object read() {
            return read(next());
        }

        private Object read(String first) {
            if (first.equals("{")) {
                Map<String, Object> fields = new LinkedHashMap<>();
                for (String key = next(); !key.equals("}"); key = next()) {
                    if (key.equals(",")) continue;
                    next(); // The colon.
                    fields.put(unquoted(key), read());
                }
                return fields;
            }
            if (!first.equals("[")) return unquoted(first);
            List<Object> entries = new ArrayList<>();
            for (String one = next(); !one.equals("]"); one = next()) if (!one.equals(",")) entries.add(read(one));
            return entries;
        }

        private String next() {
            if (!token.find()) throw new IllegalArgumentException("Expected JSON, got a text that ends too early");
            return token.group();
        }

        /** Ids and types have no escapes. */
        private static String unquoted(String text) {
            return text.startsWith("\"") ? text.substring(1, text.length() - 1) : text;
        }
    }
}
