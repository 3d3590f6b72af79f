import java.net.URI;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Signs a request with AWS credentials (Signature Version 4), in the standard library of Java 17 and later.
 *
 * <pre>AWS_REGION=us-east-1 java SigV4.java GET https://…/queues</pre>
 *
 * Prints the headers for METHOD URL [BODY], with the credentials of AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and, if they
 * are temporary, AWS_SESSION_TOKEN.
 */
public final class SigV4 {
    /** AWS credentials. The token is null where they are not temporary. */
    public record Keys(String id, String secret, String token) {}

    /** The headers to add to a request. They are valid for five minutes, so sign each try again. */
    public static Map<String, String> sign(String method, URI url, byte[] body, String region, Keys keys)
            throws GeneralSecurityException {
        String stamp = ZonedDateTime.now(ZoneOffset.UTC).format(DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'"));
        Map<String, String> headers = new TreeMap<>(Map.of("host", url.getRawAuthority(), "x-amz-date", stamp));
        if (keys.token() != null) headers.put("x-amz-security-token", keys.token());
        // The path is encoded a second time. Names and values of the query are encoded, then sorted.
        String given = url.getRawPath().isEmpty() ? "/" : url.getRawPath();
        String path = Arrays.stream(given.split("/", -1)).map(SigV4::encoded).collect(Collectors.joining("/"));
        String query = url.getRawQuery() == null ? "" : Arrays.stream(url.getRawQuery().split("&"))
                .map(pair -> (pair + "=").split("=", -1))
                .map(pair -> encoded(decoded(pair[0])) + "=" + encoded(decoded(pair[1])))
                .sorted().collect(Collectors.joining("&"));
        String names = String.join(";", headers.keySet());
        String lines = headers.entrySet().stream().map(one -> one.getKey() + ":" + one.getValue() + "\n")
                .collect(Collectors.joining());
        String request = String.join("\n", method, path, query, lines, names, hash(body));
        String scope = String.join("/", stamp.substring(0, 8), region, "execute-api", "aws4_request");
        String text = String.join("\n", "AWS4-HMAC-SHA256", stamp, scope, hash(bytes(request)));
        byte[] key = bytes("AWS4" + keys.secret());
        for (String part : scope.split("/")) key = mac(key, part);
        headers.remove("host"); // Every client sends it.
        headers.put("authorization", String.format("AWS4-HMAC-SHA256 Credential=%s/%s, SignedHeaders=%s, Signature=%s",
                keys.id(), scope, names, hex(mac(key, text))));
        return headers;
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8)
                .replace("+", "%20").replace("*", "%2A").replace("%7E", "~");
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }

    private static byte[] mac(byte[] key, String text) throws GeneralSecurityException {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(key, "HmacSHA256"));
        return mac.doFinal(bytes(text));
    }

    private static String hash(byte[] data) throws GeneralSecurityException {
        return hex(MessageDigest.getInstance("SHA-256").digest(data));
    }

    private static String hex(byte[] data) {
        return java.util.HexFormat.of().formatHex(data);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    public static void main(String[] args) throws GeneralSecurityException {
        Map<String, String> env = System.getenv();
        Keys keys = new Keys(env.get("AWS_ACCESS_KEY_ID"), env.get("AWS_SECRET_ACCESS_KEY"), env.get("AWS_SESSION_TOKEN"));
        byte[] body = bytes(args.length > 2 ? args[2] : "");
        sign(args[0], URI.create(args[1]), body, env.get("AWS_REGION"), keys)
                .forEach((name, value) -> System.out.println(name + ": " + value));
    }
}
