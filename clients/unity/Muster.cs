// Watches a Muster ticket in a game client: one file, C# 7.3, no dependency. See README.md beside it.
using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Net.WebSockets;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

namespace Muster
{
    /// <summary>
    /// A ticket that is watched over its WebSocket. It connects when it is started, connects again when a connection ends, and reports
    /// each state once. Call <see cref="Dispatch"/> on your thread, such as in Update: the events are raised there, and nowhere else.
    /// </summary>
    public sealed class TicketWatch : IDisposable
    {
        // API Gateway opens 500 connections a second for an account, and all clients of a service may lose theirs at the same moment.
        private static readonly TimeSpan FirstPause = TimeSpan.FromSeconds(2), LongestPause = TimeSpan.FromMinutes(1);
        // A connection that was open for this long was no attempt of a storm: the pauses start again.
        private static readonly TimeSpan Steady = TimeSpan.FromMinutes(1);
        private static readonly TimeSpan ConnectLimit = TimeSpan.FromSeconds(30);
        // A client asks for a first message that takes longer, and ends the connection when it has asked so often.
        private static readonly TimeSpan FirstMessageLimit = TimeSpan.FromSeconds(15);
        private const int AskedMax = 3;
        // Messages have at most 128 KB.
        private const int MessageBytesMax = 1 << 20;
        private static readonly Random Chance = new Random();

        private readonly WatchTarget target;
        private readonly ConcurrentQueue<Action> events = new ConcurrentQueue<Action>();
        private readonly CancellationTokenSource stop = new CancellationTokenSource();
        private readonly object gate = new object();
        private Session session;
        private Change last;
        /// <summary>The action without a response, as JSON: it is sent again on the next connection.</summary>
        private string pending;
        /// <summary>The action that was done last: it is not sent twice.</summary>
        private string done;
        private volatile bool isOver;
        private int started;

        /// <summary>The ticket has changed, or is as it was when the connection was opened.</summary>
        public event Action<Change> Changed;
        /// <summary>The service has rejected an action, such as an acceptance that came too late.</summary>
        public event Action<Problem> Rejected;
        /// <summary>
        /// Nothing follows: the ticket has ended without a match, or its match has ended (null); or there was no connection for
        /// <see cref="WatchTarget.FailingLimit"/>. A WebSocket cannot tell an invalid token from a network that fails.
        /// </summary>
        public event Action<Exception> Ended;
        /// <summary>A connection is open (true), or it has ended and the next one follows a pause (false): for a sign on the screen.</summary>
        public event Action<bool> ConnectionChanged;

        public TicketWatch(WatchTarget target)
        {
            this.target = target ?? throw new ArgumentNullException(nameof(target));
        }

        /// <summary>What was reported last; null before the first message.</summary>
        public Change Last { get { lock (gate) return last; } }

        /// <summary>Connects, in the background.</summary>
        /// <exception cref="InvalidOperationException">It was started before.</exception>
        public void Start()
        {
            if (Interlocked.Exchange(ref started, 1) == 1) throw new InvalidOperationException("Expected a new TicketWatch, got one that was started");
            Task.Run(Run);
        }

        /// <summary>Raises the events of what has arrived, on the thread that calls it.</summary>
        public void Dispatch()
        {
            Action raise;
            while (events.TryDequeue(out raise)) raise();
        }

        /// <summary>Accepts a match. Its effect comes as a change; until then the action is sent again on each connection.</summary>
        public void Accept(string matchId) { Act("accept", matchId); }

        /// <summary>Declines a match.</summary>
        public void Decline(string matchId) { Act("decline", matchId); }

        /// <summary>Cancels the ticket.</summary>
        public void Cancel() { Act("cancel", null); }

        /// <summary>Ends the connection. The ticket stays as it is.</summary>
        public void Dispose()
        {
            stop.Cancel();
        }

        private void Act(string action, string matchId)
        {
            var text = FrameOf(action, matchId);
            Session current;
            lock (gate)
            {
                if (text == done) return;
                pending = text;
                current = session;
            }
            current?.Send(text);
        }

        private static string FrameOf(string action, string matchId)
        {
            var frame = new Dictionary<string, object> { { "action", action } };
            if (matchId != null) frame["matchId"] = matchId;
            return Json.Write(frame);
        }

