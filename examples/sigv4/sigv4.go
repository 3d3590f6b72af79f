// Signs a request with AWS credentials (Signature Version 4), in the standard library of Go.
//
//	AWS_REGION=us-east-1 go run sigv4.go GET https://…/queues
//
// Prints the headers for METHOD URL [BODY], with the credentials of AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and, if they
// are temporary, AWS_SESSION_TOKEN.
package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log"
	"net/http"
	"net/url"
	"os"
	"sort"
	"strings"
	"time"
)

// Keys are AWS credentials. Token is empty where they are not temporary.
type Keys struct{ ID, Secret, Token string }

// sign adds the headers of a signature to a request. They are valid for five minutes, so sign each try again.
func sign(request *http.Request, body []byte, region string, keys Keys) {
	stamp := time.Now().UTC().Format("20060102T150405Z")
	request.Header.Set("x-amz-date", stamp)
	names, lines := "host;x-amz-date", "host:"+request.URL.Host+"\nx-amz-date:"+stamp+"\n"
	if keys.Token != "" {
		request.Header.Set("x-amz-security-token", keys.Token)
		names += ";x-amz-security-token"
		lines += "x-amz-security-token:" + keys.Token + "\n"
	}
	// The path is encoded a second time. Names and values of the query are encoded, then sorted.
	path := request.URL.EscapedPath()
	if path == "" {
		path = "/"
	}
	parts := strings.Split(path, "/")
	for i, part := range parts {
		parts[i] = encoded(part)
	}
	pairs := []string{}
	for name, values := range request.URL.Query() {
		for _, value := range values {
			pairs = append(pairs, encoded(name)+"="+encoded(value))
		}
	}
	sort.Strings(pairs)
	canonical := []string{request.Method, strings.Join(parts, "/"), strings.Join(pairs, "&"), lines, names, hash(body)}
	scope := strings.Join([]string{stamp[:8], region, "execute-api", "aws4_request"}, "/")
	text := strings.Join([]string{"AWS4-HMAC-SHA256", stamp, scope, hash([]byte(strings.Join(canonical, "\n")))}, "\n")
	key := []byte("AWS4" + keys.Secret)
	for _, part := range strings.Split(scope, "/") {
		key = mac(key, part)
	}
	request.Header.Set("authorization", fmt.Sprintf("AWS4-HMAC-SHA256 Credential=%s/%s, SignedHeaders=%s, Signature=%s",
		keys.ID, scope, names, hex.EncodeToString(mac(key, text))))
}

func encoded(text string) string {
	return strings.ReplaceAll(url.QueryEscape(text), "+", "%20")
}

func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

func mac(key []byte, text string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return mac.Sum(nil)
}

func main() {
	args := append(os.Args[1:], "")
	body := []byte(args[2])
	request, err := http.NewRequest(args[0], args[1], bytes.NewReader(body))
	if err != nil {
		log.Fatal(err)
	}
	keys := Keys{os.Getenv("AWS_ACCESS_KEY_ID"), os.Getenv("AWS_SECRET_ACCESS_KEY"), os.Getenv("AWS_SESSION_TOKEN")}
	sign(request, body, os.Getenv("AWS_REGION"), keys)
	for name, values := range request.Header {
		fmt.Printf("%s: %s\n", strings.ToLower(name), values[0])
	}
}
