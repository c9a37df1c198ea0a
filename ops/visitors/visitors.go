// Package visitors contains invented visitors, for traffic that has to look real.
package visitors

import (
	_ "embed" // for the data files
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

//go:embed useragents.json
var userAgents []byte

//go:embed addresses.json
var addresses []byte

// Agent is a user agent and how it is to be classified.
type Agent struct {
	UserAgent string `json:"user_agent"`
	Device    string `json:"device_type"`
	OS        string `json:"os"`
	Browser   string `json:"browser"`
	Bot       string `json:"bot"` // the kind of bot that it declares itself to be, or empty if people use it
}

// Accept returns the Accept header that the browser sends when a visitor follows a link.
func (a Agent) Accept() string {
	if strings.Contains(a.UserAgent, "Chrome/") {
		return "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8"
	}
	return "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
}

// Headers returns the headers that the browser sends over HTTP without TLS. For a bot, only the user agent is known.
func (a Agent) Headers(language string) http.Header {
	h := http.Header{"User-Agent": {a.UserAgent}}
	if a.Bot == "" {
		h.Set("Upgrade-Insecure-Requests", "1")
		h.Set("Accept", a.Accept())
		h.Set("Accept-Language", language)
		h.Set("Accept-Encoding", "gzip, deflate")
	}
	return h
}

// Address is a public address and the country it is in.
type Address struct {
	IP      string `json:"address"`
	Country string `json:"country"`
}

// Set is the built-in user agents and addresses.
type Set struct {
	People, Bots []Agent
	Addresses    []Address
}

// Load reads the built-in set.
func Load() (Set, error) {
	var s Set
	var agents []Agent
	if err := json.Unmarshal(userAgents, &agents); err != nil {
		return s, fmt.Errorf("visitors: user agents: %w", err)
	}
	if err := json.Unmarshal(addresses, &s.Addresses); err != nil {
		return s, fmt.Errorf("visitors: addresses: %w", err)
	}
	for _, a := range agents {
		if a.Bot == "" {
			s.People = append(s.People, a)
		} else {
			s.Bots = append(s.Bots, a)
		}
	}
	return s, nil
}