        private async Task Run()
        {
            var answered = DateTime.UtcNow;
            var delays = 0;
            Exception fault = null;
            while (!stop.IsCancellationRequested)
            {
                var began = DateTime.UtcNow;
                var isCurrent = false;
                try
                {
                    isCurrent = await Connection().ConfigureAwait(false);
                }
                catch (Exception error)
                {
                    fault = error;
                }
                if (isOver || stop.IsCancellationRequested) break;
                var now = DateTime.UtcNow;
                if (isCurrent) answered = now;
                if (now - answered >= target.FailingLimit)
                {
                    events.Enqueue(() => Ended?.Invoke(new IOException("No connection: no network, or an invalid token", fault)));
                    return;
                }
                delays = isCurrent && now - began >= Steady ? 1 : delays + 1;
                try
                {
                    await Task.Delay(PauseAfter(delays), stop.Token).ConfigureAwait(false);
                }
                catch (OperationCanceledException)
                {
                    break;
                }
            }
            if (isOver) events.Enqueue(() => Ended?.Invoke(null));
        }

        /// <summary>Between half of the longest pause and all of it, which doubles with each try.</summary>
        private static TimeSpan PauseAfter(int tries)
        {
            var longest = Math.Min(LongestPause.TotalSeconds, FirstPause.TotalSeconds * Math.Pow(2, Math.Min(tries - 1, 30)));
            lock (Chance) return TimeSpan.FromSeconds(longest / 2 * (1 + Chance.NextDouble()));
        }

        /// <summary>One connection, until it ends. Returns whether it was open and has had its first message, or needs none.</summary>
        private async Task<bool> Connection()
        {
            var seen = SeenStatus();
            // A match has to be shown whole, so a client that has one says nothing.
            var says = seen != null && Last?.Ticket.MatchId == null;
            var uri = target.Url + "?token=" + Uri.EscapeDataString(target.Token);
            if (says) uri += "&seen=" + seen + "&pingSeconds=" + target.PingSeconds.ToString(CultureInfo.InvariantCulture);
            using (var own = new Session(stop.Token))
            {
                await own.Open(new Uri(uri), ConnectLimit).ConfigureAwait(false);
                own.IsCurrent = says;
                string unanswered;
                lock (gate)
                {
                    session = own;
                    unanswered = pending;
                }
                events.Enqueue(() => ConnectionChanged?.Invoke(true));
                if (unanswered != null) own.Send(unanswered);
                var pings = own.Repeat(() => TimeSpan.FromSeconds(own.PingSeconds ?? target.PingSeconds), () => own.Send(Ping()));
                var asked = 0;
                var asks = own.Repeat(() => FirstMessageLimit, () =>
                {
                    if (own.IsCurrent) return;
                    if (asked++ >= AskedMax) own.Dispose();
                    else own.Send(Ping());
                });
                try
                {
                    for (;;)
                    {
                        var text = await own.Receive(MessageBytesMax).ConfigureAwait(false);
                        if (text == null) return own.IsCurrent;
                        Take(own, text);
                        if (isOver) return true;
                    }
                }
                catch (Exception error) when (!(error is OutOfMemoryException))
                {
                    return own.IsCurrent;
                }
                finally
                {
                    lock (gate) session = null;
                    events.Enqueue(() => ConnectionChanged?.Invoke(false));
                    own.Dispose();
                    await Task.WhenAll(pings, asks).ConfigureAwait(false);
                }
            }
        }

        private string SeenStatus()
        {
            lock (gate) return last == null ? target.Seen : last.Ticket.Status;
        }

        private string Ping()
        {
            var frame = new Dictionary<string, object> { { "action", "ping" } };
            var status = SeenStatus();
            if (status != null)
            {
                var seen = new Dictionary<string, object> { { "status", status } };
                var change = Last;
                if (change?.Ticket.MatchId != null) seen["matchId"] = change.Ticket.MatchId;
                if (change?.Match?.Roster != null) seen["roster"] = change.Match.Roster.Value;
                frame["seen"] = seen;
            }
            return Json.Write(frame);
        }

