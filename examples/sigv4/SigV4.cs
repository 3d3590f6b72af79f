// Signs a request with AWS credentials (Signature Version 4), in the standard library of C# (.NET Framework 4.7.2, Mono, .NET 5 and
// later).
//
//     mcs SigV4.cs && AWS_REGION=us-east-1 mono SigV4.exe GET https://…/queues
//
// Prints the headers for METHOD URL [BODY], with the credentials of AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and, if they
// are temporary, AWS_SESSION_TOKEN.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Security.Cryptography;
using System.Text;

public static class SigV4
{
    /// <summary>
    /// The headers to add to a request. They are valid for five minutes, so sign each try again. The token is null where the
    /// credentials are not temporary.
    /// </summary>
    public static IDictionary<string, string> Sign(
        string method, Uri url, byte[] body, string region, string keyId, string secret, string token)
    {
        var stamp = DateTime.UtcNow.ToString("yyyyMMdd'T'HHmmss'Z'", CultureInfo.InvariantCulture);
        var headers = new SortedDictionary<string, string>(StringComparer.Ordinal)
        {
            { "host", url.Authority },
            { "x-amz-date", stamp },
        };
        if (token != null) headers["x-amz-security-token"] = token;
        // The path is encoded a second time. Names and values of the query are encoded, then sorted.
        var path = string.Join("/", url.AbsolutePath.Split('/').Select(Encoded));
        var query = string.Join("&", url.Query.TrimStart('?').Split(new[] { '&' }, StringSplitOptions.RemoveEmptyEntries)
            .Select(pair => (pair + "=").Split('='))
            .Select(pair => Encoded(Decoded(pair[0])) + "=" + Encoded(Decoded(pair[1])))
            .OrderBy(pair => pair, StringComparer.Ordinal));
        var names = string.Join(";", headers.Keys);
        var lines = string.Concat(headers.Select(one => one.Key + ":" + one.Value + "\n"));
        var request = string.Join("\n", method, path, query, lines, names, Hash(body));
        var scope = string.Join("/", stamp.Substring(0, 8), region, "execute-api", "aws4_request");
        var text = string.Join("\n", "AWS4-HMAC-SHA256", stamp, scope, Hash(Encoding.UTF8.GetBytes(request)));
        var key = scope.Split('/').Aggregate(Encoding.UTF8.GetBytes("AWS4" + secret), Mac);
        headers.Remove("host"); // Every client sends it.
        headers["authorization"] = "AWS4-HMAC-SHA256 Credential=" + keyId + "/" + scope + ", SignedHeaders=" + names
            + ", Signature=" + Hex(Mac(key, text));
        return headers;
    }

    private static string Encoded(string text)
    {
        // Not every runtime encodes these five.
        return "!*'()".Aggregate(Uri.EscapeDataString(text), (before, letter) => before.Replace(letter.ToString(), Uri.HexEscape(letter)));
    }

    private static string Decoded(string text)
    {
        return Uri.UnescapeDataString(text.Replace("+", " "));
    }

    private static byte[] Mac(byte[] key, string text)
    {
        using (var mac = new HMACSHA256(key)) return mac.ComputeHash(Encoding.UTF8.GetBytes(text));
    }

    private static string Hash(byte[] data)
    {
        using (var sha = SHA256.Create()) return Hex(sha.ComputeHash(data));
    }

    private static string Hex(byte[] data)
    {
        return string.Concat(data.Select(one => one.ToString("x2", CultureInfo.InvariantCulture)));
    }

    public static void Main(string[] args)
    {
        Func<string, string> env = Environment.GetEnvironmentVariable;
        var body = Encoding.UTF8.GetBytes(args.Length > 2 ? args[2] : "");
        var keys = new[] { env("AWS_ACCESS_KEY_ID"), env("AWS_SECRET_ACCESS_KEY"), env("AWS_SESSION_TOKEN") };
        foreach (var header in Sign(args[0], new Uri(args[1]), body, env("AWS_REGION"), keys[0], keys[1], keys[2]))
            Console.WriteLine(header.Key + ": " + header.Value);
    }
}
