/** Watches tickets with clients/unity/Muster.cs for test/check-api/unity.ts: a command a line in, an event a line out. */
using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Threading;
using Muster;

static class Program
{
    static readonly Dictionary<string, TicketWatch> watches = new Dictionary<string, TicketWatch>();
    static readonly ConcurrentQueue<string> lines = new ConcurrentQueue<string>();
    static readonly Thread main = Thread.CurrentThread;

    static void Main()
    {
        var reader = new Thread(() =>
        {
            for (var line = Console.ReadLine(); line != null; line = Console.ReadLine()) lines.Enqueue(line);
            lines.Enqueue("exit");
        });
        reader.IsBackground = true;
        reader.Start();
        for (; ; Thread.Sleep(10))
        {
            string line;
            while (lines.TryDequeue(out line))
            {
                if (line == "exit") return;
                Do(line.Split(' '));
            }
            foreach (var watch in watches.Values) watch.Dispatch();
        }
    }

    static void Do(string[] words)
    {
        var name = words[1];
        switch (words[0])
        {
            case "watch":
                var target = new WatchTarget(words[2], words[3]) { FailingLimit = TimeSpan.FromSeconds(double.Parse(words[4])) };
                if (words.Length > 5) target.Seen = words[5];
                var watch = watches[name] = new TicketWatch(target);
                watch.Changed += change => Say(name, change.Type, new Dictionary<string, object>
                {
                    { "status", change.Ticket.Status },
                    { "matchId", change.Match == null ? null : change.Match.MatchId },
                    { "address", change.Match == null ? null : change.Match.Address },
                    { "teams", change.Match == null ? null : (object)change.Match.Teams.Count },
                    { "ended", change.Match != null && change.Match.EndedAt != null },
                    { "revision", change.Revision },
                    { "ready", change.Ready },
                    { "accepted", change.Ticket.Acceptance == null ? null : change.Ticket.Acceptance.Ready + "/" + change.Ticket.Acceptance.Of },
                });
                watch.Rejected += problem => Say(name, "Problem", new Dictionary<string, object> { { "code", problem.Code } });
                watch.Ended += error => Say(name, "Ended", new Dictionary<string, object> { { "error", error == null ? null : error.GetType().Name } });
                watch.ConnectionChanged += isOpen => Say(name + "-connection", isOpen ? "open" : "ended", new Dictionary<string, object>());
                watch.Start();
                return;
            case "accept": watches[name].Accept(words[2]); return;
            case "decline": watches[name].Decline(words[2]); return;
            case "cancel": watches[name].Cancel(); return;
            case "leave": watches[name].Dispose(); return;
        }
    }

    static void Say(string name, string type, Dictionary<string, object> fields)
    {
        if (Thread.CurrentThread != main) type = "a thread of its own raised " + type;
        fields["name"] = name;
        fields["type"] = type;
        Console.WriteLine(Json.Write(fields));
    }
}