        private void Take(Session from, string text)
        {
            Dictionary<string, object> message;
            try
            {
                message = Json.Read(text) as Dictionary<string, object>;
            }
            catch (FormatException)
            {
                return; // An error of API Gateway, say.
            }
            var type = Fields.Text(message, "type");
            var data = Fields.Object(message, "data");
            if (type == null || data == null) return;
            switch (type)
            {
                case "Ping": // One was missing.
                    from.Send(Ping());
                    return;
                case "Done":
                    lock (gate)
                    {
                        done = FrameOf(Fields.Text(data, "action"), Fields.Text(data, "matchId"));
                        if (done == pending) pending = null;
                    }
                    return;
                case "Problem":
                    var problem = new Problem(data);
                    // The rate limit: the action is sent again on the next connection.
                    if (problem.Status != 429) lock (gate) pending = null;
                    events.Enqueue(() => Rejected?.Invoke(problem));
                    return;
            }
            var pingSeconds = Fields.Number(data, "pingSeconds");
            if (pingSeconds != null) from.PingSeconds = Math.Min(pingSeconds.Value, target.PingSeconds);
            if (Fields.Object(data, "ticket") == null) return;
            from.IsCurrent = true;
            Change change;
            lock (gate)
            {
                change = new Change(type, message, data, last?.Match);
                if (last != null)
                {
                    if (change.Revision < last.Revision) return;
                    if (change.Sign == last.Sign && (!change.Ready || last.Ready)) return;
                }
                last = change;
            }
            isOver = change.IsLast;
            events.Enqueue(() => Changed?.Invoke(change));
        }

        /// <summary>One WebSocket.</summary>
        private sealed class Session : IDisposable
        {
            private readonly ClientWebSocket socket = new ClientWebSocket();
            private readonly CancellationTokenSource end;
            private readonly byte[] buffer = new byte[16 * 1024];
            private Task sending = Task.CompletedTask;

            public volatile bool IsCurrent;
            /// <summary>How often to ping, as the service has asked; null until it has.</summary>
            public double? PingSeconds;

            public Session(CancellationToken stop)
            {
                end = CancellationTokenSource.CreateLinkedTokenSource(stop);
            }

            public async Task Open(Uri uri, TimeSpan limit)
            {
                using (var late = CancellationTokenSource.CreateLinkedTokenSource(end.Token))
                {
                    late.CancelAfter(limit);
                    await socket.ConnectAsync(uri, late.Token).ConfigureAwait(false);
                }
            }

            /// <summary>Sends a frame after those before it. One that cannot be sent ends the connection.</summary>
            public void Send(string text)
            {
                lock (socket) sending = SendAfter(sending, new ArraySegment<byte>(Encoding.UTF8.GetBytes(text)));
            }

            private async Task SendAfter(Task before, ArraySegment<byte> bytes)
            {
                await before.ConfigureAwait(false);
                try
                {
                    await socket.SendAsync(bytes, WebSocketMessageType.Text, true, end.Token).ConfigureAwait(false);
                }
                catch (Exception)
                {
                    Dispose();
                }
            }

            /// <summary>The next message; null when the connection has ended.</summary>
            public async Task<string> Receive(int bytesMax)
            {
                using (var whole = new MemoryStream())
                {
                    for (;;)
                    {
                        var part = await socket.ReceiveAsync(new ArraySegment<byte>(buffer), end.Token).ConfigureAwait(false);
                        if (part.MessageType == WebSocketMessageType.Close) return null;
                        whole.Write(buffer, 0, part.Count);
                        if (whole.Length > bytesMax) return null;
                        if (part.EndOfMessage) return Encoding.UTF8.GetString(whole.GetBuffer(), 0, (int)whole.Length);
                    }
                }
            }

            /// <summary>Does something after each interval, until the connection ends. A shorter interval holds within a second.</summary>
            public async Task Repeat(Func<TimeSpan> interval, Action act)
            {
                var done = DateTime.UtcNow;
                try
                {
                    while (!end.IsCancellationRequested)
                    {
                        var left = done + interval() - DateTime.UtcNow;
                        if (left <= TimeSpan.Zero)
                        {
                            act();
                            done = DateTime.UtcNow;
                        }
                        else await Task.Delay(left < TimeSpan.FromSeconds(1) ? left : TimeSpan.FromSeconds(1), end.Token).ConfigureAwait(false);
                    }
                }
                catch (OperationCanceledException)
                {
                }
            }

            public void Dispose()
            {
                end.Cancel();
                socket.Abort();
                // Mono keeps a connection that was cancelled while it opened.
                socket.Dispose();
            }
        }
    }

    /// <summary>What a game client needs to watch a ticket: `watch` of the posted ticket, with the token of its player.</summary>
    public sealed class WatchTarget
    {
        public readonly string Url, Token;
        /// <summary>How often to ping: `watch.pingSeconds` of the posted ticket. The service may ask for more. Default 300.</summary>
        public double PingSeconds = 300;
        /// <summary>The status that the game shows already, such as QUEUED: it saves the first message. Default null: none.</summary>
        public string Seen;
        /// <summary>How long connections may fail in a row. Default ten minutes.</summary>
        public TimeSpan FailingLimit = TimeSpan.FromMinutes(10);

