// A game backend with Muster, in the standard library of Go 1.24 and later.
//
//	MUSTER_URL=http://127.0.0.1:3000 MUSTER_SECRET=whsec_... go run backend.go
//
// It serves POST /play, which the game calls, and POST /webhooks, which Muster calls. MUSTER_TOKEN is a token for the
// scope muster/backend, where the deployment has an issuer. PORT is 4000.
package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"math"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	queue     = "duel"
	tolerance = 300 * time.Second
	tries     = 6
)

var (
	muster = os.Getenv("MUSTER_URL")
	token  = os.Getenv("MUSTER_TOKEN")
	key    = mustDecode(strings.TrimPrefix(os.Getenv("MUSTER_SECRET"), "whsec_"))
	client = &http.Client{Timeout: 30 * time.Second}
)

// Match has the fields of a match that this backend reads. Muster may add fields at any time.
type Match struct {
	MatchID string `json:"matchId"`
	Teams   []struct {
		Players []struct {
			TicketID string `json:"ticketId"`
			PlayerID string `json:"playerId"`
		} `json:"players"`
	} `json:"teams"`
}

// Event is the body of a webhook.
type Event struct {
	Type string `json:"type"`
	Data struct {
		Match  *Match `json:"match"`
		Ticket *struct {
			TicketID string `json:"ticketId"`
		} `json:"ticket"`
	} `json:"data"`
}

// Refused is a request that Muster refuses for good. Most 409 have a code.
type Refused struct {
	Status int    `json:"status"`
	Code   string `json:"code"`
	Detail string `json:"detail"`
}

func (refused *Refused) Error() string {
	return fmt.Sprintf("%d %s %s", refused.Status, refused.Code, refused.Detail)
}

// send sends a request until it is answered. Every request can be repeated: the ids are ours.
func send(method, path string, body any) (json.RawMessage, error) {
	data, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	for attempt := range tries {
		request, err := http.NewRequest(method, muster+path, bytes.NewReader(data))
		if err != nil {
			return nil, err
		}
		request.Header.Set("content-type", "application/json")
		if token != "" {
			request.Header.Set("authorization", "Bearer "+token)
		}
		pause := time.Duration(1<<attempt) * 500 * time.Millisecond
		response, err := client.Do(request)
		if err == nil {
			text, err := io.ReadAll(response.Body)
			response.Body.Close()
			switch {
			case err == nil && response.StatusCode < 300:
				return text, nil
			case err == nil && response.StatusCode != 429 && response.StatusCode < 500:
				refused := &Refused{Status: response.StatusCode}
				_ = json.Unmarshal(text, refused)
				return nil, refused
			}
			if seconds, err := strconv.Atoi(response.Header.Get("retry-after")); err == nil {
				pause = time.Duration(seconds) * time.Second
			}
		}
		time.Sleep(pause)
	}
	return nil, fmt.Errorf("%s %s: no answer after %d tries", method, path, tries)
}

// findMatch is called when a player presses "find match". A new ticketId for each search; the same one for a request
// that is repeated.
func findMatch(playerID string) (json.RawMessage, error) {
	// The ladder of the queue has the skill. A queue without a ladder needs it beside the playerId.
	players := []map[string]any{{"playerId": playerID}}
	ticket := map[string]any{"ticketId": playerID + "-" + rand.Text(), "players": players}
	return send("POST", "/queues/"+queue+"/tickets", ticket)
}

// verify says whether Muster has sent a webhook, not long ago. The body is as it was received, before any parsing.
func verify(header http.Header, body []byte) bool {
	id, timestamp := header.Get("webhook-id"), header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || math.Abs(time.Since(time.Unix(seconds, 0)).Seconds()) > tolerance.Seconds() {
		return false
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", id, timestamp, body)
	expected := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	for _, one := range strings.Fields(header.Get("webhook-signature")) {
		if hmac.Equal(expected, []byte(one)) {
			return true
		}
	}
	return false
}

// ports are those of the game servers, one for each match, however often it is asked for.
var ports = struct {
	sync.Mutex
	of map[string]int
}{of: map[string]int{}}

func serverOf(matchID string) map[string]any {
	ports.Lock()
	defer ports.Unlock()
	if _, found := ports.of[matchID]; !found {
		ports.of[matchID] = 7000 + len(ports.of)
	}
	return map[string]any{"address": "203.0.113.7", "port": ports.of[matchID]}
}

// onEvent does what follows from an event. Each step can be repeated. A webhook that comes late finds the match further
// on, which is a 409 and no fault.
func onEvent(event Event) error {
	match := event.Data.Match
	if match == nil {
		log.Printf("%s: %s", event.Type, event.Data.Ticket.TicketID)
		return nil
	}
	err := advance(event.Type, match)
	if refused, ok := err.(*Refused); ok && refused.Status == http.StatusConflict {
		log.Printf("%s of %s came late: %v", event.Type, match.MatchID, refused)
		return nil
	}
	return err
}

func advance(eventType string, match *Match) error {
	path := "/matches/" + match.MatchID
	switch eventType {
	case "MatchFound":
		// These players are bots. A player answers for itself, with the token of its ticket.
		for _, team := range match.Teams {
			for _, player := range team.Players {
				answer := map[string]any{"accepted": true, "matchId": match.MatchID}
				if _, err := send("PUT", "/tickets/"+player.TicketID+"/acceptance", answer); err != nil {
					return err
				}
			}
		}
		return nil
	case "MatchAccepted":
		_, err := send("PUT", path+"/assignment", serverOf(match.MatchID))
		return err
	case "MatchAssigned":
		// Put your game here. This one is over at once, and the first team has won.
		_, err := send("POST", path+"/result", map[string]any{"ranks": []int{1, 2}})
		return err
	}
	return nil
}

func main() {
	http.HandleFunc("POST /play", func(response http.ResponseWriter, request *http.Request) {
		var player struct {
			PlayerID string `json:"playerId"`
		}
		if err := json.NewDecoder(request.Body).Decode(&player); err != nil {
			http.Error(response, err.Error(), http.StatusBadRequest)
			return
		}
		ticket, err := findMatch(player.PlayerID)
		if err != nil {
			http.Error(response, err.Error(), http.StatusBadGateway)
			return
		}
		response.WriteHeader(http.StatusCreated)
		response.Write(ticket)
	})
	http.HandleFunc("POST /webhooks", func(response http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		if err != nil || !verify(request.Header, body) {
			response.WriteHeader(http.StatusUnauthorized)
			return
		}
		var event Event
		if err = json.Unmarshal(body, &event); err == nil {
			err = onEvent(event)
		}
		if err != nil {
			// A status that is not 2xx makes Muster send it again.
			http.Error(response, err.Error(), http.StatusInternalServerError)
			return
		}
		response.WriteHeader(http.StatusNoContent)
	})
	port := os.Getenv("PORT")
	if port == "" {
		port = "4000"
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("listening on", listener.Addr().(*net.TCPAddr).Port)
	log.Fatal(http.Serve(listener, nil))
}

func mustDecode(text string) []byte {
	bytes, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		log.Fatal("MUSTER_SECRET: expected whsec_ and base64")
	}
	return bytes
}