        public WatchTarget(string url, string token)
        {
            Url = url ?? throw new ArgumentNullException(nameof(url));
            if (!Uri.TryCreate(url, UriKind.Absolute, out var uri) || (uri.Scheme != "ws" && uri.Scheme != "wss"))
                throw new ArgumentException("Expected a ws or wss URL, got \"" + url + "\".", nameof(url));
            Token = token ?? throw new ArgumentNullException(nameof(token));
        }
    }

    /// <summary>A change of a ticket, or the ticket as it is.</summary>
    public sealed class Change
    {
        /// <summary>The type of the event, such as MatchFound or ReadyCheck; or Ticket.</summary>
        public readonly string Type;
        public readonly string Timestamp;
        public readonly Ticket Ticket;
        /// <summary>
        /// The match that it is about; null if there is none. It may be FAILED while the ticket waits again: Ticket.MatchId says whether
        /// the ticket has one.
        /// </summary>
        public readonly Match Match;
        /// <summary>Grows with each change, up to 2^53 - 1.</summary>
        public readonly long Revision;
        /// <summary>
        /// True on the one change from which on the players can play. It is missed without a connection: start the game by the status.
        /// </summary>
        public readonly bool Ready;

        internal readonly string Sign;

        /// <param name="known">The match of the last change: a ReadyCheck has none.</param>
        internal Change(string type, Dictionary<string, object> message, Dictionary<string, object> data, Match known)
        {
            Type = type;
            Timestamp = Fields.Text(message, "timestamp");
            Ticket = new Ticket(Fields.Object(data, "ticket"));
            var match = Fields.Object(data, "match");
            if (match != null) Match = new Match(match);
            else if (known?.MatchId == Ticket.MatchId) Match = known;
            Revision = (long)(Fields.Number(data, "revision") ?? 0);
            Ready = Fields.Flag(data, "ready");
            Sign = Json.Write(new List<object>
            {
                Ticket.Status, Ticket.MatchId, Match?.MatchId, Match?.Status, Match?.Roster, Match?.Address, Match?.EndedAt,
                Ticket.Acceptance?.Ready, Ticket.Acceptance?.Players.Count,
            });
        }

        /// <summary>Nothing can follow: the ticket has ended without a match, or its match has ended.</summary>
        internal bool IsLast
        {
            get
            {
                var status = Ticket.Status;
                return status == "CANCELLED" || status == "TIMED_OUT" || status == "FAILED" || Match?.EndedAt != null;
            }
        }
    }

    /// <summary>A ticket. <see cref="Raw"/> has all of its fields, also those of later versions.</summary>
    public sealed class Ticket
    {
        public readonly Dictionary<string, object> Raw;
        internal Ticket(Dictionary<string, object> raw) { Raw = raw; }

        public string TicketId { get { return Fields.Text(Raw, "ticketId"); } }
        public string Queue { get { return Fields.Text(Raw, "queue"); } }
        /// <summary>QUEUED, REQUIRES_ACCEPTANCE, PLACING, COMPLETED, CANCELLED, TIMED_OUT or FAILED.</summary>
        public string Status { get { return Fields.Text(Raw, "status"); } }
        /// <summary>Null while it has no match.</summary>
        public string MatchId { get { return Fields.Text(Raw, "matchId"); } }
        /// <summary>Why it has ended without a match.</summary>
        public string Reason { get { return Fields.Text(Raw, "reason"); } }
        public string ReasonCode { get { return Fields.Text(Raw, "reasonCode"); } }
        /// <summary>While REQUIRES_ACCEPTANCE: how many are ready. Null where it is not known.</summary>
        public ReadyCheck Acceptance
        {
            get
            {
                var raw = Fields.Object(Raw, "acceptance");
                return raw == null ? null : new ReadyCheck(raw);
            }
        }
    }

    /// <summary>How many players have accepted the match of a ticket.</summary>
    public sealed class ReadyCheck
    {
        /// <summary>ISO 8601.</summary>
        public readonly string Deadline;
        /// <summary>How many players of the match have accepted, and how many are asked.</summary>
        public readonly int Ready, Of;
        /// <summary>Those of the own ticket who have accepted.</summary>
        public readonly IReadOnlyList<string> Players;

        internal ReadyCheck(Dictionary<string, object> raw)
        {
            Deadline = Fields.Text(raw, "deadline");
            Ready = (int)(Fields.Number(raw, "ready") ?? 0);
            Of = (int)(Fields.Number(raw, "of") ?? 0);
            Players = Fields.List(raw, "players").OfType<string>().ToList();
        }
    }

    /// <summary>A match, as this player may see it. <see cref="Raw"/> has all of its fields.</summary>
    public sealed class Match
    {
        public readonly Dictionary<string, object> Raw;
        internal Match(Dictionary<string, object> raw) { Raw = raw; }

        public string MatchId { get { return Fields.Text(Raw, "matchId"); } }
        public string Status { get { return Fields.Text(Raw, "status"); } }
        /// <summary>Where it is played; null until it has its server.</summary>
        public string Address { get { return Fields.Text(Assignment, "address"); } }
        public int? Port { get { return (int?)Fields.Number(Assignment, "port"); } }
        public string SessionId { get { return Fields.Text(Assignment, "sessionId"); } }
        /// <summary>Until when it can be accepted, as ISO 8601.</summary>
        public string AcceptanceDeadline { get { return Fields.Text(Fields.Object(Raw, "acceptance"), "deadline"); } }
        public string EndedAt { get { return Fields.Text(Raw, "endedAt"); } }
        /// <summary>Grows with each backfill; null before the first.</summary>
        public int? Roster { get { return (int?)Fields.Number(Raw, "roster"); } }
        /// <summary>The players of each team, by playerId.</summary>
        public IReadOnlyList<IReadOnlyList<string>> Teams
        {
            get
            {
                return Fields.List(Raw, "teams").OfType<Dictionary<string, object>>()
                    .Select(team => (IReadOnlyList<string>)Fields.List(team, "players").OfType<Dictionary<string, object>>()
                        .Select(player => Fields.Text(player, "playerId")).ToList())
                    .ToList();
            }
        }

        /// <summary>The token of a player for the game server; null without one.</summary>
        public string TokenOf(string playerId)
        {
            return Fields.Text(Fields.Object(Assignment, "tokens"), playerId);
        }

        private Dictionary<string, object> Assignment { get { return Fields.Object(Raw, "assignment"); } }
    }

    /// <summary>Why an action was rejected: a problem document (RFC 9457).</summary>
    public sealed class Problem
    {
        public readonly int Status;
        /// <summary>For programs, such as TICKET_NOT_ACCEPTING; null where there is none.</summary>
        public readonly string Code;
        public readonly string Detail;

        internal Problem(Dictionary<string, object> raw)
        {
            Status = (int)(Fields.Number(raw, "status") ?? 0);
            Code = Fields.Text(raw, "code");
            Detail = Fields.Text(raw, "detail");
        }
    }

    /// <summary>Fields of parsed JSON; null where one is missing or of another type.</summary>
    internal static class Fields
    {
        public static string Text(Dictionary<string, object> raw, string key) { return Get(raw, key) as string; }
        public static Dictionary<string, object> Object(Dictionary<string, object> raw, string key) { return Get(raw, key) as Dictionary<string, object>; }
        public static List<object> List(Dictionary<string, object> raw, string key) { return Get(raw, key) as List<object> ?? new List<object>(); }
        public static double? Number(Dictionary<string, object> raw, string key) { return Get(raw, key) as double?; }
        public static bool Flag(Dictionary<string, object> raw, string key) { return Get(raw, key) as bool? ?? false; }

        private static object Get(Dictionary<string, object> raw, string key)
        {
            object value = null;
            raw?.TryGetValue(key, out value);
            return value;
        }
    }

    /// <summary>
    /// JSON as dictionaries, lists, strings, doubles, booleans and null. A double holds whole numbers up to 2^53 exactly, and so the
    /// revision.
    /// </summary>
    public static class Json
    {
        private const int DepthMax = 64;

        /// <exception cref="FormatException">The text is not JSON.</exception>
        public static object Read(string text)
        {
            var at = 0;
            var value = ReadValue(text, ref at, 0);
            Skip(text, ref at);
            if (at < text.Length) throw Unexpected(text, at);
            return value;
        }

        public static string Write(object value)
        {
            var text = new StringBuilder();
            WriteValue(text, value);
            return text.ToString();
        }

        private static object ReadValue(string text, ref int at, int depth)
        {
            Skip(text, ref at);
            if (at >= text.Length || depth > DepthMax) throw Unexpected(text, at);
            switch (text[at])
            {
                case '{':
                    var fields = new Dictionary<string, object>();
                    for (at++; !Closes(text, ref at, '}', fields.Count);)
                    {
                        Skip(text, ref at);
                        var key = ReadText(text, ref at);
                        Skip(text, ref at);
                        Expect(text, ref at, ":");
                        fields[key] = ReadValue(text, ref at, depth + 1);
                    }
                    return fields;
                case '[':
                    var entries = new List<object>();
                    for (at++; !Closes(text, ref at, ']', entries.Count);) entries.Add(ReadValue(text, ref at, depth + 1));
                    return entries;
                case '"':
                    return ReadText(text, ref at);
                case 't':
                    Expect(text, ref at, "true");
                    return true;
                case 'f':
                    Expect(text, ref at, "false");
                    return false;
                case 'n':
                    Expect(text, ref at, "null");
                    return null;
                default:
                    return ReadNumber(text, ref at);
            }
        }

        /// <summary>Whether a list or object ends here; else reads the comma before a further entry.</summary>
        private static bool Closes(string text, ref int at, char close, int count)
        {
            Skip(text, ref at);
            if (at < text.Length && text[at] == close)
            {
                at++;
                return true;
            }
            if (count > 0) Expect(text, ref at, ",");
            return false;
        }

        private static string ReadText(string text, ref int at)
        {
            Expect(text, ref at, "\"");
            var read = new StringBuilder();
            for (; at < text.Length; at++)
            {
                var letter = text[at];
                if (letter == '"')
                {
                    at++;
                    return read.ToString();
                }
                if (letter != '\\')
                {
                    read.Append(letter);
                    continue;
                }
                if (++at >= text.Length) break;
                var escaped = "\"\\/bfnrt".IndexOf(text[at]);
                int code;
                if (escaped >= 0) read.Append("\"\\/\b\f\n\r\t"[escaped]);
                else if (text[at] == 'u' && at + 4 < text.Length
                    && int.TryParse(text.Substring(at + 1, 4), NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out code))
                {
                    read.Append((char)code);
                    at += 4;
                }
                else throw Unexpected(text, at);
            }
            throw Unexpected(text, at);
        }

        private static object ReadNumber(string text, ref int at)
        {
            var start = at;
            while (at < text.Length && "+-.0123456789eE".IndexOf(text[at]) >= 0) at++;
            double number;
            if (!double.TryParse(text.Substring(start, at - start), NumberStyles.Float, CultureInfo.InvariantCulture, out number))
                throw Unexpected(text, start);
            return number;
        }

        private static void Skip(string text, ref int at)
        {
            while (at < text.Length && " \t\r\n".IndexOf(text[at]) >= 0) at++;
        }

        private static void Expect(string text, ref int at, string expected)
        {
            if (string.CompareOrdinal(text, at, expected, 0, expected.Length) != 0) throw Unexpected(text, at);
            at += expected.Length;
        }

        private static FormatException Unexpected(string text, int at)
        {
            return new FormatException("Expected JSON, got a text that is none from character " + at + " of " + text.Length + " on");
        }

        private static void WriteValue(StringBuilder text, object value)
        {
            if (value == null) text.Append("null");
            else if (value is string) WriteText(text, (string)value);
            else if (value is bool) text.Append((bool)value ? "true" : "false");
            else if (value is Dictionary<string, object>)
            {
                var separator = "{";
                foreach (var field in (Dictionary<string, object>)value)
                {
                    text.Append(separator);
                    WriteText(text, field.Key);
                    text.Append(':');
                    WriteValue(text, field.Value);
                    separator = ",";
                }
                text.Append(separator == "{" ? "{}" : "}");
            }
            else if (value is List<object>)
            {
                text.Append('[');
                var entries = (List<object>)value;
                for (var i = 0; i < entries.Count; i++)
                {
                    if (i > 0) text.Append(',');
                    WriteValue(text, entries[i]);
                }
                text.Append(']');
            }
            else text.Append(((IFormattable)value).ToString(null, CultureInfo.InvariantCulture));
        }

        private static void WriteText(StringBuilder text, string value)
        {
            text.Append('"');
            foreach (var letter in value)
            {
                if (letter == '"' || letter == '\\') text.Append('\\').Append(letter);
                else if (letter < ' ') text.Append("\\u").Append(((int)letter).ToString("x4", CultureInfo.InvariantCulture));
                else text.Append(letter);
            }
            text.Append('"');
        }
    }
}
